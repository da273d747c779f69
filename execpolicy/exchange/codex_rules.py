"""Rule files of Codex: they are in our own language, so every rule is taken over as it is."""

from __future__ import annotations

from collections.abc import Sequence

from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.exchange.entry import AgentSettings, Entry
from execpolicy.exchange.toml_table import parse_toml
from execpolicy.lang.compile import compile_sources
from execpolicy.lang.render import render
from execpolicy.source import Source

_SETTINGS = {
    "approval_policy": "when Codex asks at all; `check --approval-policy` has the same words",
    "sandbox_mode": "what Codex's sandbox lets commands do, whatever the rules say",
    "sandbox_workspace_write": "what Codex's sandbox lets commands do, whatever the rules say",
}


def read_codex(sources: Sequence[Source]) -> AgentSettings:
    """The rules of all files, in order; of ``config.toml`` what bears on commands.

    Raises:
        RuleFileError: a file does not load.
    """
    compiled = compile_sources([source for source in sources if not source.name.endswith(".toml")])
    statements = []
    others: list[Entry] = []
    for statement in compiled.statements:
        if isinstance(statement, (PrefixRule, NetworkRule, HostExecutable)):
            statements.append((str(statement.place), render(statement)))
        else:
            others.append(
                Entry(
                    path=str(statement.place),
                    place="",
                    text=f"`{getattr(statement, 'kind', 'write_rule')}`",
                    action=None,
                    why="it is no rule of Codex but of execpolicy: copy it by hand",
                )
            )
    for source in sources:
        if source.name.endswith(".toml"):
            table = parse_toml(source)
            others += [
                Entry(path=source.name, place=key, text=f"`{key}`", action=None, why=why)
                for key, why in _SETTINGS.items()
                if key in table
            ]
    return AgentSettings(tuple(others), "strictest", tuple(statements))
