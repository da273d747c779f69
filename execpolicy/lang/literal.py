"""Reads rule files that only call builtins with literal arguments, without Starlark.

Nearly every rule file is of this kind, and its meaning is unambiguous: no names, no operators, no control flow. For
anything else, and for malformed text, the reader returns ``None``, and Starlark decides. A differential test keeps this
reader and Starlark in agreement.
"""

from __future__ import annotations

from execpolicy.lang.recording import RecordedCall, Recording
from execpolicy.lang.scan import BUILTINS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from execpolicy.lang.recording import Encoded

    Token: TypeAlias = str | tuple[str]
    """A name, a number or a sign; or the value of a string in a tuple of one."""

_AMENDMENT_START = 'prefix_rule(pattern=["'
_AMENDMENT_END = '"], decision="allow")'
_CONSTANTS = {"True": True, "False": False, "None": None}
_DIGITS = frozenset("0123456789")
_NAME = _DIGITS.union("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
_MOST_DIGITS = 18
_LONGEST_GAP = 4096
"""The longest distance in characters between two strings; Starlark reads a file with a longer one."""
_PUNCTUATION = frozenset("()[],=")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}


class _NotLiteral(Exception):
    """The text is not of the literal kind; Starlark must evaluate it."""


def record_literal(text: str) -> Recording | None:
    """The calls in ``text``, or ``None`` if it contains more than calls of builtins with literal arguments."""
    if "\t" in text or "\0" in text:  # tabs are only legal inside strings; Starlark has the message
        return None
    try:
        return Recording(_LiteralReader(text).statements(), None)
    except _NotLiteral:
        return None


