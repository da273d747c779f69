"""``python -m tests.faults [WORD…]``: every fault in every command (or those with a WORD in their name)."""

import sys
import tempfile
from pathlib import Path

from tests.faults.faults import Tally, page, tallies

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"


def main(words: list[str]) -> int:
    """Try them all, write the page, and return how many went wrong."""
    rows: dict[str, Tally] = {}
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        wanted = tallies(
            Path(folder).resolve(),
            lambda command, fault: all(word in f"{command.name} {fault.kind} {fault.name}" for word in words),
        )
        for command, kind, tally in wanted:
            row = rows.setdefault(kind, Tally())
            row.tries += tally.tries
            row.same += tally.same
            row.closed += tally.closed
            row.hung += tally.hung
            row.lost += tally.lost
            row.laxer += tally.laxer
            bad = [*tally.hung, *tally.lost, *tally.laxer]
            wrong += bad
            print(f"{command.name:<18} {kind:<16} {tally.tries:>3} tries, {len(bad)} wrong", *bad, sep="\n    ")
    if not words:
        PAGE.write_text(page(rows, wrong))
    return len(wrong)


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
