"""Splitting and joining words as the Rust ``shlex`` crate does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.core.quoting import join, quote, split, try_join


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a b\tc\nd", ["a", "b", "c", "d"]),
        ("a\rb a\x0bb a\xa0b", ["a\rb", "a\x0bb", "a\xa0b"]),
        ("a # comment\nb", ["a", "b"]),
        ('b#c ""#c', ["b#c", "#c"]),
        ("a\\ b \\#c", ["a b", "#c"]),
        ("a\\\nb", ["ab"]),
        ('"a\\"b\\$c\\nd\\\ne"', ['a"b$c\\nde']),
        ("'a\\b' ''", ["a\\b", ""]),
        ("$'a' a|b *", ["$a", "a|b", "*"]),
        ("", []),
        ("  # only a comment", []),
    ],
)
def test_split(text: str, words: list[str]) -> None:
    assert split(text) == words


@pytest.mark.parametrize("text", ["'a", '"a', "a\\", '"a\\'])
def test_unbalanced_text_has_no_words(text: str) -> None:
    assert split(text) is None


@pytest.mark.parametrize(
    ("token", "quoted"),
    [
        ("", "''"),
        ("a-b/c:d@e]f_g+h.i", "a-b/c:d@e]f_g+h.i"),
        ("a=b", "'a=b'"),
        ("it's", '"it\'s"'),
        ("\\!", "\"\\\\\"'!'"),
        ("é", "'é'"),
        ("^a", "'^a'"),
        ("a b", "'a b'"),
        ("'$", "\"'\"'$'"),
    ],
)
def test_quote(token: str, quoted: str) -> None:
    assert quote(token) == quoted


def test_nul_cannot_be_quoted() -> None:
    assert try_join(["a", "b\0"]) is None
    assert join(["a", "b\0"]) == "a b\0"


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1))
def test_join_and_split_round_trip(tokens: list[str]) -> None:
    assert split(join(tokens)) == tokens
