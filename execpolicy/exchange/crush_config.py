"""``permissions`` of Crush.

Source: https://github.com/charmbracelet/crush (documentation only). It knows tools and not commands:
``allowed_tools`` with ``bash`` lets every command run unasked, ``options.disabled_tools`` takes the tool away.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from execpolicy.exchange.covered import EVERYTHING
from execpolicy.exchange.entry import Action, AgentSettings, Entry, ExportedSettings, Level
from execpolicy.exchange.exporting import Exported, as_json, export_rules
from execpolicy.exchange.tool_entry import Keys, not_a_command, read_lists
from execpolicy.lang.statements import Statement
from execpolicy.source import Source

_LISTS: tuple[tuple[Keys, Action], ...] = (
    (("options", "disabled_tools"), "deny"),
    (("permissions", "allowed_tools"), "allow"),
)


def read_crush(sources: Sequence[Source]) -> AgentSettings:
    """The entries of configuration files.

    Raises:
        RuleFileError: a file is no JSON, or no such configuration.
    """
    return AgentSettings(read_lists(sources, _LISTS, _entry, {}))


def _entry(path: str, place: str, text: str, action: Action) -> Entry:
    if text.partition(":")[0] == "bash":
        return Entry(path=path, place=place, text=text, action=action, covers=(EVERYTHING,))
    return Entry(path=path, place=place, text=text, action=action, why=not_a_command(text))


def write_crush(statements: Iterable[Statement]) -> ExportedSettings:
    """A configuration file, which says nothing: commands are the hook's business there."""
    return export_rules(statements, _faith, lambda rules: as_json({"permissions": {"allowed_tools": []}}))


def _faith(rule: Exported) -> tuple[Level, str]:
    return "impossible", "Crush's permissions know the tool `bash` as a whole: use the hook"
