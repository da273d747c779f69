"""Programs that a test runs to their end."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def run_captured(
    argv: Sequence[str | os.PathLike[str]],
    *,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    input: str | None = None,
    timeout: float = 600,
    check: bool = False,
    start_new_session: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run ``argv`` with ``input``, or nothing, to read; keep what it prints and what it says of errors as text.

    Args:
        timeout: seconds after which it hangs.

    Raises:
        CalledProcessError: ``check``, and it failed.
        TimeoutExpired: it hangs.
    """
    return subprocess.run(
        argv,
        cwd=cwd,
        env=env,
        input=input,
        stdin=subprocess.DEVNULL if input is None else None,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=timeout,
        check=check,
        start_new_session=start_new_session,
    )
