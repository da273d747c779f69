"""Sentences of prose: how long they are, and which words no editor would leave in them."""

from __future__ import annotations

import re

LONGEST = 35
"""The largest number of words of a sentence."""
TICS = re.compile(
    r"\b(?:whoever|nobody|somebody|anybody|stands(?! for)|(?:is|are) told|(?:is|are) asked about|is no \w+ that)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\S*\w\S*")
_FENCE = re.compile(r"^( *)(`{3,}).*?^\1\2$", re.DOTALL | re.MULTILINE)
_LITERAL = re.compile(r"::\n\n(?:\s{4,}\S.*\n|\n)+")
_TABLE = re.compile(r"^ *={3,}.*\n(?: *\S.*(?:\n|\Z))+", re.MULTILINE)
_BLOCKS = re.compile(r"\n\s*\n|\n\s*(?:[*-]|\d+\.) |\||^\s*\w[\w, *.]*: |\n\s+\w[\w, *.]*: ")
"""What ends a paragraph: an empty line, an item of a list, a cell of a table, the name of an argument."""


def words(text: str) -> int:
    """The number of words, those of examples included; the lines of a table are none."""
    return len(_WORD.findall(text))


def prose(text: str) -> str:
    """The text without its examples, headings and the addresses of its links; a piece of code is one word."""
    text = _TABLE.sub("", _LITERAL.sub("\n\n", text))
    text = re.sub(r"^(?:#.*|\|[-| :]*)$", "", _FENCE.sub("", text), flags=re.MULTILINE)
    text = re.sub(r"``[^`]*``|`[^`]*`", "CODE", re.sub(r"\]\([^)]*\)", "]", text))
    return re.sub(r"CODE(?:,?\s+(?:(?:and|or)\s+)?CODE)+", "CODE", text)


def long_sentences(text: str) -> list[str]:
    """The sentences of ``text`` that are too long."""
    found = [
        sentence
        for block in _BLOCKS.split(prose(text))
        for sentence in re.split(r"(?<=[.!?])\s+", " ".join(block.split()))
    ]
    return [sentence for sentence in found if words(sentence) > LONGEST]
