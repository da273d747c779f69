"""Appends lines to a rule file that other programs append to as well.

INVARIANT: the file is only ever changed under its lock, in place and never by renaming, because a program that waits
for the lock has the file open already. Every write is one system call that leaves a readable file wherever it stops.

How the text of a rule file changes; pure, decided without a disk. A line ends at ``\n`` or ``\r\n``.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from execpolicy.amend.locking import DEFAULT_TIMEOUT, failure, is_current, locked
from execpolicy.errors import RuleStoreError, os_reason
from execpolicy.safe_open import open_file

_AMENDMENT_STARTS = ("prefix_rule(pattern=[", "network_rule(host=")


def missing_suffix(text: str, lines: tuple[str, ...]) -> str:
    """What to append to ``text`` so that it contains each of ``lines`` as a line of its own; empty if it does.

    Source: Codex 0.169 to 0.171: an identical line is not written twice, and a missing final newline is added first.
    """
    wanted = [line for line in dict.fromkeys(lines) if line not in text or line not in lines_of(text)]
    if not wanted:
        return ""
    repair = "" if not text or text.endswith("\n") else "\n"
    return repair + "".join([f"{line}\n" for line in wanted])


def torn_tail(text: str) -> str | None:
    """The unfinished line at the end of ``text`` that a killed writer may have left, or ``None``.

    It is the beginning of an amendment, cut off before the parenthesis that closes it, and has no line ending. What it
    would have decided cannot be told: the decision comes last, and people and `fmt` write rules that forbid in the very
    form in which Codex and this program write what is allowed.
    """
    start = text.rfind("\n") + 1
    tail = text[start:]
    if not tail or text.endswith("\\", 0, max(start - 1, 0)):
        return None
    if not any(tail.startswith(begin) or begin.startswith(tail) for begin in _AMENDMENT_STARTS):
        return None
    return None if _is_closed(tail) else tail


def _is_closed(line: str) -> bool:
    """Whether ``line`` closes its first parenthesis, or holds what no amendment holds outside its strings."""
    depth, at = 0, 0
    while at < len(line):
        char = line[at]
        at += 1
        if char == '"':
            while at < len(line) and line[at] != '"':
                at += 2 if line[at] == "\\" else 1
            at += 1
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
            if depth == 0:
                return True
        elif not (char.isascii() and (char.isalpha() or char in "_=, ")):
            return True
    return False


def last_line(text: bytes, line: bytes) -> tuple[int, int] | None:
    """Where the last of the lines of ``text`` begins and ends that is exactly ``line``; ``None`` if there is none."""
    end = len(text)
    while end > 0:
        start = text.rfind(b"\n", 0, end - 1 if text[end - 1 : end] == b"\n" else end) + 1
        if text[start:end].removesuffix(b"\n").removesuffix(b"\r") == line:
            return start, end
        end = start
    return None


def lines_of(text: str) -> list[str]:
    """The lines of ``text`` as Rust's ``str::lines`` gives them: no other character ends a line."""
    return [line.removesuffix("\r") for line in text.split("\n")]


FileState: TypeAlias = tuple[int, int, int]
"""What a file that nobody else changed is known by: inode, bytes, time of the last change in nanoseconds."""

_ATTEMPTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended:
    """What an append did.

    Attributes:
        text: exactly what was added to the file; empty if every line was there already.
        at: the byte of the file at which ``text`` begins.
        state: the file afterwards.
    """

    path: str
    lines: tuple[str, ...]
    text: str
    at: int
    state: FileState


def append_lines(
    path: str,
    lines: tuple[str, ...],
    *,
    timeout: float = DEFAULT_TIMEOUT,
    announce: Callable[[str, int], object] = lambda text, at: None,
    confirm: Callable[[FileState], object] = lambda state: None,
) -> Appended:
    """Add those of ``lines`` that ``path`` does not have, all in one write. Blocks: not for an event loop.

    The file and the folder around it are made if they are missing; the folder above must exist.

    Args:
        announce: called under the lock with each text that is about to be written, and the byte at which.
        confirm: called with the state in which the write left the file, under the lock too: in whichever order several
            programs write, they confirm.

    Raises:
        RuleStoreError: it could not be done, and the file is as it was.
    """
    if not lines or any("\n" in line or "\r" in line for line in lines):
        raise ValueError("an append needs lines, each of them a single one")
    _make_folder(path)
    for _ in range(_ATTEMPTS):
        with locked(path, timeout=timeout, create=True) as fd:
            done = _append(fd, path, lines, announce)
            if done is not None and done.text:
                confirm(done.state)
        if done is not None:
            return done
    raise RuleStoreError(
        f"failed to write to policy file {path}: another program keeps replacing it without taking its lock; "
        "close editors that have it open, then try again"
    )


def append_record(path: str, line: str) -> None:
    """Add ``line`` to a file of our own, whatever is in it already, and without reading it.

    Raises:
        RuleStoreError: it could not be done, and the file is as it was.
    """
    for _ in range(_ATTEMPTS):
        with locked(path, create=True) as fd:
            size = os.fstat(fd).st_size
            completes = b"" if size == 0 or os.pread(fd, 1, size - 1) == b"\n" else b"\n"
            if _write_at_end(fd, path, completes + line.encode("utf-8") + b"\n", size) and is_current(fd, path):
                return
    raise RuleStoreError(f"failed to write to {path}: another program keeps replacing it")


