"""The secret key that signs the entries of the compiled cache, so that writing to the cache is not enough to forge one.

The key is a file of mode ``0600`` beside the user's own settings. Our sandbox can neither read nor write it. A key that
another user may read or write is replaced, which makes all cached entries invalid.
"""

from __future__ import annotations

import os

from execpolicy import atomic_write
from execpolicy.core.hosts import home_of
from execpolicy.layers.layer_options import own_home_of

_SIZE = 32


def key_path() -> str | None:
    """The path of the user's secret; ``None`` without a home folder."""
    folder = own_home_of(os.environ, home_of(os.environ))
    return None if folder is None else f"{folder}/cache.key"


def read_key() -> bytes | None:
    """The secret; ``None`` if no file holds one that only this user can read and write."""
    path = key_path()
    if path is None:
        return None
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            private = status.st_mode & 0o170077 == 0o100000 and status.st_uid == os.geteuid() and status.st_nlink == 1
            return file.read(_SIZE) if private and status.st_size == _SIZE else None
    except OSError:
        return None


def make_key() -> bytes | None:
    """The secret, created if it is missing; ``None`` if it cannot be stored. Never raises."""
    key, path = read_key(), key_path()
    if key is not None or path is None:
        return key
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        os.rename(atomic_write.make_draft(path, os.urandom(_SIZE), 0o600), path)
    except OSError:
        return None
    return read_key()  # if several processes create one at the same time, the last one wins
