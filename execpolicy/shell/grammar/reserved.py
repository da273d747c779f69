"""Reserved words at the position: detected, required, and classified by the compound commands they open and close."""

from __future__ import annotations

from execpolicy.shell.grammar.heredocs import skip_lines
from execpolicy.shell.grammar.reader import META, Reader
from execpolicy.shell.vocabulary import RESERVED

COMPOUND = frozenset(("if", "while", "until", "for", "select", "case", "{", "[[", "function", "coproc"))

CLOSING = frozenset(("then", "else", "elif", "fi", "do", "done", "esac", "}", "]]", "in"))

_ENDED = dict.fromkeys(map(ord, META), " ")

_LONGEST = 1 + max(map(len, RESERVED))


def peek_reserved(reader: Reader) -> tuple[str, int]:
    """The reserved word at the position and its end; ``""`` for any other word."""
    text, end = reader.text, reader.end
    pos = reader.pos
    char = text[pos] if pos < end else ""
    if not ("a" <= char <= "z" or (char and char in "{}[]!\\")):
        return "", pos
    word = text[pos : min(pos + _LONGEST, end)].translate(_ENDED).partition(" ")[0]
    if "\\" not in word:
        return (word, pos + len(word)) if word in RESERVED else ("", pos)
    chars: list[str] = []
    while pos < end and len(chars) < _LONGEST:
        char = text[pos]
        if char in META:
            break
        if char == "\\":
            if text[pos + 1 : pos + 2] != "\n":
                return "", pos
            pos += 2
            reader.state.rich = True
            continue
        chars.append(char)
        pos += 1
    word = "".join(chars)
    return (word, pos) if word in RESERVED else ("", pos)


def expect(reader: Reader, *wanted: str) -> str:
    """Reads one of the reserved words ``wanted``; any other word makes the script opaque."""
    skip_lines(reader)
    word, end = peek_reserved(reader)
    if word not in wanted:
        reader.fail(f"`{wanted[0]}` is missing")
    reader.pos = end
    return word
