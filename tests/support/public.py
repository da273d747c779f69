"""Every public name, of ``execpolicy`` and of the packages below."""

from importlib import import_module
from typing import Any

import execpolicy
from execpolicy import homes

PACKAGES = ("execpolicy", *[f"execpolicy.{part}" for part in execpolicy.PARTS])
MODULES = {name: import_module(name) for name in PACKAGES}
PUBLIC: dict[str, Any] = {name: getattr(MODULES[package], name) for package in PACKAGES for name in homes(package)}
HOMES = {name: home for package in PACKAGES for name, home in homes(package).items()}
REPORTING = ("exchange", "formatting", "insight", "lint", "testing", "types")
"""Packages that report: their values are made there, never by a host."""
OF_REPORTS = {name for part in REPORTING for name in homes(f"execpolicy.{part}")} - set(homes())
BUILT = {name: thing for name, thing in PUBLIC.items() if name not in OF_REPORTS}
