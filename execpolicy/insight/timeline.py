"""When commands were given and by whom: decisions by day and agent, prompts by program.

Read from transcripts that say so (a ``timestamp`` in each record); the counts of :mod:`execpolicy.insight.history` are
without time, so that equal commands are decided once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from execpolicy.insight.decisions import Recorded
from execpolicy.insight.transcripts import commands_in
from execpolicy.judge.verdict import Verdict
from execpolicy.programs.names import base_name

_AGENTS = (("/.claude/", "claude"), ("/.codex/", "codex"), ("/.gemini/", "gemini"), ("/.qwen/", "qwen"))
_DAY = 10
_HINTS = ("command", "cmd", "argv", "script")


@dataclass(slots=True)
class Timeline:
    """Counts of commands.

    Attributes:
        days: ``YYYY-MM-DD`` to decision to commands.
        agents: the same by agent.
        programs: prompts by the program that was asked about.
    """

    days: dict[str, Counter[str]] = field(default_factory=dict)
    agents: dict[str, Counter[str]] = field(default_factory=dict)
    programs: Counter[str] = field(default_factory=Counter)


def timeline(paths: Iterable[str], judge: Callable[[Recorded], Verdict]) -> Timeline:
    """The timeline of the transcripts in ``paths``; every distinct command is judged once.

    Raises:
        OSError: a file cannot be read.
    """
    found = Timeline()
    known: dict[Recorded, tuple[str, tuple[str, ...]]] = {}
    for path in paths:
        agent = next((name for folder, name in _AGENTS if folder in path), "other")
        for day, command in _dated(path):
            if command not in known:
                known[command] = _reduced(judge(command))
            decision, programs = known[command]
            found.days.setdefault(day, Counter())[decision] += 1
            found.agents.setdefault(agent, Counter())[decision] += 1
            found.programs.update(programs)
    return found


def _dated(path: str) -> Iterator[tuple[str, Recorded]]:
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if not any(hint in line for hint in _HINTS):
                continue
            try:
                record = json.loads(line)
                day = str(record.get("timestamp") or record.get("ts") or "")[:_DAY] if isinstance(record, dict) else ""
                if len(day) == _DAY and day[4] == "-":
                    yield from [(day, command) for command, _ in commands_in(record)]
            except (ValueError, RecursionError):
                continue  # `read_history` reports what cannot be read


def _reduced(verdict: Verdict) -> tuple[str, tuple[str, ...]]:
    asked = [one for one in verdict.commands if one.decision.word == "prompt" and one.argv]
    return verdict.decision.word, tuple(dict.fromkeys([base_name(one.argv[0]) for one in asked]))
