"""``python -m tests.attacks [GROUND …] --count N --seed S``: the long run. Exit status 1 if something leaked."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from pathlib import Path
from typing import NamedTuple

from benchmarks.machine import made_by
from tests.attacks.arena import Arena, available
from tests.attacks.page import COUNTS
from tests.attacks.run import Hole, Tally, attacked, attacks, attacks_of_classes

CHUNK = 1_000
"""Scripts that are made with one seed: what is written down, and what is done again, when a run was cut off."""


class Job(NamedTuple):
    """One chunk of the attack on one ground, or of one class, with one shell."""

    ground: str
    shell: str
    seed: int
    count: int


class Kept(NamedTuple):
    """What a process keeps between its jobs: the sandbox, and what of each ground and shell ran before."""

    arena: Arena
    ran: dict[tuple[str, str], set[int]]


_kept: list[Kept] = []
"""One element in a process that works, none in the one that hands out."""


def _start() -> None:
    # The process ends with the pool, and bubblewrap with it (`--die-with-parent`).
    _kept.append(Kept(Arena().__enter__(), {}))


def _work(job: Job) -> tuple[Job, Tally]:
    arena, ran = _kept[0]
    attack = (attacks() | attacks_of_classes())[job.ground](job.seed, job.shell)
    return job, attacked(arena, attack, job.count, ran=ran.setdefault((job.ground, job.shell), set()))


def _jobs(grounds: list[str], count: int, seed: int) -> list[Job]:
    """Chunk after chunk of every ground, so that all grounds have come equally far when a run is cut off."""
    rounds: list[tuple[int, Job]] = []
    for ground in grounds:
        shells = available((attacks() | attacks_of_classes())[ground].shells)
        for shell in shells:
            share = -(-count // len(shells))
            for index, start in enumerate(range(0, share, CHUNK)):
                # The first chunk is what the seed says; those behind it are far from other small seeds.
                chunk = Job(ground, shell, seed + index * 1_000_003, min(CHUNK, share - start))
                rounds.append((index, chunk))
    return [job for _, job in sorted(rounds, key=lambda each: each[0])]


def _done(log: Path | None) -> dict[Job, Tally]:
    """The chunks that an earlier run wrote down."""
    if log is None or not log.exists():
        return {}
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines() if line.endswith("]]")]
    return {
        Job(*job): Tally(made, allowed, [Hole(*hole[:3], tuple(hole[3])) for hole in holes])
        for job, (made, allowed, holes) in lines
    }


def _summed(done: dict[Job, Tally]) -> dict[str, dict[str, list[int]]]:
    """Ground to shell to scripts made, allowed and run, leaks."""
    counts: dict[str, dict[str, list[int]]] = {}
    for job, tally in done.items():
        sums = counts.setdefault(job.ground, {}).setdefault(job.shell, [0, 0, 0])
        sums[:] = sums[0] + tally.made, sums[1] + tally.allowed, sums[2] + len(tally.holes)
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("grounds", nargs="*", metavar="GROUND")
    parser.add_argument("--count", type=int, default=10_000, help="scripts for each ground, shared by its shells")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--show", type=int, default=10, help="how many holes of each ground and shell to print")
    parser.add_argument("--log", type=Path, help="where chunks are written down; what stands there is not done again")
    parser.add_argument("--record", action="store_true", help="keep the counts for docs/evidence/grounds.md")
    options = parser.parse_args()
    known = attacks() | attacks_of_classes()
    unknown = sorted(set(options.grounds) - set(known))
    if unknown:
        parser.error(f"no attack on {', '.join(unknown)}; there are: {', '.join(sorted(known))}")
    done = _done(options.log)
    todo = [job for job in _jobs(options.grounds or sorted(known), options.count, options.seed) if job not in done]
    if todo:
        with multiprocessing.Pool(options.processes, _start) as pool:
            for job, tally in pool.imap_unordered(_work, todo):
                done[job] = tally
                if options.log is not None:
                    with options.log.open("a", encoding="utf-8") as log:
                        log.write(json.dumps([job, tally]) + "\n")
                for hole in tally.holes[: options.show]:
                    rests_on = " ".join(hole.grounds)
                    print(f"{job.ground} {job.shell}: {hole.script!r}: {hole.leak}  ({rests_on})", flush=True)
    counts = _summed(done)
    for ground, shells in sorted(counts.items()):
        for shell, (made, allowed, leaks) in sorted(shells.items()):
            print(f"{ground:22} {shell:10} {made:8,} made {allowed:8,} allowed {leaks:6,} leaks")
    if options.record:
        kept = json.loads(COUNTS.read_text("utf-8"))
        made = {"made": made_by("python -m tests.attacks --record")}
        COUNTS.write_text(json.dumps(kept | counts | made, indent=1, sort_keys=True) + "\n", "utf-8")
    return 1 if any(tally.holes for tally in done.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
