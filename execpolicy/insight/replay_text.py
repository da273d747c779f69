"""A replay as text for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from execpolicy.core.quoting import join
from execpolicy.diagnostics.render_text import visible
from execpolicy.insight.replay import Replay, Sample
from execpolicy.insight.tally import WORDS, ranked, rule_text

_COLORS = {"allow": "\x1b[32m", "prompt": "\x1b[33m", "forbidden": "\x1b[31m"}
_LONGEST = 100
_LONGEST_REASON = 240
_MOST_RULES = 20


def replay_text(replay: Replay, *, color: bool = False) -> str:
    """The report, with a final newline."""
    return "\n".join(_lines(replay, color)) + "\n"


def _lines(replay: Replay, color: bool) -> Iterator[str]:
    history, tally = replay.history, replay.tally
    yield f"{_counted(tally.total, 'command')}, {len(history.counts):,} distinct"
    for word in WORDS:
        share = 100 * tally.decisions[word] / tally.total if tally.total else 0.0
        counted = f"{tally.decisions[word]:>9,}  {share:5.1f} %  {replay.distinct[word]:,} distinct"
        if replay.against is not None:
            counted += f"; {replay.against.decisions[word]:,} with the other rules"
        yield f"  {_painted(word, f'{word:<9}', color)} {counted}"
    if history.broken:
        yield f"  {_counted(history.broken, 'line')} could not be read:"
        yield from (f"    {visible(problem)}" for problem in history.problems[:5])
    if history.repeated:
        yield f"  {_counted(history.repeated, 'repetition')} of calls in resumed sessions left out"
    yield from _rules(replay)
    for word, title in (("forbidden", "Forbidden"), ("prompt", "Asked about most often")):
        if replay.asked.get(word):
            yield f"\n{title}"
            yield from _samples(replay.asked[word])
    yield from _changes(replay, color)
    yield from _suggestions(replay)


def _rules(replay: Replay) -> Iterator[str]:
    fired = ranked(replay.tally.rules)
    if fired:
        yield "\nRules that fired"
        yield from (f"{times:>9,}  {visible(rule_text(rule))}" for rule, times in fired[:_MOST_RULES])
        yield from _more(len(fired))
    if replay.unused:
        yield "\nRules that never fired"
        for rule, words in islice(replay.unused.items(), _MOST_RULES):
            yield f"           {visible(rule_text(rule))}" + (
                "" if words is None else f"; `{visible(join(words))}` would make it"
            )
        yield from _more(len(replay.unused))


def _changes(replay: Replay, color: bool) -> Iterator[str]:
    if replay.against is None:
        return
    total = sum(change.commands for change in replay.changes)
    yield f"\nWith the other rules {_counted(total, 'command')} would be decided differently"
    for change in replay.changes:
        after = _painted(change.after, change.after, color)
        yield f"  {change.before} → {after}: {_counted(change.commands, 'command')}, {change.distinct:,} distinct"
        yield from _samples(change.samples)


def _samples(samples: tuple[Sample, ...]) -> Iterator[str]:
    for sample in samples:
        yield f"{sample.times:>9,}  {_short(sample.command)}"
        if sample.reason is not None:
            yield f"           {_short(sample.reason, _LONGEST_REASON)}"


def _suggestions(replay: Replay) -> Iterator[str]:
    found = replay.suggestions
    if found.rules:
        yield "\nRules that would have saved prompts, each together with those above it; `--accept N` saves one"
        for number, one in enumerate(found.rules, 1):
            yield f"{one.saved:>9,}  {number}: {visible(one.line)}"
            if one.worst is not None:
                yield f"           which leaves out `{_short(one.worst)}`"
            if one.commands:
                more = f" and {one.commands - 1:,} more" if one.commands > 1 else ""
                yield f"           {_short(one.example)}{more}"
    if found.refused:
        yield "\nAsked about often, but no rule is suggested"
        for words, times, why in found.refused[:_MOST_RULES]:
            line = words[0] if len(words) == 1 else join(words)
            yield f"{times:>9,}  {_short(line)}: {visible(why)}"
        yield from _more(len(found.refused))
    if found.once:
        yield "\nAsked about once, and left so"
        yield from (f"           {_short(line)}" for line in found.once[:_MOST_RULES])
        yield from _more(len(found.once))


def _more(number: int) -> Iterator[str]:
    if number > _MOST_RULES:
        yield f"           and {number - _MOST_RULES:,} more"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _short(text: str, longest: int = _LONGEST) -> str:
    line = visible(text.replace("\n", "⏎"))
    return line if len(line) <= longest else line[: longest - 1] + "…"


def _painted(word: str, text: str, color: bool) -> str:
    return f"{_COLORS[word]}{text}\x1b[0m" if color else text
