"""A history of commands, to say how often a rule would have matched."""

from __future__ import annotations

import json
from collections import Counter

from execpolicy.core.quoting import split
from execpolicy.core.rules import PrefixRule
from execpolicy.errors import RuleStoreError
from execpolicy.safe_open import open_named


class RunCounts:
    """Commands and how often each was run."""

    def __init__(self, counts: Counter[tuple[str, ...]]) -> None:
        self.counts = counts
        self.total = counts.total()

    @classmethod
    def read(cls, path: str) -> RunCounts:
        """The history in ``path``: a line is a command, or a JSON object with ``argv``. Other lines are left out.

        Raises:
            RuleStoreError: it cannot be read.
        """
        counts: Counter[tuple[str, ...]] = Counter()
        try:
            with open_named(path) as file:
                for line in file:
                    argv = _argv(line.decode("utf-8", "replace").strip())
                    if argv:
                        counts[argv] += 1
        except OSError as error:
            raise RuleStoreError(f"failed to read history {path}: {error.strerror}") from error
        return cls(counts)

    def matched(self, rule: PrefixRule) -> int:
        """How many of the commands ``rule`` matches."""
        return sum(count for argv, count in self.counts.items() if rule.matched_prefix(argv) is not None)


def _argv(line: str) -> tuple[str, ...] | None:
    if line.startswith("{"):
        try:
            argv = json.loads(line).get("argv")
        except ValueError:
            return None
        return tuple(argv) if isinstance(argv, list) and all(isinstance(word, str) for word in argv) else None
    words = split(line)
    return tuple(words) if words else None
