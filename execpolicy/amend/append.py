"""Appends lines to a rule file to which other programs append too.

INVARIANT: the file is changed only under its lock and in place, never by renaming, because a program that waits for the
lock already has the file open. Every write is one system call that leaves a readable file wherever it stops.

The lock is the same ``flock`` on the file itself that Codex takes. The functions on text are pure. A line ends at
``\n`` or ``\r\n``.
"""

from __future__ import annotations

import errno
import os
import random
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from filelock import lock_descriptor, unlock_descriptor

from execpolicy.errors import RuleStoreError, os_reason
from execpolicy.safe_open import open_file

DEFAULT_TIMEOUT = 10.0
"""Seconds to wait for another program's lock."""

_FIRST_PAUSE = 0.0005
_LONGEST_PAUSE = 0.025
_ADVICE = {
    errno.EACCES: "; make the file and its folder writable for you",
    errno.EPERM: "; the file may be marked immutable: see `lsattr`",
    errno.EROFS: "; the file system is mounted read-only",
    errno.ENOSPC: "; the disk is full: free some space and try again",
    errno.EDQUOT: "; your quota is used up: free some space and try again",
    errno.EISDIR: "; move the folder of that name away",
}


@contextmanager
def locked(path: str, *, timeout: float = DEFAULT_TIMEOUT, create: bool) -> Iterator[int]:
    """A descriptor of ``path``, open for reading and appending, that holds the exclusive lock.

    The path is looked up again once the lock is held. After an editor saves by renaming, the descriptor is open on a
    file without this path, and every write to it would be lost.

    Raises:
        RuleStoreError: the file cannot be opened or locked, or the lock is not free in time.
    """
    deadline = time.monotonic() + timeout
    fd = _open_file(path, create=create)
    try:
        while True:
            _wait_for_lock(fd, path, deadline, timeout)
            if is_current(fd, path):
                break
            os.close(fd)
            fd = -1
            fd = _open_file(path, create=create)
        yield fd
    finally:
        if fd >= 0:
            os.close(fd)


def is_current(fd: int, path: str) -> bool:
    """True if ``path`` is still the path of the open file ``fd``."""
    try:
        named = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    ours = os.fstat(fd)
    return (named.st_dev, named.st_ino) == (ours.st_dev, ours.st_ino)


unlock = unlock_descriptor
"""Releases the lock of :func:`locked` early."""


def _open_file(path: str, *, create: bool) -> int:
    flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        fd = open_file(path, flags | (os.O_CREAT if create else 0))
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise RuleStoreError(
                f"failed to open policy file {path}: it is a symbolic link, and rule files that are links "
                "are not read; replace it by a regular file"
            ) from error
        raise failure("open", path, error) from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise RuleStoreError(f"failed to open policy file {path}: it is not a regular file")
    return fd


def _wait_for_lock(fd: int, path: str, deadline: float, timeout: float) -> None:
    pause = _FIRST_PAUSE
    try:
        while not lock_descriptor(fd, blocking=False):
            if time.monotonic() >= deadline:
                raise RuleStoreError(
                    f"failed to lock policy file {path}: another program has held its lock for {timeout:g} s; "
                    f"see which one with `fuser {path}`, then try again"
                )
            time.sleep(pause * random.uniform(0.5, 1.0))  # waiting writers must not wake at the same time
            pause = min(pause * 1.5, _LONGEST_PAUSE)
    except OSError as error:
        raise failure("lock", path, error) from error


def failure(action: str, path: str, error: OSError) -> RuleStoreError:
    """The error for an operation on ``path`` that the operating system refused."""
    advice = _ADVICE.get(error.errno or 0, "")
    return RuleStoreError(f"failed to {action} policy file {path}: {os_reason(error)}{advice}")


_AMENDMENT_STARTS = ("prefix_rule(pattern=[", "network_rule(host=")


def missing_suffix(text: str, lines: tuple[str, ...]) -> str:
    """The text to append to ``text`` so that each of ``lines`` is a line of it; empty if each already is.

    Source: Codex 0.169 to 0.171: an identical line is not written twice, and a missing final newline is added first.
    """
    wanted = [line for line in dict.fromkeys(lines) if line not in text or line not in lines_of(text)]
    if not wanted:
        return ""
    repair = "" if not text or text.endswith("\n") else "\n"
    return repair + "".join([f"{line}\n" for line in wanted])


def torn_tail(text: str) -> str | None:
    """The unfinished line at the end of ``text`` that a killed writer may have left, or ``None``.

    It is the start of an amendment without its closing parenthesis and without a line ending. Its decision is unknown:
    the decision comes last, and people and `fmt` write forbid rules in the same form in which Codex and this program
    write allow rules.
    """
    start = text.rfind("\n") + 1
    tail = text[start:]
    if not tail or text.endswith("\\", 0, max(start - 1, 0)):
        return None
    if not any(tail.startswith(begin) or begin.startswith(tail) for begin in _AMENDMENT_STARTS):
        return None
    return None if _is_closed(tail) else tail


