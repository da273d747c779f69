"""The compiled cache: stores the rulebook of a set of rule files under the hash of everything that can change it.

The hash covers the text of every enabled rule file and of the configuration and requirements that were read. It also
covers the layers with their trust, the options, and the versions of Python and of this package with the identity of its
modules. The cache cannot return a stale rulebook, because another text has another hash. Only a load without any
problem is cached.

The folder and each file in it are used only if they belong to this user and no other user may write to them. A
sandboxed program may have access to the cache folder but must not decide, so every entry is signed with the user's
secret: a file of mode ``0600`` in the folder of the user's settings. Our sandbox can neither read nor write it. If
another user may read or write it, it is replaced, which makes all cached entries invalid. A file that is foreign,
truncated or modified is not parsed, and is written again. Without a usable folder or secret everything works, but
slower.
"""

from __future__ import annotations

import os
import stat
import sys
from _blake2 import blake2b
from _operator import attrgetter
from time import time_ns

from execpolicy import atomic_write
from execpolicy.bytecode import identity, is_as_built
from execpolicy.core.hosts import home_of
from execpolicy.judge import stored, stored_policy
from execpolicy.layers import rule_file
from execpolicy.layers.discover import config_files, discover
from execpolicy.layers.folders import LONG_QUIET_NS, collect_rule_files
from execpolicy.layers.layer import FileInParts
from execpolicy.layers.layer_options import own_home_of
from execpolicy.resources import records_folder, stored_entries_path
from execpolicy.value import value
from execpolicy.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    from execpolicy.core.policy import Policy
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.layers.layer import LoadedLayers
    from execpolicy.layers.layer_options import LayerOptions

    Kept = TypeVar("Kept")

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


_MAGIC = b"execpolicy-rules-3\n"
_KEY_SIZE = 32
_HEAD = len(_MAGIC) + 8 + 32 + 32
"""Number of bytes before the body: magic, size of the body, digest of the body, signature of name, size and digest."""
_LARGEST = 64 << 20
_MOST_FILES = 64
_MOST_BYTES = 256 << 20
_PLACE_MARKS = (b"/", b"~", b'""', b"''", b'".', b"'.", b"\\", b"chr")
"""Markers of a text that may depend on the working directory: an example can only if its program is a relative path."""
_NAME = attrgetter("name")
_STAMP = attrgetter("st_mtime_ns", "st_size")
_MODULES = ("core", "judge", "lang", "layers", "programs", "safety")


@value
class Fingerprint:
    """The name of a set of rules in the cache.

    Attributes:
        key: hexadecimal digest.
        texts: path to the content of each rule file in the digest, as read.
        withholds: true if they include rules of a project that is not trusted.
    """

    key: str
    texts: dict[str, bytes]
    withholds: bool = False


def fingerprint(options: LayerOptions) -> Fingerprint | None:
    """The name of the rules that ``options`` would load; ``None`` if something is unreadable."""
    digest = blake2b(digest_size=_KEY_SIZE)

    def add(*parts: object) -> None:
        for part in parts:
            data = part if isinstance(part, bytes) else repr(part).encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big"))
            digest.update(data)

    add(_MAGIC, __version__, sys.version, identity() or (_modules(), _records()))
    add(options.mode, options.profile, options.ignore_rules, options.project, options.codex_home, options.own_home)
    add([(s.name, s.text) for s in options.texts or ()], options.texts is None, options.files)
    add([(s.name, s.text) for s in options.session], [(s.name, s.text) for s in options.environment])
    texts: dict[str, bytes] = {}
    withholds = False
    try:
        layers, problems = discover(options)
        if problems:
            return None
        for layer in layers:
            add(repr(layer))
            paths = list(options.files or ()) if layer.name == "given" else []
            if layer.folder is not None and layer.enabled and layer.folder != records_folder():
                found, ignored = collect_rule_files(layer.folder)
                paths += found
                add([(entry.path, entry.reason) for entry in ignored])
                withholds = withholds or bool(found and not layer.trusted)
            for path in paths:
                if is_as_built(path):
                    continue  # covered by the identity of the package
                texts[path] = data = _read(path, patient=layer.trusted)
                add(path, data)
                if layer.name != "built-in" and any(mark in data for mark in _PLACE_MARKS):
                    add(options.cwd, home_of(os.environ))
        if any(layer.name in ("project", "workspace") for layer in layers):
            for path in config_files(options):
                add(path, _read_if_there(path))
        if options.requirements is not None and options.files is None and options.texts is None:
            add(options.requirements, _read_if_there(options.requirements))
    except (OSError, ValueError):
        return None
    return Fingerprint(digest.hexdigest(), texts, withholds)


