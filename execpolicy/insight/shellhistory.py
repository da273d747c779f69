"""The entries of shells' history files: bash (with or without times), zsh (plain or extended), fish, or one a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_BASH_TIME = re.compile(rb"#\d{9,}\s*$")
_ZSH_TIME = re.compile(rb": \d+:\d+;")
_FISH = b"- cmd: "
_JSON_OBJECT = re.compile(rb"\s*\{\s*[\"}]")
_META = 0x83
"""zsh writes some bytes as this one and then the byte with bit 5 flipped."""


def form_of(name: str, first: bytes) -> str:
    """``jsonl``, ``bash``, ``zsh``, ``fish`` or ``text``, by the file's name and its first line that is not empty."""
    if name.endswith((".jsonl", ".ndjson")) or _JSON_OBJECT.match(first):
        return "jsonl"
    if name.endswith("zsh_history"):
        return "zsh"
    if first.startswith(_FISH):
        return "fish"
    if _ZSH_TIME.match(first):
        return "zsh"
    return "bash" if _BASH_TIME.match(first) else "text"


def entries(kind: str, lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Each entry with the 1-based number of its first line. ``lines`` have their newlines."""
    if kind == "bash":
        return _bash(lines)
    if kind == "zsh":
        return _zsh(lines)
    if kind == "fish":
        return _fish(lines)
    return ((number, line.strip()) for number, line in enumerate(lines, 1) if line.strip())


def _bash(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Entries are what stands between two lines with a time, as bash itself reads it; before the first time, lines."""
    start, collected = 0, b""
    for number, line in enumerate(lines, 1):
        if _BASH_TIME.match(line):
            if collected.strip():
                yield start, collected.strip()
            start, collected = number + 1, b""
        elif start:
            collected += line
        elif line.strip():
            yield number, line.strip()
    if collected.strip():
        yield start, collected.strip()


def _zsh(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """A backslash at the end of a line stands for a newline inside the entry."""
    start, collected = 0, b""
    for number, line in enumerate(lines, 1):
        if not collected:
            start = number
        bare = line[:-1] if line.endswith(b"\n") else line
        if bare.endswith(b"\\") and line.endswith(b"\n"):
            collected += bare[:-1] + b"\n"
            continue
        entry, collected = _zsh_entry(collected + bare), b""
        if entry:
            yield start, entry
    entry = _zsh_entry(collected)
    if entry:
        yield start, entry


def _zsh_entry(raw: bytes) -> bytes:
    timed = _ZSH_TIME.match(raw)
    text = (raw[timed.end() :] if timed else raw).strip()
    if _META not in text:
        return text
    plain = bytearray()
    at = 0
    while at < len(text):
        if text[at] == _META and at + 1 < len(text):
            at += 1
            plain.append(text[at] ^ 32)
        else:
            plain.append(text[at])
        at += 1
    return bytes(plain)


def _fish(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """``- cmd: …`` with ``\\n`` and ``\\\\`` escaped; what is indented below it is about the entry."""
    for number, line in enumerate(lines, 1):
        if line.startswith(_FISH):
            text = re.sub(rb"\\(.)", lambda found: b"\n" if found[1] == b"n" else found[1], line[len(_FISH) :].strip())
            if text:
                yield number, text
