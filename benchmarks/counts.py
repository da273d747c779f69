"""Counts that do not depend on the machine: modules, executed instructions, live memory blocks.

    python benchmarks/counts.py [--modules]

prints them as JSON, ``--modules`` the names of the modules that each form of the cold path loads. Every count is taken
in a process of its own, of this checkout with the entries and the index of the catalog that a wheel contains, with a
fixed hash seed and in a folder of its own; one form also without those. An instruction is one bytecode instruction in
this package's own code; what C code or the standard library does is not counted.
"""

from __future__ import annotations

import ast
import json
import os
import runpy
import site
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ONE_RULE = 'prefix_rule(pattern=["git", "push"], decision="allow")\n'
HOOK_CALL = '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git status"},"cwd":"/"}'
SCRIPT = "cd src && grep -rn main . | head -5"

FORMS: dict[str, tuple[tuple[str, ...], bool]] = {
    "check -r, argv, cached": (("check", "-r", "one.rules", "--", "git", "push"), True),
    "check -r, argv, no cache": (("check", "-r", "one.rules", "--", "git", "push"), False),
    "check -r, script, cached": (("check", "-r", "one.rules", "--script", SCRIPT), True),
    "check with layers, argv, cached": (("check", "--", "git", "status"), True),
    "check with layers, script, cached": (("check", "--script", SCRIPT), True),
    "check with layers, script, no cache": (("check", "--script", SCRIPT), False),
    "compat, cached": (("check", "--compat", "codex-0.169", "-r", "one.rules", "--", "git", "push"), True),
    "compat, no cache": (("check", "--compat", "codex-0.169", "-r", "one.rules", "--", "git", "push"), False),
    "hook, cached": (("hook", "claude"), True),
}
"""The usual forms of one decision in a process of its own: arguments, and whether there is a warm cache."""
CHECKOUT = "check -r, script, cached, from a checkout"
"""The form that is also counted where the index of the catalog has to be made of its records."""

SCRIPTS = {
    "one command": "git log --oneline -{0}",
    "three commands": "cd src{0} && grep -rn main{0} . | head -{0}",
    "quotes": "printf '%s\\n' \"a b\" $'c{0}' d\\ e | sort -u",
    "loop": 'for f in a b c{0}; do [ -f "$f" ] && wc -l "$f"; done 2>/dev/null',
    "here-document": "cat <<'EOF' | sudo -n env A={0} timeout 5 sh -c 'rm -rf x'\nsome text\nEOF",
}
"""Five scripts. The number in each is another one when it counts, so that a memory of whole scripts does not help."""

_COUNTING = """
import os, sys
PACKAGE = os.path.join(sys.argv[1], "execpolicy") + os.sep
executed = 0
def count(frame, event, argument):
    global executed
    if event == "opcode":
        executed += 1
    return count
def enter(frame, event, argument):
    if not frame.f_code.co_filename.startswith(PACKAGE):
        return None
    frame.f_trace_lines = False
    frame.f_trace_opcodes = True
    return count
"""
_COMMAND = (
    _COUNTING
    + """
before = set(sys.modules)
traced = sys.argv[2] == "traced"
if traced:
    sys.settrace(enter)
from execpolicy.cli.main import main
status = main(sys.argv[3:])
sys.settrace(None)
sys.stderr.write(repr((status, executed, sorted(set(sys.modules) - before))))
"""
)
_INSIDE = (
    _COUNTING
    + """
import gc, json
SCRIPTS = json.loads(sys.argv[2])
from execpolicy.core.policy import Policy
from execpolicy.core.rules import PrefixRule
from execpolicy.judge.check import check
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.stored import restored, store
from execpolicy.judge.stored_policy import restored_policy
from execpolicy.lang.compile import compile_source
from execpolicy.layers.load import load_layers
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.source import Source
gc.disable()
counts = {}

def of(name, action, *arguments):
    global executed
    executed = 0
    sys.settrace(enter)
    result = action(*arguments)
    sys.settrace(None)
    counts[name] = executed
    return result

def saved(count, tag):
    lines = [f'prefix_rule(pattern=["{tag}{at}", "sub"], decision="allow")' for at in range(count)]
    return Source("default.rules", "\\n".join(lines) + "\\n")

def blocks_of(name, action, argument):
    gc.collect()
    start = sys.getallocatedblocks()
    kept = action(argument)
    gc.collect()
    counts[name] = sys.getallocatedblocks() - start
    return kept

def several(action):
    return [action() for _ in range(100)]

compile_source(saved(10, "w"))
few = of("load 100 saved rules", compile_source, saved(100, "p"))
compiled = of("load 1,000 saved rules", compile_source, saved(1000, "p"))
blocks_of("blocks of 1,000 saved rules", compile_source, saved(1000, "q"))
policy = Policy(few.statements)
for at in (1, 2):
    of("argv against 100 rules, 100 times", several, lambda: policy.matches((f"p{at}", "sub", "x")))
policy = Policy(compiled.statements)
for at in (1, 2):
    of("argv against 1,000 rules, 100 times", several, lambda: policy.matches((f"p{at}", "sub", "x")))
    of("argv that no rule mentions, 100 times", several, lambda: policy.matches((f"none{at}", "sub", "x")))
options = LayerOptions.of_process({}, cwd="/", system_folder=None, files=())
builtin = Rulebook(load_layers(options).statements)
assert builtin.heuristics.entries, "the built-in layer is empty"
rulebook = builtin.with_statements(*compiled.statements)
data = store(rulebook)
restored(data)
of("restore a compiled rulebook", restored, data)
of("restore a compiled policy", restored_policy, data)
blocks_of("blocks of a restored rulebook", restored, data)
situation = Situation("/project", home="/home/user")
for name, script in SCRIPTS.items():
    for at in (1, 2):
        of("read: " + name, read_command, script.replace("{0}", str(at)))
for name, script in SCRIPTS.items():
    for at in (1, 2):
        text = script.replace("{0}", str(at))
        of("judge: " + name, lambda: check(text, rulebook, situation=situation))
for kind, pipeline in (("plain", "grep -rn a{0} src | head -{0}"), ("general", 'grep -rn "$(pwd){0}" src | head -{0}')):
    for length in (4, 40):
        for at in (1, 2):
            text = " && ".join([pipeline.replace("{0}", f"{at}{number:02}") for number in range(length)])
            of(f"read: {length} {kind} pipelines", read_command, text)
            of(f"judge: {length} {kind} pipelines", lambda: check(text, rulebook, situation=situation))
again = SCRIPTS["three commands"].replace("{0}", "2")
of("judge again: three commands", lambda: check(again, rulebook, situation=situation))
print(json.dumps(counts))
"""
)


