"""The common form of agents' settings, and the report of losses for people.

Also reads ``Tool(what)``, the form in which several agents name a tool and its permitted use. Converts agents' patterns
for files that their tools may write to globs of ``write_rule`` that cover at least as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.diagnostics.render_text import visible
from execpolicy.exchange.command_regex import Covered
from execpolicy.exchange.settings_text import of_kind, parse_object
from execpolicy.source import Source

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
