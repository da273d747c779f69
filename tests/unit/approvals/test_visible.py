"""Text for a terminal that shows what is there."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from execpolicy.approvals.terminal import visible, visible_lines

_HIDING = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "Mn", "Me")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("git status", "git status"),
        ("grüße 日本 🦀", "grüße 日本 🦀"),
        ("a\x1b[2Kb", "a\\e[2Kb"),
        ("a\rb\nc\td", "a\\rb\\nc\\td"),
        ("a\x07\x7f\x9b", "a\\u{7}\\u{7f}\\u{9b}"),
        ("rm \u202egpj.x", "rm \\u{202e}gpj.x"),
        ("a\u200bb\u2066c\ufeff", "a\\u{200b}b\\u{2066}c\\u{feff}"),
        ("a\u00a0b\u3000c\u2028d", "a\\u{a0}b\\u{3000}c\\u{2028}d"),
        ("a\u0336b\u3164", "a\\u{336}b\\u{3164}"),
        ("a\U000e0041\udc80", "a\\u{e0041}\\u{dc80}"),
    ],
)
def test_what_hides_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_no_character_that_moves_or_hides_gets_through() -> None:
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if char != " " and unicodedata.category(char) in _HIDING:
            assert char not in visible(char)


def test_lines_are_folded() -> None:
    assert visible_lines("abcdef\n\ngh", 4) == ["abcd", "ef", "", "gh"]
    assert visible_lines("", 4) == [""]
    assert all(len(line) <= 10 for line in visible_lines("x" * 95 + "\x1b" * 7, 10))
