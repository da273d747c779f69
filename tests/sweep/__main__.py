"""``python -m tests.sweep [ENTRY …] --most N --log FILE --write docs/evidence/sweep.md``: entries, run under strace.

Every built-in entry whose program is installed is swept: systematic calls (``invocations.py``) in a scratch folder
inside bubblewrap, a part of them with their output on a terminal. Exit status 1 if one did what a reader must not do
and ``said.py`` does not say so. A sweep of everything takes hours: what stands in the log is not done again.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchmarks.machine import made_by
from tests.support.entries import built_in_entries
from tests.sweep.effects import findings
from tests.sweep.implementations import Implementation, implementations
from tests.sweep.invocations import invocations
from tests.sweep.place import Place
from tests.sweep.said import said

ABOUT = """\
# The sweep of the built-in entries

{made} Each safe entry was tried: options that it lists, alone
and in pairs, abbreviated, with glued and separate values, before and behind operands, with hostile words wherever a
word is free. What the entry accepted was run under strace in a scratch folder, a fifth of it on a terminal. *Findings*
are calls that opened a file to write, started a program, connected anywhere, printed a secret, changed anything else or
did not end; *said* are those that are known and stand (`tests/sweep/said.py` lists them with why).
"""
ON_A_TERMINAL = 0.2
"""The part of the calls whose output is a terminal's: pagers start nowhere else."""


class Swept(NamedTuple):
    """One entry with one program: how many calls were run, and the findings that nothing excuses, one call a kind.

    Attributes:
        excused: kinds of findings that ``said.py`` explains, with their number.
    """

    entry: str
    program: str
    version: str
    calls: int
    found: list[tuple[str, str, str]]
    counts: dict[str, int]
    excused: dict[str, int]


class Job(NamedTuple):
    """What one process sweeps at a time."""

    entry: str
    program: str
    implementation: Implementation
    most: int
    seed: int


def _sweep(job: Job) -> Swept:
    entry = next(each for each in built_in_entries() if each.kind == "safe_command" and each.name == job.entry)
    calls = invocations(entry, job.program, job.most, job.seed)
    rng = random.Random(job.seed)
    counts: Counter[str] = Counter()
    excused: Counter[str] = Counter()
    shown: dict[str, tuple[str, str, str]] = {}
    with Place(entry.obeys) as place:
        for call in calls:
            terminal = rng.random() < ON_A_TERMINAL and not entry.piped
            done = findings(place.run(call, job.implementation, terminal=terminal))
            stands = [said(entry.name, job.program, kind, line) for kind, line in done]
            excused.update({kind for (kind, _), stand in zip(done, stands, strict=True) if stand})
            for kind, line in {
                kind: line for (kind, line), stand in zip(done, stands, strict=True) if not stand
            }.items():
                counts[kind] += 1
                known = shown.get(kind)
                text = shlex.join(call) + (" (on a terminal)" if terminal else "")
                if known is None or len(text) < len(known[1]):
                    shown[kind] = (kind, text, line)
    return Swept(
        entry.name,
        job.program,
        job.implementation.version,
        len(calls),
        list(shown.values()),
        dict(counts),
        dict(excused),
    )


def _jobs(names: list[str], most: int, seed: int) -> tuple[list[Job], list[str]]:
    """What there is to sweep, and the programs that are not installed."""
    jobs: list[Job] = []
    missing: list[str] = []
    for entry in built_in_entries():
        if entry.kind != "safe_command" or (names and entry.name not in names):
            continue
        for program in entry.programs:
            installed = implementations(program)
            jobs += [Job(entry.name, program, each, most, seed) for each in installed]
            if not installed:
                missing.append(f"{program} ({entry.name})")
    return jobs, missing


def _done(log: Path | None) -> dict[str, Swept]:
    """What an earlier run wrote down, by job; a line that was cut short does not count."""
    if log is None or not log.exists():
        return {}
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines() if line.endswith("}]]")]
    return {
        json.dumps(job): Swept(*facts, [(kind, call, trace) for kind, call, trace in found], counts, excused)
        for job, (*facts, found, counts, excused) in lines
    }


def _worked(job: Job) -> tuple[Job, Swept]:
    return job, _sweep(job)


def _table(swept: list[Swept], missing: list[str]) -> str:
    lines = [
        *ABOUT.format(made=made_by("python -m tests.sweep --write docs/evidence/sweep.md")).splitlines(),
        "",
        "| Entry | Program | Package | Calls | Findings | Said |",
        "|---|---|---|---:|---|---|",
    ]
    for one in sorted(swept):
        found = ", ".join(f"{count} {kind}" for kind, count in sorted(one.counts.items())) or "none"
        excused = ", ".join(f"{count} {kind}" for kind, count in sorted(one.excused.items()))
        lines.append(f"| {one.entry} | {one.program} | {one.version} | {one.calls:,} | {found} | {excused} |")
    total = sum(one.calls for one in swept)
    lines += [
        "",
        f"{total:,} calls of {len(swept)} programs. Not installed where this was made: {', '.join(missing)}.",
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("entries", nargs="*", metavar="ENTRY")
    parser.add_argument("--most", type=int, default=400, help="calls for each entry and program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--log", type=Path, help="where jobs are written down; what stands there is not done again")
    parser.add_argument("--write", type=Path, help="the file that gets the table")
    options = parser.parse_args()
    jobs, missing = _jobs(options.entries, options.most, options.seed)
    if not jobs:
        parser.error("no entry of that name has an installed program")
    done = _done(options.log)
    swept = [done[json.dumps(job)] for job in jobs if json.dumps(job) in done]
    todo = [job for job in jobs if json.dumps(job) not in done]
    with multiprocessing.Pool(options.processes) as pool:
        for job, one in pool.imap_unordered(_worked, todo):
            swept.append(one)
            if options.log is not None:
                with options.log.open("a", encoding="utf-8") as log:
                    log.write(json.dumps([job, one]) + "\n")
            if one.found:
                counts = ", ".join(f"{count} {kind}" for kind, count in one.counts.items())
                print(f"{one.entry} / {one.program} / {one.version}: {one.calls} calls, {counts}", flush=True)
            for kind, call, line in one.found:
                print(f"    {kind}: {call}\n        {line}", flush=True)
    if options.write:
        options.write.write_text(_table(swept, missing), encoding="utf-8")
    print(f"{sum(one.calls for one in swept):,} calls of {len(swept)} programs")
    return 1 if any(one.found for one in swept) else 0


if __name__ == "__main__":
    sys.exit(main())
