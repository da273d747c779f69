"""The lock on a rule file: the same ``flock`` on the file itself that Codex takes."""

from __future__ import annotations

import errno
import os
import random
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager

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
    fd = _open(path, create=create)
    try:
        while True:
            _wait_for_lock(fd, path, deadline, timeout)
            if is_current(fd, path):
                break
            os.close(fd)
            fd = -1
            fd = _open(path, create=create)
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


def _open(path: str, *, create: bool) -> int:
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
