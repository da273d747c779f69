"""Whether a tool call may run and who is asked: wildcard permissions, approval modes, and a pattern gate."""

from execpolicy.deferred import defer

defer(__name__)
