"""Scripts that bash runs beside a program that only writes down how it is called."""

import os
from pathlib import Path

from tests.support.running import run_captured


def logged_calls(script: str, place: Path, *, folder: str = ".") -> str:
    """The words of each call of the stub ``git`` that lies in ``bin`` below ``place``, a line for each.

    Args:
        folder: where bash runs ``script``, below ``place``.
    """
    (place / "bin").mkdir()
    stub = place / "bin" / "git"
    stub.write_text(f'#!/bin/sh\necho "$*" >>{place}/log\n')
    stub.chmod(0o755)
    (place / folder).mkdir(exist_ok=True)
    environment = {"PATH": f"{stub.parent}:{os.environ['PATH']}", "HOME": str(place)}
    run_captured(["bash", "-c", script], cwd=place / folder, env=environment)
    return (place / "log").read_text()
