"""Run every harmful line whose program is installed, and say what harm was seen.

    python -m tests.harm [--tools FOLDER ...] [--only PROGRAM ...] [--new] [--write]

Each line runs alone in bubblewrap, without a network, on a project made for it, beside programs, settings and folders
that an attacker may have left where the line points. ``--tools`` names folders with programs that the machine does
not have (``bin``, ``node_modules/.bin``), for instance a virtual environment. ``--write`` keeps what was seen in
``tests/data/advice/proven.tsv``, also when interrupted; other lines keep their rows, and ``--new`` runs only lines
that have none. A line is printed with ``-`` where nothing was seen, and with ``?`` where it did not end.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from tests.harm.ground import Ground
from tests.harm.harm import harmful_lines, program_of, proofs, proven, write_proofs


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", nargs="*", type=Path, default=[])
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--new", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    known = proven() if arguments.new else {}
    ground = Ground(arguments.tools)
    found: dict[str, tuple[str, ...]] = {}
    tried: Counter[str] = Counter()
    absent: Counter[str] = Counter()
    try:
        for line in harmful_lines():
            program = program_of(line)
            if (arguments.only and program not in arguments.only) or (arguments.new and line in known):
                continue
            if not ground.installed(program):
                absent[program] += 1
                continue
            tried[program] += 1
            try:
                found[line] = proofs(ground, line)
                said = "+".join(found[line]) or "-"
            except TimeoutError:
                said = "?"
            sys.stdout.write(f"{said}\t{line}\n")
            sys.stdout.flush()
    finally:
        ground.close()
        if arguments.write:
            write_proofs(found)
    shown = sum(map(bool, found.values()))
    sys.stderr.write(f"{shown:,} of {len(found):,} proven; {absent.total():,} of {len(absent)} programs not here\n")


if __name__ == "__main__":
    main()
