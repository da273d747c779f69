"""The inputs of the suite: rule files of any size, scripts, and files of JSON lines."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

SCRIPT = "cd src && grep -rn main . | head -5"

SHAPES = (
    "git status", "git diff src/m{0}.py", "git log --oneline -n {0}", "git add src/m{0}.py", "git show HEAD~{0}",
    'git commit -m "fix {0}"', "git push origin topic-{0}", "git checkout topic-{0}", "ls -la src/p{0}",
    "cat src/m{0}.py", "sed -n {0},400p src/m{0}.py", "head -n {0} README.md", "grep -rn name{0} src",
    "rg -n 'class C{0}' src", "find . -name 'm{0}*.py'", "wc -l src/m{0}.py", "pytest tests/test_m{0}.py -q",
    "python -m pytest -k case{0}", "cargo test case{0}", "npm run build -- --part {0}", "make target{0}",
    "cd src && ls p{0}", "cat app.log | grep ERR{0} | wc -l", "rm -f build/o{0}.o", "mkdir -p out/p{0}",
    "cd /srv/app && npm test -- -t case{0} 2>&1 | tail -20", "curl -s https://example.com/p{0}",
)  # fmt: skip


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file, one a line; lines end at ``\\n`` only: scripts hold other line ends."""
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]


def saved_rules(count: int) -> str:
    """``count`` rules of the shape that amendments write, each for a program of its own."""
    return "".join(f'prefix_rule(pattern=["prog{at}", "sub"], decision="allow")\n' for at in range(count))


def written_rules(count: int) -> str:
    """``count`` rules as people write them: wrapped, with alternatives, a reason and examples."""
    return "".join(
        f'prefix_rule(\n    pattern = ["prog{at}", ["one", "two"]],  # comment\n    decision = "prompt",\n'
        f'    justification = "reason {at}",\n    match = ["prog{at} one x"],\n    not_match = ["prog{at} three"],\n)\n'
        for at in range(count)
    )


def looped_rules(count: int) -> str:
    """``count`` rules made by a loop, which takes Starlark."""
    return f'[prefix_rule(pattern = ["prog" + str(at), "sub"], decision = "allow") for at in range({count})]\n'


def rule_files(folder: str, sizes: list[int]) -> dict[int, str]:
    """Files of saved rules, by size."""
    found = {}
    for size in sizes:
        found[size] = f"{folder}/{size}.rules"
        Path(found[size]).write_text(saved_rules(size))
    return found


def history(rows: int, distinct: int) -> list[str]:
    """``rows`` commands, ``distinct`` different ones, the n-th as frequent as 1/n."""
    chance = random.Random(8)
    commands = [SHAPES[at % len(SHAPES)].format(at) for at in range(distinct)]
    commands = list(dict.fromkeys(commands))
    chance.shuffle(commands)
    weights = [1 / at for at in range(1, len(commands) + 1)]
    return commands + chance.choices(commands, weights, k=rows - len(commands))


def home_folder(folder: str) -> str:
    """The home of measured commands."""
    home = f"{folder}/home"
    os.makedirs(home, exist_ok=True)
    return home


def work_folder(folder: str) -> str:
    """Where measured commands run: outside of any project, and not at home, where any file may be a secret."""
    work = f"{folder}/work"
    os.makedirs(work, exist_ok=True)
    return work
