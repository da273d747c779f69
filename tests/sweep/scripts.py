"""``python -m tests.sweep.scripts FILE … --most N``: whole scripts that are allowed without a rule, run under strace.

Each line of a file is an object with a ``command`` or a ``script``. Those that the built-in entries allow, and whose
programs are all installed, run in the scratch folder of the sweep. Exit status 1 if one wrote, connected, changed
anything, printed a secret or started a program of the folder. One that does not end is counted apart: what ``tail -f``
and ``yes`` are asked for.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.samples import read_lines
from execpolicy.core.decision import Decision
from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from execpolicy.shell.vocabulary import NAMES
from tests.support.judging import builtin
from tests.sweep.effects import findings
from tests.sweep.place import Place, Trace

if TYPE_CHECKING:
    from execpolicy.judge.command_verdict import CommandVerdict

NO_HARM = ("hangs", "starts")
"""Kinds of findings that say nothing against a script: it runs programs, and may run until it is ended."""
_EXCUSED = re.compile(
    r"/\.git/(index|gc\.pid|packed-refs|HEAD)\.lock|/\.git/index\b"  # `git status` refreshes what it knows of the files
    r"|setpriority\(|ioprio_set\("  # `nice` says how its own process is scheduled
    r"|/home/\.(config/gcloud|terraform\.d|kube|docker|azure|aws|cache|local)/?"  # a client's notes in its own folder
    r"|fchown\(\d+, 0, 0\)"  # SQLite gives a journal the owner that it has
    r'|"/tmp/tmux-\d+"|/home/\.config/procps|googlecloudsdk/.*__pycache__'  # tmux, top, gcloud: their own
    r'|openat\(AT_FDCWD, "\d+", O_RDWR\|O_CREAT\|O_NOFOLLOW'  # Java's counters, in a folder of its own
)
_OWN = {"rsync": re.compile(r"kill\(\d+, SIGUSR2\)")}
"""What a program does to its own processes: the two of rsync signal each other."""
_EVIL = re.compile(r'execve(at)?\("[^"]*/evil"')
_CLIENTS = frozenset(["kubectl", "docker", "podman", "gcloud", "aws", "az", "gh", "helm", "terraform", "psql"])
"""Programs that ask the server that they are clients of."""


class Counted(NamedTuple):
    """How many scripts were given, were allowed and ran, and what those did that they must not do."""

    given: int
    allowed: int
    ran: int
    endless: int
    found: list[tuple[str, str, str]]


def run_allowed(scripts: Sequence[str], most: int) -> Counted:
    """The first ``most`` allowed ``scripts`` whose programs are there."""
    allowed = ran = endless = 0
    found: list[tuple[str, str, str]] = []
    with Place() as place:
        situation = Situation(str(place.root / "w"), home=str(place.root / "home"))
        for script in scripts:
            verdict = check(script, builtin(), shell="bash", situation=situation)
            if verdict.decision is not Decision.ALLOW:
                continue
            allowed += 1
            if ran == most or not all(map(_installed, _programs(verdict.commands))):
                continue
            ran += 1
            done = place.run_script(script)
            endless += not done.finished
            programs = set(_programs(verdict.commands))
            client = not _CLIENTS.isdisjoint(programs)
            kinds = {kind: line for kind, line in harm(done, programs) if not (client and kind == "connects")}
            found += [(kind, script, line) for kind, line in kinds.items()]
    return Counted(len(scripts), allowed, ran, endless, found)


def harm(done: Trace, programs: Collection[str] = ()) -> list[tuple[str, str]]:
    """What no allowed script, which starts these ``programs``, may do, each with the line that shows it."""
    excused = [_EXCUSED, *[pattern for name, pattern in _OWN.items() if name in programs]]
    found = [(kind, line) for kind, line in findings(done) if kind not in NO_HARM or _EVIL.search(line)]
    return [(kind, line) for kind, line in found if not any(pattern.search(line) for pattern in excused)]


def _programs(commands: Sequence[CommandVerdict]) -> Iterator[str]:
    for one in commands:
        if one.argv and one.argv[0]:
            yield one.argv[0]
        yield from _programs(one.inner)


def _installed(program: str) -> bool:
    return program in NAMES or shutil.which(program) is not None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--most", type=int, default=2_000, help="how many are run")
    options = parser.parse_args()
    lines = [line for file in options.files for line in read_lines(file)]
    scripts = list(dict.fromkeys([str(line.get("command") or line.get("script")) for line in lines]))
    counted = run_allowed(scripts, options.most)
    for kind, number in Counter(kind for kind, _, _ in counted.found).items():
        print(f"{number} {kind}")
    for kind, script, line in counted.found:
        print(f"    {kind}: {script!r}\n        {line}")
    print(
        f"{counted.given:,} scripts, {counted.allowed:,} allowed, {counted.ran:,} run, {counted.endless:,} did not "
        f"end, {len(counted.found):,} findings"
    )
    return 1 if counted.found else 0


if __name__ == "__main__":
    sys.exit(main())
