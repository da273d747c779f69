"""Diagnostics as workflow commands, which GitHub shows as annotations."""

from __future__ import annotations

from collections.abc import Iterable

from execpolicy.diagnostics.codes import CODES
from execpolicy.diagnostics.model import Diagnostic, Positions
from execpolicy.diagnostics.render_text import visible

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render_github(found: Iterable[Diagnostic]) -> str:
    """``found``, one command a line."""
    positions = Positions()
    return "".join([f"{_command(diagnostic, positions)}\n" for diagnostic in found])


def _command(diagnostic: Diagnostic, positions: Positions) -> str:
    row = CODES.get(diagnostic.code)
    title = f"{diagnostic.code} {row.name}" if row is not None else diagnostic.code
    fields = [f"file={_property(diagnostic.path)}"]
    if diagnostic.line:
        end_line, end_column = positions.end_of(diagnostic)
        fields += [f"line={diagnostic.line}", f"endLine={end_line}"]
        if end_line == diagnostic.line and diagnostic.column:  # columns only count on a single line
            fields += [f"col={diagnostic.column}", f"endColumn={end_column}"]
    fields.append(f"title={_property(title)}")
    text = visible(diagnostic.message)
    if diagnostic.help is not None:
        text += f"\nhelp: {visible(diagnostic.help)}"
    return f"::{_COMMANDS[diagnostic.severity]} {','.join(fields)}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
