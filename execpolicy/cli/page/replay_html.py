"""A replay in a browser: prompts by day, program and agent, the prompts that rules would save, the rules that fire."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice

from execpolicy.cli.page.html import Bar, Markup, badge, bars, cut, document, element, page, short_path, table
from execpolicy.core.quoting import join
from execpolicy.errors import UsageError
from execpolicy.insight.history import Timeline, history_files, read_history, timeline
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.replay import Replay, Sample, replay
from execpolicy.insight.tally import WORDS, ranked
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation

_USUAL = ("~/.claude/projects", "~/.codex/sessions")


def history_page() -> str:
    """The page; its script requests the report."""
    usual = [short_path(path) for path in map(os.path.expanduser, _USUAL) if os.path.isdir(path)]
    return page("history", usual="\n".join(usual))


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


_MOST = 30
_LONGEST = 300


def replay_document(replay: Replay, timeline: Timeline) -> str:
    """A self-contained file."""
    return document("execpolicy replay", replay_markup(replay, timeline))


def replay_markup(replay: Replay, timeline: Timeline) -> Markup:
    """The report, with prompts by day, program and agent."""
    tally = replay.tally
    total = f"{tally.total:,} commands, {len(replay.history.counts):,} distinct"
    decisions = [Bar(word, ((word, tally.decisions[word]),)) for word in WORDS]
    if replay.against is not None:
        decisions += [Bar(f"{word}, other rules", ((word, replay.against.decisions[word]),)) for word in WORDS]
    return element(
        "div",
        element("p", total),
        bars("Decisions", decisions),
        _timeline(timeline),
        _suggestions(replay),
        _changes(replay),
        [_samples(word, replay.asked.get(word, ())) for word in ("forbidden", "prompt")],
        _rules(replay),
        [element("p", problem, class_="problem") for problem in replay.history.problems[:5]],
    )


def _timeline(timeline: Timeline) -> Markup:
    days = [_counted(day, counts) for day, counts in sorted(timeline.days.items())[-60:]]
    programs = [Bar(name, (("prompt", times),)) for name, times in timeline.programs.most_common(20)]
    agents = [_counted(name, counts) for name, counts in sorted(timeline.agents.items())]
    return element(
        "div",
        bars("By day, and how many of them were asked about", days),
        bars("Prompts by program", programs),
        bars("By agent, and how many of them were asked about", agents),
    )


def _counted(label: str, counts: dict[str, int]) -> Bar:
    parts = tuple([(word, counts[word]) for word in WORDS if counts.get(word)])
    return Bar(label, parts, f"{counts.get('prompt', 0):,} of {sum(counts.values()):,}")


def _suggestions(replay: Replay) -> Markup | None:
    found = replay.suggestions
    if not found.rules and not found.refused:
        return None
    return element(
        "section",
        element("h2", "What rules would save"),
        bars(
            "Prompts that each rule would have saved", [Bar(one.line, (("plain", one.saved),)) for one in found.rules]
        ),
        table(
            ["prompts", "rule", "for instance"],
            [[one.saved, element("code", one.line), cut(one.example, _LONGEST)] for one in found.rules],
            caption="Suggested rules, each together with those above",
        ),
        table(
            ["prompts", "prefix", "why not"],
            [[times, element("code", " ".join(prefix)), why] for prefix, times, why in found.refused],
            caption="Asked about often, but not suggested",
        ),
    )


def _changes(replay: Replay) -> Markup | None:
    if replay.against is None:
        return None
    if not replay.changes:
        return element("p", "The other rules change no decision.")
    return table(
        ["commands", "before", "after", "for instance"],
        [
            [
                one.commands,
                badge(one.before),
                badge(one.after),
                cut(one.samples[0].command, _LONGEST) if one.samples else "",
            ]
            for one in replay.changes
        ],
        caption="Changed decisions",
    )


def _samples(word: str, samples: tuple[Sample, ...]) -> Markup:
    return table(
        ["times", "command", "why"],
        [[one.times, element("code", cut(one.command, _LONGEST)), one.reason or ""] for one in samples],
        caption="Forbidden" if word == "forbidden" else "Asked about most often",
    )


def _rules(replay: Replay) -> Markup:
    fired = ranked(replay.tally.rules)[:_MOST]
    unused = islice(replay.unused.items(), _MOST)
    return element(
        "div",
        table(
            ["times", "decision", "rule", "place"],
            [
                [times, badge(decision), element("code", pattern), short_path(place)]
                for (place, decision, pattern), times in fired
            ],
            caption="Rules that fired",
        ),
        table(
            ["decision", "rule", "place", "would fire for"],
            [
                [badge(decision), element("code", pattern), short_path(place), words and element("code", join(words))]
                for (place, decision, pattern), words in unused
            ],
            caption="Rules that never fired",
        ),
    )
