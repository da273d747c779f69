"""Both error rates on the corpora: scripts that must not be allowed but are, and harmless ones that are asked about.

    python benchmarks/error_rates.py [--write] [--list] [--peers NAME …] [--shared-only]

Prints a table; ``--write`` also puts it into ``docs/evidence/error-rates.md``; ``--list`` names every entry in error.
The exit status is 1 if execpolicy allows an uncontested entry or misses a target.

A peer that is installed beside it is asked the same scripts by an adapter: ``nah``, as a package of this interpreter or
of the one that ``PEERS_PYTHON`` names (counted as allowing what it allows to read). Codex 0.169.0 is counted by its
recorded answers: it has no list of safe programs and asks about every script of both corpora.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.machine import made_by
from benchmarks.samples import read_lines

ROOT = Path(__file__).resolve().parent.parent
CORPORA = ROOT / "tests" / "data" / "corpora"
FLOW = "flow"
REACHES = ("none", "plain", FLOW)
"""The settings ``grants``, the narrowest first."""
TIERS = ("basic", "git", "shell", "stretch")
TARGETS = {"basic": 1.0, "git": 0.97, "shell": 0.95, "stretch": 0.70}

Answer = Callable[[Sequence[dict[str, object]]], list[str]]
"""Entries to ``allow``, ``prompt`` or ``forbidden``, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Scripts of one origin."""

    name: str
    bypass: tuple[dict[str, object], ...]
    benign: tuple[dict[str, object], ...]


@dataclass(slots=True, kw_only=True)
class Rates:
    """What one program made of one corpus."""

    leaks: list[str] = field(default_factory=list)
    contested: list[str] = field(default_factory=list)
    asked: dict[str, list[str]] = field(default_factory=dict)
    missed_inner: list[str] = field(default_factory=list)


def read_entries(name: str) -> tuple[dict[str, object], ...]:
    """The entries of a corpus file, in order."""
    return tuple(read_lines(CORPORA / name))


def read_corpora(*, shared_only: bool) -> list[Corpus]:
    """The collected corpus and our own."""
    found = [Corpus(name="collected", bypass=read_entries("bypass.jsonl"), benign=read_entries("benign.jsonl"))]
    if not shared_only:
        own = Corpus(name="own", bypass=read_entries("own_bypass.jsonl"), benign=read_entries("own_benign.jsonl"))
        found.append(own)
    return found


def builtin_rulebook() -> object:
    """The built-in layer alone."""
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.lang.precompiled import builtin_entries

    return Rulebook(builtin_entries())


@contextmanager
def empty_folder() -> Iterator[Callable[[dict[str, object], object], str]]:
    """Decides entries as a hook would in a folder that holds nothing: what programs obey (`go.mod`) is not there."""
    from execpolicy.judge.check import check
    from execpolicy.judge.situation import Situation

    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, "cur").mkdir()
        situation = Situation(f"{scratch}/cur", home=f"{scratch}/home", real_path=lambda path: path)

        def decided(entry: dict[str, object], rulebook: object) -> str:
            script = str(entry["script"]).replace("/scratch/", scratch + "/")
            shell = str(entry.get("shell", "bash"))
            return check(script, rulebook, shell=shell, situation=situation).decision.word  # type: ignore[arg-type]  # see builtin_rulebook

        yield decided


def ours(reach: str) -> Answer:
    """The decisions of execpolicy with nothing but its built-in layer, under the setting ``grants = reach``."""

    def ask(entries: Sequence[dict[str, object]]) -> list[str]:
        rulebook = builtin_rulebook().with_grants(reach)  # type: ignore[attr-defined]  # see builtin_rulebook
        with empty_folder() as decided:
            return [decided(entry, rulebook) for entry in entries]

    return ask


def with_inner_forbidden(entries: Sequence[dict[str, object]]) -> list[str]:
    """The decisions where one rule forbids the command that each entry runs inside (its ``inner``)."""
    from execpolicy.core.decision import Decision
    from execpolicy.core.pattern import PrefixPattern
    from execpolicy.core.rules import PrefixRule

    rulebook = builtin_rulebook()
    answers = []
    with empty_folder() as decided:
        for entry in entries:
            inner = entry["inner"]
            assert isinstance(inner, list)
            rule = PrefixRule(PrefixPattern.of(inner), Decision.FORBIDDEN)
            stricter = rulebook.with_statements(rule)  # type: ignore[attr-defined]  # see builtin_rulebook
            answers.append(decided(entry, stricter))
    return answers


def codex(entries: Sequence[dict[str, object]]) -> list[str]:
    """Codex 0.169.0 as recorded: without a rule it asks about every one of these scripts."""
    return ["prompt"] * len(entries)


_NAH = """
import json, sys
from nah.bash import classify_command
for line in sys.stdin:
    result = classify_command(json.loads(line))
    harmless = all(s.action_type in ("filesystem_read", "git_safe") for s in result.stages)
    print("allow" if result.final_decision == "allow" and harmless else "prompt", flush=True)
