"""The rule files that a command is pointed at: files, folders, standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

from execpolicy.errors import RuleStoreError, UsageError
from execpolicy.source import Source

STDIN = "-"


def rule_files(targets: Sequence[str]) -> list[str]:
    """The files that ``targets`` stand for, each once: a folder stands for every ``*.rules`` file below it, sorted.

    Raises:
        UsageError: a target does not exist, or there is none.
    """
    if not targets:
        raise UsageError("no rule file given; name files or folders, or `-` for standard input")
    found: list[str] = []
    for target in targets:
        if os.path.isdir(target):
            found.extend(_below(target))
        elif target == STDIN or os.path.lexists(target):
            found.append(target)
        else:
            raise UsageError(f"no such file or folder: {target}")
    return list(dict.fromkeys(found))


def _below(folder: str) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".rules"):
                yield os.path.join(parent, name)


def read_source(path: str, name: str | None = None) -> Source:
    """The text of ``path`` (``-``: standard input), line endings as they are.

    Args:
        name: what messages call it; the path unless given.

    Raises:
        RuleStoreError: it cannot be read or is not UTF-8.
    """
    try:
        if path == STDIN:
            return Source(name or "<stdin>", sys.stdin.buffer.read().decode("utf-8"))
        with open(path, "rb") as file:
            return Source(name or path, file.read().decode("utf-8"))
    except UnicodeDecodeError as error:
        raise RuleStoreError(f"failed to read {path}: it is not UTF-8 at byte {error.start}; convert it") from error
    except OSError as error:
        raise RuleStoreError(f"failed to read {path}: {error.strerror}; check the path and its permissions") from error