def _read_if_there(path: str) -> bytes | None:
    """The content of an optional file; ``None`` if it is missing. An unreadable file is an error, as in the loader."""
    try:
        return _read(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _modules() -> list[tuple[str, list[tuple[str, tuple[int, int]]]]]:
    """The identity of the code that compiles and judges, so that no version reads the cache of another one."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = []
    for package in _MODULES:
        with os.scandir(os.path.join(root, package)) as entries:
            files = [entry for entry in entries if entry.name.endswith(".py")]
        found.append((package, sorted(zip(map(_NAME, files), map(_STAMP, map(os.DirEntry.stat, files)), strict=True))))
    return found


def _records() -> list[tuple[str, int, int]]:
    """The identity of the records: a thousand files, so that no Python code runs for each."""
    with os.scandir(records_folder()) as entries:
        listed = list(entries)
    states = list(map(os.DirEntry.stat, listed))
    names = map(os.DirEntry.name.__get__, listed)
    times, sizes = map(os.stat_result.st_mtime_ns.__get__, states), map(os.stat_result.st_size.__get__, states)
    return sorted(zip(names, times, sizes, strict=True))


def _read(path: str, *, patient: bool = True) -> bytes:
    """The content of a regular file of at most ``_LARGEST`` bytes.

    Raises:
        OSError: the file is larger or not regular. A pipe (``-r <(…)``) can only be read once, and the loader reads it.
    """
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
        raise OSError(22, "not a regular file of bearable size", path)
    began = time_ns()
    with open(path, "rb") as file:
        data = file.read(status.st_size + 1)
        after = os.fstat(file.fileno())
    if after.st_ctime_ns < began - LONG_QUIET_NS and len(data) == after.st_size:
        return data
    return rule_file.read_settled(path, patient=patient)  # another process may be writing it


def read_compiled(folder: str, key: str) -> Rulebook | None:
    """The rulebook cached under ``key``, or ``None``. Never raises because of the content of the folder."""
    return _restored(folder, key, lambda body: stored.restored(body, brought_entries))


def read_compiled_policy(folder: str, key: str) -> Policy | None:
    """The policy of the rulebook cached under ``key``, or ``None``. Deciding a raw argv needs no more."""
    return _restored(folder, key, stored_policy.restored_policy)


def brought_entries() -> FileInParts | None:
    """The entries of the built-in layer in the wheel; ``None`` if they differ from the build.

    Raises:
        OSError: the entries cannot be read.
    """
    path = stored_entries_path()
    if not is_as_built(path):
        return None
    return FileInParts(os.open(path, os.O_RDONLY | os.O_CLOEXEC))


def _restored(folder: str, key: str, restore: Callable[[bytes], Kept]) -> Kept | None:
    body = read_kept(folder, key)
    if body is None:
        return None
    try:
        return restore(body)
    except (OSError, ValueError, TypeError, EOFError, KeyError, IndexError):
        return None  # written by this version while its code was being edited


def read_kept(folder: str, key: str) -> bytes | None:
    """The body cached under ``key``; ``None`` unless it is complete and signed by this user."""
    secret = read_key()
    parent = None if secret is None else _open_folder(folder)
    if secret is None or parent is None:
        return None
    try:
        with open(_opened(parent, key), "rb") as file:
            status = os.fstat(file.fileno())
            head = file.read(_HEAD)
            size = int.from_bytes(head[len(_MAGIC) : len(_MAGIC) + 8], "big")
            if not _is_safe(status) or status.st_size != _HEAD + size or not _is_signed(secret, key, head):
                return None  # the body is not read, however large it is
            body = file.read(size)
    except OSError:
        return None
    finally:
        os.close(parent)
    return body if head == _head(secret, key, body) else None


def _opened(parent: int, name: str) -> int:
    return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=parent)


def _head(secret: bytes, key: str, body: bytes) -> bytes:
    start = _MAGIC + len(body).to_bytes(8, "big") + blake2b(body, digest_size=32).digest()
    return start + _signature(secret, key.encode() + start)


def _is_signed(secret: bytes, key: str, head: bytes) -> bool:
    expected = _signature(secret, key.encode() + head[:-32])
    return _signature(secret, expected) == _signature(secret, head[-32:])  # takes the same time wherever they differ


def _signature(secret: bytes, data: bytes) -> bytes:
    return blake2b(data, key=secret, digest_size=32).digest()


def write_compiled(folder: str, found: Fingerprint, loaded: LoadedLayers, rulebook: Rulebook) -> None:
    """Caches ``rulebook`` if it was made from exactly the texts of ``found`` and without any problem. Never raises."""
    if not (loaded.diagnostics or loaded.fail_closed or loaded.human_only):
        keep_compiled(folder, found, {file.path: file.text for file in loaded.files}, rulebook)


def keep_compiled(folder: str, found: Fingerprint, texts: Mapping[str, str | None], rulebook: Rulebook) -> None:
    """Caches ``rulebook`` if ``texts``, its texts by path, equal those of ``found``. Never raises."""
    for path, text in texts.items():
        named = found.texts.get(path)
        if named is not None and (text is None or text.encode("utf-8", "surrogatepass") != named):
            return  # the file changed between the two reads
    brought = brought_entries()
    write_kept(folder, found.key, stored.store(rulebook, brought=brought.whole() if brought else b""))


def write_kept(folder: str, key: str, body: bytes) -> None:
    """Signs ``body`` and caches it under ``key``. Never raises."""
    secret = make_key()
    if len(body) > _LARGEST or secret is None:
        return
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        parent = _open_folder(folder)
        if parent is None:
            return
        try:
            _write(parent, key, _head(secret, key, body) + body)
            _trim(parent)
        finally:
            os.close(parent)
    except OSError:
        return  # no space or no permission: the next check compiles again


def _write(parent: int, key: str, data: bytes) -> None:
    """Writes the file atomically."""
    draft = f".{key[:16]}.{os.getpid()}"
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600, dir_fd=parent)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
        os.rename(draft, key, src_dir_fd=parent, dst_dir_fd=parent)
    except BaseException:
        os.unlink(draft, dir_fd=parent)
        raise


def _open_folder(folder: str) -> int | None:
    """A descriptor of the folder; ``None`` unless it is a folder of this user that no other user may write to."""
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    if _is_safe(os.fstat(fd), directory=True):
        return fd
    os.close(fd)
    return None


def _is_safe(status: os.stat_result, *, directory: bool = False) -> bool:
    """True if the file is of the required kind, belongs to this user and is not writable by other users."""
    kind = 0o040000 if directory else 0o100000
    return status.st_mode & 0o170000 == kind and status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _is_own_name(name: str) -> bool:
    """True if a file has the name of a cached rulebook or of its draft."""
    key, _, process = name.removeprefix(".").partition(".")
    size = 16 if name.startswith(".") else 2 * _KEY_SIZE
    return len(key) == size and not key.strip("0123456789abcdef") and process.isdecimal() == name.startswith(".")


def _begins_as_ours(parent: int, name: str) -> bool:
    """True if the file begins with our magic bytes, or is an empty draft.

    The name alone is no proof: other programs also use names of 64 hexadecimal digits.
    """
    try:
        with open(_opened(parent, name), "rb") as file:
            head = file.read(len(_MAGIC))
    except OSError:
        return False
    return head == _MAGIC or (name.startswith(".") and not head)


def _trim(parent: int) -> None:
    """Deletes all but the newest files, up to a number and a total size, and the drafts of killed processes."""
    found: list[tuple[float, int, str]] = []
    with os.scandir(parent) as entries:
        for entry in entries:
            if not (_is_own_name(entry.name) and _begins_as_ours(parent, entry.name)):
                continue  # a file of another program
            if entry.name.startswith(".") and atomic_write.is_abandoned(entry.name):
                os.unlink(entry.name, dir_fd=parent)
                continue
            status = entry.stat(follow_symlinks=False)
            found.append((status.st_mtime, status.st_size, entry.name))
    found.sort(reverse=True)
    total = 0
    for number, (_, size, name) in enumerate(found):
        total += size
        if number >= _MOST_FILES or total > _MOST_BYTES:
            os.unlink(name, dir_fd=parent)
