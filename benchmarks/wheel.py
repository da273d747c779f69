"""An environment with this checkout installed from a wheel: its bytecode is compiled, as with every user."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def install(folder: str, *, replay: bool, source: Path = ROOT) -> str:
    """Build a wheel of ``source``, install it into a new environment in ``folder``, and return the interpreter.

    Args:
        replay: also install what reading large histories needs.
        source: a checkout.
    """
    environment = Path(folder, "venv")
    python = str(environment / "bin" / "python")
    _run(sys.executable, "-m", "venv", str(environment))
    _run(python, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, str(source))
    wheel = next(Path(folder).glob("*.whl"))
    _run(python, "-m", "pip", "install", "-q", "--compile", str(wheel) + ("[replay]" if replay else ""))
    return python


def _run(*command: str) -> None:
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
