"""A gate for shell tools: it asks before a dangerous command, or blocks the command if there is no user interface.

Source: seed 002, "Permission Gate Example" of pi. Its three patterns keep their meaning as text patterns. Each command
is also parsed as the shell parses it, so that quotes, wrappers and substitutions hide nothing. A script that cannot be
parsed counts as dangerous (rule ``unreadable``).
"""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from execpolicy.errors import UsageError
from execpolicy.permissions.request import CommandReader, Reading, Shell, is_command
from execpolicy.validators import Checked, every, instance, mapping, name, optional, port, texts, unknown_word
from execpolicy.validators import command as shell_command

Argv: TypeAlias = tuple[str | None, ...]

NO_UI_REASON = "Dangerous command blocked (no UI)"
USER_REASON = "Blocked by user"
UNJUDGED_REASON = "Blocked: the command is missing or not text"
UI_FAILED_REASON = "Blocked: the question could not be asked"
TITLE = "Allow?"
YES, NO = "Yes", "No"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRule(Checked, name=name):
    """A test for dangerous commands: a text pattern, a predicate for each parsed command, or both.

    Attributes:
        text: searched in the whole text of the command.
        command: returns ``True`` for a dangerous argv; a word that is only known at run time is ``None``.
    """

    name: str
    text: re.Pattern[str] | None = None
    command: Callable[[Argv], bool] | None = None

    def __post_init__(self) -> None:
        Checked.__post_init__(self)
        if self.text is None and self.command is None:
            raise UsageError(f"GateRule: `{self.name}` needs `text` or `command`: it would block nothing")


@dataclass(frozen=True, slots=True)
class Blocked(Checked):
    """A blocked tool call: it must not run.

    Attributes:
        reason: the reason, for the agent.
        rule: the name of the rule that matched; ``None`` if the call could not be judged.
    """

    reason: str
    rule: str | None = None

    def to_json(self) -> dict[str, Any]:
        """``{"block": true, "reason": …}``, as an extension hook returns it."""
        return {"block": True, "reason": self.reason}


class GateUI(Protocol):
    """A user interface that can ask a person."""

    async def select(self, title: str, options: Sequence[str], /, *, detail: str) -> str | None:
        """The chosen option; ``None`` if the question was closed. ``detail`` is the command."""


def _name(argv: Argv) -> str:
    return (argv[0] or "").rpartition("/")[2].lower() if argv else ""


def _removes_recursively(argv: Argv) -> bool:
    """True for ``rm`` with ``-r`` in any cluster, ``--recursive`` or an abbreviation; an unknown word counts as one."""
    if _name(argv) != "rm":
        return False
    for word in argv[1:]:
        if word == "--":
            return False
        if word is None or (len(word) > 3 and "--recursive".startswith(word)):
            return True
        if word.startswith("-") and not word.startswith("--") and "r" in word.lower():
            return True
    return False


def _opens_to_all(argv: Argv) -> bool:
    """True for ``chmod`` or ``chown`` with ``777`` in an operand, or with an equivalent symbolic mode."""
    name = _name(argv)
    if name not in ("chmod", "chown"):
        return False
    for word in argv[1:]:
        if word is None or "777" in word:
            return True
        if name == "chmod" and _SYMBOLIC_777.fullmatch(word):
            return True
    return False


_SYMBOLIC_777 = re.compile(r"(?:a|ugo|u?g?o?a)?[+=](?=[rwxXst]*r)(?=[rwxXst]*w)(?=[rwxXst]*x)[rwxXst]+")

RULES: tuple[GateRule, ...] = (
    GateRule(name="rm", text=re.compile(r"\brm\s+(-rf?|--recursive)", re.IGNORECASE), command=_removes_recursively),
    GateRule(name="sudo", text=re.compile(r"\bsudo\b", re.IGNORECASE), command=lambda argv: _name(argv) == "sudo"),
    GateRule(name="777", text=re.compile(r"\b(chmod|chown)\b.*777", re.IGNORECASE), command=_opens_to_all),
)
"""The seed's three patterns, each with the equivalent predicate for a parsed command."""

UNREADABLE = "unreadable"
"""The name of the rule for scripts that cannot be fully parsed and programs that are only known at run time."""


class PatternGate:
    """Judges each tool call by itself; it remembers nothing (seed 002, "No Rule Persistence").

    Args:
        reader: parses commands as the shell does.
        ui: the user interface that asks; without one, dangerous commands are blocked.
        extra: further rules, tried after the built-in ones.
        disabled: names of rules that are not applied.
        tools: the tools that run commands, each with the parameter that holds the command.
    """

    def __init__(
        self,
        *,
        reader: CommandReader,
        ui: GateUI | None = None,
        extra: Sequence[GateRule] = (),
        disabled: Collection[str] = (),
        tools: Mapping[str, str] | None = None,
    ) -> None:
        extra = every(instance(GateRule))(extra, "PatternGate: `extra`")
        disabled = texts(disabled, "PatternGate: `disabled`")
        for param in mapping({} if tools is None else tools, "PatternGate: `tools`").values():
            name(param, "PatternGate: `tools`")
        known = {rule.name for rule in (*RULES, *extra)} | {UNREADABLE}
        unknown = sorted(set(disabled) - known)
        if unknown:
            raise unknown_word(unknown[0], sorted(known), "PatternGate: `disabled`")
        self._rules = tuple(rule for rule in (*RULES, *extra) if rule.name not in disabled)
        self._unreadable = UNREADABLE not in disabled
        self._reader = port("read")(reader, "PatternGate: `reader`")
        self._ui = optional(port("select"))(ui, "PatternGate: `ui`")
        self._tools = dict(tools) if tools is not None else {"bash": "command"}

    async def tool_call(self, tool: str, input: Mapping[str, Any]) -> Blocked | None:
        """Judges a tool call; ``None`` lets it run.

        Raises:
            UsageError: the tool's name is invalid, or its arguments are not a mapping.
        """
        mapping(input, "the arguments of a tool")
        param = self._tools.get(name(tool, "a tool"))
        if param is None:
            return None
        command = input.get(param)
        if not is_command(command):
            return Blocked(UNJUDGED_REASON)
        rule = self.dangerous(command)
        if rule is None:
            return None
        if self._ui is None:
            return Blocked(NO_UI_REASON, rule)
        text = command if isinstance(command, str) else " ".join(command)
        try:
            chosen = self._ui.select(TITLE, (YES, NO), detail=text)
            answer = await chosen if inspect.isawaitable(chosen) else chosen
        except Exception:
            return Blocked(UI_FAILED_REASON, rule)
        return None if answer == YES else Blocked(USER_REASON, rule)

    def tool_call_sync(self, tool: str, input: Mapping[str, Any]) -> Blocked | None:
        """Runs :meth:`tool_call` for callers without an event loop."""
        return asyncio.run(self.tool_call(tool, input))

    def dangerous(self, command: Shell) -> str | None:
        """The name of the first rule that matches ``command``."""
        command = shell_command(command, "the command")
        text = command if isinstance(command, str) else " ".join(command)
        try:
            reading = self._reader.read(command)
        except Exception as error:
            reading = Reading((), unreadable=str(error) or "the command could not be read")
        for rule in self._rules:
            if rule.text is not None and rule.text.search(text):
                return rule.name
            if rule.command is not None and any(rule.command(argv) for argv in reading.commands):
                return rule.name
        unknown_program = any(argv and argv[0] is None for argv in reading.commands)
        if self._unreadable and (reading.unreadable is not None or unknown_program):
            return UNREADABLE
        return None
