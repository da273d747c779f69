"""The common form of agents' settings, the parsers of their files, and the report of losses for people.

One JSON parser gives plain values, another gives the place of every value in the text. Errors name the place. A
settings file of an agent that cannot be parsed is not written.

Also reads ``Tool(what)``, the form in which several agents name a tool and its permitted use. Converts agents' patterns
for files that their tools may write to globs of ``write_rule`` that cover at least as much.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, cast

from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.diagnostics.model import Diagnostic
from execpolicy.diagnostics.render_text import visible
from execpolicy.errors import ExecPolicyError, RuleFileError
from execpolicy.exchange.command_regex import Covered
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


_LEVELS: tuple[Level, ...] = ("exact", "stricter", "laxer", "impossible")


def report(losses: Sequence[Loss], *, of: str) -> str:
    """One line for each entry that is not exact, grouped by its place, and the number of entries of each kind.

    Args:
        of: the name of the entries, in the plural.
    """
    lines: list[str] = []
    for level in ("laxer", "impossible", "stricter"):
        lines += [f"{loss.place}: {loss.line()}" for loss in losses if loss.level == level]
    counted = [f"{sum(1 for loss in losses if loss.level == level)} {level}" for level in _LEVELS]
    lines.append(f"{len(losses)} {of}: {', '.join(counted)}")
    return "".join(f"{visible(line)}\n" for line in lines)


Action: TypeAlias = Literal["allow", "ask", "deny"]
Level: TypeAlias = Literal["exact", "stricter", "laxer", "impossible"]
Precedence: TypeAlias = Literal["strictest", "rank", "rank-in-file"]
"""The entry that an agent obeys if several cover a command.

The strictest; the one of the highest rank; or that of the highest rank in each file, where the order of files is
unknown.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of an agent's settings.

    Attributes:
        text: the entry in a form that a person recognises.
        action: its effect on the commands that it covers; ``None`` for a mere setting.
        covers: the commands that it covers, one by one; none if it is not about commands.
        why: the reason why it is not about commands.
        writes, reads: globs of ``write_rule`` and ``read_rule`` for the files that it protects.
        rank: its place in the order of the agent, where order counts.
        reason: the agent's message when it refuses.
        limited: a further condition (a mode, a sub-agent) that no rule can express.
    """

    path: str
    place: str
    text: str
    action: Action | None
    covers: tuple[Covered, ...] = ()
    why: str = ""
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    rank: float = 0.0
    reason: str | None = None
    limited: str = ""


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """The entries of all files of one agent.

    Attributes:
        precedence: the rule by which one of them wins.
        statements: the rules that are in this package's language already.
    """

    entries: tuple[Entry, ...]
    precedence: Precedence = "strictest"
    statements: tuple[PrefixRule | NetworkRule | HostExecutable, ...] = ()


@dataclass(frozen=True, slots=True)
class Loss:
    """The result of the conversion of one entry or rule.

    Attributes:
        level: ``exact``: it decides commands the same way; ``stricter``: less is allowed, or more refused; ``laxer``:
            the reverse; ``impossible``: nothing can be written for it.
        why: the reason, one line; empty where it is exact.
    """

    place: str
    text: str
    level: Level
    why: str = ""

    def line(self) -> str:
        """The loss as one line of text."""
        return f"{self.level}: {self.text}" + (f": {self.why}" if self.why else "")


@dataclass(frozen=True, slots=True)
class ImportedRules:
    """Lines of a rule file, and one :class:`Loss` for each entry."""

    lines: tuple[str, ...]
    losses: tuple[Loss, ...]

    @property
    def text(self) -> str:
        """The rule file."""
        return "".join(f"{line}\n" for line in self.lines)


@dataclass(frozen=True, slots=True)
class ExportedSettings:
    """Text in an agent's format, and one :class:`Loss` for each rule."""

    text: str
    losses: tuple[Loss, ...]


_ORDER: tuple[Level, ...] = ("exact", "stricter", "impossible", "laxer")


MODE = "a mode of the agent"
"""The reason why a setting becomes no rule."""


def worst(levels: list[Level]) -> Level:
    """The level of the greatest loss."""
    return max(levels, key=_ORDER.index)


