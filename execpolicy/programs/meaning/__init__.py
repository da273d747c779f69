"""What a command line means to its program, however it is spelt: grammars, readings, the rules that are about it."""

from execpolicy.deferred import defer

defer(__name__)
