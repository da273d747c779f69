"""Does something again whenever files change, until somebody stops it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator

import click

_EVERY = 0.3
"""Seconds between two looks."""
_CLEAR = "\x1b[2J\x1b[H"


def watch(targets: Iterable[str], again: Callable[[], object], *, clear: bool) -> None:
    """Call ``again`` now and after every change of the files and folders ``targets``. Ends by Ctrl-C alone.

    Args:
        clear: empty the screen before each time.
    """
    named = tuple(targets)
    before: object = None
    while True:
        now = tuple(_state(named))
        if now != before:
            before = now
            if clear:
                click.echo(_CLEAR, nl=False)
            again()
            click.echo("watching; end with Ctrl-C", err=True)
            sys.stdout.flush()
        time.sleep(_EVERY)


def _state(targets: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    for target in targets:
        yield from _of(target)
        for folder, folders, names in os.walk(target):
            folders.sort()
            for name in sorted(names):
                if name.endswith(".rules"):
                    yield from _of(os.path.join(folder, name))


def _of(path: str) -> Iterator[tuple[str, int, int]]:
    try:
        found = os.stat(path)
    except OSError:
        yield path, 0, 0
    else:
        yield path, found.st_mtime_ns, found.st_size
