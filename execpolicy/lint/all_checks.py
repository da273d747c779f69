"""All lint checks, in code order: the files of ``execpolicy.lint.checks``."""

from __future__ import annotations

import os
from importlib import import_module

from execpolicy.lint import checks
from execpolicy.lint.project import Check

_FILES = sorted([name for name in os.listdir(os.path.dirname(checks.__file__)) if name.startswith("ep")])

CHECKS: tuple[Check, ...] = tuple(
    [import_module(f"{checks.__name__}.{name.removesuffix('.py')}").CHECK for name in _FILES]
)
