"""Files that decide what agents may do, or that tools run unasked: writing one needs a person in spite of any rule.

What agents obey is in their records (:mod:`execpolicy.safety.agent_places`). Sources for the others: githooks(5),
direnv(1), the settings of agents that ask no hook, and the task files of editors.
"""

from __future__ import annotations

import os
from _collections_abc import Iterable, Sequence

from execpolicy.core.path_rules import component_matches
from execpolicy.core.text import word_set
from execpolicy.safety.agent_places import PLACES

_OTHERS = (
    *("~/.config/execpolicy/", "/etc/execpolicy/", "~/.local/state/execpolicy/", "~/.cache/execpolicy/"),
    *("execpolicy.toml", "requirements.toml"),
    *(".continue/", ".roo/", "mcp_settings.json", ".augment/", "~/.config/zed/", ".zed/", ".vscode/", ".idea/"),
    *("~/.config/Code/", "/Library/Application Support/Code/"),
    *(".husky/", ".pre-commit-config.yaml", "lefthook.yml", ".envrc", ".direnv/", "~/.config/direnv/"),
    *(".git/", "~/.config/git/", ".gitconfig", "/etc/gitconfig", ".gitmodules"),
    *(".bashrc", ".bash_profile", ".bash_login", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile"),
    *(".zlogin", ".kshrc", ".mkshrc"),
)
"""The last of them are read by the shells that agents start, and can give every command another meaning."""
_SHARED = word_set(".github .config .cache .local state share etc library documents") | {"application support"}
"""Folders that hold other things too, in which one name counts."""
_AMONG = {around: (around, ".config", ".cache", ".local") for around in ("etc", ".config")}
"""Where a program that has a folder in one of them may have others; ``.local`` means what lies in ``.local/share``
and ``.local/state``."""


def _known(paths: Iterable[str]) -> tuple[frozenset[str], frozenset[str], frozenset[tuple[str, str]]]:
    """The names of folders and of files that count wherever they lie, and those that count in a shared folder."""
    folders: set[str] = set()
    files: set[str] = set()
    inside: set[tuple[str, str]] = set()
    for path in paths:
        parts = path.lower().lstrip("~/").split("/")
        at = _own(parts)
        if at:
            around = _around(parts, at)
            inside.update([(each, parts[at]) for each in _AMONG.get(around, (around,))])
        else:
            (folders if len(parts) > 1 else files).add(parts[at])
    return frozenset(folders), frozenset(files), frozenset(inside)


def _own(parts: Sequence[str]) -> int:
    """Where in a path the first name is that is not shared with other things."""
    return next(at for at, part in enumerate(parts) if part.lower() not in _SHARED or at == len(parts) - 1)


def _around(parts: Sequence[str], at: int) -> str:
    return parts[at - 2] if at > 1 and parts[at - 1] in ("share", "state") else parts[at - 1]


_PATHS = (*_OTHERS, *[path for place in PLACES.values() for path in place.files])
_FOLDERS, _FILES, _INSIDE = _known(_PATHS)
_DOTTED = tuple([name for name in sorted(_FOLDERS | _FILES | {around for around, _ in _INSIDE}) if name[0] == "."])


def protected(path: str) -> str | None:
    """Returns why the normalised absolute ``path`` is not written unasked, one line; ``None`` if nothing speaks
    against it.
    """
    parts = [part.lower() for part in path.split("/")]  # macOS and Windows do not tell case
    if parts[-1] in _FILES or parts[-1].endswith(".rules"):
        return f"`{path}` decides what agents may do or what a tool runs"
    for at, part in enumerate(parts):
        if at and (_around(parts, at), part) in _INSIDE:
            return f"`{path}` is a file that an agent or a tool obeys or runs"
        if part in _FOLDERS:
            return f"`{path}` belongs to an agent, an editor or a hook that runs unasked"
    values = tuple(map(os.environ.get, _VARIABLES))
    moved = _MOVED.get(values)
    if moved is None:
        _MOVED.clear()
        moved = _MOVED[values] = _moved_folders(values)
    if any(path == folder or path.startswith(f"{folder}/") for folder in moved):
        return f"`{path}` belongs to an agent, whose folder a variable names"
    return None


_VARIABLES = tuple(
    {"XDG_CONFIG_HOME": 0} | {name.partition("/")[0]: 0 for place in PLACES.values() for name, _ in place.moved}
)


_MOVED: dict[tuple[str | None, ...], tuple[str, ...]] = {}
"""The last result of ``_moved_folders``, which is called for every path, seldom with other values."""


def _moved_folders(values: tuple[str | None, ...]) -> tuple[str, ...]:
    """The agents' folders that ``_VARIABLES`` with these ``values`` name."""
    environ = {name: value for name, value in zip(_VARIABLES, values, strict=True) if value is not None}
    return tuple([folder for place in PLACES.values() for folder in place.moved_folders(environ)])


def protected_in(root: str) -> tuple[str, ...]:
    """The outermost folders and files in ``root`` that are protected; a folder ends with a slash."""
    found: set[str] = set()
    for path in _PATHS:
        parts = path.removeprefix("~/").split("/")
        at = _own(parts)
        if not path.startswith("/") and (at == 0 or parts[0] in (".config", ".github")):
            found.add("/".join(parts[: at + 1]) + "/" * (at < len(parts) - 1))
    return tuple([f"{root}/{name}" for name in sorted(found)])


def protected_on_machine() -> tuple[str, ...]:
    """The outermost folders and files below ``/etc`` that are protected."""
    below = [path.split("/") for path in _PATHS if path.startswith("/etc/")]
    return tuple(sorted({"/".join(parts[: _own(parts[1:]) + 2]) for parts in below}))


def may_be_protected(pattern: str) -> bool:
    """True if the glob ``pattern`` may find a protected file, as far as it says where the files lie.

    A part that begins with a dot, as most of the names do, or one in a folder that has such a name.
    """
    parts = pattern.lower().split("/")
    globs = [any(char in part for char in "*?[") for part in parts]
    for at, part in enumerate(parts):
        if part[:1] == "." and globs[at] and any(component_matches(part, name) for name in _DOTTED):
            return True
        around = _around(parts, at) if at else ""
        if around[:1] == "." and (globs[at] or globs[at - 1]):
            pairs = [name for outer, name in _INSIDE if component_matches(around, outer)]
            if any(component_matches(part, name) for name in pairs):
                return True
    return False


def holds_protected(folder: str, roots: tuple[str, ...]) -> bool:
    """True if one of ``roots``, in which agents look for what they obey, is ``folder`` or lies in it."""
    return any(f"{root.rstrip('/')}/".startswith(f"{folder.rstrip('/')}/") for root in roots)
