"""What texts stand for that are written in other letters, however short the command is."""

import base64

from execpolicy.programs.decoding import decoded
from tests.support.each import each
from tests.support.judging import decision

RULES = 'prefix_rule(pattern=["rm"], decision="forbidden")\nprefix_rule(pattern=["python3"])\n'


@each("text", ["rm x", "evil x", "git push", "git push origin main"])
def test_base85_of_short_commands(text: str) -> None:
    written = base64.b85encode(text.encode()).decode()
    assert text in decoded(written)
    assert text in decoded(base64.a85encode(text.encode(), adobe=True).decode())


def test_a_short_one_is_forbidden_in_a_program() -> None:
    code = "import os, base64\nos.system(base64.b85decode('a%~`Z').decode())"
    assert decision(["python3", "-c", code], RULES) == "forbidden"


@each("text", ["name", "x-key", "a_b", "2024-01-01", "--flag", "@scope/x"])
def test_names_stand_for_themselves(text: str) -> None:
    assert all("rm" not in each for each in decoded(text))
