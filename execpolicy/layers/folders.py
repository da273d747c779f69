"""The folders around a working folder."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def project_root(cwd: str, markers: Sequence[str]) -> str:
    """The nearest folder at or above ``cwd`` that holds one of ``markers``, or ``cwd`` if there is none."""
    for folder in ancestors(cwd):
        for marker in markers:
            if os.path.exists(os.path.join(folder, marker)):
                return folder
    return cwd


def ancestors(folder: str) -> list[str]:
    """``folder`` and the folders above it, nearest first."""
    found = [folder]
    while (parent := os.path.dirname(folder)) != folder:
        found.append(parent)
        folder = parent
    return found
