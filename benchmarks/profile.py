"""Where the time goes on each hot path.

    python -m benchmarks.profile [--python PATH] [--write]

Builds and installs a wheel like the suite. Prints the profiles, or puts them into ``docs/evidence/profiles.md``.
Shares come from the interpreter's own profiler, which makes calls look more expensive than they are: the least of
several runs. Phases and times of whole actions are processor time, taken without it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import machine
from benchmarks.samples import SCRIPT, saved_rules
from benchmarks.wheel import ROOT, install

PAGE = ROOT / "docs" / "evidence" / "profiles.md"
START, END = "<!-- generated -->", "<!-- end of the generated part -->"
RUNS = 11
SHOWN = 14

_COMMON = """
import sys
from _lsprof import Profiler
from time import process_time
def told(profiler, number):
    found = {}
    for entry in profiler.getstats():
        code = entry.code
        if isinstance(code, str):
            name = code.strip("<>").removeprefix("built-in method ")
            name = name.removeprefix("builtins.").partition(" object at ")[0]
        else:
            path = code.co_filename.partition("site-packages/")[2] or code.co_filename.rpartition("/lib/")[2]
            name = f"{path or code.co_filename}:{code.co_name}"
        calls, own = found.get(name, (0, 0.0))
        found[name] = calls + entry.callcount / number, own + entry.inlinetime / number
    return found
"""
_COLD = (
    _COMMON
    + """
times = [process_time()]
how = sys.argv.pop(1)
profiler = Profiler()
if how == "profiled":
    profiler.enable()
from execpolicy.bytecode import start
start(sys.argv[1:])
from execpolicy.cli.main import main
times.append(process_time())
status = main(sys.argv[1:])
times.append(process_time())
profiler.disable()
sys.stderr.write("\\n" + repr((status, times, told(profiler, 1))))
sys.stderr.flush()
"""
)
_WARM = (
    _COMMON
    + """
import gc, io, json
from itertools import count
from execpolicy.core.policy import Policy
from execpolicy.judge.check import check
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.stored import restored, store
from execpolicy.lang.compile import compile_source
from execpolicy.layers.load import load_layers
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.source import Source

rules = Source("default.rules", sys.argv[1])
SCRIPT = sys.argv[2]
WRITTEN = Source("hand.rules", "".join(
    f'prefix_rule(\\n    pattern = ["p{at}", ["one", "two"]],  # comment\\n    decision = "prompt",\\n'
    f'    justification = "reason {at}",\\n    match = ["p{at} one x"],\\n    not_match = ["p{at} three"],\\n)\\n'
    for at in range(1000)))
layers = LayerOptions.of_process({}, cwd="/", system_folder=None, files=())
policy = Policy(compile_source(rules).statements)
rulebook = Rulebook((*load_layers(layers).statements, *compile_source(rules).statements))
data = store(rulebook)
where = Situation("/project", home="/home/user")
fresh = count()
LOOP = 'for f in a b; do [ -f "$f" ] && wc -l "$f"; done 2>/dev/null #'

class Lines:
    def __init__(self, lines): self.buffer = io.BytesIO(lines)
class Out:
    def __init__(self): self.buffer = io.BytesIO()
    def flush(self): pass
from execpolicy.cli.check_options import parse_check
from execpolicy.cli.check_stream import answer_requests
def stream(kind):
    path = sys.argv[3]
    options = parse_check(["--jsonl", "-r", path])
    lines = [{"id": at, "argv": [f"prog{at}", "sub"]} if kind == "argv" else {"id": at, "script": f"{SCRIPT} {at}"}
             for at in range(500)]
    raw = "".join(json.dumps(line) + "\\n" for line in lines).encode()
    return lambda: answer_requests(options, Lines(raw), Out(), sys.stderr)

