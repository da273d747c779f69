"""``python -m tests.writers [--writers 8 --appends 1000]``: save, and save and undo, while writers are killed."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.support.sections import put_section
from tests.writers.race import Outcome, race


def main() -> int:
    """Run both races, put what came of them into the page, and return 0 if nothing was lost."""
    parser = argparse.ArgumentParser(prog="python -m tests.writers", description=__doc__)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--appends", type=int, default=1000)
    parser.add_argument("--foreign", type=int, default=1)
    parser.add_argument("--kills", type=int, default=40)
    given = parser.parse_args()
    outcomes: dict[str, Outcome] = {}
    for undo in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            outcomes["saving and undoing" if undo else "saving"] = found = race(
                Path(folder),
                writers=given.writers,
                appends=given.appends,
                foreign=given.foreign,
                undo=undo,
                kills=given.kills,
            )
        print(f"{'save and undo' if undo else 'save'}: {found}", flush=True)
    if given.writers >= 8 and given.appends >= 1000:
        put_section("Many writers", "python -m tests.writers", page(given, outcomes))
    return 0 if all(found.is_clean() for found in outcomes.values()) else 1


def page(given: argparse.Namespace, outcomes: dict[str, Outcome]) -> list[str]:
    """The section of the page."""
    return [
        f"{given.writers} processes save {given.appends:,} rules each in one file and, in",
        "the second race, take four of five back again, each by itself; they are killed at any moment and started",
        f"again; {given.foreign} other program, that only knows the lock, appends {given.appends:,} lines of its own.",
        "",
        "| race | in the file | taken back | kills | lost | left | torn | doubled | failed |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        *[
            f"| {name} | {one.saved:,} | {one.undone:,} | {one.kills} | {len(one.lost)} | {len(one.left)} "
            f"| {len(one.torn)} | {len(one.doubled)} | {len(one.failures)} |"
            for name, one in outcomes.items()
        ],
    ]


if __name__ == "__main__":
    sys.exit(main())
