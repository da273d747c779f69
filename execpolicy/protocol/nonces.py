"""Which nonces were seen: a second one is a replay (seed 004, section 3.1)."""

from __future__ import annotations

from collections import OrderedDict

REMEMBERED = 100_000


class Nonces:
    """Remembers the last :data:`REMEMBERED` nonces."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, None] = OrderedDict()

    def replayed(self, nonce: str | None) -> bool:
        """Whether ``nonce`` was seen before; it is from now on. No nonce is no replay."""
        if nonce is None:
            return False
        if nonce in self._seen:
            return True
        self._seen[nonce] = None
        if len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        return False
