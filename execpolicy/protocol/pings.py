"""Pings that were sent, and how many of the other side's are answered."""

import time

from execpolicy.protocol.recent import Recent

_REMEMBERED = 500
_AT_ONCE, _A_SECOND = 20.0, 2.0


class Pings:
    """Knows which ping ends an exchange: one with an id that was sent from here, or answered before."""

    def __init__(self) -> None:
        self._sent: Recent[bool] = Recent(_REMEMBERED)
        self._room, self._counted_at = _AT_ONCE, time.monotonic()

    def sent(self, id: str) -> None:
        """A ping with this ``id`` goes out: whatever has it now is its answer."""
        self._sent.put(id, True)

    def to_answer(self, id: str) -> bool:
        """Whether a ping with this ``id`` is answered.

        A side that answers answers would make the two talk for ever: so many are answered at once, then a few.
        """
        if self._sent.get(id):
            return False
        now = time.monotonic()
        self._room = min(_AT_ONCE, self._room + (now - self._counted_at) * _A_SECOND)
        self._counted_at = now
        if self._room < 1:
            return False
        self._room -= 1
        return True
