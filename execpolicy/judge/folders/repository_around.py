"""The repository that git finds from a folder: a bare one that came with the project, or a partial clone.

``git clone --filter=blob:none`` leaves files out; then ``git diff HEAD~1 HEAD`` starts ``git fetch``, which opens a
connection and writes below ``.git``. Which objects lack is not looked at: any that a command reads may.

Sources: the manuals of git, partial-clone, git-config (``remote.<name>.promisor``, ``extensions.partialClone``) and
gitrepository-layout.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SAYING = (b"promisor", b"partialclone")
_LONGEST = 1_000_000
"""Bytes of a file of settings that are read; a longer one may say it."""
_SHORT = 4_096
_REMEMBERED = 64
_known: dict[tuple[str, int, int, int], tuple[bool, str]] = {}
"""Contents of files of settings, by time, size and inode number."""


def repository_around(folder: str) -> str:
    """The repository that git may find from the absolute path ``folder`` on its way up; empty if there is none."""
    if os.path.lexists(f"{folder}/.git"):
        return ""
    return repository_above(os.path.realpath(folder))


def repository_above(folder: str) -> str:
    """The same for a path without links."""
    for place in upwards(folder):
        if not place or os.path.lexists(f"{place}/.git"):
            break
        if _is_repository(place):
            return place
    return ""


def why_guarded(path: str) -> str | None:
    """Returns why no rule alone lets the absolute ``path`` be written; ``None`` if nothing speaks against it.

    Agents, editors or git obey it. Git also keeps what it obeys in folders of any name: bare repositories, and those
    that a file ``.git`` names.
    """
    from execpolicy.safety.protected import protected

    why = protected(path)
    if why is None and (found := repository_above(path)):
        why = f"`{path}` is in the repository `{found}`, whose settings and hooks git obeys"
    hooks = hooks_folder(path) if why is None else ""
    if hooks and f"{path}/".startswith(f"{hooks}/"):
        why = f"`{path}` is in `{hooks}`, the folder of git's hooks"
    return why


def why_new_repository(path: str) -> str | None:
    """Returns why a file at ``path`` may make its folder a repository, whose settings git obeys; ``None`` if it cannot.

    Git asks for a file ``HEAD`` (git 2.39, ``setup.c``).
    """
    if path[path.rfind("/") + 1 :].lower() != "head":
        return None
    return f"with `{path}` git may take the folder for a repository, whose settings it obeys"


def _is_repository(place: str) -> bool:
    """True if git might take ``place`` for a repository: rather too often, since each version looks in its own way.

    ``HEAD`` may be a link to nothing, ``objects`` and ``refs`` files that may be executed, or both be elsewhere, where
    a file ``commondir`` says (git 2.39, ``setup.c`` and ``path.c``).
    """
    if not os.path.lexists(f"{place}/HEAD"):
        return False
    beside = all(os.path.lexists(f"{place}/{name}") for name in ("objects", "refs"))
    return beside or os.path.lexists(f"{place}/commondir")


def git_folder(folder: str) -> tuple[str, str]:
    """The working tree around the absolute path ``folder``, and where git keeps what belongs to it; empty if none."""
    for place in upwards(folder):
        git = f"{place}/.git"
        if os.path.lexists(git):
            return place, _named(git, place) if os.path.isfile(git) else git  # a linked tree, or a submodule
    return "", ""


def common_folder(git: str) -> str:
    """The folder that ``git``, which may belong to a linked work tree, shares with the others."""
    return _named(f"{git}/commondir", git) if os.path.lexists(f"{git}/commondir") else git


def hooks_folder(path: str) -> str:
    """The folder that ``core.hooksPath`` names in the settings of the repository around the absolute ``path``."""
    tree, git = git_folder(os.path.dirname(path))
    _, hooks = _settings(f"{common_folder(git)}/config") if git else (False, "")
    return os.path.normpath(os.path.join(tree, hooks)) if hooks else ""


def partial_clone(folder: str) -> str:
    """The settings by which git, started in the absolute path ``folder``, may fetch; empty if none is seen."""
    _, git = git_folder(folder)
    if not git:
        return ""
    files = dict.fromkeys((f"{common_folder(git)}/config", f"{git}/config.worktree"))
    return next((file for file in files if _settings(file)[0]), "")


def _named(file: str, beside: str) -> str:
    """The folder that the first line of ``file`` names, from the folder ``beside`` it."""
    with_name = _start(file, _SHORT).removeprefix(b"gitdir:").strip()
    return os.path.join(beside, os.fsdecode(with_name)) if b"\0" not in with_name else beside


def _settings(file: str) -> tuple[bool, str]:
    """True if the settings in ``file`` speak of a partial clone, and the first ``hooksPath`` in them."""
    try:
        state = os.stat(file)
    except (OSError, ValueError):
        return False, ""
    kept = file, state.st_mtime_ns, state.st_size, state.st_ino
    said = _known.get(kept)
    if said is None:
        text = _start(file, _LONGEST)
        partial = state.st_size > _LONGEST or any(word in text.lower() for word in _SAYING)
        lines = text.decode("utf-8", "replace").splitlines()
        values = [line.partition("=")[2] for line in lines if line.strip().lower().startswith("hookspath")]
        hooks = next((value.strip().strip('"') for value in values if value), "")
        if len(_known) >= _REMEMBERED:
            _known.clear()  # by another thread as well: what was looked up is not looked up again
        said = _known[kept] = partial, hooks
    return said


def _start(file: str, most: int) -> bytes:
    try:
        with open(file, "rb") as opened:
            return opened.read(most)
    except (OSError, ValueError):
        return b""


def upwards(path: str) -> Iterator[str]:
    """``path``, which is absolute, and every folder above it without the slash at its end: the root is empty."""
    yield path.rstrip("/")
    while path.strip("/"):  # the root may be written `//`
        path = os.path.dirname(path)
        yield path.rstrip("/")


def project_around(cwd: str, home: str | None) -> str | None:
    """The nearest folder with ``.git`` or ``.codex`` at or above ``cwd``, else ``cwd``; never ``home`` or the root."""
    for folder in upwards(cwd):
        if not folder or folder == home:
            break
        if os.path.lexists(f"{folder}/.git") or os.path.lexists(f"{folder}/.codex"):
            return folder
    return None if cwd in ("/", home) else cwd
