"""Caches the failures of slow rule files of untrusted projects, so that not every check evaluates them again.

A record is named after the text of the file and stored, signed, in the cache of compiled rules. Without a usable cache
the file is evaluated again, within the same limits. A record expires after an hour, because the failure may have been
due to a busy machine.
"""

from __future__ import annotations

import marshal
from _blake2 import blake2b
from time import time

from execpolicy.layers.compiled import read_kept, write_kept
from execpolicy.layers.problems import problem
from execpolicy.value import value
from execpolicy.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.diagnostics.model import Diagnostic
    from execpolicy.source import Source

_LASTS_S = 3600.0
_COSTLY_S = 0.1
"""Seconds below which a failure is not recorded, because evaluating the file again costs no more than a lookup."""
_OF_TEXT = ("EP001", "EP002", "EP006")
"""Codes of errors that depend only on the text and the limits."""


@value
class FailedFiles:
    """The records in the cache folder ``folder``; no records if it is ``None``."""

    folder: str | None

    def find(self, source: Source, seconds: float) -> tuple[Diagnostic, ...]:
        """The recorded errors of ``source`` with a time limit of at least ``seconds``; empty if there is no record."""
        body = None if self.folder is None else read_kept(self.folder, _key(source))
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
        """Records that ``source``, with a limit of ``seconds``, failed after ``spent`` seconds. Never raises."""
        if self.folder is None or spent < _COSTLY_S or any(each.code not in _OF_TEXT for each in found):
            return
        faults = [(each.code, each.message, each.line, each.column, each.help) for each in found]
        write_kept(self.folder, _key(source), marshal.dumps((time(), seconds, faults)))


def _key(source: Source) -> str:
    text = f"failed\0{__version__}\0{source.text}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()
