"""How much of real sessions runs unasked: shares by row and by source, questions a session, and their causes.

    python -m benchmarks.reach FOLDER [-r RULES]... [--packs] [--causes 30] [--list FILE]

``FOLDER`` holds JSON lines with ``session``, ``source``, ``command``, and ``cwd`` where it was not the project's. Each
command is judged without a terminal, in a scratch project of several languages and a home that is empty but for it. The
project is a repository with the branch ``main`` and the remote ``origin``. Paths that begin with ``/home/dev`` mean
that home. *One vote a source* is the mean over
the sources with 30 rows or more. ``--list`` writes each row with its decision and the reason, to compare two runs.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from benchmarks.coverage import deciding
from benchmarks.samples import read_lines
from execpolicy.insight.starters import packs
from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.lang.compile import compile_source
from execpolicy.source import Source
from tests.support.judging import builtin

HOME = "/home/dev"
PROJECT = f"{HOME}/proj"
FILES = {
    "package.json": '{"name": "app", "version": "1.0.0", "scripts": {"test": "vitest run", "build": "tsc"}}\n',
    "pyproject.toml": '[project]\nname = "app"\nversion = "1.0.0"\n',
    "go.mod": "module example.com/app\n\ngo 1.22\n",
    "tsconfig.json": "{}\n",
    "Makefile": "test:\n\tpytest\n",
    "src/app.py": "print(1)\n",
    "tests/test_app.py": "def test_app():\n    pass\n",
}
"""The files of the project, by name."""
FEWEST = 30
"""Rows of a source that has a vote."""


@dataclass(frozen=True, slots=True)
class Row:
    """A command of a session, its decision, and the program and reason of what is asked."""

    source: str
    session: str
    command: str
    decision: str
    cause: str


class _Judge:
    """Decides in the scratch project; one is made in each process."""

    def __init__(self, home: str, rulebook: Rulebook) -> None:
        self.home = home
        self.rulebook = rulebook

    def row(self, row: dict[str, str]) -> Row:
        """``row`` of a session with its decision."""
        command = row["command"].replace(HOME, self.home)
        cwd = str(Path(PROJECT, row.get("cwd", "."))).replace(HOME, self.home)
        verdict = check(command, self.rulebook, situation=Situation(cwd, home=self.home, terminal=False))
        program, why = deciding(verdict)
        cause = f"{program} {why}".replace(self.home, HOME)
        return Row(row["source"], row["session"], row["command"], verdict.decision.word, cause)


_judges: list[_Judge] = []
"""The judge of this process, once there is one."""


def _start(home: str, texts: Sequence[tuple[str, str]]) -> None:
    read = [compile_source(Source(name, text)).statements for name, text in texts]
    rulebook = builtin().with_statements(*[statement for statements in read for statement in statements])
    _judges[:] = [_Judge(home, rulebook)]


def _row(row: dict[str, str]) -> Row:
    return _judges[0].row(row)


def judged(rows: Iterable[dict[str, str]], texts: Sequence[tuple[str, str]], processes: int) -> list[Row]:
    """All ``rows`` with their decisions under the rule files ``texts`` (names and contents)."""
    with tempfile.TemporaryDirectory() as folder:
        home = str(Path(folder).resolve() / "dev")
        project = Path(home, "proj")
        for name, text in FILES.items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(text, "utf-8")
        remote = ["remote", "add", "origin", "https://example.com/app.git"]
        for words in (["init", "-q", "-b", "main"], remote, ["add", "."], ["commit", "-q", "-m", "Start"]):
            user = ("-c", "user.name=dev", "-c", "user.email=dev@example.com")
            subprocess.run(["git", *user, *words], cwd=project, check=True)
        _start(home, texts)  # a mistake in a rule file shows here: a pool would start over for ever
        with multiprocessing.Pool(processes, _start, (home, texts)) as pool:
            return pool.map(_row, rows, chunksize=100)


def allowed(rows: Sequence[Row]) -> float:
    """The share of ``rows`` that is allowed, in per cent."""
    return 100 * sum(row.decision == "allow" for row in rows) / len(rows)


def report(rows: Sequence[Row], most: int) -> str:
    """The numbers, and the ``most`` causes that have most questions."""
    by_source: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_source[row.source].append(row)
    sessions = {(row.source, row.session) for row in rows}
    asked = [row for row in rows if row.decision == "prompt"]
    forbidden = sum(row.decision == "forbidden" for row in rows)
    votes = [allowed(found) for found in by_source.values() if len(found) >= FEWEST]
    lines = [
        f"{len(rows)} rows of {len(sessions)} sessions: {allowed(rows):.1f} % allowed, {forbidden} forbidden, "
        f"{len(asked) / len(sessions):.1f} asked a session",
        f"one vote for each of {len(votes)} sources: {mean(votes):.1f} % allowed",
    ]
    causes = Counter([row.cause for row in asked])
    examples = {row.cause: row.command for row in reversed(asked)}
    lines += [f"{count:5} {cause}\t{examples[cause][:100]!r}" for cause, count in causes.most_common(most)]
    return "\n".join(lines)


def main() -> None:
    """Print the numbers and the causes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="holds the sessions, as *.jsonl")
    parser.add_argument("-r", "--rules", type=Path, action="append", default=[], help="a rule file above the others")
    parser.add_argument("--packs", action="store_true", help="with every pack that ships")
    parser.add_argument("--causes", type=int, default=30, metavar="N", help="how many causes to print")
    parser.add_argument("--list", type=Path, metavar="FILE", help="write the rows with their decisions, as JSON lines")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    texts = [(pack.file_name, pack.text) for pack in packs()] if options.packs else []
    texts += [(path.name, path.read_text("utf-8")) for path in options.rules]
    found = [row for path in sorted(options.folder.glob("*.jsonl")) for row in read_lines(path)]
    rows = judged(found, texts, options.processes)
    print(report(rows, options.causes))
    if options.list:
        lines = [[row.decision, row.cause, row.source, row.command] for row in rows]
        options.list.write_text("".join([json.dumps(line) + "\n" for line in lines]), "utf-8")


if __name__ == "__main__":
    main()
