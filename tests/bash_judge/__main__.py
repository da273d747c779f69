"""``python -m tests.bash_judge --count N --seed S [--shell sh] [--values]``: many scripts, two processes."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections import Counter
from typing import NamedTuple

from execpolicy.shell.read import read_script
from tests.bash_judge.compare import complaints
from tests.bash_judge.mutations import MUTATIONS, broken
from tests.bash_judge.record import Recorder
from tests.bash_judge.rich import RichGenerator
from tests.bash_judge.values import ValueGenerator


class Job(NamedTuple):
    """Scripts to judge: of what kind, how many, and the folder that keeps what the shell did with them."""

    shell: str
    seed: int
    count: int
    folder: str | None = None
    values: bool = False


def judge(job: Job) -> tuple[Counter[str], list[dict[str, object]]]:
    """Judge the scripts of ``job``; the tallies and the cases where the reader was wrong or blind."""
    tally: Counter[str] = Counter()
    cases: list[dict[str, object]] = []
    shell = job.shell
    generator = (ValueGenerator if job.values else RichGenerator)(job.seed, shell)
    texts = [generator.script() for _ in range(job.count)]
    name = f"{job.seed}-{job.count}" + "-values" * job.values
    runs = Recorder(shell, job.folder).runs(name, texts)
    for text, run in zip(texts, runs, strict=True):
        try:
            script = read_script(text, shell=shell)
            found = complaints(script, run)
            if found and not run.argvs:  # on a machine that is very busy a script may not have come to its turn
                run = Recorder(shell).runs("again", [text])[0]
                found = complaints(script, run)
        except Exception as error:
            tally["WRONG"] += 1
            cases.append({"kind": "WRONG", "script": text, "shell": shell, "complaints": [f"raised {error!r}"]})
            continue
        tally[script.status] += 1
        if script.reason:
            tally["reason: " + script.reason[:50]] += 1
        tally["commands run"] += len(run.argvs)
        if not run.finished:
            tally["timeouts"] += 1
        if found:
            kind = "blind" if script.status == "opaque" else "WRONG"
            tally[kind] += 1
            cases.append({"kind": kind, "script": text, "shell": shell, "complaints": found, "reason": script.reason})
    return tally, cases


def noticed(name: str, *, most: int = 10_000, chunk: int = 50) -> int | None:
    """After how many scripts the judge notices that the reader is broken in the way ``name``; ``None`` for never.

    Counted in steps of ``chunk`` scripts.
    """
    for done in range(chunk, most + 1, chunk):
        with broken(name):
            _, cases = judge(Job("bash", 1000 + done // chunk, chunk))
        if any(case["kind"] == "WRONG" for case in cases):
            return done
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shell", choices=("bash", "sh"), default="bash")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--values", action="store_true", help="scripts about what variables and lists give to words")
    parser.add_argument("--show", type=int, default=10, help="how many cases to print")
    parser.add_argument("--blind", action="store_true", help="also print opaque scripts that hid a command")
    parser.add_argument("--mutations", action="store_true", help="say when each deliberate defect is noticed, and stop")
    parser.add_argument("--record", metavar="FOLDER", help="keep what the shell did; use what is kept there")
    options = parser.parse_args()
    if options.mutations:
        for name, mutation in sorted(MUTATIONS.items()):
            print(f"{name:28} {noticed(name)!s:>6}  {mutation.__doc__}", flush=True)
        return 0
    chunk = 500
    jobs = [
        Job(
            options.shell,
            options.seed * 1_000_003 + index,
            min(chunk, options.count - start),
            options.record,
            options.values,
        )
        for index, start in enumerate(range(0, options.count, chunk))
    ]
    total: Counter[str] = Counter()
    shown = 0
    with multiprocessing.Pool(options.processes) as pool:
        for done, (tally, cases) in enumerate(pool.imap_unordered(judge, jobs), 1):
            total += tally
            if done % 20 == 0:
                print(f"{done * chunk} scripts, {total['WRONG']} wrong", file=sys.stderr, flush=True)
            for case in sorted(cases, key=lambda case: len(str(case["script"]))):
                if shown < options.show and (case["kind"] == "WRONG" or options.blind):
                    shown += 1
                    print(json.dumps(case, ensure_ascii=False), flush=True)
    for name, number in total.most_common():
        print(f"{number:9d} {name}", file=sys.stderr)
    return 1 if total["WRONG"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
