"""Finds, reads and replaces rule files: the files, folders or standard input that a command's targets name."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Sequence
from difflib import unified_diff

import click

from execpolicy.amend.append import append_lines, flush_folder, locked, read_locked, unlock
from execpolicy.atomic_write import only_opened_here
from execpolicy.cli.rule_options import layers_of
from execpolicy.errors import RuleStoreError, UsageError, os_reason
from execpolicy.fd_io import blocks_of, read_to_end
from execpolicy.layers.rule_file import read_between_writes
from execpolicy.safe_open import LARGEST, files_below, is_there
from execpolicy.source import Source

_ATTEMPTS = 20
_GRACE = 2.0
"""Seconds to wait for programs that have the old file open."""
_BLIND_GRACE = 0.05
"""Seconds to wait if the file system does not report which programs have it open."""
_PAUSE = 0.002


def rewrite_settings(path: str, change: Callable[[str], str]) -> None:
    """Replace the text of a settings file as :func:`rewrite` does; a missing file is made, for this user alone.

    Raises:
        RuleStoreError: the file cannot be made or changed.
    """
    if not os.path.lexists(path):
        try:
            os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        except OSError as error:
            raise RuleStoreError(f"failed to write {path}: {error.strerror}") from None
    rewrite(path, change)


def rewrite(path: str, change: Callable[[str], str]) -> bool:
    """Replace the text of ``path``, links followed, by ``change(text)``; true if it was different.

    The new text is written to a file next to it, flushed, and renamed under the lock. A reader, and a process killed at
    any moment, finds the old text or the new one. The next run overwrites the leftover file of a killed one. Programs
    that had the old file open, waiting for its lock, still append to it; their lines are carried over.

    Raises:
        RuleStoreError: it cannot be read, locked or written, or is not UTF-8; its text is then unchanged.
    """
    path = os.path.realpath(path)
    for _ in range(_ATTEMPTS):
        with locked(path, create=False) as fd:
            old, state = read_locked(fd, path)
            try:
                new = change(old.decode("utf-8")).encode("utf-8")
                if new == old:
                    return False
                draft = _draft(path, fd, new)
                if read_locked(fd, path) != (old, state):
                    os.unlink(draft)
                    continue  # changed by a program that ignores the lock
                os.rename(draft, path)
                flush_folder(path)
            except UnicodeDecodeError as error:
                message = f"failed to read {path}: it is not UTF-8 at byte {error.start}; convert it"
                raise RuleStoreError(message) from error
            except OSError as error:
                raise RuleStoreError(f"failed to write {path}: {error.strerror}") from error
            _carry_over(path, fd, old)
            return True
    raise RuleStoreError(f"failed to write {path}: another program keeps changing it; close editors, then try again")


def _draft(path: str, fd: int, text: bytes) -> str:
    """Write ``text`` next to ``path``, with owner, mode and attributes of the open file ``fd``; return the new path."""
    folder, name = os.path.split(path)
    draft = os.path.join(folder, f".{name}.new")
    status = os.fstat(fd)
    if status.st_nlink > 1:
        raise OSError(0, "it has several names (hard links), which would come apart; remove the others")
    if os.path.lexists(draft):
        os.unlink(draft)  # left by a killed run; the lock excludes other writers
    created = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(created, "wb") as file:
            file.write(text)
            if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
                os.fchown(created, status.st_uid, status.st_gid)
            for attribute in os.listxattr(fd):
                os.setxattr(created, attribute, os.getxattr(fd, attribute))
            os.fchmod(created, stat.S_IMODE(status.st_mode))
            file.flush()
            os.fsync(created)
    except BaseException:
        os.unlink(draft)
        raise
    return draft


def _carry_over(path: str, fd: int, old: bytes) -> None:
    """Append the lines that others wrote to the replaced file ``fd``, whose text was ``old``."""
    unlock(fd)
    deadline = time.monotonic() + _GRACE
    while (alone := only_opened_here(fd)) is False and time.monotonic() < deadline:
        time.sleep(_PAUSE)
    if alone is None:
        time.sleep(_BLIND_GRACE)
    now, _ = read_locked(fd, path)
    if now == old:
        return
    lines = now[len(old) :].decode("utf-8", "replace").split("\n")
    lost = tuple([line for line in lines if line.strip()]) if now.startswith(old) else ()
    if not lost:
        raise RuleStoreError(f"{path} was edited by another program while it was written, and what that wrote is lost")
    append_lines(path, lost)


STDIN = "-"


def rule_files(targets: Sequence[str], *, or_strays: bool = False) -> list[str]:
    """The files that ``targets`` name, each once: a folder means every ``*.rules`` file below it, sorted.

    Without targets the files in force here. Reports a folder without rule files on standard error.

    Args:
        or_strays: the folders have misnamed files to report, so that rule files are optional.

    Raises:
        UsageError: a target does not exist, none of them has a rule file, or no rule file is in force here.
    """
    targets = targets or files_in_force()
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


def files_in_force() -> list[str]:
    """The rule files whose rules count in the working folder, without the package's own.

    Raises:
        UsageError: there is none.
    """
    from execpolicy.layers.load import load_layers

    found = [path for path in load_layers(layers_of(os.getcwd())).own_files if os.path.isfile(path)]
    if not found:
        raise UsageError("no rule file is in force here; name files or folders")
    return found


def require_something(path: str) -> None:
    """Refuse a path that does not exist or cannot be examined.

    Raises:
        UsageError: the path is refused.
    """
    try:
        if is_there(path):
            return
    except OSError as error:
        raise UsageError(f"cannot look at `{path}`: {os_reason(error)}") from None
    raise UsageError(f"no such file or folder: {path}")


def rule_files_below(folder: str, endings: tuple[str, ...] = (".rules",)) -> list[str]:
    """Every file below ``folder`` with one of these endings, sorted.

    Raises:
        RuleStoreError: a folder cannot be read, so that a rule may be missed.
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
    """The text of ``path`` (``-``: standard input), line endings unchanged.

    Args:
        name: its name in messages; the path unless given.

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


def difference(old: str, new: str, name: str) -> str:
    """The change of the text of ``name`` as a unified diff."""
    lines = unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), name, name)
    return "".join([line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines])
