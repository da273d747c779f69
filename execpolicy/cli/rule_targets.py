"""The rule files that a command is pointed at: files, folders, standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from execpolicy.errors import RuleStoreError, UsageError, os_reason
from execpolicy.fd_io import blocks_of, read_to_end
from execpolicy.layers.rule_file import read_between_writes
from execpolicy.safe_open import LARGEST, files_below, is_there
from execpolicy.source import Source

STDIN = "-"


def rule_files(targets: Sequence[str], *, or_strays: bool = False) -> list[str]:
    """The files that ``targets`` stand for, each once: a folder stands for every ``*.rules`` file below it, sorted.

    A folder without one is mentioned on standard error.

    Args:
        or_strays: something else in the folders is worth telling, so there need not be any rule file.

    Raises:
        UsageError: a target does not exist, or there is none, or no rule file in any of them.
    """
    if not targets:
        raise UsageError("no rule file given; name files or folders, or `-` for standard input")
    found: list[str] = []
    for target in targets:
        if os.path.isdir(target):
            below = rule_files_below(target)
            found.extend(below)
            if not below and not or_strays:
                message = f"there is no rule file in `{target}`: rule files end in `.rules`"
                if len(targets) == 1:
                    raise UsageError(message)
                click.echo(f"warning: {message}", err=True)
        else:
            if target != STDIN:
                require_something(target)
            found.append(target)
    if not found and not or_strays:
        raise UsageError("there is nothing to look at: no folder holds a rule file")
    return list(dict.fromkeys(found))


def require_something(path: str) -> None:
    """Refuse a name that stands for nothing, or for what may not be looked at.

    Raises:
        UsageError: so it is.
    """
    try:
        if is_there(path):
            return
    except OSError as error:
        raise UsageError(f"cannot look at `{path}`: {os_reason(error)}") from None
    raise UsageError(f"no such file or folder: {path}")


def rule_files_below(folder: str, endings: tuple[str, ...] = (".rules",)) -> list[str]:
    """Every file below ``folder`` whose name ends so, sorted.

    Raises:
        RuleStoreError: a folder cannot be looked into, so that a rule may be missed.
    """
    try:
        return list(files_below(folder, endings))
    except OSError as error:
        raise RuleStoreError(f"failed to look into {error.filename}: {error.strerror}") from None


def read_standard_input() -> bytes:
    """Everything on standard input.

    Raises:
        RuleStoreError: it is closed, cannot be read, or is too large.
    """
    try:
        return read_to_end(blocks_of(sys.stdin), LARGEST)
    except OSError as error:
        raise RuleStoreError(f"failed to read standard input: {error.strerror}") from None


def read_source(path: str, name: str | None = None) -> Source:
    """The text of ``path`` (``-``: standard input), line endings as they are.

    Args:
        name: what messages call it; the path unless given.

    Raises:
        RuleStoreError: it cannot be read or is not UTF-8.
    """
    try:
        if path == STDIN:
            return Source(name or "<stdin>", read_standard_input().decode("utf-8"))
        return Source(name or path, read_between_writes(path).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise RuleStoreError(f"failed to read {path}: it is not UTF-8 at byte {error.start}; convert it") from error
    except OSError as error:
        raise RuleStoreError(f"failed to read {path}: {error.strerror}; check the path and its permissions") from error
