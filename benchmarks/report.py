"""The results as a page: targets against measurements, tables, plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.cold import CODEX, FLOOR, Cold
from benchmarks.machine import made_by
from benchmarks.plots import plot
from benchmarks.stream import Streamed

HEAD = """\
# Benchmarks

{made} Anyone can run this: it builds a wheel, installs it into an environment of its
own and measures that, since an editable install may measure the compiler. With `--codex PATH` it measures
`codex execpolicy check` beside it (a development aid; 0.169.0 is the package `@openai/codex@0.169.0-linux-x64`).
Runs alternate, so that a noisy moment hurts everybody alike. [Profiles](profiles.md) say where the time goes,
[error rates](error-rates.md) how often decisions are right.
"""


class Results(NamedTuple):
    """Everything that was measured."""

    machine: Sequence[str]
    loads: Sequence[float]
    runs: int
    cold: Sequence[Cold]
    warm: Mapping[str, Any]
    streams: Sequence[Streamed]
    others: Mapping[str, str]


def page(results: Results) -> str:
    """The whole page in Markdown."""
    loads = " to ".join(f"{load:.1f}" for load in (min(results.loads), max(results.loads)))
    parts = [
        HEAD.format(made=made_by("python -m benchmarks --write")),
        "## Where\n",
        "\n".join(f"* {line}" for line in results.machine),
        f"* {results.runs} alternating runs of each cold case; load average while measuring: {loads}\n",
        "The more load, the less a wall time says; processor time and the least of all runs suffer less.\n"
        "Ratios are of medians.\n",
        "## Targets\n",
        _targets(results),
        "## Cold: a process for each check\n",
        cold_table(results.cold),
        "## Loading\n",
        loading_table(results.warm),
        "![Loading against the number of rules](plots/load.svg)\n",
        "## Warm: decisions within a process\n",
        warm_table(results.warm),
        "![Deciding against the number of rules](plots/decision.svg)\n",
        "![Scripts against their length](plots/length.svg)\n",
        "## A stream of requests: `check --jsonl`\n",
        stream_table(results.streams),
        "## Everything else\n",
    ]
    for name, text in results.others.items():
        parts.append(f"`{name}`:\n\n```text\n{text.strip()}\n```\n")
    return "\n".join(parts).rstrip() + "\n"


def plots(warm: Mapping[str, Any]) -> dict[str, str]:
    """The SVG files of the page, by file name."""

    def medians(values: Mapping[str, Sequence[float]], unit: float = 1.0) -> dict[int, float]:
        return {int(size): pair[0] * unit for size, pair in values.items()}

    return {
        "load.svg": plot(
            "Loading is linear",
            "rules",
            "milliseconds",
            {
                **{f"compile: {kind}": medians(values, 1e-3) for kind, values in warm["load"].items()},
                "restore from the cache": medians(warm["restore a compiled rulebook"], 1e-3),
            },
        ),
        "decision.svg": plot(
            "Deciding does not depend on other rules",
            "rules",
            "microseconds",
            {
                "script, three commands": medians(warm["three commands judged"]),
                "argv, a rule matches": medians(warm["argv, a rule matches"]),
                "argv, no rule matches": medians(warm["argv, no rule matches"]),
            },
        ),
        "length.svg": plot(
            "A script costs by its length",
            "pipelines in the script",
            "microseconds",
            {kind: medians(values) for kind, values in warm["by length"].items()},
        ),
    }


ADDED = ("added by meaning, such rules about the program", "added by meaning, such rules about another program")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def _targets(results: Results) -> str:
    found = {(one.form, one.rules): one for one in results.cold}
    warm = results.warm
    rows: list[tuple[str, float, str, float | None, float | None]] = []

    def against(form: str, size: int, rival: str, rival_size: int) -> tuple[float | None, float | None]:
        ours, theirs = found.get((form, size)), found.get((rival, rival_size))
        if not (ours and theirs):
            return None, None
        mine, other = ours.times.row(), theirs.times.row()
        return mine[0] / other[0], mine[2] / other[2]

    for form in ("check --compat", "check -r, argv"):
        for size, cache, most in (
            (1, "cached", 1.3),
            (1_000, "cached", 1.0),
            (10_000, "cached", 0.4),
            (10_000, "no cache", 0.8),
        ):
            ratios = against(f"{form}, {cache}", size, CODEX, size)
            rules = "1 rule" if size == 1 else f"{size:,} rules"
            rows.append((f"{form}, {rules}, {cache}, × Codex", most, "×", *ratios))
    for form in ("check --compat", "check -r, argv"):
        pairs = [(found.get((f"{form}, cached", one.rules)), one) for one in results.cold if one.form == CODEX]
        shares = [ours.memory / theirs.memory for ours, theirs in pairs if ours]
        rows.append((f"{form}, cached: peak memory, worst size, × Codex", 1.0, "×", max(shares, default=None), None))
    ratios = against("check, layers, script, cached", 1, FLOOR, 0)
    rows.append(("check of a script, layers and heuristics, × `python3 -c pass`", 2.5, "×", *ratios))
    size = "10000"
    three = warm["scripts"]["three commands"]
    for name, most, unit, value in (
        ("argv at 10,000 rules", 1.0, "µs", warm["argv, a rule matches"][size][0]),
        ("added by meaning, 10,000 rules about the program", 3.0, "µs", warm[ADDED[0]][size][0]),
        ("added by meaning, 10,000 rules about others", 1.0, "µs", warm[ADDED[1]][size][0]),
        ("script of three commands, read", 60.0, "µs", three["read"][0]),
        ("the same, judged with heuristics", 150.0, "µs", three["judge"][0]),
        ("the same again", 2.0, "µs", three["again"][0]),
        ("10,000 saved rules loaded without a cache", 100.0, "ms", warm["load"]["saved"][size][0] / 1e3),
    ):
        rows.append((name, most, unit, None, value))
    for one in results.streams:
        rows.append((f"stream of {one.kind} requests, median there and back", 100.0, "µs", one.median, None))
        if one.kind != "script":  # no agent gives scripts that all differ; the table of streams says what those take
            rows.append((f"stream of {one.kind} requests, each when pipelined", 50.0, "µs", 1e6 / one.rate, one.cpu))
    return _table(
        ("target", "at most", "wall", "processor", "met"),
        [
            (
                name,
                f"{most:g} {unit}",
                *["" if value is None else f"{value:.2f} {unit}" for value in (wall, cpu)],
                _met(most, wall, cpu),
            )
            for name, most, unit, wall, cpu in rows
            if wall is not None or cpu is not None
        ],
    )


def _met(most: float, wall: float | None, cpu: float | None) -> str:
    """Wall time decides where there is one; a busy machine shows where the two differ."""
    met = [value <= most for value in (wall, cpu) if value is not None]
    return "yes" if all(met) else "**no**" if not any(met) else "by wall time" if met[0] else "by processor time"


def cold_table(cold: Sequence[Cold]) -> str:
    """Every cold case, with ratios to a bare interpreter and to Codex."""
    floor = next(one for one in cold if one.form == FLOOR).times.row()
    codex = {one.rules: one for one in cold if one.form == CODEX}
    rows = []
    for one in cold:
        row = one.times.row()
        rival = codex.get(one.rules)
        ratios = ["", ""]
        if rival and one is not rival:
            theirs = rival.times.row()
            ratios = [f"{row[0] / theirs[0]:.2f}", f"{row[2] / theirs[2]:.2f}"]
        rows.append(
            (
                f"`{one.form}`" if one.form in (FLOOR, CODEX) else one.form,
                f"{one.rules:,}" if one.rules else "",
                *[f"{value:.1f}" for value in row],
                f"{row[2] / floor[2]:.2f}",
                *ratios,
                f"{one.memory:.1f}",
            )
        )
    head = (
        "form",
        "rules",
        "wall ms",
        "least",
        "cpu ms",
        "least",
        "cpu × python",
        "× codex",
        "cpu × codex",
        "peak MiB",
    )
    return _table(head, rows)


def loading_table(warm: Mapping[str, Any]) -> str:
    """What loading costs, by kind and number of rules."""
    rows = []
    for kind, values in {**warm["load"], "restored from the cache": warm["restore a compiled rulebook"]}.items():
        for size, (median, least) in values.items():
            rows.append(
                (kind, f"{int(size):,}", f"{median / 1e3:.3f}", f"{least / 1e3:.3f}", f"{median / int(size):.2f}")
            )
    rows.append(("the built-in layer", "", *[f"{value / 1e3:.1f}" for value in warm["built-in layer"]], ""))
    return _table(("rules", "how many", "cpu ms", "least", "µs a rule"), rows)


def warm_table(warm: Mapping[str, Any]) -> str:
    """What decisions cost, by number of rules and by script."""
    names = ("argv, a rule matches", "argv, no rule matches", "argv, `Policy.check` with its decision")
    rows = []
    for name in (*names, *ADDED, "three commands judged"):
        for size, (median, least) in warm[name].items():
            rows.append((name, f"{int(size):,}", f"{median:.2f}", f"{least:.2f}"))
    first = _table(("decision", "rules", "cpu µs", "least"), rows)
    rows = [
        (name, *[f"{times[step][0]:.1f}" for step in ("read", "judge", "again")])
        for name, times in warm["scripts"].items()
    ]
    return first + "\n" + _table(("script, with heuristics", "read µs", "read and judged µs", "again µs"), rows)


def stream_table(streams: Sequence[Streamed]) -> str:
    """What requests of a stream cost."""
    return _table(
        ("request", "there and back µs", "least", "99 %", "pipelined a second", "cpu µs each"),
        [
            (one.kind, f"{one.median:.0f}", f"{one.least:.0f}", f"{one.late:.0f}", f"{one.rate:,.0f}", f"{one.cpu:.0f}")
            for one in streams
        ],
    )
