"""Calls that a list once let through, each of them seen to write a file, run a program or reach the network."""

import pytest

from tests.support.each import each
from tests.support.judging import decision

SEEN = [
    "sed 'a\\ \nw PWNED' a.txt",
    "sed 'i\\\t\n1w PWNED' a.txt",
    "sed -z 'c\\\t\nw PWNED' a",
    "sed -e 'a\\' -e 'a\\ \nw PWNED' a.txt",
    "sed -e 'a\\' -e 'w PWNED' a.txt",
    "awk 'BEGIN{x = case / 1; system(\"touch PWNED\") # /\n}'",
    "mawk 'BEGIN{x = default / 1; print 1 > \"PWNED\" # /\n}'",
    "mawk 'BEGIN{x = func / 1; print 1 > \"PWNED\" # /\n}'",
    "mawk 'BEGIN{x = switch / 1; print 1 > \"PWNED\" # /\n}'",
    "mawk 'BEGIN{x = nextfile / 1; print 1 > \"PWNED\" # /\n}'",
    "tree -Lo 2 PWNED",
    "tree -Po '*' PWNED",
    "tree -Io x PWNED",
    "tree -To x PWNED",
    "tree -Ho x PWNED",
    "tree -L 1 -HR x",
    "git tag -n-1 newtag",
    "git tag -n-1 -- x",
    "printf '%(a)x%n)T' PATH; ls",
    "cat a.txt | erl --version",
    "erl --help < a.txt",
    "ss a.evil.example",
    "ss dst a.evil.example:80",
    "lsof -i@a.evil.example",
    "lsof -i @a.evil.example",
    "git -c pager.log=X=false log",
]


@each("script", SEEN)
def test_it_is_asked_about(script: str) -> None:
    assert decision(script) != "allow"


@pytest.mark.parametrize("script", ["read -t 'a[$(touch PWNED)]' x", "read -n 'a[$(touch PWNED)]' x"])
def test_zsh_evaluates_the_numbers_of_read(script: str) -> None:
    assert decision(script, shell="zsh") != "allow"
