"""Replay of 2 million recorded commands, 8,000 of them distinct, side by side with deciding one after the other.

    python benchmarks/bench_replay.py [--rows 2000000] [--distinct 8000] [--runs 3] [--suggest 10]

Needs the extra ``replay``. The history is Zipf-like, made of what agents run: git, test runners, searches, pipelines.
The policy is the built-in layer with the starter rules above it, loaded beforehand (its time is printed). Child
processes are started inside the measured time. The naive loop decides its sample of rows one by one and is scaled up.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from execpolicy.cli.loading import load_rulebook
from execpolicy.cli.rule_options import layers_of
from execpolicy.insight.batch import count_batch, evaluate_batch
from execpolicy.insight.history import read_history
from execpolicy.insight.portable import PortablePolicy, cores
from execpolicy.insight.replay import replay
from execpolicy.insight.tally import HistoryDecider
from execpolicy.insight.workers import Workers

NAIVE_ROWS = 20_000
RULES = Path(__file__).resolve().parent.parent / "rules"


@dataclass(frozen=True, slots=True)
class Taken:
    """What a piece of work took, at best: seconds, and seconds of all processors together."""

    wall: float
    processor: float


def best(runs: int, work: Callable[[], object]) -> Taken:
    """The least that one of ``runs`` took."""
    walls, processors = [], []
    for _ in range(runs):
        start, used = time.perf_counter(), processor_time()
        work()
        walls.append(time.perf_counter() - start)
        processors.append(processor_time() - used)
    return Taken(min(walls), min(processors))


def processor_time() -> float:
    """Seconds of processor that this process and its ended children have used."""
    both = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def report(name: str, rows: int, taken: Taken) -> None:
    """One line of the table."""
    rate = rows / taken.wall / 1e6
    print(f"{name:<42} {taken.wall:8.3f} s {rate:8.3f} M commands/s {taken.processor:8.3f} s of processors")


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--distinct", type=int, default=8_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--suggest", type=int, default=10)
    arguments = parser.parse_args()
    sys.path.append(str(RULES.parent))  # behind the execpolicy that is installed
    from benchmarks.samples import history

    os.environ["EXECPOLICY_CACHE"] = ""
    start = time.perf_counter()
    book = load_rulebook(layers_of(rules=sorted(map(str, RULES.glob("*.rules")))), sys.stderr)
    policy = PortablePolicy.of(book)
    print(f"rules loaded, uncached, in {(time.perf_counter() - start) * 1e3:.0f} ms; {cores()} processors")
    rows = history(arguments.rows, arguments.distinct)
    print(f"{len(rows):,} rows, {len(set(rows)):,} distinct commands")
    with tempfile.TemporaryDirectory() as folder:
        parquet, jsonl, text = (os.path.join(folder, "history." + kind) for kind in ("parquet", "jsonl", "txt"))
        pq.write_table(pa.table({"command": rows}), parquet, row_group_size=100_000)
        Path(text).write_text("\n".join(rows) + "\n")
        Path(jsonl).write_text("".join([pa_line(row) for row in rows]))

        def whole(path: str, suggestions: int) -> None:
            with Workers([policy]) as workers:
                found = read_history([path], met=workers.begin)
                report = replay(found, policy, suggestions=suggestions, workers=workers)
            assert report.tally.total == len(rows), "a row was lost"

        column = pa.chunked_array([pa.array(rows[at : at + 100_000]) for at in range(0, len(rows), 100_000)])
        cases: dict[str, Callable[[], object]] = {
            "replay of Parquet": lambda: whole(parquet, 0),
            f"replay of Parquet, {arguments.suggest} suggestions": lambda: whole(parquet, arguments.suggest),
            "replay of JSON lines": lambda: whole(jsonl, 0),
            "replay of text": lambda: whole(text, 0),
            "evaluate_batch, first time, one process": lambda: fresh() or evaluate_batch(column, policy),
            "evaluate_batch, again": lambda: evaluate_batch(column, policy),
            "count_batch, again": lambda: count_batch(column, policy),
        }
        count_batch(column, policy)
        for name, work in cases.items():
            report(name, len(rows), best(arguments.runs, work))
    decider = HistoryDecider([policy])
    sample = random.Random(1).sample(rows, min(NAIVE_ROWS, len(rows)))
    alone = best(1, lambda: [decider.decide(command) for command in sample])
    factor = len(rows) / len(sample)
    report("one after the other, scaled up", len(rows), Taken(alone.wall * factor, alone.processor * factor))
    if os.getloadavg()[0] > cores():
        print(f"load average {os.getloadavg()[0]:.0f}: others use the processors, only their seconds mean something")


def pa_line(row: str) -> str:
    """A line of a JSON history."""
    import json

    return json.dumps({"command": row}) + "\n"


def fresh() -> None:
    """Forget what this process has decided."""
    from execpolicy.insight import batch

    batch._memory.cache_clear()


if __name__ == "__main__":
    main()
