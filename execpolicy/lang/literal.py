"""Reads rule files that only call builtins with literal arguments, without Starlark.

Nearly every rule file is of this kind, and what such a file means leaves no room: no names, no operators, no control
flow. Anything beyond that (and anything malformed) gives ``None``, and Starlark decides. A differential test keeps this
reader and Starlark agreed.
"""

from __future__ import annotations

from execpolicy.lang.recording import RecordedCall, Recording
from execpolicy.lang.scan import BUILTINS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.lang.recording import Encoded

_AMENDMENT_START = 'prefix_rule(pattern=["'
_AMENDMENT_END = '"], decision="allow")'
_CONSTANTS = {"True": True, "False": False, "None": None}
_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}


class _NotLiteral(Exception):
    """The text is not of the literal kind; Starlark decides what it is."""


def record_literal(text: str) -> Recording | None:
    """The calls that ``text`` makes, or ``None`` if it is more than calls of builtins with literal arguments."""
    if "\t" in text or "\0" in text:  # tabs are only legal inside strings; Starlark says so best
        return None
    try:
        return Recording(_LiteralReader(text).statements(), None)
    except _NotLiteral:
        return None


class _LiteralReader:
    """A cursor over the text. ``line`` is the 1-based line of ``at``."""

    __slots__ = ("at", "line", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1

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
                self.at = self._end_of_line()
            elif text[at] == " ":
                self._blank_line()
            else:
                calls.append(self._call())
        return calls

    def _end_of_line(self) -> int:
        newline = self.text.find("\n", self.at)
        stop = newline if newline >= 0 else len(self.text)
        carriage = self.text.find("\r", self.at, stop)
        if carriage >= 0 and carriage != stop - 1:
            raise _NotLiteral  # a lone carriage return: Starlark refuses it
        if carriage == stop - 1 and newline < 0:
            raise _NotLiteral
        return stop

    def _blank_line(self) -> None:
        """Skip a line of blanks or a blank-indented comment; an indented statement is Starlark's to refuse."""
        while self.text.startswith(" ", self.at):
            self.at += 1
        if not (self.at == len(self.text) or self.text[self.at] in "\n#" or self.text.startswith("\r\n", self.at)):
            raise _NotLiteral

    def _call(self) -> RecordedCall:
        line = self.line
        name = self._name()
        if name not in BUILTINS:
            raise _NotLiteral
        while self.text.startswith(" ", self.at):
            self.at += 1
        self._expect("(")
        args: list[Encoded] = []
        kwargs: list[list[Encoded]] = []
        seen: set[str] = set()
        self._skip()
        while not self._accept(")"):
            char = self.text[self.at : self.at + 1]
            if char in _NAME and not char.isdigit():
                word = self._name()
                self._skip()
                if word in _CONSTANTS and not self.text.startswith("=", self.at):
                    if kwargs:
                        raise _NotLiteral
                    args.append(_CONSTANTS[word])
                else:
                    if word in seen or word in _CONSTANTS:
                        raise _NotLiteral
                    seen.add(word)
                    self._expect("=")
                    self._skip()
                    kwargs.append([word, self._value()])
            else:
                if kwargs:
                    raise _NotLiteral
                args.append(self._value())
            self._skip()
            if not self._accept(","):
                self._expect(")")
                break
            self._skip()
        while self.text.startswith(" ", self.at):
            self.at += 1
        rest = self.text[self.at : self.at + 2]
        if rest and rest[0] not in "\n#" and rest != "\r\n":
            raise _NotLiteral
        return RecordedCall(name, line, args, kwargs)

    def _value(self) -> Encoded:
        char = self.text[self.at : self.at + 1]
        if char in ('"', "'"):
            return self._string(char)
        if char == "[":
            return self._list()
        if char.isascii() and char.isdigit():
            start = self.at
            while self.text[self.at : self.at + 1].isdigit():
                self.at += 1
            digits = self.text[start : self.at]
            if not digits.isascii() or (len(digits) > 1 and digits[0] == "0") or len(digits) > 18:
                raise _NotLiteral
            following = self.text[self.at : self.at + 1]
            if following == "." or (following in _NAME and following):
                raise _NotLiteral
            return {"t": "int", "r": digits}
        word = self._name()
        if word not in _CONSTANTS:
            raise _NotLiteral
        return _CONSTANTS[word]

    def _list(self, *, nested: bool = False) -> list[Encoded]:
        """A list. One level of nesting is all that a rule can use; deeper text goes to Starlark."""
        self.at += 1
        items: list[Encoded] = []
        self._skip()
        while not self._accept("]"):
            if not self.text.startswith("[", self.at):
                items.append(self._value())
            elif nested:
                raise _NotLiteral
            else:
                items.append(self._list(nested=True))
            self._skip()
            if not self._accept(","):
                self._expect("]")
                break
            self._skip()
        return items

    def _string(self, quote: str) -> str:
        text, start = self.text, self.at + 1
        if text.startswith(quote * 3, self.at):
            raise _NotLiteral
        close = text.find(quote, start)
        if close < 0:
            raise _NotLiteral
        part = text[start:close]
        if "\n" in part or "\r" in part:
            raise _NotLiteral
        if "\\" not in part:
            self.at = close + 1
            return part
        return self._escaped_string(quote, start)

    def _escaped_string(self, quote: str, at: int) -> str:
        text, end = self.text, len(self.text)
        parts: list[str] = []
        while at < end:
            char = text[at]
            at += 1
            if char == quote:
                self.at = at
                return "".join(parts)
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

    def _name(self) -> str:
        text, start, at = self.text, self.at, self.at
        while text[at : at + 1] in _NAME and at < len(text):
            at += 1
        if at == start or text[start].isdigit():
            raise _NotLiteral
        self.at = at
        return text[start:at]

    def _skip(self) -> None:
        """Skip blanks, line ends and comments inside brackets."""
        text, end = self.text, len(self.text)
        while self.at < end:
            char = text[self.at]
            if char == " ":
                self.at += 1
            elif char == "\n":
                self.at += 1
                self.line += 1
            elif char == "#":
                self.at = self._end_of_line()
            elif char == "\r" and text.startswith("\r\n", self.at):
                self.at += 1
            else:
                return

    def _accept(self, char: str) -> bool:
        if self.text.startswith(char, self.at):
            self.at += 1
            return True
        return False

    def _expect(self, char: str) -> None:
        if not self._accept(char):
            raise _NotLiteral


def _amendment_tokens(line: str) -> list[str] | None:
    """The pattern of a line exactly as amendments write it, if no token needs an escape; otherwise ``None``."""
    if not line.endswith(_AMENDMENT_END) or "\\" in line or "\r" in line:
        return None
    tokens = line[len(_AMENDMENT_START) : -len(_AMENDMENT_END)].split('", "')
    for token in tokens:
        if '"' in token:
            return None
    return tokens
