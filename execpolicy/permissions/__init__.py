"""Approval of tool calls: wildcard permissions, approval modes and a pattern gate."""

from execpolicy import public_names
from execpolicy.deferred import defer

defer(__name__)
__getattr__, __dir__ = public_names(__name__)
