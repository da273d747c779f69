"""``python -m benchmarks.commits COMMIT``: this checkout and another commit, side by side.

    python -m benchmarks.commits COMMIT [--scripts FILE ...] [--rules FILE ...] [--runs 15] [--write]

Builds a wheel of each, installs each into an environment of its own and measures them in alternating runs: single
commands with a warm cache, and a stream of scripts that neither has seen. A row of ``FILE`` has ``script`` or
``command``. Prints a table of processor time, or writes it to ``docs/evidence/commits.md``.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import tempfile
from pathlib import Path

from benchmarks.machine import describe, made_by
from benchmarks.processes import Case, Times, alternate
from benchmarks.samples import SCRIPT, home_folder, read_lines, work_folder
from benchmarks.wheel import ROOT, install

PAGE = ROOT / "docs" / "evidence" / "commits.md"
CORPORA = [ROOT / "tests" / "data" / "corpora" / name for name in ("attacks.jsonl", "benign.jsonl")]
STARTERS = sorted((ROOT / "rules").glob("*.rules"))


def main() -> None:
    """Measure both and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", help="the commit to compare with")
    parser.add_argument("--scripts", nargs="+", type=Path, default=CORPORA, help="files of scripts, one a line")
    parser.add_argument("--rules", nargs="+", type=Path, default=STARTERS, help="rule files, instead of the starters")
    parser.add_argument("--runs", type=int, default=15, help="alternating runs of each command (default 15)")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scripts = [str(row.get("script") or row["command"]) for path in options.scripts for row in read_lines(path)]
        distinct = list(dict.fromkeys(scripts))
        commit = _git("rev-parse", "--short", options.commit).strip()
        pythons = {commit: _installed(folder, commit), "now": install(f"{folder}/now", replay=False)}
        cold: dict[str, Case] = {}
        streams: dict[str, Case] = {}
        for version, python in pythons.items():
            forms, stream = _cases(folder, version, python, options.rules, distinct)
            cold.update({f"{form}|{version}": case for form, case in forms.items()})
            streams[f"{len(distinct):,} new scripts|{version}"] = stream
        times = {**alternate(cold, options.runs, print), **alternate(streams, 3, print)}
        text = _page(commit, times, describe(pythons["now"]))
    if options.write:
        PAGE.write_text(text, "utf-8")
    else:
        print(text)


def _installed(folder: str, commit: str) -> str:
    """The interpreter of an environment with ``commit`` installed."""
    source = Path(folder, "source")
    source.mkdir()
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "x", "-C", str(source)], input=archive, check=True)
    return install(f"{folder}/then", replay=False, source=source)


def _cases(
    folder: str, version: str, python: str, rules: list[Path], scripts: list[str]
) -> tuple[dict[str, Case], Case]:
    """The single commands, and the stream of scripts without a cache."""
    program = shlex.quote(str(Path(python).parent / "execpolicy"))
    files = " ".join(f"-r {shlex.quote(str(path.resolve()))}" for path in rules)
    work, home = work_folder(folder), home_folder(folder)
    asked, rows = Path(folder, "hook.json"), Path(folder, "rows.jsonl")
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": SCRIPT}, "cwd": work}
    asked.write_text(json.dumps(call), "utf-8")
    rows.write_text("".join(json.dumps({"id": n, "script": each}) + "\n" for n, each in enumerate(scripts)), "utf-8")
    base = {"PATH": "/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8", "EXECPOLICY_CACHE": f"{folder}/cache-{version}"}

    def case(words: str) -> Case:
        return Case(["/bin/sh", "-c", f"cd {shlex.quote(work)} && exec {program} {words}"], base)

    forms = {
        "check, argv": case("check -- git status"),
        "check, script": case(f"check --script {shlex.quote(SCRIPT)}"),
        "check, starters": case(f"check {files} --script {shlex.quote(SCRIPT)}"),
        "hook": case(f"hook claude < {shlex.quote(str(asked))}"),
    }
    return forms, case(f"check {files} --jsonl < {shlex.quote(str(rows))}")


def _page(commit: str, times: dict[str, Times], machine: list[str]) -> str:
    lines = [
        "# Compared with another commit",
        "",
        made_by(f"python -m benchmarks.commits {commit} --write"),
        "Agents and people wrote the scripts.",
        "Processor time in milliseconds, medians of alternating runs.",
        "",
        *[f"* {line}" for line in machine],
        "",
        f"| form | {commit} | now | ratio |",
        "|---|--:|--:|--:|",
    ]
    for form in dict.fromkeys(name.partition("|")[0] for name in times):
        then, now = (times[f"{form}|{version}"].row()[2] for version in (commit, "now"))
        lines.append(f"| {form} | {then:,.1f} | {now:,.1f} | {now / then:.2f} |")
    return "\n".join(lines) + "\n"


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout


if __name__ == "__main__":
    main()
