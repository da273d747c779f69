"""Patterns of ``find`` that somebody forgot to quote, and programs whose output stands among its words."""

from __future__ import annotations

from tests.support.each import each
from tests.support.judging import decision

HARMLESS = [
    "find . -name *.py",
    "find . -name *.py -exec grep -l x {} +",
    r"find . -name foo* -exec ls {} \;",
    r"find . -name *.txt -exec ls {} \; -o -name *.md -exec cat {} +",
    "find /home/$(whoami) -name x",
]
UNPROVEN = [
    r"find . -name * -exec ls {} \;",
    r"find . -name *foo* -exec ls {} \;",
    r"find . -name -* -exec ls {} \;",
    r"find . -name !* -exec ls {} \;",
    r"find . -name *.py -exec rm {} \;",
    r"find . -name *.py -exec -delete \;",
    r"find . -name *.py -exec echo -delete \;",
    r"find . -name *.py -exec ls {} \; -path -delete",
    r"find . -name *.pem -exec cat {} \;",
    r"find . -name .e* -exec cat {} \;",
    "find $(cat roots) -name x",
]


@each("script", HARMLESS)
def test_names_that_it_refuses_to_go_on_with_do_no_harm(script: str) -> None:
    assert decision(script) == "allow"


@each("script", UNPROVEN)
def test_names_that_could_be_predicates_are_asked_about(script: str) -> None:
    assert decision(script) == "prompt"


def test_which_of_zsh_prints_more_than_paths() -> None:
    assert decision("file $(which ls)") == "allow"
    assert decision("file $(which ls)", shell="zsh") == "prompt"