class _LiteralReader:
    """A cursor over the text. ``line`` is the 1-based line of ``at``."""

    __slots__ = ("_known", "at", "line", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1
        self._known: dict[str, tuple[tuple[str, ...], int]] = {}
        """The tokens between two strings, up to a sign that needs separate handling, and their length in characters.

        A cache by the text between the strings, which is often the same within a file.
        """

    def statements(self) -> list[RecordedCall]:
        text, end = self.text, len(self.text)
        calls: list[RecordedCall] = []
        while self.at < end:
            at = self.at
            if text.startswith(_AMENDMENT_START, at):
                newline = text.find("\n", at)
                stop = newline if newline >= 0 else end
                tokens = _amendment_tokens(text[at:stop])
                if tokens is not None:
                    calls.append(
                        RecordedCall("prefix_rule", self.line, [], [["pattern", tokens], ["decision", "allow"]])
                    )
                    self.at = stop + 1
                    self.line += 1
                    continue
            if text[at] == "\n":
                self.at += 1
                self.line += 1
            elif text.startswith("\r\n", at):
                self.at += 2
                self.line += 1
            elif text[at] == "#":
                self.at = self._end_of_line(at)
            elif text[at] == " ":
                self._blank_line()
            else:
                calls.append(self._call())
        return calls

    def _end_of_line(self, at: int) -> int:
        newline = self.text.find("\n", at)
        stop = newline if newline >= 0 else len(self.text)
        carriage = self.text.find("\r", at, stop)
        if carriage >= 0 and carriage != stop - 1:
            raise _NotLiteral  # Starlark rejects a lone carriage return
        if carriage == stop - 1 and newline < 0:
            raise _NotLiteral
        return stop

    def _blank_line(self) -> None:
        """Skips a line of blanks or an indented comment; Starlark rejects an indented statement."""
        self._skip_blanks()
        if not (self.at == len(self.text) or self.text[self.at] in "\n#" or self.text.startswith("\r\n", self.at)):
            raise _NotLiteral

    def _skip_blanks(self) -> None:
        while self.text.startswith(" ", self.at):
            self.at += 1

    def _call(self) -> RecordedCall:
        line, start = self.line, self.at
        opened = self.text.find("(", start)
        name = self.text[start : max(opened, start)].rstrip(" ")
        if name not in BUILTINS:
            raise _NotLiteral
        tokens = self._tokens(opened + 1)
        self.line += self.text.count("\n", start, self.at)
        args, kwargs = _arguments(tokens)
        self._skip_blanks()
        rest = self.text[self.at : self.at + 2]
        if rest and rest[0] not in "\n#" and rest != "\r\n":
            raise _NotLiteral
        return RecordedCall(name, line, args, kwargs)

    def _tokens(self, at: int) -> list[Token]:
        """The tokens from ``at`` up to and including the closing bracket of the call; moves the cursor after it."""
        text, known = self.text, self._known
        found: list[Token] = []
        while True:
            quote = text.find('"', at, at + _LONGEST_GAP)
            between = text[at : quote if quote >= 0 else at + _LONGEST_GAP]
            read = known.get(between)
            if read is None:
                part = between[: min([place for place in map(between.find, "#')") if place >= 0], default=None)]
                read = known.get(part) or (_tokens_between(part), len(part))
                known[between] = known[part] = read
            tokens, length = read
            found += tokens
            at += length
            mark = text[at : at + 1]
            if mark in ('"', "'"):
                close = text.find(mark, at + 1)
                part = text[at + 1 : close]
                if close < 0 or "\n" in part or "\r" in part or "\\" in part:
                    part, close = _escaped_string(text, mark, at + 1)
                found.append((part,))
                at = close + 1
            elif mark == "#":
                at = self._end_of_line(at)
            elif mark == ")":
                found.append(")")
                self.at = at + 1
                return found
            else:
                raise _NotLiteral


def _tokens_between(text: str) -> tuple[str, ...]:
    """The names, numbers and signs in ``text``, which contains no start of a string or comment and no end of a call."""
    text = text.replace("\r\n", "\n")
    found: list[str] = []
    at, end = 0, len(text)
    while at < end:
        start, char = at, text[at]
        at += 1
        if char in _NAME:
            while at < end and text[at] in _NAME:
                at += 1
            found.append(text[start:at])
        elif char in _PUNCTUATION:
            found.append(char)
        elif char not in " \n":
            raise _NotLiteral
    return tuple(found)


def _escaped_string(text: str, quote: str, at: int) -> tuple[str, int]:
    """The value of a string that begins at ``at``, and the offset of its closing quote."""
    end = len(text)
    parts: list[str] = []
    while at < end:
        char = text[at]
        if char == quote:
            return "".join(parts), at
        at += 1
        if char in "\n\r":
            break
        if char == "\\":
            escaped = _ESCAPES.get(text[at : at + 1])
            if escaped is None:
                break
            char = escaped
            at += 1
        parts.append(char)
    raise _NotLiteral


def _arguments(tokens: list[Token]) -> tuple[list[Encoded], list[list[Encoded]]]:
    """The arguments of a call by position and by name; ``tokens`` end with its closing bracket."""
    args: list[Encoded] = []
    kwargs: list[list[Encoded]] = []
    seen: set[Token] = set()
    at = 0
    while tokens[at] != ")":
        name = tokens[at]
        if tokens[at + 1] == "=":
            if name in seen or type(name) is not str or name[0] not in _NAME or name[0] in _DIGITS:
                raise _NotLiteral
            if name in _CONSTANTS:
                raise _NotLiteral
            seen.add(name)
            value, at = _value(tokens, at + 2)
            kwargs.append([name, value])
        elif kwargs:
            raise _NotLiteral
        else:
            value, at = _value(tokens, at)
            args.append(value)
        if tokens[at] == ",":
            at += 1
        elif tokens[at] != ")":
            raise _NotLiteral
    return args, kwargs


def _value(tokens: list[Token], at: int) -> tuple[Encoded, int]:
    """The value that begins at ``at``, and the index after it."""
    token = tokens[at]
    if type(token) is tuple:
        return token[0], at + 1
    if token == "[":
        return _list(tokens, at + 1)
    return _constant(token), at + 1


def _list(tokens: list[Token], at: int, *, nested: bool = False) -> tuple[list[Encoded], int]:
    """A list, read from after its opening bracket, and the index after it.

    A rule needs only one level of nesting; Starlark reads deeper text.
    """
    items: list[Encoded] = []
    while True:
        token = tokens[at]
        at += 1
        if type(token) is tuple:
            items.append(token[0])
        elif token == "]":
            return items, at
        elif token == "[" and not nested:
            item, at = _list(tokens, at, nested=True)
            items.append(item)
        else:
            items.append(_constant(token))
        token = tokens[at]
        if token == ",":
            at += 1
        elif token != "]":
            raise _NotLiteral


def _constant(token: Token) -> Encoded:
    if token in _CONSTANTS:
        return _CONSTANTS[token]
    digits = str(token)
    if not _DIGITS.issuperset(digits) or (len(digits) > 1 and digits[0] == "0") or len(digits) > _MOST_DIGITS:
        raise _NotLiteral
    return {"t": "int", "r": digits}


def _amendment_tokens(line: str) -> list[str] | None:
    """The pattern of a line exactly as amendments write it, if no token needs an escape; otherwise ``None``."""
    if not line.endswith(_AMENDMENT_END) or "\\" in line or "\r" in line:
        return None
    tokens = line[len(_AMENDMENT_START) : -len(_AMENDMENT_END)].split('", "')
    for token in tokens:
        if '"' in token:
            return None
    return tokens
