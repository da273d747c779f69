"""How many words name what a program does: the prefix that is worth saving beside the exact command."""

from __future__ import annotations

from collections.abc import Sequence

from execpolicy.core.banned import is_banned
from execpolicy.programs.breadth import hands_over
from execpolicy.programs.names import base_name
from execpolicy.programs.shelf import record_of


def reusable_prefix(tokens: Sequence[str]) -> tuple[str, ...] | None:
    """The part of ``tokens`` that says what is done without saying to what: ``git push`` of ``git push origin main``.

    ``None`` where no such part is known: no word at all, an unknown program, an option in between, a prefix that is too
    broad.
    """
    if not tokens:
        return None  # a redirection alone
    record = record_of(base_name(tokens[0]))
    usual, *others = record.task.split() if record is not None and record.task else ["0"]
    exceptions = dict([other.split("=") for other in others])
    second = tokens[1] if len(tokens) > 1 else ""
    count = int(exceptions.get(second, usual))
    if not count or count > len(tokens):
        return None
    prefix = tuple(tokens[:count])
    options = [word for word in prefix[1:] if word.startswith("-")]
    if len(options) > 1 or (options and not (second in options and second in exceptions)):
        return None
    return None if is_banned(prefix) or hands_over(prefix) else prefix