ACTIONS = [
    ("argv against 1,000 rules", 20000, 1, lambda: policy.matches(("prog500", "sub", "x"))),
    ("reading three commands", 3000, 1, lambda: read_command(f"{SCRIPT} {next(fresh)}")),
    ("judging three commands", 1500, 1, lambda: check(f"{SCRIPT} {next(fresh)}", rulebook, situation=where)),
    ("reading a loop", 500, 1, lambda: read_command(f"{LOOP} {next(fresh)}")),
    ("judging a loop", 300, 1, lambda: check(f"{LOOP} {next(fresh)}", rulebook, situation=where)),
    ("loading 1,000 saved rules", 10, 1000, lambda: compile_source(rules)),
    ("loading 1,000 rules written by hand", 3, 1000, lambda: compile_source(WRITTEN)),
    ("loading the built-in layer", 3, 1, lambda: load_layers(layers)),
    ("restoring a compiled rulebook", 200, 1, lambda: restored(data)),
    ("a stream of argv requests", 4, 500, stream("argv")),
    ("a stream of script requests", 2, 500, stream("script")),
]
results = {}
for name, number, parts, action in ACTIONS:
    action()
    batches = []
    for _ in range(5):
        start = process_time()
        for _ in range(number):
            action()
        batches.append((process_time() - start) / number / parts)
    several = []
    for _ in range(5):
        profiler = Profiler()
        profiler.enable()
        for _ in range(number):
            action()
        profiler.disable()
        several.append(told(profiler, number * parts))
    results[name] = sorted(batches)[2], several
print(json.dumps(results))
"""
)

Told = Mapping[str, Sequence[float]]


def main() -> None:
    """Profile and print or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", help="the interpreter of an environment with execpolicy installed")
    parser.add_argument("--write", action="store_true", help=f"replace the generated part of {PAGE.name}")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        python = arguments.python or install(folder, replay=False)
        text = "\n".join(
            [
                machine.made_by("python -m benchmarks.profile --write") + "\n",
                _where(python),
                _cold(python, folder),
                _warm(python, folder),
            ]
        )
    if not arguments.write:
        print(text)
        return
    page = PAGE.read_text("utf-8")
    before, _, rest = page.partition(START)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"{PAGE.name} has no lines `{START}` and `{END}` to write between")
    PAGE.write_text(f"{before}{START}\n\n{text}\n{END}{after}", "utf-8")


def _where(python: str) -> str:
    lines = [*machine.describe(python), f"load average {machine.load():.1f}"]
    return "\n".join(f"* {line}" for line in lines) + "\n"


