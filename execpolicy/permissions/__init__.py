"""Approval of tool calls: wildcard permissions, approval modes and a pattern gate."""

from execpolicy.deferred import defer

defer(__name__)
