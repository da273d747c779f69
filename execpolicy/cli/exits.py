"""Exit statuses that scripts may rely on."""

from __future__ import annotations

OK = 0
"""There is an answer."""
PROBLEM = 1
"""A rule file has a problem (or: the answer of ``lint``, ``fmt --check``, ``test`` is "not fine")."""
USAGE = 2
"""The call itself is wrong."""
PROMPT = 3
"""``check --exit-code``: a person has to be asked."""
FORBIDDEN = 4
"""``check --exit-code``: forbidden."""
NO_MATCH = 5
"""``check --exit-code --compat …``: no rule matched."""
BROKEN_PIPE = 141
"""Whoever reads the output went away: what a shell says of a program that the signal SIGPIPE ended."""
