"""Whether anything that decides about the rules has changed, by looking at it.

Looking finds every kind of change the same way, also those that notifications of the operating system miss: a folder
that is made later, a file that an editor replaces, a link that is pointed elsewhere, a file on a network.
"""

from __future__ import annotations

import os

from execpolicy.layers.discover import config_files
from execpolicy.layers.folders import ancestors
from execpolicy.layers.trusted_folders import record_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from execpolicy.layers.layer_options import LayerOptions

    Fingerprint: TypeAlias = tuple[tuple[object, ...], ...]


def fingerprint(options: LayerOptions) -> Fingerprint:
    """The state of every file and folder that loading ``options`` looks at; equal while nothing changed."""
    found: list[tuple[object, ...]] = []
    for path in (*config_files(options), *([options.requirements] if options.requirements else [])):
        found.append(_state(path))
    for path in (*(options.files or ()), record_path(options.own_home) or ""):
        found.append(_state(path))
    for folder in _folders(options):
        found.append(_state(folder))
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.endswith(".rules"):
                found.append(_state(entry.path))
    return tuple(found)


def _folders(options: LayerOptions) -> list[str]:
    folders = [options.builtin_folder] if options.builtin_folder else []
    for base in (options.system_folder, options.codex_home, options.own_home):
        if base is not None:
            folders.append(os.path.join(base, "rules"))
    if options.project:
        folders += [os.path.join(folder, ".codex", "rules") for folder in ancestors(options.cwd)]
    return folders


def _state(path: str) -> tuple[object, ...]:
    """What changes when the file, or the link, of this name changes."""
    try:
        link = os.lstat(path)
        real = os.stat(path)
    except OSError as error:
        return (path, error.errno)
    times = (link.st_mtime_ns, link.st_ctime_ns, real.st_mtime_ns, real.st_ctime_ns)  # nobody can set a ctime
    return (path, link.st_ino, real.st_dev, real.st_ino, real.st_size, real.st_mode, *times)
