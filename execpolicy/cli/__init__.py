"""The command line: each command parses its arguments, calls one function, prints and returns a status.

It decides nothing itself.
"""

from execpolicy.deferred import defer

defer(__name__)
