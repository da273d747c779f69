"""Problems as values: made anywhere, printed at the edge. Knows only ``source``."""

from execpolicy.deferred import defer

defer(__name__)
