"""The programs that are installed under the name of an entry, with their versions."""

from __future__ import annotations

import functools
import os
import shutil
from typing import NamedTuple

from tests.support.running import run_captured
from tests.support.tracing import BUILTINS

SEVERAL = {"busybox": "busybox", "toybox": "toybox"}
"""Programs that are many others, chosen by the name that they are started with."""
_FOLDERS = os.pathsep.join(
    [folder for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if not folder.endswith("/shims")]
)
"""Where programs are looked for: not among the scripts of version managers, which start a program of that name."""
AWKS = ("original-awk", "mawk", "gawk")


class Implementation(NamedTuple):
    """A program as it is installed.

    Attributes:
        version: what it says of itself, one short line.
        target: the file that runs; ``bash`` or ``dash`` for a builtin.
        builtin: it is a command of the shell ``target``.
    """

    version: str
    target: str
    builtin: bool = False


def implementations(program: str) -> list[Implementation]:
    """What is installed under the name ``program`` here; empty if nothing is."""
    found: list[Implementation] = []
    path = shutil.which(program, path=_FOLDERS)
    if path is not None and _stands_in(path):
        path = None
    if program in BUILTINS or program in ("set", "unset", "trap", "mapfile", "readarray"):
        found += [Implementation(_version(shell), shell, builtin=True) for shell in ("bash", "dash")]
    targets = {os.path.realpath(path): path} if path else {}
    if program == "awk":
        for name in AWKS:
            other = shutil.which(name)
            if other:
                targets.setdefault(os.path.realpath(other), other)
    found += [Implementation(_version(each), each) for each in targets.values()]
    for name in SEVERAL:
        if program in _applets(name):
            found.append(Implementation(_version(name), str(shutil.which(name))))
    return found


def _stands_in(path: str) -> bool:
    """Whether a script in ``/usr/local/bin`` stands in for a program that no package has installed."""
    with open(path, "rb") as file:
        head = file.read(500)
    own = head.startswith(b"#!/usr/bin/env -S python") or b"Stands in for" in head
    return own and path.startswith("/usr/local/bin/")


@functools.cache
def _applets(name: str) -> frozenset[str]:
    path = shutil.which(name)
    if path is None:
        return frozenset()
    argv = [path, "--list"] if name == "busybox" else [path]
    shown = run_captured(argv)
    return frozenset(shown.stdout.split())


@functools.cache
def _version(program: str) -> str:
    """The package that holds the program and its version, as Debian names them; what it prints itself otherwise."""
    path = os.path.realpath(shutil.which(program) or program)
    for name in (path, path.removeprefix("/usr")):
        owner = run_captured(["dpkg", "-S", name])
        package = owner.stdout.partition(":")[0]
        if owner.returncode == 0 and package:
            shown = run_captured(["dpkg-query", "-W", "-f", "${Version}", package])
            return f"{package} {shown.stdout}"
    return os.path.basename(path)
