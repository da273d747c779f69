"""Texts that are given key by key or as numbers."""

import pytest

from execpolicy.programs.typed_keys import typed_texts, typed_together


@pytest.mark.parametrize(
    "words",
    [
        "key g i t space p u s h Return",
        "key g+i t space p+u s+h KP_Enter",
        "write 103 105 116 32 112 117 115 104 10",
        "-H 67 69 74 20 70 75 73 68 0a",
        "-H 0x67 0x69 0x74 0x20 0x70 0x75 0x73 0x68",
        "key 34:1 34:0 23:1 23:0 20:1 20:0 57:1 57:0 25:1 25:0 22:1 22:0 31:1 31:0 35:1 35:0 28:1 28:0",
    ],
)
def test_keys_in_a_row_type_a_text(words: str) -> None:
    assert "git push" in typed_texts(words.split())


@pytest.mark.parametrize(
    "words", ["commit -m x", "a b c d", "10 20 30 40 50", "--port 8080 --host 0.0.0.0", "1:2 3:4 5:6 7:8", "add x + y"]
)
def test_other_words_type_none(words: str) -> None:
    assert not [text for text in typed_texts(words.split()) if text.isascii() and text.replace(" ", "").isalpha()]


def test_what_is_not_known_parts_a_row() -> None:
    assert typed_texts(["g", "i", "t", "space", None, "p", "u", "s", "h"]) == []


def test_texts_and_keys_are_typed_one_behind_the_other() -> None:
    assert typed_together(["gi", "t", "Space", "pu", "sh"]) == "git push"
