"""How good the advice is: suggested rules against harmful lines and a written judgement, previews against the truth.

    python -m benchmarks.advice [FOLDER] [--previews 2000] [--only-previews] [--scripts FILE...] [--write]

The project's own forty-eight days are those of ``tests/support/working_days.py``. ``FOLDER`` holds days that nobody
here wrote (``d*.txt``, a command a line) and ``harmful.txt``; ``--scripts`` names JSON lines with a ``script``, whose
commands are previewed as well. Of such material only numbers are printed. ``--write`` puts the table into
``docs/evidence/advice.md``.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

from benchmarks.error_rates import ROOT
from benchmarks.machine import made_by
from benchmarks.samples import read_lines
from execpolicy.amend.save_plan import Grant
from execpolicy.core.decision import Decision
from execpolicy.insight.history import History
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.replay import replay
from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from tests.support.judging import rulebook
from tests.support.previewing import Previews, Tried, prefixes
from tests.support.working_days import DAYS_OF, judgement_of, working_day

PAGE = ROOT / "docs" / "evidence" / "advice.md"
HARMFUL = ROOT / "tests" / "data" / "advice" / "harmful.txt"
PLACE = Situation("/project")
_MOST_DRAWN = 200_000
"""Prefixes that are drawn, most of them more than once, before it is said that there are not enough."""
BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"


class Days:
    """What was counted over some days."""

    def __init__(self, days: Iterable[Counter[str]], harmful: list[str]) -> None:
        self.days = self.prompts = self.told = self.wanted = self.saved = self.rules = self.unjudged = 0
        self.harmful: set[str] = set()
        self.lines = [line for line in harmful if not _is_allowed(line, rulebook())]
        for day in days:
            self._add(day)

    def _add(self, day: Counter[str]) -> None:
        found = replay(History(counts=day), PortablePolicy.of(rulebook(), situation=PLACE), suggestions=500)
        rules = [Grant(one.prefix, one.unless).rule() for one in found.suggestions.rules]
        advised = rulebook().with_statements(*rules)
        self.days += 1
        self.rules += len(rules)
        self.prompts += found.tally.decisions["prompt"]
        self.told += sum(one.saved for one in found.suggestions.rules) + len(found.suggestions.once)
        self.told += sum(times for _, times, _ in found.suggestions.refused)
        for command, times in day.items():
            if check(command, rulebook(), situation=PLACE).decision is not Decision.PROMPT:
                continue
            row = judgement_of(command)
            self.unjudged += times if row is None else 0
            if row is not None and row.save == "yes":
                self.wanted += times
                self.saved += times * _is_allowed(command, advised)
        for tried in [found.suggestions.rules, *[[one] for one in found.suggestions.rules]]:
            book = rulebook().with_statements(*[Grant(one.prefix, one.unless).rule() for one in tried])
            named = {word for one in tried for word in (one.prefix[0], one.prefix[-1])}
            near = [line for line in self.lines if len(tried) > 1 or not named.isdisjoint(line.split())]
            self.harmful.update(line for line in near if _is_allowed(line, book))

    def row(self, title: str) -> str:
        """A row of the table."""
        share = f"{100 * self.saved / self.wanted:.1f} %" if self.wanted else "-"
        return (
            f"| {title} | {self.days} | {self.prompts:,} | {self.told:,} | {self.wanted:,} | {self.saved:,} ({share}) "
            f"| {self.rules:,} | {len(self.lines):,} | {len(self.harmful)} |"
        )


def _is_allowed(line: str, book: Rulebook) -> bool:
    return check(line, book, situation=PLACE).decision is Decision.ALLOW


def previews(wanted: int, scripts: list[str]) -> tuple[int, int, int, list[str]]:
    """Previews that were shown, prefixes that were refused instead, lines spoken of, and what was not true of them."""
    tried: list[Tried] = []
    seen: set[tuple[str, ...]] = set()
    shown = 0
    with tempfile.TemporaryDirectory() as home:
        each = Previews(Path(home))
        for prefix in islice(prefixes(Random(7), scripts), _MOST_DRAWN):
            if shown == wanted:
                break
            if prefix not in seen:
                seen.add(prefix)
                tried.append(each.try_one(prefix))
                shown += tried[-1].refused is None
    return shown, len(tried) - shown, sum(one.claims for one in tried), [lie for one in tried for lie in one.lies]


def previews_line(wanted: int, scripts: list[str]) -> tuple[str, list[str]]:
    """The sentence of the page about previews, and what was not true."""
    shown, refused, claims, lies = previews(wanted, scripts)
    line = (
        f"Previews: {shown:,} different prefixes, and {refused:,} more that were refused; of {claims:,} command lines "
        f"spoken of for the {shown:,}, {len(lies):,} were not what was said."
    )
    return line, lies


def _scripts(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        yield from [row["script"] for row in read_lines(Path(path))]


def main() -> None:
    """Measure, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="days that nobody here wrote")
    parser.add_argument("--previews", type=int, default=2_000, help="how many previews to show")
    parser.add_argument("--scripts", nargs="*", default=[], help="JSON lines whose commands are previewed too")
    parser.add_argument("--only-previews", action="store_true", help="measure nothing else")
    parser.add_argument("--write", action="store_true", help="write docs/evidence/advice.md")
    arguments = parser.parse_args()
    if arguments.only_previews:
        line, lies = previews_line(arguments.previews, list(_scripts(arguments.scripts)))
        print(line, *lies[:20], sep="\n")
        return
    own = HARMFUL.read_text("utf-8").splitlines()
    days = {each: Days([working_day(each, day) for day in range(number)], own) for each, number in DAYS_OF.items()}
    rows = [
        "| days | number | prompts | told of | worth saving | saved | rules | harmful lines | allowed |",
        "|---|---|---|---|---|---|---|---|---|",
        *[found.row(f"generated, {name}") for name, found in days.items()],
    ]
    if arguments.folder is not None:
        lines = (arguments.folder / "harmful.txt").read_text("utf-8").splitlines()
        paths = sorted(arguments.folder.glob("d*.txt"))
        outside = Days([Counter(path.read_text("utf-8").splitlines()) for path in paths], [*lines, *own])
        rows.append(outside.row("of other people"))
        print(f"{outside.unjudged} prompts of other people's days are not in the table of judgements")
    line, lies = previews_line(arguments.previews, list(_scripts(arguments.scripts)))
    rows += ["", line, "", made_by("python -m benchmarks.advice FOLDER --write")]
    text = "\n".join(rows) + "\n"
    print(text, *lies[:20], sep="\n")
    if arguments.write:
        page = PAGE.read_text("utf-8")
        start, rest = page.split(BEGIN)
        PAGE.write_text(start + BEGIN + text + END + rest.split(END)[1], "utf-8")


if __name__ == "__main__":
    main()
