"""Detects changes of the files and folders that define the rules, by polling.

Polling finds every kind of change the same way. It also finds those that notifications of the operating system miss: a
folder that is created later, a replaced file, a retargeted link, a file on a network.
"""

from __future__ import annotations

import os

from execpolicy.layers.discover import config_files
from execpolicy.layers.folders import ancestors
from execpolicy.layers.trust import record_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.layers.layer_options import LayerOptions


def fingerprint(options: LayerOptions) -> tuple[tuple[object, ...], ...]:
    """The state of every file and folder that a load with ``options`` reads; equal if nothing changed."""
    paths = (*config_files(options), options.requirements, *(options.files or ()), record_path(options.own_home))
    found = [_state(path) for path in paths if path]
    for folder in _folders(options):
        found.append(_state(folder))
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        found += [_state(entry.path) for entry in entries if entry.name.endswith(".rules")]
    return tuple(found)


def _folders(options: LayerOptions) -> list[str]:
    bases = (options.system_folder, options.codex_home, options.own_home)
    folders = [os.path.join(base, "rules") for base in bases if base is not None]
    folders += [options.builtin_folder] if options.builtin_folder else []
    if options.project:
        folders += [os.path.join(folder, ".codex", "rules") for folder in ancestors(options.cwd)]
    return folders


def _state(path: str) -> tuple[object, ...]:
    """A state that changes if the file or the link at this path changes."""
    try:
        link = os.lstat(path)
        real = os.stat(path)
    except OSError as error:
        return (path, error.errno)
    times = (link.st_mtime_ns, link.st_ctime_ns, real.st_mtime_ns, real.st_ctime_ns)  # no program can set a ctime
    return (path, link.st_ino, real.st_dev, real.st_ino, real.st_size, real.st_mode, *times)
