"""Cold start: one process per check, by number of rules, form and cache."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.processes import Case, Times, alternate, peak
from benchmarks.samples import SCRIPT, home_folder, rule_files, saved_rules, work_folder

FLOOR = "python3 -c pass"
CODEX = "codex execpolicy check"
LIBRARY = """
from execpolicy import LayerOptions, PolicyManager, check
check("{}", PolicyManager(LayerOptions.of_process()).current().rulebook)
"""
"""The three names of the documentation's first page."""


class Cold(NamedTuple):
    """What one form took with one number of rules.

    Attributes:
        form: which command; :data:`FLOOR` and :data:`CODEX` are not ours.
        rules: how many rules there were; 0 where none were read.
        times: of all runs.
        memory: peak resident mebibytes.
    """

    form: str
    rules: int
    times: Times
    memory: float


def measure(
    python: str, codex: str | None, folder: str, sizes: list[int], runs: int, say: Callable[[str], None]
) -> list[Cold]:
    """Every form with every number of rules, in alternating runs."""
    program = str(Path(python).parent / "execpolicy")
    files = rule_files(folder, sizes)
    cases: dict[tuple[str, int], Case] = {}
    base = {"PATH": os.environ["PATH"], "HOME": home_folder(folder), "LANG": "C.UTF-8"}
    cases[FLOOR, 0] = Case([python, "-c", "pass"], base)
    if codex:
        cases["codex --version", 0] = Case([codex, "--version"], base)
    cases["library: PolicyManager, check", 0] = Case([python, "-P", "-c", LIBRARY.format(SCRIPT)], base)
    for size in sizes:
        home = f"{folder}/home{size}"
        os.makedirs(home + "/.codex/rules")
        Path(home, ".codex/rules/default.rules").write_text(saved_rules(size))
        at_home = {**base, "HOME": home}
        argv = ["--", f"prog{size // 2}", "sub"]
        if codex:
            cases[CODEX, size] = Case([codex, "execpolicy", "check", "-r", files[size], *argv], base)
        for cache, where in (("cached", folder + "/cache"), ("no cache", "")):
            caching = {"EXECPOLICY_CACHE": where}
            for form, words, environment in (
                ("check --compat", ["--compat", "codex-0.169", "-r", files[size], *argv], base),
                ("check -r, argv", ["-r", files[size], *argv], base),
                ("check -r, script", ["-r", files[size], "--script", SCRIPT], base),
                ("check, layers, argv", argv, at_home),
                ("check, layers, script", ["--script", SCRIPT], at_home),
            ):
                cases[f"{form}, {cache}", size] = Case([program, "check", *words], {**environment, **caching})
    named = {f"{form} {size}": case for (form, size), case in cases.items()}
    with contextlib.chdir(work_folder(folder)):
        times = alternate(named, runs, say)
        return [Cold(form, size, times[f"{form} {size}"], peak(case)) for (form, size), case in cases.items()]
