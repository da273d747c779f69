"""The behaviour of Codex as measured. Only this package contains the parsing of another program."""

from execpolicy.deferred import defer

VERSIONS = ("codex-0.169", "codex-0.170", "codex-0.171")
"""The versions of Codex with identical answers.

The first and the last were recorded (0.169.0, 0.171.0: ``tests/data/peer``); the one between is assumed to be equal.
"""

PROFILES = ("default", *VERSIONS)

defer(__name__)
