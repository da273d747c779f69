"""Which nonces were seen: a second one is a replay (seed 004, section 3.1)."""

from __future__ import annotations

from execpolicy.protocol.recent import Recent

REMEMBERED = 50_000


class Nonces:
    """Remembers at least the last :data:`REMEMBERED` nonces."""

    def __init__(self) -> None:
        self._seen: Recent[bool] = Recent(REMEMBERED)

    def replayed(self, nonce: str | None) -> bool:
        """Whether ``nonce`` was seen before; it is from now on. No nonce is no replay."""
        if nonce is None:
            return False
        if self._seen.get(nonce):
            return True
        self._seen.put(nonce, True)
        return False
