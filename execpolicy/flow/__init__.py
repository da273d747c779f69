"""Which values, files and streams there may be in a script, and which there must be."""

from execpolicy.deferred import defer

defer(__name__)