def of_gitignore(pattern: str) -> tuple[str, ...]:
    """A pattern as ``.gitignore`` reads it: ``//x`` absolute, ``/x`` and ``./x`` in the project, ``x`` anywhere in it.

    Empty if no glob expresses it. Files below a folder of the name are covered as well.
    """
    if _unusual(pattern):
        return ()
    if pattern.startswith("//"):
        base = pattern[1:]
    elif pattern.startswith("~/"):
        base = pattern
    elif pattern.startswith("/"):
        base = "." + pattern
    else:
        inner = pattern.removeprefix("./").rstrip("/")
        anchored = "/" in inner or pattern.startswith("./")
        base = f"./{inner}" if anchored or inner.startswith("**") else f"./**/{inner}"
    base = base.rstrip("/")
    if base in ("", ".", "~", "./*", "./**/*"):
        return () if base in ("", ".", "~") else ("./**",)
    return (base,) if base.endswith("/**") else (base, f"{base}/**")


def of_wildcards(pattern: str) -> tuple[str, ...]:
    """A pattern over the path below the project in which ``*`` crosses folders; empty if no glob expresses it."""
    if _unusual(pattern) or "?" in pattern:
        return ()
    parts = []
    for part in pattern.removeprefix("./").split("/"):
        if part.count("*") == 0 or part == "**":
            parts.append(part)
        elif part == "*":
            parts.append("**")
        elif part.startswith("*") and part.count("*") == 1:
            parts += ["**", part]
        else:
            return ()
    start = "/" if pattern.startswith("/") else "./"
    base = (pattern[:1] == "~" and "/".join(parts)) or start + "/".join(parts).lstrip("/")
    return (base,)


def _unusual(pattern: str) -> bool:
    return not pattern or pattern != pattern.strip() or any(char in pattern for char in "[]{}\\!$\n") or ".." in pattern


Keys: TypeAlias = tuple[str, ...]
"""The path to a value, from object to object."""


def tool_and_what(text: str) -> tuple[str, str | None]:
    """The tool and the text in its parentheses, or ``None`` without any; any other text is the tool as a whole."""
    text = text.strip()
    name, opened, rest = text.partition("(")
    if not opened or not rest.endswith(")"):
        return text, None
    return name.strip(), rest[:-1]


def listed(source: Source, settings: dict[str, Any], *keys: str) -> list[tuple[str, str]]:
    """The texts of the list at ``keys``, each with its place; empty if there is no such list.

    Raises:
        RuleFileError: it is something other than a list of texts.
    """
    value: Any = settings
    for at, key in enumerate(keys):
        value = value.get(key)
        if value is None:
            return []
        where = ".".join(keys[: at + 1])
        of_kind(source, value, list if at == len(keys) - 1 else dict, where)
    where = ".".join(keys)
    for at, text in enumerate(value):
        of_kind(source, text, str, f"{where}[{at}]")
    return [(f"{where}[{at}]", text) for at, text in enumerate(value)]


def not_a_command(tool: str) -> str:
    """The reason why an entry for a tool that runs no commands becomes no rule."""
    if tool.startswith("mcp") or "__" in tool:
        return "tools of MCP servers are not commands; name such a tool in the agent's own settings"
    if tool in ("WebFetch", "WebSearch", "web_fetch", "webfetch", "url"):
        return "fetching pages is no command"
    return f"`{tool}` runs no command"


def read_lists(
    sources: Iterable[Source],
    lists: Iterable[tuple[Keys, Action]],
    with_scope: Callable[[Entry, str, str | None], Entry],
    mere_settings: Mapping[Keys, str],
) -> AgentSettings:
    """The entries of files that hold them in lists, one for each action.

    Args:
        with_scope: adds to an entry what it covers; called with its tool and with the text in its parentheses.
        mere_settings: values that are no entries, each with the reason why no rule expresses it.
    """
    entries: list[Entry] = []
    for source in sources:
        settings = parse_object(source)
        for keys, action in lists:
            for place, text in listed(source, settings, *keys):
                entry = Entry(path=source.name, place=place, text=text, action=action)
                entries.append(with_scope(entry, *tool_and_what(text)))
        for (*folders, key), why in mere_settings.items():
            values = settings
            for folder in folders:
                values = values.get(folder) or {}
            if values.get(key) is not None:
                place = ".".join((*folders, key))
                entries.append(Entry(path=source.name, place=place, text=f"`{key}`", action=None, why=why))
    return AgentSettings(tuple(entries))


def of_writing(entry: Entry, what: str | None) -> Entry:
    """``entry`` as one that protects files like ``what`` (as in a ``.gitignore``; ``None``: all) from writing."""
    writes = ("/**",) if what is None else of_gitignore(what)
    return replace(entry, writes=writes, why="" if writes else "no `write_rule` says this pattern")


def of_reading(entry: Entry, what: str | None) -> Entry:
    """The same for reading. All files cannot be protected: every program reads some."""
    reads = () if what is None else of_gitignore(what)
    return replace(entry, reads=reads, why="" if reads else "no `read_rule` says this pattern")
