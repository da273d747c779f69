"""``python -m tests.soak [--minutes 10] [NAME…]``: all of them, or those that are named, one after the other."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from textwrap import wrap

from tests.soak.soaks import SOAKS, WANTED_PER_S, Soak
from tests.support.sections import put_section


def main() -> int:
    """Run them, put the numbers into the page if all ran, and return how many went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*SOAKS, []])
    parser.add_argument("--minutes", type=float, default=10.0)
    given = parser.parse_args()
    done: list[Soak] = []
    for name in given.names or SOAKS:
        with tempfile.TemporaryDirectory() as folder:
            done.append(SOAKS[name](Path(folder).resolve(), given.minutes * 60))
        print(done[-1], "good" if done[-1].is_good else "NOT GOOD", flush=True)
    if not given.names:
        put_section("Running for a long time", "python -m tests.soak", page(done))
    return sum(not soak.is_good for soak in done)


_HOW = (
    f"Each of these runs for ten minutes. {WANTED_PER_S:,} requests a second are "
    "offered to `serve` and `arbiter`; what was reached stands in the table. Every answer is compared with the one "
    "that is due. Memory (in MB) and descriptors are those of the process itself, the median in the second, fifth,"
    " eighth and last minute. `serve` and `arbiter` remember the last 50,000 to 100,000 calls, with some 500 "
    "bytes for each: their memory stands still once so many were made. What `arbiter` rises by after that is freed "
    "memory that the C library keeps: in 20 minutes neither the objects of Python nor the bytes that `malloc` had "
    "handed out grew (11.1 MB in either half), and `malloc_trim` gave 4 MB back each time, which soon came again."
)


def page(done: list[Soak]) -> list[str]:
    """The section of the page."""
    rows = [
        f"| `{soak.name}` | {soak.seconds / 60:.1f} | {soak.count:,} {soak.what} | {soak.count / soak.seconds:,.0f} "
        f"| {soak.lost} | {_at(soak.held.memory)} | {_at(soak.held.descriptors)} |"
        for soak in done
    ]
    return [
        *wrap(_HOW, 120),
        "",
        "| program | minutes | what | a second | lost | memory | descriptors |",
        "|---|--:|---|--:|--:|--:|--:|",
        *rows,
    ]


def _at(values: tuple[float, ...]) -> str:
    return ", ".join([f"{values[at]:.4g}" for at in (1, 4, 7, 9)])


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
