"""A replay in a browser: counts, charts, rules that fired and never did, suggestions, changed decisions."""

from __future__ import annotations

from itertools import islice

from execpolicy.cli.page.bars import Bar, bars
from execpolicy.cli.page.markup import Child, Markup, badge, cut, document, element, short_path, table
from execpolicy.core.quoting import join
from execpolicy.insight.replay import WORDS, Replay, Sample
from execpolicy.insight.tally import ranked
from execpolicy.insight.timeline import Timeline

_MOST = 30
_LONGEST = 300


def replay_document(replay: Replay, timeline: Timeline | None = None) -> str:
    """A file of its own."""
    return document("execpolicy replay", replay_markup(replay, timeline))


def replay_markup(replay: Replay, timeline: Timeline | None = None) -> Markup:
    """The report. ``timeline`` adds prompts by day, program and agent."""
    tally = replay.tally
    total = f"{tally.total:,} commands, {len(replay.history.counts):,} distinct"
    decisions = [Bar(word, ((word, tally.decisions[word]),)) for word in WORDS]
    if replay.against is not None:
        decisions += [Bar(f"{word}, other rules", ((word, replay.against.decisions[word]),)) for word in WORDS]
    return element(
        "div",
        element("p", total),
        bars("Decisions", decisions),
        None if timeline is None else _timeline(timeline),
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
    rows: list[list[Child]] = [
        [one.saved, element("code", one.line), cut(one.example, _LONGEST)] for one in found.rules
    ]
    refused: list[list[Child]] = [
        [times, element("code", " ".join(prefix)), why] for prefix, times, why in found.refused
    ]
    return element(
        "section",
        element("h2", "What rules would save"),
        bars(
            "Prompts that each rule would have saved", [Bar(one.line, (("plain", one.saved),)) for one in found.rules]
        ),
        table(["prompts", "rule", "for instance"], rows, caption="Suggested rules, each together with those above")
        if rows
        else None,
        table(["prompts", "prefix", "why not"], refused, caption="Asked about often, but not suggested")
        if refused
        else None,
    )


def _changes(replay: Replay) -> Markup | None:
    if replay.against is None:
        return None
    rows: list[list[Child]] = [
        [
            one.commands,
            badge(one.before),
            badge(one.after),
            cut(one.samples[0].command, _LONGEST) if one.samples else "",
        ]
        for one in replay.changes
    ]
    if not rows:
        return element("p", "The other rules change no decision.")
    return table(["commands", "before", "after", "for instance"], rows, caption="Changed decisions")


def _samples(word: str, samples: tuple[Sample, ...]) -> Markup | None:
    rows: list[list[Child]] = [
        [one.times, element("code", cut(one.command, _LONGEST)), one.reason or ""] for one in samples
    ]
    title = "Forbidden" if word == "forbidden" else "Asked about most often"
    return table(["times", "command", "why"], rows, caption=title) if rows else None


def _rules(replay: Replay) -> Markup:
    fired: list[list[Child]] = [
        [times, badge(decision), element("code", pattern), short_path(place)]
        for (place, decision, pattern), times in ranked(replay.tally.rules)[:_MOST]
    ]
    unused: list[list[Child]] = [
        [
            badge(decision),
            element("code", pattern),
            short_path(place),
            "" if words is None else element("code", join(words)),
        ]
        for (place, decision, pattern), words in islice(replay.unused.items(), _MOST)
    ]
    return element(
        "div",
        table(["times", "decision", "rule", "place"], fired, caption="Rules that fired") if fired else None,
        table(["decision", "rule", "place", "would fire for"], unused, caption="Rules that never fired")
        if unused
        else None,
    )
