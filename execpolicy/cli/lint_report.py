"""What ``lint`` prints about its findings."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any

from execpolicy.diagnostics.model import Diagnostic
from execpolicy.diagnostics.render_github import render_github
from execpolicy.diagnostics.render_text import render_text
from execpolicy.diagnostics.summary import counted, statistics, statistics_text, summary


def report(found: Sequence[Diagnostic], form: str | None, files: Sequence[str], *, color: bool, known: int = 0) -> str:
    """The findings in the format ``form``.

    Args:
        form: ``None`` for people; in a GitHub workflow the annotations that it shows beside the lines are added.
        files: the names of all that were looked at.
        known: how many findings a baseline kept out.
    """
    if form is None or form == "text":
        parts = [render_text(found, color=color) + "\n"] if found else []
        if form is None and os.environ.get("GITHUB_ACTIONS") == "true":
            parts.append(render_github(found))
        held = f" ({counted(known, 'finding')} of the baseline not shown)" if known else ""
        return "".join([*parts, summary(found, len(files), color=color), held, "\n"])
    more: dict[str, Any] = {}
    if form == "sarif":
        more["version"] = version("execpolicy")
    elif form == "junit":
        more["files"] = files
    text: str = getattr(import_module(f"execpolicy.diagnostics.render_{form}"), f"render_{form}")(found, **more)
    return text


def report_statistics(found: Sequence[Diagnostic], form: str | None, files: Sequence[str], *, color: bool) -> str:
    """How often each code was found: a table, or a JSON list."""
    if form == "json":
        return json.dumps(statistics(found), indent=2) + "\n"
    return f"{statistics_text(found, color=color)}{summary(found, len(files), color=color)}\n"