_BRING = """
import sys
from pathlib import Path
from execpolicy.lang.precompiled import precompile
from execpolicy.programs.catalog import built_index
data = Path(sys.argv[2])
(data / "programs.index").write_bytes(built_index())
(data / "builtin.compiled").write_bytes(precompile())
"""
"""Writes what a wheel brings along beside the modules."""


def _python(
    code: str, *arguments: str, folder: str, root: str, cached: bool = True, stdin: str = ""
) -> tuple[str, str]:
    """Run ``code`` on the package in ``root``, without ``site``: what that preloads must not hide an import."""
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/home/u",  # not where it runs: below a home folder are secrets, which is another question
        "EXECPOLICY_HOME": folder,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join([root, *site.getsitepackages()]),
        "EXECPOLICY_CACHE": folder + "/cache" if cached else "",
    }
    done = subprocess.run(
        [sys.executable, "-P", "-S", "-c", code, root, *arguments],
        cwd=folder,
        env=environment,
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"a count failed: {done.stderr[-2000:]}")
    return done.stdout, done.stderr


def _built(folder: str) -> str:
    """A folder that holds this checkout's package as a wheel installs it, as far as that changes what is loaded."""
    package = Path(folder, "built", "execpolicy")
    (package / "_data").mkdir(parents=True)
    write_out = runpy.run_path(str(ROOT / ".ci" / "written_out.py"))["write_out"]
    for path in (ROOT / "execpolicy").rglob("*.py*"):
        target = package / path.relative_to(ROOT / "execpolicy")
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".py" and "\n@value\n" in (text := path.read_text("utf-8")):
            target.write_text(ast.unparse(write_out(ast.parse(text))), "utf-8")
        elif path.suffix != ".pyc":
            target.symlink_to(path)
    for name in ("grammar", "rules"):
        (package / "_data" / name).symlink_to(ROOT / name)
    _python(_BRING, str(package / "_data"), folder=folder, root=str(ROOT))
    return str(package.parent)


def _forms(folder: str, how: str) -> dict[str, tuple[int, list[str]]]:
    """Instructions and modules of each form, every cache filled beforehand."""
    built = _built(folder)
    os.mkdir(folder + "/.git")  # the folder is a project root: how deep it lies does not count
    Path(folder, "one.rules").write_text(ONE_RULE)
    time.sleep(0.3)  # a file that was just written is looked at more closely, which is not what is counted
    found: dict[str, tuple[int, list[str]]] = {}
    for name, (arguments, cached) in [*FORMS.items(), (CHECKOUT, FORMS["check -r, script, cached"])]:
        root = str(ROOT) if name == CHECKOUT else built
        for _ in range(2 if cached else 1):
            stdin = HOOK_CALL.replace('"/"', json.dumps(folder)) if arguments[0] == "hook" else ""
            answer, report = _python(_COMMAND, how, *arguments, folder=folder, root=root, cached=cached, stdin=stdin)
            status, executed, modules = eval(report)
            if status or '"allow"' not in answer:
                raise SystemExit(f"{name} did not answer as expected: {status} {answer}")
            found[name] = executed, modules
    return found


def modules() -> dict[str, list[str]]:
    """The modules that each form loads beyond those of a bare interpreter, sorted."""
    with tempfile.TemporaryDirectory() as folder:
        return {name: names for name, (_, names) in _forms(folder, "untraced").items()}


def counts() -> dict[str, dict[str, int]]:
    """All counts: of what, then of which input."""
    with tempfile.TemporaryDirectory() as folder:
        forms = _forms(folder, "traced")
        inside = json.loads(_python(_INSIDE, json.dumps(SCRIPTS), folder=folder, root=folder + "/built")[0])
    return {
        "modules": {name: len(names) for name, (_, names) in forms.items()},
        "instructions": {
            **{name: executed for name, (executed, _) in forms.items()},
            **{name: count for name, count in inside.items() if not name.startswith("blocks of ")},
        },
        "blocks": {name[len("blocks of ") :]: n for name, n in inside.items() if name.startswith("blocks of ")},
    }


if __name__ == "__main__":
    print(json.dumps(modules() if sys.argv[1:] == ["--modules"] else counts(), indent=1))
