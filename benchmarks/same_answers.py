"""Whether lint, fmt and the loader say of every rule file what another checkout says, to the last word.

    python -m benchmarks.same_answers --before CHECKOUT [--generated 400]

Looks at every rule file of ``tests/data`` and ``rules``, each alone and each folder as one project, and at generated
files: rules of all kinds in any layout, with faults, comments and repetitions.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.counts import ROOT

_ANSWERS = """
import json, os, sys
from execpolicy.errors import ExecPolicyError
from execpolicy.formatting.format import format_source
from execpolicy.lang.compile import compile_source
from execpolicy.lint.config import Settings
from execpolicy.lint.lint_run import lint
from execpolicy.lint.lint_run import load_project
from execpolicy.source import Source

def said(action):
    try:
        return action()
    except ExecPolicyError as error:
        return [about(each) for each in getattr(error, "diagnostics", [])] or [str(error)]

def about(found):
    return [found.path, found.line, found.column, found.code, found.severity, found.message, repr(found.span),
            found.help, repr(found.fix), found.codex]

def loaded(source):
    compiled = compile_source(source)
    return [[repr(each), repr(each.place), repr(getattr(each, "_identity", each.__repr__)())]
            for each in compiled.statements] + [about(each) for each in compiled.warnings]

folders = {}
for path in json.load(sys.stdin):
    try:
        source = Source(path, open(path, encoding="utf-8", newline="").read())
    except ValueError:
        continue
    folders.setdefault(os.path.dirname(path), []).append((path, source))
    print(json.dumps([path, said(lambda: loaded(source)), said(lambda: format_source(source)),
                      [about(each) for each in lint(load_project([(path, source)]), Settings())]]))
for folder, sources in folders.items():
    print(json.dumps([folder, [about(each) for each in lint(load_project(sources), Settings())]]))
