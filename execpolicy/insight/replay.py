"""Judges a recorded history by one or two policies and reports what changes, as values and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from execpolicy.core.decision import Decision
from execpolicy.core.quoting import join
from execpolicy.core.rules import PrefixRule
from execpolicy.diagnostics.render_text import visible
from execpolicy.insight.checkpoint import Checkpoint
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.suggest import Suggestions, suggest
from execpolicy.insight.tally import (
    WORDS,
    Decided,
    History,
    HistoryDecider,
    Recorded,
    RuleKey,
    Tally,
    key_of,
    ranked,
    rule_json,
    rule_text,
    shown,
)
from execpolicy.insight.workers import Workers, decide_all
from execpolicy.lint.sight import RuleSight, deciding_command

_MOST_TRIED = 100
"""The maximum number of unused rules for which a command that they decide is searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One command of the history, with the reason for its most notable decision."""

    command: str
    times: int
    reason: str | None

    def to_json(self) -> dict[str, Any]:
        """``{command, times, reason?}``."""
        reason = {} if self.reason is None else {"reason": self.reason}
        return {"command": self.command, "times": self.times, **reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedDecision:
    """All commands that the other rules decide differently in one way.

    Attributes:
        commands: number of commands; ``distinct``: number of distinct ones.
        samples: the most frequent, with the reason for the stricter of the two decisions.
    """

    before: str
    after: str
    commands: int
    distinct: int
    samples: tuple[Sample, ...]

    def to_json(self) -> dict[str, Any]:
        """``{before, after, commands, distinct, samples}``."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {**fields, "samples": [sample.to_json() for sample in self.samples]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The report.

    Attributes:
        tally: counts of commands.
        distinct: counts of distinct commands, by decision.
        asked: the most frequent commands of each decision except *allow*.
        unused: rules that fired for nothing in the history; the first of them with a shortest command that they decide
            and no other rule as strict does.
        against: counts under the other rules, if there are any.
        changes: the decisions that they would change, most frequent first.
    """

    history: History
    tally: Tally
    distinct: Counter[str]
    asked: dict[str, tuple[Sample, ...]]
    unused: dict[RuleKey, tuple[str, ...] | None]
    suggestions: Suggestions
    against: Tally | None = None
    changes: tuple[ChangedDecision, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """All fields: see ``docs/replay.md``."""
        history = self.history
        body: dict[str, Any] = {
            **self.tally.to_json(),
            "distinct": {word: self.distinct[word] for word in WORDS},
            "prompted": [sample.to_json() for sample in self.asked.get("prompt", ())],
            "forbidden": [sample.to_json() for sample in self.asked.get("forbidden", ())],
            "unused": [
                rule_json(rule, 0) | ({} if words is None else {"deciding": list(words)})
                for rule, words in self.unused.items()
            ],
            "suggestions": [one.to_json() for one in self.suggestions.rules],
            "notSuggested": [
                {"prefix": list(prefix), "commands": times, "reason": why}
                for prefix, times, why in self.suggestions.refused
            ],
            "askedOnce": list(self.suggestions.once),
            "changes": [change.to_json() for change in self.changes],
            "broken": history.broken,
            "problems": list(history.problems),
            "other": history.other,
            "repeated": history.repeated,
        }
        if self.against is not None:
            body["against"] = {key: value for key, value in self.against.to_json().items() if key != "changes"}
        return body


def replay(
    history: History,
    policy: PortablePolicy,
    against: PortablePolicy | None = None,
    *,
    named: Sequence[PrefixRule] = (),
    shell: str = "bash",
    suggestions: int = 10,
    samples: int = 5,
    workers: Workers | None = None,
    checkpoint: Checkpoint | None = None,
    progress: Callable[[int], None] | None = None,
) -> Replay:
    """Decides every distinct command of ``history`` once under ``policy`` (and ``against``) and reports.

    Args:
        named: rules of ``policy`` that the reader expects to fire; reported if they never do.
        suggestions: maximum number of suggested rules.
        samples: number of commands shown of each kind.
        workers: child processes that are ready for exactly these policies.
        checkpoint: holds earlier decisions under exactly these policies, and stores the new ones.
        progress: called with the number of commands decided since the last call.
    """
    policies = [policy] if against is None else [policy, against]
    commands = list(history.counts)

    def decide(these: Sequence[Recorded]) -> list[tuple[Decided, ...]]:
        if workers is not None:
            return workers.decide(these, progress)
        return decide_all(these, policies, shell=shell, progress=progress)

    results = decide(commands) if checkpoint is None else checkpoint.decisions_of(commands, decide, progress)
    return _Report(history, commands, results, policies, shell).made(named, suggestions, samples)


@dataclass(frozen=True)
class _Report:
    history: History
    commands: list[Recorded]
    results: list[tuple[Decided, ...]]
    policies: list[PortablePolicy]
    shell: str

    @cached_property
    def _decider(self) -> HistoryDecider:
        return HistoryDecider(self.policies, shell=self.shell)

    def made(self, named: Sequence[PrefixRule], suggestions: int, samples: int) -> Replay:
        rows = [
            (result, self.history.counts[command]) for command, result in zip(self.commands, self.results, strict=True)
        ]
        tally = Tally.of(rows)
        kinds: dict[str, list[Recorded]] = {word: [] for word in WORDS}
        changed: dict[tuple[int, int], list[Recorded]] = {}
        for command, result in zip(self.commands, self.results, strict=True):
            kinds[WORDS[result[0][0]]].append(command)
            if len(result) > 1 and result[1][0] != result[0][0]:
                changed.setdefault((result[0][0], result[1][0]), []).append(command)
        changes = [
            ChangedDecision(
                before=WORDS[before],
                after=WORDS[after],
                commands=sum(self.history.counts[command] for command in these),
                distinct=len(these),
                samples=self._samples(these, samples, int(after > before)),
            )
            for (before, after), these in changed.items()
        ]
        return Replay(
            history=self.history,
            tally=tally,
            distinct=Counter({word: len(these) for word, these in kinds.items()}),
            asked={word: self._samples(kinds[word], samples, 0) for word in WORDS[1:]},
            unused=self._unused(named, tally),
            suggestions=self._suggestions(kinds["prompt"], suggestions),
            against=Tally.of((result[1:], times) for result, times in rows) if len(self.policies) > 1 else None,
            changes=tuple(sorted(changes, key=lambda one: (-one.commands, one.before, one.after))),
        )

    def _unused(self, named: Sequence[PrefixRule], tally: Tally) -> dict[RuleKey, tuple[str, ...] | None]:
        unused = {key: rule for rule in named if (key := key_of(rule)) not in tally.rules}
        sight = RuleSight(named, self.policies[0].rulebook().policy.host_executables.values())
        return {
            key: deciding_command(rule, named, sight) if at < _MOST_TRIED else None
            for at, (key, rule) in enumerate(unused.items())
        }

    def _suggestions(self, prompted: list[Recorded], most: int) -> Suggestions:
        if not prompted or most <= 0:
            return Suggestions()
        needs = {command: result[0][2] for command, result in zip(self.commands, self.results, strict=True)}
        return suggest(
            {command: self.history.counts[command] for command in prompted},
            needs,
            self.policies[0].rulebook(),
            self.policies[0].situation(),
            dangers={danger for result in self.results for danger in result[0][3]},
            shell=self.shell,
            most=most,
        )

    def _samples(self, commands: list[Recorded], most: int, policy: int) -> tuple[Sample, ...]:
        top = sorted(commands, key=lambda command: (-self.history.counts[command], shown(command)))[:most]
        times = self.history.counts
        return tuple([Sample(command=shown(c), times=times[c], reason=self._reason(c, policy)) for c in top])

    def _reason(self, command: Recorded, policy: int) -> str | None:
        verdict = self._decider.verdicts(command)[policy]
        return None if verdict.decision is Decision.ALLOW else verdict.reason


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
                "" if words is None else f"; `{visible(join(words))}` would fire it"
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
        yield "\nAsked about, but no rule is suggested"
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