"""


def peer(program: str) -> Answer:
    """An adapter that runs ``program`` (reads JSON strings, prints one answer a line) in the peers' interpreter."""

    def ask(entries: Sequence[dict[str, object]]) -> list[str]:
        done = subprocess.run(
            [os.environ.get("PEERS_PYTHON", sys.executable), "-c", program],
            input="".join(json.dumps(entry["script"]) + "\n" for entry in entries),
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.split()

    return ask


PEERS: dict[str, Answer] = {"codex 0.169.0": codex, "nah": peer(_NAH)}


def rates(corpus: Corpus, answer: Answer) -> Rates:
    """Ask ``answer`` about all of ``corpus``."""
    found = Rates(asked={tier: [] for tier in TIERS})
    for entry, decision in zip(corpus.bypass, answer(corpus.bypass), strict=True):
        if decision == "allow":
            (found.contested if entry["strict_only"] else found.leaks).append(str(entry["script"]))
    for entry, decision in zip(corpus.benign, answer(corpus.benign), strict=True):
        if decision != "allow":
            found.asked[str(entry["tier"])].append(str(entry["script"]))
    return found


def share(wrong: int, total: int) -> str:
    return f"{total - wrong}/{total} ({100 * (total - wrong) / total:.1f} %)" if total else "-"


def row(name: str, corpus: Corpus, found: Rates) -> list[str]:
    """One line of the table."""
    contested = sum(bool(entry["strict_only"]) for entry in corpus.bypass)
    tiers = [share(len(found.asked[tier]), sum(entry["tier"] == tier for entry in corpus.benign)) for tier in TIERS]
    leaks = f"{len(found.leaks)} of {len(corpus.bypass) - contested}"
    return [name, corpus.name, leaks, f"{len(found.contested)} of {contested}", *tiers]


def table(first: str, rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with ``first`` over its first column."""
    head = [first, "corpus", "leaks", "contested allowed", *[f"{tier} allowed" for tier in TIERS]]
    lines = ["| " + " | ".join(cells) + " |" for cells in ([*head], ["---"] * len(head), *rows)]
    return "\n".join(lines) + "\n"


def code(script: str) -> str:
    """``script`` on one line, as code in Markdown."""
    shown = json.dumps(script, ensure_ascii=True)[1:-1].replace('\\"', '"')
    shown = shown if len(shown) <= 160 else shown[:157] + "…"
    fence = "``" if "`" in shown else "`"
    return f"{fence} {shown} {fence}" if fence == "``" else f"`{shown}`"


OTHERS = "## Commands that other projects label\n"
PAGE = """# Error rates

{made} Do not edit.

Two errors are possible: a **leak** (a script that must not be allowed, is) and a **needless prompt** (a script that
only reads, is asked about). Both are counted on two corpora in `tests/data/corpora/`: scripts *collected* from
documented bypasses and everyday work, and our *own* ones, found by reading manuals and by running them in a throw-away
repository (`python benchmarks/verify_corpora.py`). The corpora are samples, not the specification: an entry is never
made for one script.

*Contested* entries depend on taste or on what the repository's own configuration switches on (`git diff` runs the diff
driver that `.git/config` names; `cat .env` only reads). They are counted apart.

{table}
Decisions are those of the built-in layer alone, without any rule file of a user, in an empty folder. Codex is counted
by its recorded answers: without rules it asks about everything. With a rule that forbids the command which a bypass
entry runs inside (`inner`), {inner} of these entries are forbidden.

{notes}
## By the setting `grants`

How far proofs may go is for each company to choose: under `none` nothing is allowed that its own approval policy does
not let run, under `plain` an allow rests on literal words, entries, rules and harmless redirections, under `flow` (the
default) also on values, outputs, functions and folders that were followed. [What an allow rests on](grounds.md) lists
the claims behind each, and how often they were attacked.

{settings}
## Contested entries that execpolicy allows

{contested}
## Harmless entries that execpolicy asks about

{asked}"""


def bullets(scripts: Sequence[str]) -> str:
    return "".join(f"* {code(script)}\n" for script in scripts) or "None.\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write docs/evidence/error-rates.md")
    parser.add_argument("--list", action="store_true", help="name every entry in error")
    parser.add_argument("--shared-only", action="store_true", help="only the collected corpus")
    parser.add_argument("--peers", nargs="*", default=list(PEERS), help="which peers to ask")
    options = parser.parse_args()
    corpora = read_corpora(shared_only=options.shared_only)
    rows: list[list[str]] = []
    notes: list[str] = []
    contested: list[str] = []
    asked: list[str] = []
    failed = False
    started = time.perf_counter()
    for corpus in corpora:
        found = rates(corpus, ours(FLOW))
        rows.append(row("execpolicy", corpus, found))
        contested += found.contested
        asked += [script for tier in TIERS for script in found.asked[tier]]
        failed = failed or bool(found.leaks)
        for tier in TIERS:
            total = sum(entry["tier"] == tier for entry in corpus.benign)
            failed = failed or total - len(found.asked[tier]) < TARGETS[tier] * total
        if options.list:
            for script in found.leaks:
                print("LEAK", code(script))
            for tier in TIERS:
                for script in found.asked[tier]:
                    print("asked", tier, code(script))
    by_grants: list[list[str]] = []
    for reach in REACHES:
        for corpus in corpora:
            found = rates(corpus, ours(reach))
            by_grants.append(row(f"`{reach}`", corpus, found))
            failed = failed or bool(found.leaks)
    inner = [entry for corpus in corpora for entry in corpus.bypass if "inner" in entry]
    answers = with_inner_forbidden(inner)
    missed = [str(entry["script"]) for entry, word in zip(inner, answers, strict=True) if word != "forbidden"]
    if options.list:
        for script in missed:
            print("not forbidden", code(script))
    print(f"# {time.perf_counter() - started:.1f} s", file=sys.stderr)
    for name in options.peers:
        for corpus in corpora:
            try:
                rows.append(row(name, corpus, rates(corpus, PEERS[name])))
            except (subprocess.CalledProcessError, OSError, ValueError) as error:
                detail = getattr(error, "stderr", "") or str(error)
                notes.append(f"{name}: not measured here ({detail.strip().splitlines()[-1]})")
                break
    text, settings = table("program", rows), table("`grants`", by_grants)
    print(text)
    print(settings)
    print(f"inner forbidden: {share(len(missed), len(inner))}")
    for note in notes:
        print(note)
    if options.write:
        page = PAGE.format(
            made=made_by("python benchmarks/error_rates.py --write"),
            table=text,
            settings=settings,
            inner=share(len(missed), len(inner)),
            notes="".join(f"{note}.\n" for note in notes),
            contested=bullets(contested),
            asked=bullets(asked),
        )
        target = ROOT / "docs" / "evidence" / "error-rates.md"
        _, heading, others = target.read_text("utf-8").partition(OTHERS)  # `benchmarks.coverage` writes the rest
        target.write_text(page + (f"\n{heading}{others}" if heading else ""), encoding="utf-8")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