def _is_closed(line: str) -> bool:
    """True if ``line`` closes its first parenthesis, or has a character that no amendment has outside its strings."""
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
    """The start and end of the last line of ``text`` that is exactly ``line``; ``None`` if there is none."""
    end = len(text)
    while end > 0:
        start = text.rfind(b"\n", 0, end - 1 if text[end - 1 : end] == b"\n" else end) + 1
        if text[start:end].removesuffix(b"\n").removesuffix(b"\r") == line:
            return start, end
        end = start
    return None


def lines_of(text: str) -> list[str]:
    """The lines of ``text`` as split by Rust's ``str::lines``: no other character ends a line."""
    return [line.removesuffix("\r") for line in text.split("\n")]


FileState: TypeAlias = tuple[int, int, int]
"""Inode, size in bytes, and time of the last change in nanoseconds; equal unless another program changed the file."""

_ATTEMPTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended:
    """The result of an append.

    Attributes:
        text: the exact text that was added to the file; empty if every line was already in it.
        at: the byte offset of ``text`` in the file.
        state: the state of the file after the append.
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
    """Appends those of ``lines`` that ``path`` does not have, in one write. Blocks, so it is not for an event loop.

    The file and its folder are created if they are missing; the parent of the folder must exist.

    Args:
        announce: called under the lock before each write, with the text and its byte offset.
        confirm: called with the state of the file after the write, also under the lock, so that several programs
            confirm in the order in which they write.

    Raises:
        RuleStoreError: it could not be done, and the file is as it was.
    """
    if not lines or any("\n" in line or "\r" in line for line in lines):
        raise ValueError("an append needs lines, each of them a single one")
    folder = os.path.dirname(path)
    if not folder:
        raise RuleStoreError(f"policy path has no parent: {path}")
    make_folder(folder, "policy directory ")
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
    """Appends ``line`` to a file of our own without reading it.

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
    """The content of the locked file ``fd``, and its state.

    Raises:
        RuleStoreError: the file cannot be read.
    """
    try:
        with open(fd, "rb", closefd=False) as file:
            file.seek(0)
            return file.read(), state_of(fd)
    except OSError as error:
        raise failure("read", path, error) from error


def overwrite(path: str, data: bytes, start: int, size: int, fd: int) -> None:
    """Writes ``data`` over the bytes at ``start`` of the locked file ``fd``, which is ``size`` bytes long.

    Uses a second descriptor, because writes to ``fd`` always append.

    Raises:
        RuleStoreError: the data was not written.
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


def make_folder(folder: str, kind: str = "", *, above: bool = False) -> None:
    """Creates ``folder`` if it is missing.

    Args:
        kind: its description in an error, with a blank at the end.
        above: true to create its parents too; otherwise they must exist, because a missing one means a wrong setting.

    Raises:
        RuleStoreError: it could not be created.
    """
    try:
        (os.makedirs if above else os.mkdir)(folder)
    except FileExistsError:
        return
    except OSError as error:
        raise RuleStoreError(f"failed to create {kind}{folder}: {os_reason(error)}") from error


def _append(fd: int, path: str, lines: tuple[str, ...], announce: Callable[[str, int], object]) -> Appended | None:
    """The result of one attempt under the lock; ``None`` if a program without the lock changed the file meanwhile."""
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
    if os.pread(fd, len(added), len(data)) != added:  # another program has just truncated the file
        _take_back(fd, added)
        return None
    if not is_current(fd, path):
        return None
    return Appended(path=path, lines=lines, text=suffix, at=len(data), state=state_of(fd))


def _write_at_end(fd: int, path: str, data: bytes, size: int) -> bool:
    """Appends ``data`` in one write and flushes it; ``False`` without a write if the file size is not ``size``."""
    if os.fstat(fd).st_size != size:
        return False
    try:
        written = os.write(fd, data)
        if written < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(fd)
        if size == 0:
            flush_folder(path)
    except OSError as error:
        _roll_back(fd, size, data)
        raise failure("write to", path, error) from error
    return True


def _roll_back(fd: int, size: int, data: bytes) -> None:
    """Truncates the remains of a failed write, but nothing that another program wrote."""
    try:
        left = os.pread(fd, len(data) + 1, size)
        if left and data.startswith(left):
            os.ftruncate(fd, size)
            os.fsync(fd)
    except OSError:
        return  # the error of the write is reported; the next append reports an unfinished line


def _take_back(fd: int, added: bytes) -> None:
    """Truncates our lines if they continue an unfinished line of another program."""
    size = os.fstat(fd).st_size
    if size >= len(added) and os.pread(fd, len(added), size - len(added)) == added:
        os.ftruncate(fd, size - len(added))


def flush_folder(path: str) -> None:
    """Flushes the folder so that a new name survives a crash of the machine, if the file system supports it."""
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
