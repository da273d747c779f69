"""Files that hold rules and that nothing reads, because their name does not end in ``.rules``."""

from __future__ import annotations

import os
from collections.abc import Iterator

from execpolicy.diagnostics.codes import CODES
from execpolicy.diagnostics.model import Diagnostic

_LOOKED_AT = 65_536
_SIGNS = (b"prefix_rule(", b"network_rule(", b"host_executable(")
_NOT_RULES = frozenset((".md", ".rst", ".txt", ".html", ".py", ".json", ".toml", ".jsonl", ".backup"))


def stray_files(folder: str) -> Iterator[Diagnostic]:
    """Yield EP106 for each file below ``folder`` that looks like a rule file and has another ending."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if each != ".git")
        for name in sorted(names):
            if not name.endswith(".rules") and os.path.splitext(name)[1] not in _NOT_RULES:
                path = os.path.join(parent, name)
                if _holds_rules(path):
                    yield Diagnostic(
                        code="EP106",
                        message=f"`{name}` holds rules, but only files that end in `.rules` are read",
                        path=path,
                        severity=CODES["EP106"].severity,
                        help="rename it",
                    )


def _holds_rules(path: str) -> bool:
    if not os.path.isfile(path):  # a pipe would never end
        return False
    try:
        with open(path, "rb") as file:
            start = file.read(_LOOKED_AT)
    except OSError:
        return False
    return any(line.lstrip().startswith(_SIGNS) for line in start.split(b"\n"))
