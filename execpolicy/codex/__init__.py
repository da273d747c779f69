"""What Codex does, kept as it is measured: nothing below this package knows how another program reads."""

from execpolicy.deferred import defer

RANGES = (("codex-0.169", "codex-0.170", "codex-0.171"),)
"""The versions of Codex in ranges that answer alike. The first and the last of a range were recorded (0.169.0, 0.171.0:
``tests/data/peer``); what lies between is taken to be the same. A range goes by its first name."""

VERSIONS = tuple([name for names in RANGES for name in names])
"""Every version that can be named."""

PROFILES = ("default", *VERSIONS)

defer(__name__)
