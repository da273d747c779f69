"""The behaviour of Codex as measured. Only this package contains the parsing of another program."""

from execpolicy.deferred import defer

RANGES = (("codex-0.169", "codex-0.170", "codex-0.171"),)
"""The versions of Codex in ranges with identical answers.

The first and the last of a range were recorded (0.169.0, 0.171.0: ``tests/data/peer``); those between are assumed to be
identical. A range has the name of its first version.
"""

VERSIONS = sum(RANGES, ())
"""Every version name."""

PROFILES = ("default", *VERSIONS)

defer(__name__)
