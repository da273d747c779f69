"""``permissions`` of Crush.

Source: https://github.com/charmbracelet/crush (documentation only). It knows tools and not commands:
``allowed_tools`` with ``bash`` lets every command run unasked, ``options.disabled_tools`` takes the tool away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from execpolicy.exchange.broken_settings import of_kind
from execpolicy.exchange.covered import EVERYTHING
from execpolicy.exchange.entry import Action, AgentSettings, Entry, ExportedSettings, Level
from execpolicy.exchange.exporting import Exported, as_json, export_rules
from execpolicy.exchange.jsonc import parse_jsonc
from execpolicy.exchange.tool_entry import listed, not_a_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from execpolicy.lang.statements import Statement
    from execpolicy.source import Source

_LISTS: tuple[tuple[tuple[str, ...], Action], ...] = (
    (("options", "disabled_tools"), "deny"),
    (("permissions", "allowed_tools"), "allow"),
)


def read_crush(sources: Sequence[Source]) -> AgentSettings:
    """The entries of configuration files.

    Raises:
        RuleFileError: a file is no JSON, or no such configuration.
    """
    entries: list[Entry] = []
    for source in sources:
        settings = parse_jsonc(source)
        of_kind(source, settings, dict, "the whole file")
        for keys, action in _LISTS:
            for place, text in listed(source, settings, *keys):
                if text.partition(":")[0] == "bash":
                    covers = (EVERYTHING,)
                    entries.append(Entry(path=source.name, place=place, text=text, action=action, covers=covers))
                else:
                    why = not_a_command(text)
                    entries.append(Entry(path=source.name, place=place, text=text, action=action, why=why))
    return AgentSettings(tuple(entries))


def write_crush(statements: Iterable[Statement]) -> ExportedSettings:
    """A configuration file, which says nothing: commands are the hook's business there."""
    return export_rules(statements, _faith, lambda rules: as_json({"permissions": {"allowed_tools": []}}))


def _faith(rule: Exported) -> tuple[Level, str]:
    return "impossible", "Crush's permissions know the tool `bash` as a whole: use the hook"
