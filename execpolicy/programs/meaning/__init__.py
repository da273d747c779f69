"""The meaning of a command line to its program: grammars, readings, the rules about it."""

from execpolicy.deferred import defer

defer(__name__)