"""

_PROGRAMS = [
    "git",
    "rm",
    "sudo",
    "bash",
    "sh",
    "python",
    "python3",
    "docker",
    "npm",
    "make",
    "find",
    "curl",
    "tool",
    "other",
    "/usr/bin/git",
    "./run.sh",
    "Tool",
    "env",
    "xargs",
    "ssh",
]
_WORDS = [
    "push",
    "status",
    "log",
    "-f",
    "--force",
    "-rf",
    "/",
    "-c",
    "-m",
    "run",
    "exec",
    "test",
    "*",
    "&&",
    "$HOME",
    "install",
    "--user",
    "admin:s3cretPassw0rd",
    "x",
    "--token",
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "a",
    "b",
    "c",
    "d",
    "é",
    "-x",
    "--all=yes",
    "publish",
    "/tmp/tmp.abcdefgh",
    "x1",
    "y2",
]
_BROKEN = ('x = "a" "b"', "prefix_rule(pattern=[])", "def f(:", 'prefix_rule(pattern=["a"]', "unknown(1)", "\tx = 1")
_OTHERS = (
    'x = ["a", "b"]',
    'for each in ["p", "q"]:\n    prefix_rule(pattern=[each, "x"])',
    "[prefix_rule(pattern=[each]) for each in ['r', 's']]",
    "prefix_rule(pattern=['single', 'quotes'])",
    'prefix_rule(pattern=["a"]); prefix_rule(pattern=["b"])',
    'prefix_rule(pattern=["esc\\"aped", "tab\\t"], decision="prompt")',
    'safe_command(program="tool", allow_flags=["-x"])',
    'write_rule(paths=["src/**"], decision="allow")',
    'prefix_rule(["positional"], "prompt")',
    'f = prefix_rule\nf(pattern=["renamed"])',
)


def statement(chance: random.Random) -> str:
    """One statement of a rule file, in some layout."""
    kind = chance.random()
    if kind < 0.04:
        return chance.choice(_BROKEN)
    if kind < 0.12:
        return chance.choice(_OTHERS)
    if kind < 0.16:
        name = chance.choice(["git", "tool", "rm"])
        return f'host_executable(name="{name}", paths=["/usr/bin/{name}", "/opt/{name}"])'
    if kind < 0.2:
        decision = chance.choice(["allow", "deny", "prompt"])
        return f'network_rule(host="{chance.choice("abc")}.example", protocol="https", decision="{decision}")'
    words = [f'"{chance.choice(_PROGRAMS)}"']
    for _ in range(chance.randrange(4)):
        several = [f'"{chance.choice(_WORDS)}"' for _ in range(chance.choice([1, 1, 1, 2, 3]))]
        words.append(several[0] if len(several) == 1 else f"[{', '.join(several)}]")
    if kind < 0.4:
        return f'prefix_rule(pattern=[{", ".join(words)}], decision="allow")'
    equals = chance.choice(["=", " = "])
    given = [f"pattern{equals}[{', '.join(words)}]"]
    if chance.random() < 0.7:
        given.append(f'decision{equals}"{chance.choice(["allow", "prompt", "forbidden"])}"')
    if chance.random() < 0.5:
        given.append(f'justification{equals}"reason {chance.randrange(9)}"')
    if chance.random() < 0.4:
        example = " ".join([chance.choice(_PROGRAMS), *chance.choices(_WORDS, k=2)])
        given.append(
            f'match{equals}["{" ".join(words).replace(chr(34), "") if "[" not in "".join(words) else example}"]'
        )
    if chance.random() < 0.2:
        given.append(f'not_match{equals}[["{chance.choice(_PROGRAMS)}", "{chance.choice(_WORDS)}"], "zz top"]')
    for option in ("canonical_matching=True", 'spelling="exact"', 'unless=["-x", "--all"]'):
        if chance.random() < 0.08:
            given.append(option)
    if chance.random() < 0.5:
        return f"prefix_rule({', '.join(given)})"
    comment = chance.choice(["", "", "  # why", '  # "quoted" (', "  # noqa: EP301"])
    return "prefix_rule(\n" + "".join(f"    {each},{comment}\n" for each in given) + ")"


def rule_file(chance: random.Random, statements: int) -> str:
    """A rule file with so many statements, some of them again and some behind comments."""
    known: list[str] = []
    parts: list[str] = []
    for _ in range(statements):
        said = chance.choice(known) if known and chance.random() < 0.1 else statement(chance)
        known.append(said)
        behind = chance.choice(["", "", "", "", "  # noqa", "  # noqa: EP201, EP401", "  # said"])
        parts.append(chance.choice(["", "", "", "# comment\n", "\n"]) + said + behind)
    return chance.choice(["\n", "\n", "\n", "\r\n"]).join(["\n".join(parts), ""])


def main() -> None:
    """Ask both and compare; exit with 1 at the first difference."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True, help="the folder of the other checkout")
    parser.add_argument("--generated", type=int, default=400, help="how many files are generated")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(path) for part in ("tests/data", "rules") for path in sorted((ROOT / part).rglob("*.rules"))]
        for number in range(arguments.generated):
            chance = random.Random(number)
            path = Path(folder, str(number % 40), f"{number}.rules")
            path.parent.mkdir(exist_ok=True)
            path.write_text(rule_file(chance, chance.choice([1, 3, 10, 40, 120])), "utf-8", newline="")
            paths.append(str(path))
        now, before = [_answers(checkout, paths) for checkout in (str(ROOT), arguments.before)]
    different = [json.loads(one)[0] for one, other in zip(now, before, strict=True) if one != other]
    print(f"{len(now):,} files and folders, {sum(map(len, now)):,} characters of answers, {len(different)} different")
    for path in different[:20]:
        print(path)
    sys.exit(1 if different else 0)


def _answers(checkout: str, paths: list[str]) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-P", "-c", _ANSWERS],
        env={**os.environ, "PYTHONPATH": checkout},
        input=json.dumps(paths),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{checkout}: {done.stderr[-2000:]}")
    return done.stdout.splitlines()


if __name__ == "__main__":
    main()
