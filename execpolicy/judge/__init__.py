"""From a script to a decision: rules, heuristics and write rules applied to every command that it would run.

This is the one code path behind the command line, the library, approvals and the protocol. It knows people and files
on disk only through :class:`execpolicy.judge.situation.Situation`.
"""

from execpolicy.deferred import defer

defer(__name__)
