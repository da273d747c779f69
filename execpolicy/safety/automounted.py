"""Folders in which looking for a name asks another machine: ``/net/HOST`` of autofs(5) and of automount(8) of macOS.

Whoever looks for ``/net/HOST/x`` lets the automounter ask name servers for ``HOST`` and mount what it exports.
"""

from __future__ import annotations

from execpolicy.flow.facts import Facts

SERVED = "/net"
"""The folder that autofs and macOS serve unless they are told otherwise (``/net -hosts`` of auto.master)."""
_BETWEEN = dict.fromkeys(map(ord, "\"'`$(){}<>|&;,=:\n\t"), " ")


def automounted(facts: Facts) -> bool:
    """True if the script names such a machine, or the folder, anywhere: in a loop, a condition, a redirection."""
    parts = facts.script.text.translate(_BETWEEN).split()
    return any(part == SERVED or part.startswith(SERVED + "/") for part in parts)
