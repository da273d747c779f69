"""What is decided of commands that nobody here wrote: cases of other projects' test suites, and real scripts.

    python -m benchmarks.coverage FOLDER [--class NAME] [--list asked|leaks|opaque] [--clusters 40] [--write]

``FOLDER`` holds ``guards.jsonl`` (one object a line: ``source``, ``command``, ``class`` and ``expected``, which is
``allow``, ``ask``, ``deny`` or ``notblocked``) and any number of ``real-*.jsonl`` (``script``). The cases are other
people's data and no part of this project: they measure it, and no entry is made for one of them.

Prints, per class and source, how many of the commands that should be allowed are, and how many of those that should not
be; ``--write`` puts the table into ``docs/evidence/error-rates.md``. *Consensus* are the commands that at least two
projects list and that all of them would allow. ``--clusters`` counts what is asked about by program and reason.
Decisions are those of the built-in layer alone, under the default settings, in a folder that is empty (what programs
obey in a folder is looked for), without a terminal; the columns *with packs* add every pack that ships.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.error_rates import OTHERS, ROOT, share
from benchmarks.machine import made_by
from benchmarks.samples import read_lines

if TYPE_CHECKING:
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation
    from execpolicy.judge.verdict import Verdict

PAGE = ROOT / "docs" / "evidence" / "error-rates.md"
CLASSES = ("unix", "dev", "vendor")
REFUSING = ("ask", "deny")


@dataclass(frozen=True, slots=True)
class Case:
    """A command, what a project expects of it, and what it gets here."""

    source: str
    command: str
    kind: str
    expected: str
    decision: str
    program: str
    why: str
    with_packs: str

    @property
    def leaks(self) -> bool:
        """It is allowed against what the project expects."""
        return self.decision == "allow" and self.expected in REFUSING

    @property
    def asked(self) -> bool:
        """It is not allowed, against what the project expects."""
        return self.decision != "allow" and self.expected == "allow"


@cache
def packed() -> Rulebook:
    """The built-in layer with every pack on top."""
    from execpolicy.insight.starters import packs
    from execpolicy.lang.compile import compile_source
    from execpolicy.source import Source
    from tests.support.judging import builtin

    read = [compile_source(Source(pack.file_name, pack.text)).statements for pack in packs()]
    return builtin().with_statements(*[statement for statements in read for statement in statements])


_stands: list[Situation] = []
"""One element in a process that judges: where the commands would run."""


def _stand(folder: str) -> None:
    from execpolicy.judge.situation import Situation

    _stands.append(Situation(folder, home="/home/u", terminal=False))


def decided(command: str) -> tuple[str, str, str, str]:
    """The decision on ``command``, its program, the code and words of the reason, and the decision with packs."""
    from execpolicy.judge.check import check

    packs = check(command, packed(), situation=_stands[0]).decision.word
    return (*decided_alone(command), packs)


def decided_alone(command: str) -> tuple[str, str, str]:
    """The same without the packs."""
    from execpolicy.judge.check import check
    from tests.support.judging import builtin

    verdict = check(command, builtin(), situation=_stands[0])
    return (verdict.decision.word, *deciding(verdict))


def deciding(verdict: Verdict) -> tuple[str, str]:
    """The program that decided ``verdict``, and the code and words of the reason."""
    from execpolicy.judge.reasons import command_reason

    for one in verdict.commands:
        if one.decision is verdict.decision and verdict.decision.word != "allow":
            code = one.blocks[0].code if one.blocks else one.opinion.code if one.opinion is not None else "?"
            program = one.argv[0] if one.argv else ""
            return program, f"{code}: {command_reason(one).rpartition('(')[2][:90]}"
    return "", "; ".join([f"{block.code}: {block.detail}" for block in verdict.blocks])


def status_of(script: str) -> tuple[str, str]:
    """How well ``script`` is read (``plain``, ``structured`` or ``opaque``), and why not better."""
    from execpolicy.shell.read import read_script

    found = read_script(script)
    return found.status, found.reason or ""


def judged(folder: Path, processes: int) -> list[Case]:
    """All cases of ``folder`` with their decisions."""
    rows = read_lines(folder / "guards.jsonl")
    with tempfile.TemporaryDirectory() as empty, multiprocessing.Pool(processes, _stand, (empty,)) as pool:
        found = pool.map(decided, [row["command"] for row in rows], chunksize=100)
    return [
        Case(row["source"], row["command"], row["class"], row["expected"], *one)
        for row, one in zip(rows, found, strict=True)
    ]


def consensus(cases: Iterable[Case]) -> list[Case]:
    """One case of each command that at least two projects list and that none would refuse."""
    by_command: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_command[case.command].append(case)
    return [
        listed[0]
        for listed in by_command.values()
        if len({case.source for case in listed}) > 1 and all(case.expected == "allow" for case in listed)
    ]


def row(name: str, cases: Sequence[Case]) -> list[str]:
    """One line of the table; nothing where there is nothing to count."""
    wanted = [case for case in cases if case.expected == "allow"]
    refused = [case for case in cases if case.expected in REFUSING]
    leaks = sum(case.leaks for case in refused)
    packs = [sum(case.with_packs == "allow" for case in cases) for cases in (wanted, refused)]
    return [
        name,
        share(sum(case.asked for case in wanted), len(wanted)),
        share(len(wanted) - packs[0], len(wanted)),
        f"{leaks} of {len(refused)}" if refused else "-",
        f"{packs[1]} of {len(refused)}" if refused else "-",
    ]


def table(cases: Sequence[Case]) -> str:
    """The table of a class for each class: its sources, all of them, and the consensus."""
    head = [
        *("class", "source", "expected allow, allowed", "with packs"),
        *("expected ask or deny, allowed", "with packs"),
    ]
    rows: list[list[str]] = []
    for kind in CLASSES:
        of_kind = [case for case in cases if case.kind == kind]
        named = {name: [case for case in of_kind if case.source == name] for name in {case.source for case in of_kind}}
        for name in sorted(named, key=lambda name: (-len(named[name]), name)):
            rows.append([kind, *row(name, named[name])])
        rows.append([kind, *row("**consensus**", consensus(of_kind))])
        rows.append([kind, *row("**all**", of_kind)])
    return "".join(["| " + " | ".join(cells) + " |\n" for cells in ([*head], ["---"] * len(head), *rows)])


def read_real(folder: Path, processes: int) -> tuple[str, list[str]]:
    """A table of how well the real scripts are read, and those that are not, with why."""
    lines = ["| scripts | number | plain | structured | opaque |\n", "| --- | --- | --- | --- | --- |\n"]
    opaque: list[str] = []
    totals: Counter[str] = Counter()
    with multiprocessing.Pool(processes) as pool:
        for path in sorted(folder.glob("real-*.jsonl")):
            scripts = [row["script"] for row in read_lines(path)]
            found = pool.map(status_of, scripts, chunksize=200)
            counts = Counter([status for status, _ in found])
            lines.append(_reading_row(path.stem, counts))
            totals += counts
            opaque += [
                f"{why}\t{script!r}" for script, (status, why) in zip(scripts, found, strict=True) if status == "opaque"
            ]
    lines.append(_reading_row("**all**", totals))
    return "".join(lines), opaque


def _reading_row(name: str, counts: Counter[str]) -> str:
    total = counts.total()
    shares = [f"{100 * counts[status] / total:.2f} %" for status in ("plain", "structured", "opaque")]
    return f"| {name} | {total} | {' | '.join(shares)} |\n"


def clusters(cases: Iterable[Case], most: int) -> list[str]:
    """The programs and reasons for which most of ``cases`` are asked about, with an example each."""
    found: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for case in cases:
        if case.asked:
            found[case.program, case.why].append(case)
    largest = sorted(found.items(), key=lambda item: -len(item[1]))[:most]
    return [f"{len(those):5} {program:14} {why}\t{those[0].command!r}" for (program, why), those in largest]


CAUSES = {
    "operand-count": "known in some forms only; the others connect, write or run (`curl URL`, `cp`, `npm ls`)",
    "no-entry": "a program that nobody has looked at, or no form of which is proven (`mvn`, `jj`, `ansible`, `ping`)",
    "subcommand": "a sub-command that changes, connects or runs the project's code (`git fetch`, `terraform plan`)",
    "option": "an option that writes, connects, runs or is not known (`sed -i`, `docker -H`)",
    "hidden-command": "it runs what only the run will tell, or what nothing allows (`eval`, `ssh`, `npx`)",
    "danger": "it removes, publishes or overwrites",
    "write": "it writes a file, and no write rule allows that",
    "required": "without an option it updates itself or changes something (`rsync` without `--dry-run`)",
    "pager": "on a terminal it opens a pager, in which programs can be started (`journalctl` without a pipe behind it)",
    "value": "a value that reads a file, runs or changes something",
    "operand": "an operand that is not known to be harmless",
    "dynamic": "a word is known only at run time and could be an option",
    "arithmetic": "text is evaluated as arithmetic, which can run what a value holds",
    "program-path": "the program is a file of the project",
    "secret": "it reads what usually holds secrets",
}
"""What stays asked, by the code of the reason."""


def causes(cases: Sequence[Case]) -> str:
    """A table of why commands are asked about that projects expect to be allowed."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for case in cases:
        if case.asked:
            code = case.why.partition(":")[0]
            found[code if code in CAUSES else "others"][case.kind] += 1
    meanings = CAUSES | {"others": "coprocesses, scripts that run nothing, text that is not read"}
    lines = [
        f"| reason | {' | '.join(CLASSES)} | what it stands for |\n",
        "| --- |" + " --- |" * (len(CLASSES) + 1) + "\n",
    ]
    for code in sorted(found, key=lambda code: -found[code].total()):
        cells = [str(found[code][kind]) for kind in CLASSES]
        lines.append(f"| {code} | {' | '.join(cells)} | {meanings[code]} |\n")
    return "".join(lines)


