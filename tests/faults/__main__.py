"""``python -m tests.faults [NAME…]``: every fault in every command, or in those that are named."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path

from tests.faults.commands import COMMANDS, Command
from tests.faults.faults import FAULTS
from tests.faults.laboratory import Laboratory, Tally
from tests.faults.page import KILLED, tables
from tests.faults.stepping import can_step, killed_everywhere
from tests.support.sections import put_section

Rows = dict[str, Tally]


def main() -> int:
    """Try them all, put the tables into the page, and return how many went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("names", nargs="*", help="names of commands")
    parser.add_argument("--kind", action="append", help="only faults of this kind")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="what was found is kept here, and commands that stand in it are done")
    given = parser.parse_args()
    if not can_step():
        parser.error("strace is missing, which puts faults into system calls")
    kept = json.loads(given.keep.read_text()) if given.keep and given.keep.exists() else {}
    rows: dict[str, Rows] = {name: {kind: Tally(**one) for kind, one in each.items()} for name, each in kept.items()}
    wanted = [one for one in COMMANDS if (not given.names or one.name in given.names) and one.name not in rows]
    with room() as folder, multiprocessing.Pool(given.jobs) as pool:
        work = partial(tried, folder, given.kind)
        for name, found in pool.imap_unordered(work, wanted):
            rows[name] = found
            wrong = [one for tally in found.values() for one in tally.wrong]
            tries = sum(tally.tries for tally in found.values())
            print(f"{name:<22} {tries:>4} tries, {len(wrong)} wrong", *wrong, sep="\n    ", flush=True)
            if given.keep:
                kept = {name: {kind: asdict(tally) for kind, tally in each.items()} for name, each in rows.items()}
                given.keep.write_text(json.dumps(kept))
    if not given.kind and all(one.name in rows for one in COMMANDS):
        put_section(
            "Faults in every command", "python -m tests.faults", tables({one.name: rows[one.name] for one in COMMANDS})
        )
    return sum(len(tally.wrong) for each in rows.values() for tally in each.values())


@contextmanager
def room() -> Iterator[Path]:
    """A folder for all laboratories, of which nothing is left mounted."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        try:
            yield folder
        finally:
            for each in folder.iterdir():
                if each.is_mount():
                    subprocess.run(["umount", "-l", str(each)], check=False)


def tried(folder: Path, kinds: list[str] | None, command: Command) -> tuple[str, Rows]:
    """All tries of one command: its name, and a tally for each kind of fault."""
    rows: Rows = {}
    with Laboratory(folder / command.name.replace(" ", "-"), command) as laboratory:
        try:
            for fault in FAULTS:
                if not kinds or fault.kind in kinds:
                    laboratory.judge(fault, rows.setdefault(fault.kind, Tally()))
            if laboratory.writes and not command.slow and (not kinds or KILLED in kinds):
                rows[KILLED] = killed_everywhere(laboratory)
        except subprocess.TimeoutExpired as error:
            rows.setdefault("none", Tally()).hung.append(f"{command.name}: without a fault: {error}")
    return command.name, rows


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
