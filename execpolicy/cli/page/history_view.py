"""Recorded history: prompts by day, program and agent, the prompts that rules would save, the rules that fire."""

from __future__ import annotations

import os
from collections.abc import Sequence

from execpolicy.cli.page.frame import button, page
from execpolicy.cli.page.replay_html import element, short_path
from execpolicy.errors import UsageError
from execpolicy.insight.history import Timeline, history_files, read_history, timeline
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.replay import Replay, replay
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation

_USUAL = ("~/.claude/projects", "~/.codex/sessions")


def history_page() -> str:
    """The page; its script requests the report."""
    usual = [short_path(path) for path in map(os.path.expanduser, _USUAL) if os.path.isdir(path)]
    return page(
        "history",
        "History",
        element("label", "Files or folders, one a line", for_="histories"),
        element("textarea", "\n".join(usual), id="histories", rows="3", spellcheck="false"),
        element(
            "details",
            element("summary", "Compare with other rules"),
            element("label", "Rules in place of those in force, or the path of a file or folder", for_="other-rules"),
            element("textarea", id="other-rules", rows="5", spellcheck="false"),
        ),
        element("div", button("Replay", action="replay"), class_="buttons"),
        element("div", id="report", aria_busy="false"),
    )


def replay_histories(
    rulebook: Rulebook, situation: Situation, targets: list[str], other: Rulebook | None
) -> tuple[Replay, Timeline]:
    """A replay of every command of ``targets``, by ``other`` rules too if given, and the timeline of it.

    Raises:
        UsageError: there is no command.
    """
    if not targets:
        raise UsageError("name a file or folder: ~/.claude/projects, ~/.codex/sessions, or a history of your own")
    files = history_files([os.path.expanduser(each) for each in targets if each.strip() != "-"])
    history = read_history(files)
    report = replay(
        history,
        PortablePolicy.of(rulebook, situation=situation),
        None if other is None else PortablePolicy.of(other, situation=situation),
        named=rulebook.policy.rules,
    )
    return report, timeline_of(files, rulebook, situation)


def timeline_of(files: Sequence[str], rulebook: Rulebook, situation: Situation, shell: str = "bash") -> Timeline:
    """The decisions by day, program and agent, from the files of ``files`` that have times."""
    return timeline(
        [path for path in files if path.endswith((".jsonl", ".ndjson"))],
        lambda command: judge_script(read_command(command, shell=shell), rulebook, situation),
    )
