"""Looks names up in git: files that it can restore, folders that it ignores, branches, remotes.

Git is not run, because it obeys the settings of the repository. Its files are read as gitrepository-layout(5),
gitformat-index(5) and gitignore(5) describe them. What cannot be read is not known.
"""

from __future__ import annotations

import os
from _sha1 import sha1  # type: ignore[import-not-found]  # without the start-up cost of hashlib

from execpolicy.core.path_rules import component_matches
from execpolicy.judge.folders.repository_around import common_folder, git_folder
from execpolicy.safety.locations import PREVIOUS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.judge.situation import Situation

_LARGEST = 64 << 20
"""Bytes of a file that is read."""
_HASH, _FLAGS, _ENTRY, _EXTENDED_ENTRY = 40, 60, 62, 64
"""Where the SHA-1, the flags and the name begin in an entry of the index."""
_IS_EXTENDED = 0x40
_HEAD = "ref: refs/heads/"
_PUSHING = frozenset(["default", "push", "pushremote", "pushdefault", "mirror"])
_SYSTEM = ("/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig")
"""Where git's packages look for the settings of the system."""


def is_restorable(path: str) -> bool:
    """True if the absolute ``path`` is a regular file whose content the index of its repository has."""
    tree, git = git_folder(os.path.dirname(path))
    if not git or os.path.islink(path):
        return False
    content = _content(path)
    known = (_index(git) or {}).get(_name(path, tree))
    return content is not None and known == sha1(b"blob %d\0" % len(content) + content).digest()


def is_ignored(path: str) -> bool:
    """True if the absolute ``path`` is a folder, or missing, ``.gitignore`` names it and git tracks no file in it.

    So is all that is below such a folder.
    """
    folder = os.path.dirname(path)
    tree, git = git_folder(folder)
    if git and folder != tree and is_ignored(folder):
        return True
    is_folder = os.path.isdir(path) and not os.path.islink(path)
    index = _index(git) if git and (is_folder or not os.path.lexists(path)) else None
    if index is None or any(name.startswith(_name(path, tree) + b"/") for name in index):
        return False
    parts = os.path.relpath(path, tree).split("/")
    ignored = False
    for at in range(len(parts)):
        for line in _lines("/".join([tree, *parts[:at], ".gitignore"])):
            pattern = line.rstrip().removesuffix("/").removeprefix("**/")
            if pattern[:1] == "!" and component_matches(os.path.basename(pattern[1:]), parts[-1]):
                return False  # it may take another line back
            ignored = ignored or _fits(pattern, parts[at:])
    return ignored


def has_branch(name: str, folder: str) -> bool:
    """True if ``name`` is a branch of the repository around the absolute ``folder`` and no file has that name.

    A branch of a remote counts, with the remote (``origin/main``) and without it, and ``-``, the branch before.
    """
    if name == PREVIOUS:
        return True
    _, git = git_folder(folder)
    if not git or os.path.lexists(f"{folder}/{name}"):
        return False
    refs = f"{common_folder(git)}/refs"
    names = [f"heads/{name}", f"remotes/{name}", *[f"remotes/{remote}/{name}" for remote in remotes(folder)]]
    packed = {line.partition(" ")[2] for line in _lines(f"{common_folder(git)}/packed-refs")}
    return any(os.path.isfile(f"{refs}/{each}") or f"refs/{each}" in packed for each in names)


def branch_pushed_from(folder: str, situation: Situation) -> str | None:
    """Returns the branch that ``git push`` pushes from ``folder``; ``None`` if settings may say another."""
    situation.looks += 1
    places = set(situation.places_of(folder))
    _, git = git_folder(min(places)) if len(places) == 1 else ("", "")
    head = next(iter(_lines(f"{git}/HEAD")), "")
    if not git or not head.startswith(_HEAD) or "." in head or any(map(_elsewhere, os.environ)):
        return None
    homes = [f"{situation.home}/.gitconfig", f"{situation.home}/.config/git/config"]
    other = os.environ.get("XDG_CONFIG_HOME")
    files = [f"{common_folder(git)}/config", f"{git}/config.worktree", *homes, *[f"{other}/git/config"] * bool(other)]
    return None if any(map(_says_what_is_pushed, (*files, *_SYSTEM))) else head.removeprefix(_HEAD)


def _elsewhere(variable: str) -> bool:
    return variable in ("GIT_DIR", "GIT_COMMON_DIR") or variable.startswith("GIT_CONFIG")


def _says_what_is_pushed(file: str) -> bool:
    """True if settings in ``file`` may have another branch pushed than the one that is checked out, to its name."""
    if os.path.lexists(file) and _content(file) is None:
        return True
    section = ""
    for line in map(str.strip, _lines(file)):
        header, _, rest = line.rpartition("]") if line[:1] == "[" else ("", "", line)
        section = header or section
        key, _, value = [part.strip() for part in rest.partition("=")]
        branch = section.partition('"')[2].rstrip('"')
        if line[-1:] == "\\" or section.lower().startswith("[include"):
            return True
        if key.lower() in _PUSHING or (key.lower() == "merge" and value != f"refs/heads/{branch}"):
            return True
    return False


def remotes(folder: str) -> list[str]:
    """The remotes that the settings of the repository around the absolute ``folder`` name."""
    _, git = git_folder(folder)
    headers = [line.strip() for line in _lines(f"{common_folder(git)}/config")] if git else []
    return [line[len('[remote "') : -2] for line in headers if line.startswith('[remote "') and line.endswith('"]')]


def _name(path: str, tree: str) -> bytes:
    return os.fsencode(os.path.relpath(path, tree))


def _fits(pattern: str, parts: list[str]) -> bool:
    """True if the line ``pattern`` of a ``.gitignore`` surely names the path ``parts`` from there."""
    names = pattern.removeprefix("/").split("/")
    parts = parts if "/" in pattern else parts[-1:]
    return len(names) == len(parts) and pattern[:1] not in ("", "#") and all(map(component_matches, names, parts))


def _index(git: str) -> dict[bytes, bytes] | None:
    """Name to SHA-1 of every file in the index in ``git``; ``None`` if it is missing or in another format."""
    data = _content(f"{git}/index") or b""
    if data[:4] != b"DIRC" or int.from_bytes(data[4:8], "big") not in (2, 3):
        return None
    found: dict[bytes, bytes] = {}
    at = 12
    for _ in range(int.from_bytes(data[8:12], "big")):
        if at + _ENTRY > len(data):
            return None
        name = at + (_EXTENDED_ENTRY if data[at + _FLAGS] & _IS_EXTENDED else _ENTRY)
        end = data.find(b"\0", name)
        if end < name:
            return None
        found[data[name:end]] = data[at + _HASH : at + _FLAGS]
        at += (end - at) // 8 * 8 + 8
    split = b"link" in data[at:]  # most files are in another index
    return None if split else found


def _lines(file: str) -> list[str]:
    return (_content(file) or b"").decode("utf-8", "surrogateescape").splitlines()


def _content(file: str) -> bytes | None:
    """The content of a regular file; ``None`` if it cannot be read or is too large."""
    try:
        with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
            status = os.fstat(opened.fileno())
            return opened.read() if status.st_mode >> 12 == 0o10 and status.st_size <= _LARGEST else None
    except (OSError, ValueError):
        return None
