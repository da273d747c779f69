"""Remembers rule files of untrusted projects that took long to fail, so that not every check evaluates them again.

A record is named after the text of the file and lies, signed, in the cache of compiled rules. Without a usable cache
the file is evaluated again, within the same limits. After an hour it is in any case: the machine may have been busy.
"""

from __future__ import annotations

import marshal
from _blake2 import blake2b
from time import time

from execpolicy.layers.compiled import read_kept, write_kept
from execpolicy.layers.problems import problem
from execpolicy.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.diagnostics.model import Diagnostic
    from execpolicy.source import Source

_LASTS_S = 3600.0
_COSTLY_S = 0.1
"""What fails sooner is evaluated again: that costs no more than to look for a record."""
_OF_TEXT = ("EP001", "EP002", "EP006")
"""Codes of faults that depend on the text and the limits alone."""


class FailedFiles:
    """The records in the cache folder ``folder``; none if it is ``None``."""

    __slots__ = ("_folder",)

    def __init__(self, folder: str | None) -> None:
        self._folder = folder

    def find(self, source: Source, seconds: float) -> tuple[Diagnostic, ...]:
        """Why ``source`` failed in ``seconds`` or more; nothing if that is not known."""
        body = None if self._folder is None else read_kept(self._folder, _key(source))
        if body is None:
            return ()
        at, given, faults = marshal.loads(body)
        if given < seconds or not 0 <= time() - at < _LASTS_S:
            return ()
        return tuple(
            [
                problem(code, message, source.name, line=line, column=column, help=help)
                for code, message, line, column, help in faults
            ]
        )

    def add(self, source: Source, seconds: float, spent: float, found: Sequence[Diagnostic]) -> None:
        """Remember that ``source``, which was given ``seconds``, failed after ``spent`` of them. Never raises."""
        if self._folder is None or spent < _COSTLY_S or any(each.code not in _OF_TEXT for each in found):
            return
        faults = [(each.code, each.message, each.line, each.column, each.help) for each in found]
        write_kept(self._folder, _key(source), marshal.dumps((time(), seconds, faults)))


def _key(source: Source) -> str:
    text = f"failed\0{__version__}\0{source.text}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()
