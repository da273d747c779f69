"""The rule files of a folder as they stand in a revision of git: ``HEAD~1``, ``main:rules``."""

from __future__ import annotations

import os
import subprocess

from execpolicy.errors import UsageError
from execpolicy.source import Source

FOLDER = ".codex/rules"
"""Whose rule files a revision without a path means."""
_TIMEOUT = 30.0
_FILE = b"100"
"""What the mode of a file begins with, where that of a link or a folder does not."""


def folder_of(revision: str) -> str:
    """The path that ``REVISION:PATH`` names, below the working directory."""
    return revision.partition(":")[2] or FOLDER


def rules_at(revision: str) -> list[Source] | None:
    """The rule files that ``REVISION[:PATH]`` names, a folder or a file; ``None`` if git knows no such revision.

    Raises:
        UsageError: there is no rule file.
    """
    name = revision.partition(":")[0]
    if not name or _git("rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{tree}") is None:
        return None
    path = folder_of(revision)
    wanted = path if path.endswith(".rules") else path.rstrip("/") + "/"
    found: list[Source] = []
    for entry in (_git("ls-tree", "-z", name, "--", wanted) or b"").split(b"\0")[:-1]:
        about, _, file = entry.partition(b"\t")
        text = _git("cat-file", "blob", about.split()[2].decode()) if about.startswith(_FILE) else None
        if text is not None and file.endswith(b".rules"):
            found.append(Source(f"{name}:{os.fsdecode(file)}", text.decode("utf-8", "replace")))
    if not found:
        raise UsageError(f"`{name}` holds no rule file (*.rules) in `{path}`; name a folder or file: `{name}:rules`")
    return found


def _git(*arguments: str) -> bytes | None:
    """What git prints; ``None`` if it fails or is not installed. It fetches nothing."""
    try:
        done = subprocess.run(
            ["git", "--no-pager", *arguments],
            env={**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_LITERAL_PATHSPECS": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
