"""``python -m tests.attacks [GROUND …] --count N --seed S``: the long run. Exit status 1 if something leaked."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys

from tests.attacks.arena import Arena, available
from tests.attacks.page import COUNTS
from tests.attacks.run import Hole, attacked, attacks


def _job(job: tuple[str, str, int, int]) -> tuple[str, str, int, int, list[Hole]]:
    ground, shell, seed, count = job
    with Arena() as arena:
        made, allowed, holes = attacked(arena, attacks()[ground](seed, shell), count)
    return ground, shell, made, allowed, holes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("grounds", nargs="*", metavar="GROUND")
    parser.add_argument("--count", type=int, default=10_000, help="scripts for each ground, shared by its shells")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--show", type=int, default=10, help="how many holes of each ground to print")
    parser.add_argument("--record", action="store_true", help="keep the counts for docs/grounds.md")
    options = parser.parse_args()
    known = attacks()
    unknown = sorted(set(options.grounds) - set(known))
    if unknown:
        parser.error(f"no attack on {', '.join(unknown)}; there are: {', '.join(sorted(known))}")
    jobs: list[tuple[str, str, int, int]] = []
    for ground in options.grounds or sorted(known):
        shells = available(known[ground].shells)
        jobs += [(ground, shell, options.seed, -(-options.count // len(shells))) for shell in shells]
    leaks = 0
    counts = json.loads(COUNTS.read_text("utf-8")) if COUNTS.exists() else {}
    with multiprocessing.Pool(options.processes) as pool:
        for ground, shell, made, allowed, holes in pool.imap_unordered(_job, jobs):
            print(f"{ground:22} {shell:10} {made:8,} made {allowed:8,} allowed {len(holes):6,} leaks", flush=True)
            leaks += len(holes)
            counts.setdefault(ground, {})[shell] = [made, allowed, len(holes)]
            for hole in sorted(holes, key=lambda each: len(each.script))[: options.show]:
                print(f"    {hole.script!r}: {hole.leak}  ({' '.join(hole.grounds)})", flush=True)
    if options.record:
        COUNTS.write_text(json.dumps(counts, indent=1, sort_keys=True) + "\n", "utf-8")
    return 1 if leaks else 0


if __name__ == "__main__":
    sys.exit(main())
