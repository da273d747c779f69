"""Linting and formatting 10,000 rules and 74,000 lines, and an editor's look at 2,000: processor seconds, medians.

Usage: python benchmarks/bench_tooling.py [--before CHECKOUT]

Each run stands next to one of a fixed loop of Python's own, whose time it is also given in: that ratio can be compared
between machines. With ``--before`` the same commands of another checkout run in turn, and the ratio to them is printed.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RULES = 10_000
LINES = 74_000
EDITED = 2_000
RUNS = 5
LOOP = "found = {}\nfor at in range(2_000_000):\n    found[at & 1023] = (at, at + 1)"
KEYS = """
import sys, time
from execpolicy.cli.lsp.analysis import Analysis
from execpolicy.cli.lsp.hover import hover
path = sys.argv[1]
text = open(path).read()
try:
    from execpolicy.lint.survey import Kept
except ImportError:  # a checkout from before anything was kept
    kept = ()
else:
    kept = (Kept(),)
times = []
for key in range(10):
    at = text.index("word", len(text) * key // 10)
    text = text[:at] + "x" + text[at:] if key % 5 else "\\n" + text
    start = time.process_time()
    analysis = Analysis(path, {path: text}, *kept)
    analysis.findings
    hover(analysis, at, None)
    times.append(time.process_time() - start)
sys.stderr.write(str(sorted(times[1:])[4]))
"""
"""Keys here and there in a file, two of them an empty line in front of all; the median without the first look."""


def write(folder: Path, rules: int) -> None:
    """Half of the rules as approvals write them, half by hand: wrapped, with reasons, examples and comments."""
    rng = random.Random(1)
    words = [f"word{number}" for number in range(300)]
    amendments = [
        f'prefix_rule(pattern=["git", "{rng.choice(words)}", "{rng.choice(words)}", "x{number}"], decision="allow")\n'
        for number in range(rules // 2)
    ]
    by_hand = [
        "prefix_rule(\n"
        f"    # rule {number}\n"
        f'    pattern = ["tool{number % 900}", ["{rng.choice(words)}", "y{number}"]],\n'
        '    decision = "prompt",\n'
        f'    justification = "reason {number}",\n'
        f'    match = ["tool{number % 900} y{number}"],\n'
        ")\n"
        for number in range(rules // 2)
    ]
    (folder / "default.rules").write_text("".join(amendments), "utf-8")
    (folder / "team.rules").write_text("".join(by_hand), "utf-8")


def processor_seconds(arguments: list[str], before: str | None = None) -> float:
    """What one run of this interpreter costs, children included."""
    environment = {**os.environ, "PYTHONPATH": before} if before is not None else None
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-P", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime - start.ru_utime + end.ru_stime - start.ru_stime


def looked_at(path: Path, before: str | None = None) -> float:
    """What the findings in a file and a hover cost after each key, while somebody types in it."""
    environment = {**os.environ, "PYTHONPATH": before} if before is not None else None
    done = subprocess.run(
        [sys.executable, "-P", "-c", KEYS, str(path)],
        capture_output=True,
        encoding="utf-8",
        env=environment,
        check=True,
    )
    return float(done.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", help="the folder of another checkout, which is measured in turn")
    before = parser.parse_args().before
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else the compiler is measured
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
        for part, rules in (("some", RULES), ("edited", EDITED)):
            (folder / part).mkdir()
            write(folder / part, rules)
        (folder / "lines").mkdir()
        line = 'prefix_rule(pattern=["tool{0}", "word{1}", "x{2}"], decision="allow")\n'
        text = "".join([line.format(number % 900, number % 77, number) for number in range(LINES)])
        (folder / "lines" / "default.rules").write_text(text, "utf-8")
        whole = folder / "edited" / "all.rules"
        whole.write_text("".join([path.read_text("utf-8") for path in sorted(whole.parent.glob("*.rules"))]), "utf-8")
        for path in whole.parent.glob("[dt]*.rules"):
            path.unlink()
        for label, arguments in (
            (f"lint  {RULES:,} rules", ["-m", "execpolicy", "lint", str(folder / "some")]),
            (f"fmt   {RULES:,} rules", ["-m", "execpolicy", "fmt", "--check", str(folder / "some")]),
            (f"lint  {LINES:,} lines", ["-m", "execpolicy", "lint", str(folder / "lines")]),
            (f"lsp   {EDITED:,} rules", None),
        ):
            report(label, arguments, whole, before)


def report(label: str, arguments: list[str] | None, edited: Path, before: str | None) -> None:
    def once(checkout: str | None) -> float:
        return looked_at(edited, checkout) if arguments is None else processor_seconds(arguments, checkout)

    for checkout in (None, before):
        once(checkout)  # what the interpreter keeps of modules is there from now on
    runs = [
        (once(None), processor_seconds(["-c", LOOP]), once(before) if before is not None else 0.0) for _ in range(RUNS)
    ]
    now, loop, then = [statistics.median(column) for column in zip(*runs, strict=True)]
    compared = f", {now / then:.2f} of before ({then:.2f} s)" if before is not None else ""
    print(f"{label}: {now:.2f} s, {now / loop:.1f} × the loop{compared}", flush=True)


if __name__ == "__main__":
    main()
