"""The whole suite, with one command.

    python -m benchmarks [--quick] [--codex PATH] [--python PATH] [--runs 15] [--only PART] [--write]

Builds a wheel of this checkout, installs it into an environment of its own and measures that; ``--python`` names the
interpreter of another environment instead. Prints the page, or writes it to ``docs/evidence/benchmarks.md``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import cold, machine, stream
from benchmarks.report import Results, cold_table, loading_table, page, plots, stream_table, warm_table
from benchmarks.wheel import ROOT, install

HERE = Path(__file__).resolve().parent
EVIDENCE = ROOT / "docs" / "evidence"
OTHERS: dict[str, tuple[str, ...]] = {
    "arbiter.py": ("--flood", "200000000"),
    "bench_append.py": (),
    "bench_manager.py": (),
    "bench_tooling.py": (),
}
SLOW: dict[str, tuple[str, ...]] = {"bench_replay.py": ()}


def main() -> None:
    """Measure everything and print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer runs, at most 10,000 rules, no replay")
    parser.add_argument("--codex", help="the codex binary to compare with")
    parser.add_argument("--python", help="the interpreter of an environment with execpolicy installed")
    parser.add_argument("--runs", type=int, help="alternating runs of each cold case (default 15, quick 5)")
    parser.add_argument("--write", action="store_true", help="write docs/evidence/benchmarks.md and its plots")
    parser.add_argument("--only", choices=("cold", "warm", "stream"), help="one part, printed without the page")
    arguments = parser.parse_args()
    if arguments.only and arguments.write:
        parser.error("--write needs all parts")
    quick: bool = arguments.quick
    runs: int = arguments.runs or (5 if quick else 15)
    sizes = [1, 100, 1_000, 10_000] + ([] if quick else [100_000])
    codex = str(Path(arguments.codex).resolve()) if arguments.codex else None
    loads = [machine.load()]
    with tempfile.TemporaryDirectory() as folder:
        python: str = arguments.python and str(Path(arguments.python).absolute())
        if not python:
            say("building and installing a wheel")
            python = install(folder, replay=not (quick or arguments.only))

        def warm() -> dict[str, Any]:
            say("decisions within a process")
            found: dict[str, Any] = json.loads(_script(python, folder, "warm.py", *(["--quick"] if quick else [])))
            loads.append(machine.load())
            return found

        def streams() -> list[stream.Streamed]:
            say("a stream of requests")
            found = stream.measure(python, folder, trips=500 if quick else 3_000, pipelined=5_000 if quick else 40_000)
            loads.append(machine.load())
            return found

        def checks() -> list[cold.Cold]:
            found = cold.measure(python, codex, folder, sizes, runs, say)
            loads.append(machine.load())
            return found

        def others() -> dict[str, str]:
            found = {}
            for name, words in ({} if quick else {**OTHERS, **SLOW}).items():
                say(name)
                found[name] = _script(python, folder, name, *words)
                loads.append(machine.load())
            return found

        if arguments.only == "cold":
            print(cold_table(checks()), end="")
        elif arguments.only == "warm":
            print(loading_table(results := warm()), warm_table(results), sep="\n", end="")
        elif arguments.only == "stream":
            print(stream_table(streams()), end="")
        else:
            whole = Results(machine.describe(python), loads, runs, checks(), warm(), streams(), others())
            _publish(whole, write=arguments.write)


def _publish(results: Results, *, write: bool) -> None:
    text = page(results)
    if not write:
        print(text, end="")
        return
    (EVIDENCE / "benchmarks.md").write_text(text, "utf-8")
    (EVIDENCE / "plots").mkdir(exist_ok=True)
    for name, svg in plots(results.warm).items():
        (EVIDENCE / "plots" / name).write_text(svg, "utf-8")
    say("written: docs/evidence/benchmarks.md")


def say(text: str) -> None:
    """Progress, apart from the results."""
    print(f"-- {text}", file=sys.stderr, flush=True)


def _script(python: str, folder: str, name: str, *words: str) -> str:
    """What a script of this folder prints in the measured environment; its last words if it fails."""
    done = subprocess.run(
        [python, "-P", str(HERE / name), *words], cwd=folder, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        if name in SLOW:
            return f"not measured: {done.stderr.strip().splitlines()[-1:]}"
        raise SystemExit(f"{name} failed:\n{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    main()
