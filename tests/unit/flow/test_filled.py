"""Names that `read` and `${x/…}` make of what the script shows. Scripts were run in bash 5.2."""

import pytest

from tests.support.judging import decision

NAMES = [
    'IFS=/ read -r a b <<< "./env"; cat "$a$b"',
    'IFS=- read -r a b c <<< "id-_rsa-a"; cat "$a$b"',
    'while IFS=, read -r a b; do cat "$a$b"; done <<< ".e,nv"',
    'while IFS=, read -r a b; do cat "$a$b"; done <<E\nx,y\n.e,nv\nE',
    'read -r -n 4 a <<< ".envfoo"; cat "$a"',
    'read -rN4 a <<< ".envfoo"; cat "$a"',
    "read a <<< '.\\env'; cat \"$a\"",
    'x=.e/n/v; cat "${x//\\/}"',
    'x=env; cat "${x/#/.}"',
    'x=.en; cat "${x/%/v}"',
]
PROGRAMS = [
    'IFS=, read -r a b <<< "r,m"; $a$b x',
    'read -n2 a <<< "rmx"; $a x',
    "read a <<< 'r\\m'; $a x",
    "x=m; ${x/#/r} x",
    "while IFS=, read -r a b; do $a$b x; done <<< r,m",
]


@pytest.mark.parametrize("script", NAMES)
def test_a_secret_whose_name_is_read_in_parts(script: str) -> None:
    assert decision(script) == "prompt"


@pytest.mark.parametrize("script", PROGRAMS)
def test_a_forbidden_program_whose_name_is_read_in_parts(script: str) -> None:
    assert decision(script, 'prefix_rule(pattern = ["rm"], decision = "forbidden")\n') == "forbidden"


def test_other_names_are_read() -> None:
    assert decision('while IFS=, read -r a b; do echo "$a"; cat "$b"; done <<< "x,y"') == "allow"
