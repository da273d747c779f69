"""Problems as values: created anywhere, printed by the caller. Imports only ``source``."""

from execpolicy.deferred import defer

defer(__name__)
