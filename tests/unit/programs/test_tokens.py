"""The scanner for program texts takes whatever it is given."""

import random

import pytest

from execpolicy.programs.tokens import tokens

_PIECES = [*"sqrbxy$@%~#/\\'\"`{}()<>=.| \n0", "qq", "qw", "~w", "%w", "#{", '"""', "//", "/*", "::", "->", "||", "\\x"]


@pytest.mark.parametrize(
    "language", ["perl", "ruby", "python", "elixir", "raku", "php", "javascript", "awk", "lisp", "tcl"]
)
def test_no_text_is_too_broken(language: str) -> None:
    chance = random.Random(3)
    for _ in range(3000):
        tokens("".join([chance.choice(_PIECES) for _ in range(chance.randrange(1, 9))]), language)


@pytest.mark.parametrize("code", ["s{a}", "s/a", "q", "qq(", "y{", "s{a}{b"])
def test_a_text_that_was_cut_off_ends_where_it_was(code: str) -> None:
    assert tokens(code, "perl")


def test_sigils_of_elixir_are_texts() -> None:
    assert [
        token.value for token in tokens('System.cmd "git", ~w(push origin), ~s(a b)', "elixir") if token.kind == "text"
    ] == [*("git", "push", "origin", "a b")]