SECTION = """{heading}
{made} `FOLDER` holds the cases. Do not edit. Counted are
commands from the test suites of other permission projects, with what each project expects of its own program: opinions,
which contradict each other in places, and a sample of what people expect rather than a specification. The cases are no
part of this project, and no entry is made for one of them. *Consensus* are commands that at least two projects list
and all of them would allow. *With packs* are the same with every [pack](../packs.md) that ships: what a project may run
that somebody trusts. All are judged in an empty folder: beside a file that the program obeys (`.npmrc`,
`rust-toolchain.toml`, `.cargo`, `.mvn`) 66 of the language tools' commands more are asked about.

{table}
What stays asked, by reason ([why it does](../heuristics.md#limits)):

{causes}
How well scripts are read that people wrote (one-liners, documentation, workflows, image files): *plain* and
*structured* ones are understood to the last word, *opaque* ones are never allowed.

{real}
Programs that tree-sitter's grammar of bash finds in them and the reader does not, and the time that a check takes once
the built-in layer is loaded, by `python -m benchmarks.real_scripts FOLDER`:

```text
{missed}
```
"""


def main() -> None:
    """Print the tables, or what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="holds guards.jsonl and real-*.jsonl")
    parser.add_argument("--class", dest="kind", choices=CLASSES, help="only this class")
    parser.add_argument("--list", choices=("asked", "leaks", "opaque"), help="name the cases instead of counting them")
    parser.add_argument("--clusters", type=int, metavar="N", help="the N commonest programs and reasons asked about")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/evidence/error-rates.md")
    options = parser.parse_args()
    if options.list == "opaque":
        print("\n".join(read_real(options.folder, options.processes)[1]))
        return
    cases = judged(options.folder, options.processes)
    if options.kind:
        cases = [case for case in cases if case.kind == options.kind]
    if options.list:
        for case in cases:
            if case.leaks if options.list == "leaks" else case.asked:
                print(case.kind, case.source, case.expected, case.program, case.why, repr(case.command), sep="\t")
        return
    if options.clusters:
        print("\n".join(clusters(cases, options.clusters)))
        return
    from benchmarks.real_scripts import compared

    real, _ = read_real(options.folder, options.processes)
    section = SECTION.format(
        heading=OTHERS,
        made=made_by("python -m benchmarks.coverage FOLDER --write"),
        table=table(cases),
        causes=causes(cases),
        real=real,
        missed=compared(options.folder),
    )
    print(section)
    if options.write:
        before = PAGE.read_text("utf-8").partition(OTHERS)[0]
        PAGE.write_text(before.rstrip("\n") + "\n\n" + section, "utf-8")


if __name__ == "__main__":
    main()