def _cold(python: str, folder: str) -> str:
    rules = Path(folder, "one.rules")
    rules.write_text('prefix_rule(pattern=["git", "push"], decision="allow")\n')
    many = Path(folder, "many.rules")
    many.write_text(saved_rules(10_000))
    named = ["-r", str(rules), "--", "git", "push"]
    thousands = ["-r", str(many), "--", "prog5000", "sub"]
    forms = {
        "check --compat, 1 rule, cached": (["check", "--compat", "codex-0.169", *named], True),
        "check --compat, 1 rule, no cache": (["check", "--compat", "codex-0.169", *named], False),
        "check --compat, 10,000 rules, cached": (["check", "--compat", "codex-0.169", *thousands], True),
        "check --compat, 10,000 rules, no cache": (["check", "--compat", "codex-0.169", *thousands], False),
        "check -r, argv, cached": (["check", *named], True),
        "check -r, argv, no cache": (["check", *named], False),
        "check with layers, argv `git status`, cached": (["check", "--", "git", "status"], True),
        "check with layers, script, cached": (["check", "--script", SCRIPT], True),
        "check with layers, script, no cache": (["check", "--script", SCRIPT], False),
    }
    floor = statistics.median([_cpu([python, "-I", "-S", "-c", "pass"], folder) for _ in range(RUNS)])
    usual = statistics.median([_cpu([python, "-P", "-c", "pass"], folder) for _ in range(RUNS)])
    parts = [
        "## Cold paths: phases\n",
        f"The floor: {floor:.1f} ms for `python3 -I -S -c pass`, {usual:.1f} ms for `python3 -c pass`; the difference\n"
        "is `site`, which looks at the environment and its `.pth` files. Milliseconds:\n",
        "| form | start of the interpreter | import of the command | check, with what it imports | end | all |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    profiles = []
    for name, (words, cached) in forms.items():
        rows = []
        for _ in range(RUNS + 1):
            times, total, _ = _once(python, folder, "plain", words, cached)
            start, imported, answered = [seconds * 1e3 for seconds in times]
            rows.append([start, imported - start, answered - imported, total - answered, total])
        medians = [statistics.median(column) for column in zip(*rows[1:], strict=True)]
        parts.append(f"| {name} | " + " | ".join(f"{value:.1f}" for value in medians) + " |")
        told = _least([_once(python, folder, "profiled", words, cached)[2] for _ in range(7)])
        profiles += [f"\n### {name}\n", _top(told, 1e3, "ms")]
    return "\n".join([*parts, "", "## Cold paths: functions", *profiles])


def _least(several: Sequence[Told]) -> Told:
    """The least time of each function over several runs: what the machine did meanwhile is nobody's cost."""
    return {name: (found[0], min(told.get(name, found)[1] for told in several)) for name, found in several[0].items()}


def _once(
    python: str, folder: str, how: str, words: Sequence[str], cached: bool
) -> tuple[list[float], float, dict[str, tuple[float, float]]]:
    """Processor seconds at the start, after the import and after the answer; milliseconds of it all; the profile."""
    environment = _environment(folder, cached)
    pipe, end = os.pipe()
    pid = os.posix_spawn(
        python,
        [python, "-P", "-c", _COLD, how, *words],
        environment,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_DUP2, end, 2)],
    )
    os.close(end)
    with os.fdopen(pipe, encoding="utf-8") as file:
        report = file.read()
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise SystemExit(f"{' '.join(words)} failed: {report[-1000:]}")
    _, times, told = eval(report.splitlines()[-1])
    return times, (usage.ru_utime + usage.ru_stime) * 1e3, told


def _cpu(command: Sequence[str], folder: str) -> float:
    pid = os.posix_spawn(command[0], list(command), _environment(folder, True))
    usage = os.wait4(pid, 0)[2]
    return (usage.ru_utime + usage.ru_stime) * 1e3


def _environment(folder: str, cached: bool) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": folder,
        "LANG": "C.UTF-8",
        "EXECPOLICY_CACHE": folder + "/cache" if cached else "",
    }


def _warm(python: str, folder: str) -> str:
    many = Path(folder, "thousand.rules")
    many.write_text(saved_rules(1_000))
    done = subprocess.run(
        [python, "-P", "-c", _WARM, many.read_text(), SCRIPT, str(many)],
        cwd=folder,
        env=_environment(folder, True),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    parts = ["\n## Within a process\n", "| action | µs |", "|---|--:|"]
    results = json.loads(done.stdout)
    parts += [f"| {name} | {seconds * 1e6:,.1f} |" for name, (seconds, _) in results.items()]
    parts.append("\nLoading is for one rule of the thousand, a stream for one request.")
    for name, (_, several) in results.items():
        parts += [f"\n### {name.capitalize()}\n", _top(_least(several), 1e6, "µs")]
    return "\n".join(parts)


def _top(told: Told, unit: float, symbol: str) -> str:
    """The functions with the most time of their own."""
    total = sum(own for _, own in told.values())
    rows = [
        f"```text\n {symbol + ' own':>9}  share    calls  function ({total * unit:,.1f} {symbol} with the profiler)"
    ]
    for name, (calls, own) in sorted(told.items(), key=lambda item: -item[1][1])[:SHOWN]:
        rows.append(f"{own * unit:10.2f}  {own / total:5.1%} {calls:8,.1f}  {name}")
    return "\n".join([*rows, "```"])


if __name__ == "__main__":
    main()
