"""Parsers for the settings files of agents: JSON with comments and trailing commas, and TOML.

One JSON parser gives plain values, another gives the place of every value in the text. Errors name the place. A
settings file of an agent that cannot be parsed is not written.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from typing import Any, cast

from execpolicy.diagnostics.model import Diagnostic
from execpolicy.errors import ExecPolicyError, RuleFileError
from execpolicy.source import Source, Span


def parse_toml(source: Source) -> dict[str, Any]:
    """Parses the table that ``source`` holds.

    Raises:
        RuleFileError: it is no TOML; line and column are those of the file.
    """
    try:
        return tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        text = str(error).split(" (at ")[0]
        raise broken(source, text[:1].lower() + text[1:], _offset(source, error)) from None
    except RecursionError:
        raise broken(source, "it is nested too deep") from None


def _offset(source: Source, error: tomllib.TOMLDecodeError) -> int:
    """The offset where the parser stopped, from the line and column in its message."""
    found = str(error).rpartition("(at ")[2].rstrip(")")
    if not found.startswith("line "):
        return len(source.text)
    line, _, column = found.removeprefix("line ").partition(", column ")
    lines = source.text.split("\n")
    return sum(len(each) + 1 for each in lines[: int(line) - 1]) + int(column) - 1


def parse_jsonc(source: Source) -> Any:
    """Parses the value that ``source`` holds; the last value of a repeated key counts, as in the agents themselves.

    Raises:
        RuleFileError: it is no such text; line and column are those of the file.
    """
    try:
        return parse_settings(source.name, source.text).value
    except BrokenSettingsError as error:
        raise broken(source, error.what, error.at) from None


def parse_object(source: Source) -> dict[str, Any]:
    """Parses the settings that ``source`` holds.

    Raises:
        RuleFileError: it is no such text, or no object.
    """
    settings = parse_jsonc(source)
    of_kind(source, settings, dict, "the whole file")
    return cast("dict[str, Any]", settings)


AGENT_SETTINGS = "EP016"


def broken(source: Source, message: str, offset: int | None = None) -> RuleFileError:
    """The error ``message`` about ``source``, at ``offset`` (code points) if that is known."""
    if offset is None:
        return RuleFileError(Diagnostic(code=AGENT_SETTINGS, message=message, path=source.name))
    line, column = source.position(offset)
    span = Span(offset, offset + 1)
    return RuleFileError(
        Diagnostic(
            code=AGENT_SETTINGS,
            message=message,
            path=source.name,
            line=line,
            column=column,
            span=span,
            source=source,
            help="repair the file; nothing was written",
        )
    )


def of_kind(source: Source, value: object, kind: type | tuple[type, ...], where: str) -> None:
    """Checks that the value at ``where`` is of ``kind``.

    Raises:
        RuleFileError: it is not.
    """
    if not isinstance(value, kind):
        names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
        kinds = kind if isinstance(kind, tuple) else (kind,)
        wanted = " or ".join(names.get(each, each.__name__) for each in kinds)
        raise broken(source, f"`{where}` must be {wanted}")


_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null')
_UNCLOSED = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*')
_DEEPEST = 200


class BrokenSettingsError(ExecPolicyError):
    """A settings file that its agent cannot read, or with unexpected content; it is left unchanged.

    Attributes:
        at: the offset of the mistake.
        what: the description of the mistake.
    """

    def __init__(self, path: str, text: str, at: int, what: str) -> None:
        self.at = at
        self.what = what
        line, column = Source(path, text).position(at)
        super().__init__(f"{path}:{line}:{column}: {what}; it is left as it is")


@dataclass(slots=True)
class SettingsNode:
    """A value and its place in the text.

    Attributes:
        value: as :mod:`json` would give it.
        start, end: the offsets of its text.
        members: of an object: key, offset of the key, value; in the order of the text.
        elements: of a list.
        trailing: the offset after the comma that follows the last entry, if there is one.
    """

    value: Any
    start: int
    end: int
    members: list[tuple[str, int, SettingsNode]] = field(default_factory=list)
    elements: list[SettingsNode] = field(default_factory=list)
    trailing: int | None = None

    def member(self, key: str) -> SettingsNode | None:
        """The value of ``key``; the last one of a repeated key, as in every agent."""
        return next((node for name, _, node in reversed(self.members) if name == key), None)

    @property
    def entries(self) -> list[tuple[int, int]]:
        """The offsets of all members or elements."""
        return [(at, node.end) for _, at, node in self.members] + [(node.start, node.end) for node in self.elements]


def parse_settings(path: str, text: str) -> SettingsNode:
    """Parses the value in ``text``, which may have comments, trailing commas, and a byte order mark at the start.

    Raises:
        BrokenSettingsError: the text is malformed; the error has line and column.
    """
    return _Parser(path, text).document()


def blank_end(text: str, at: int) -> int:
    """The offset where the blanks and comments at ``at`` end."""
    found = _BLANK.match(text, at)
    return found.end() if found is not None else at


@dataclass(frozen=True, slots=True)
class _Parser:
    _path: str
    _text: str

    def document(self) -> SettingsNode:
        node = self._value(self._blank(1 if self._text.startswith("\ufeff") else 0), 0)
        end = self._blank(node.end)
        if end != len(self._text):
            raise self._broken(end, "something follows the value")
        return node

    def _broken(self, at: int, what: str) -> BrokenSettingsError:
        return BrokenSettingsError(self._path, self._text, at, what)

    def _blank(self, at: int) -> int:
        return blank_end(self._text, at)

    def _value(self, at: int, depth: int) -> SettingsNode:
        if depth > _DEEPEST:
            raise self._broken(at, "it is nested too deeply")
        opening = self._text[at : at + 1]
        if opening == "{":
            return self._object(at, depth)
        if opening == "[":
            return self._list(at, depth)
        found = _SCALAR.match(self._text, at)
        if found is None and opening == '"':
            cut = _UNCLOSED.match(self._text, at)
            raise self._broken(cut.end() if cut is not None else at, "the text is not closed on its line")
        if found is None:
            raise self._broken(at, "a value is expected" if at < len(self._text) else "it ends too early")
        try:
            return SettingsNode(json.loads(found[0]), at, found.end())
        except ValueError:
            raise self._broken(at, "this text has a wrong escape") from None

    def _object(self, start: int, depth: int) -> SettingsNode:
        node = SettingsNode({}, start, start)
        at = self._blank(start + 1)
        while self._text[at : at + 1] != "}":
            key_at = at
            if self._text[at : at + 1] != '"':
                raise self._broken(at, "a key in quotes is expected" if at < len(self._text) else "it ends too early")
            key = self._value(at, depth)
            at = self._blank(key.end)
            if self._text[at : at + 1] != ":":
                raise self._broken(at, "a colon is expected")
            value = self._value(self._blank(at + 1), depth + 1)
            node.members.append((key.value, key_at, value))
            node.value[key.value] = value.value
            at = self._next(value.end, "}", node)
        node.end = at + 1
        return node

    def _list(self, start: int, depth: int) -> SettingsNode:
        node = SettingsNode([], start, start)
        at = self._blank(start + 1)
        while self._text[at : at + 1] != "]":
            value = self._value(at, depth + 1)
            node.elements.append(value)
            node.value.append(value.value)
            at = self._next(value.end, "]", node)
        node.end = at + 1
        return node

    def _next(self, end: int, closing: str, node: SettingsNode) -> int:
        """The offset of the next entry, or of ``closing``."""
        at = self._blank(end)
        if self._text[at : at + 1] == ",":
            behind = at + 1
            at = self._blank(behind)
            node.trailing = behind if self._text[at : at + 1] == closing else None
            return at
        if self._text[at : at + 1] != closing:
            raise self._broken(
                at, f"a comma or `{closing}` is expected" if at < len(self._text) else "it ends too early"
            )
        return at