def state_of(fd: int) -> FileState:
    """The state of an open file."""
    status = os.fstat(fd)
    return (status.st_ino, status.st_size, status.st_mtime_ns)


def read_locked(fd: int, path: str) -> tuple[bytes, FileState]:
    """All of the locked file ``fd``, and its state.

    Raises:
        RuleStoreError: it cannot be read.
    """
    chunks: list[bytes] = []
    at = 0
    try:
        while chunk := os.pread(fd, 1 << 20, at):
            chunks.append(chunk)
            at += len(chunk)
    except OSError as error:
        raise failure("read", path, error) from error
    return b"".join(chunks), state_of(fd)


def overwrite(path: str, data: bytes, start: int, size: int, fd: int) -> None:
    """Write ``data`` over what is at ``start`` of the locked file ``fd``, which is ``size`` bytes long.

    A second descriptor, because writes to ``fd`` always append.

    Raises:
        RuleStoreError: it was not written.
    """
    try:
        other = open_file(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            if not os.path.sameopenfile(fd, other) or os.fstat(fd).st_size != size:
                raise RuleStoreError(f"failed to write to policy file {path}: it was replaced meanwhile; try again")
            before = os.pread(fd, len(data), start)
            written = os.pwrite(other, data, start)
            if written < len(data):
                os.pwrite(other, before, start)
                os.ftruncate(other, size)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(other)
        finally:
            os.close(other)
    except OSError as error:
        raise failure("write to", path, error) from error


def _make_folder(path: str) -> None:
    folder = os.path.dirname(path)
    if not folder:
        raise RuleStoreError(f"policy path has no parent: {path}")
    try:
        os.mkdir(folder)
    except FileExistsError:
        return
    except OSError as error:
        raise RuleStoreError(f"failed to create policy directory {folder}: {os_reason(error)}") from error


def make_home(folder: str | None, *, above: bool = False) -> None:
    """Make the folder above the rules folder.

    Args:
        above: make what is above it as well; otherwise that must exist, or it is a mistake in a setting.
    """
    if folder is None:
        return
    try:
        (os.makedirs if above else os.mkdir)(folder)
    except FileExistsError:
        return
    except OSError as error:
        raise RuleStoreError(f"failed to create {folder}: {os_reason(error)}") from error


def _append(fd: int, path: str, lines: tuple[str, ...], announce: Callable[[str, int], object]) -> Appended | None:
    """One attempt under the lock; ``None`` if somebody without the lock changed the file meanwhile."""
    data, state = read_locked(fd, path)
    text = _decode(data, path)
    suffix = missing_suffix(text, lines)
    if not suffix:
        return Appended(path=path, lines=lines, text="", at=len(data), state=state)
    tail = torn_tail(text)
    if tail is not None:
        raise RuleStoreError(
            f"{path}:{text.count(chr(10)) + 1}: the last line is unfinished and may forbid something: "
            f"`{tail}`; complete it or take it out, then try again"
        )
    added = suffix.encode("utf-8")
    announce(suffix, len(data))
    if not _write_at_end(fd, path, added, len(data)):
        return None
    if os.pread(fd, len(added), len(data)) != added:  # somebody cut the file in the last moment
        _take_back(fd, added)
        return None
    if not is_current(fd, path):
        return None
    return Appended(path=path, lines=lines, text=suffix, at=len(data), state=state_of(fd))


def _write_at_end(fd: int, path: str, data: bytes, size: int) -> bool:
    """Append ``data`` in one write and flush it; ``False``, and nothing written, if the file is not ``size`` long."""
    if os.fstat(fd).st_size != size:
        return False
    try:
        written = os.write(fd, data)
        if written < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(fd)
        if size == 0:
            _flush_folder(path)
    except OSError as error:
        _roll_back(fd, size, data)
        raise failure("write to", path, error) from error
    return True


def _roll_back(fd: int, size: int, data: bytes) -> None:
    """Cut off what a failed write left behind, and nothing that somebody else wrote."""
    try:
        left = os.pread(fd, len(data) + 1, size)
        if left and data.startswith(left):
            os.ftruncate(fd, size)
            os.fsync(fd)
    except OSError:
        return  # the write's own error is the one to tell; the next append names an unfinished line


def _take_back(fd: int, added: bytes) -> None:
    """Cut off lines of ours that hang on to half a line of somebody else's."""
    size = os.fstat(fd).st_size
    if size >= len(added) and os.pread(fd, len(added), size - len(added)) == added:
        os.ftruncate(fd, size - len(added))


def _flush_folder(path: str) -> None:
    """Make a new name survive a crash of the machine, where the file system can."""
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _decode(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RuleStoreError(
            f"failed to read policy file {path}: line {line} is not UTF-8; "
            "repair the file with an editor, then try again"
        ) from error
