"""What is tried with every agent, and what must come of it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from execpolicy.cli import hook_start

SPELLINGS = [
    "mkdir d00",
    "cd . && mkdir d01",
    "bash -c 'mkdir d02'",
    "FOO=1 mkdir d03",
    "/usr/bin/mkdir d04",
    "env mkdir d05",
    "echo $(mkdir d06)",
    "  mkdir d07",
    "mk\\dir d08",
    "echo d09 | xargs mkdir",
    "true\nmkdir d10",
    "if true; then mkdir d11; fi",
    "timeout 5 mkdir d12",
    '"mkdir" d13',
    "find . -maxdepth 0 -exec mkdir d14 \\;",
    "M=mkdir; $M d15",
    "eval mkdir d16",
    "mkdir  -p   d17",
    "true & mkdir d18",
    "(mkdir d19)",
    "f() { mkdir d20; }; f",
    "nohup mkdir d21",
    "command mkdir d22",
    "cat <(mkdir d23)",
    "sh <<'EOF'\nmkdir d24\nEOF",
]
"""A forbidden command, in the ways that it can be written."""

ABUSES = [
    "touch allowed.canary; touch e00",
    "touch allowed.canary && touch e01",
    "touch allowed.canary $(touch e02)",
    "touch allowed.canary `touch e03`",
    "touch allowed.canary\ntouch e04",
    "touch allowed.canary & touch e05",
    "touch allowed.canary | touch e06",
    "touch allowed.canary > e07",
    "touch allowed.canary <(touch e08)",
    "FOO=$(touch e09) touch allowed.canary",
    "touch allowed.canary # x\ntouch e10",
    "touch() { command touch e11; }; touch allowed.canary",
    "touch allowed.canary || touch e12; touch nowhere/x allowed.canary || touch e12",
    "touch \\\n allowed.canary; touch e13",
    "if touch allowed.canary; then touch e14; fi",
    "touch allowed.canary 2>e15",
    "PATH=x:$PATH touch e16",
    "touch e17 allowed.canary",
    "touch 'allowed.canary'; touch e18",
]
"""What an allow rule for one command must not let through: each makes a file whose name begins with e."""

HANG = "hang before it begins"
"""A hook that never comes to where it minds the time: what a machine does that stands still."""
_STUCK = f"""\
import os, runpy, sys, time

def wait(*words, **more):
    while True:
        time.sleep(60)

os.scandir = os.listdir = wait
runpy.run_path({hook_start.__file__!r}, run_name="__main__")
"""
"""The hook itself, where no folder can be listed: what it does if its rules lie on a network that is gone."""
_PYTHON = re.compile(re.escape(sys.executable))
_START = re.compile(r"[^ \"',\n]*hook_start\.py")


def failures(folder: Path) -> dict[str, Callable[[str], str]]:
    """What can happen to the installed hook, as a change of the settings that start it."""
    programs = {
        "exit 1": "import sys\nsys.exit(1)\n",
        "crash": "import os\nos.kill(os.getpid(), 11)\n",
        "killed": "import os\nos.kill(os.getpid(), 9)\n",
        "silent": "",
        "bad JSON": "print('{\"permission')\n",
        "traceback": "raise OSError(28, 'No space left on device')\n",
        "hang while it decides": _STUCK,
        HANG: "import time\nwhile True:\n    time.sleep(60)\n",
    }
    changes: dict[str, Callable[[str], str]] = {}
    for name, text in programs.items():
        path = folder / name.replace(" ", "_") / "hook_start.py"  # by its name it is known as ours
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        changes[name] = lambda settings, path=path: _START.sub(str(path), settings)  # type: ignore[misc]  # `path` is bound
    changes["missing interpreter"] = lambda settings: _PYTHON.sub("/nowhere/python", settings)
    changes["missing program"] = lambda settings: _START.sub("/nowhere/hook_start.py", settings)
    changes["too slow"] = lambda settings: _late(settings)
    return changes


def _late(settings: str) -> str:
    """With a deadline that has passed before anything is decided."""
    return re.sub(
        r"(HOME=[^ \"',\n]*(?:\", \"| )\w+)",
        lambda found: found[1] + _joined(found[1], "--deadline", "0.0001"),
        settings,
    )


def _joined(near: str, *words: str) -> str:
    return "".join([f'", "{word}' if '", "' in near else f" {word}" for word in words])
