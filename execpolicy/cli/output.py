"""Where answers and problems are written: lines as UTF-8, diagnostics in colour if somebody looks at them."""

from __future__ import annotations

import os

from execpolicy.cli.jsontext import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

    from execpolicy.diagnostics.model import Diagnostic


def write_line(stdout: TextIO, text: str) -> None:
    """Write ``text`` and a newline as UTF-8, whatever the locale."""
    data = encode(text + "\n")
    buffer = getattr(stdout, "buffer", None)
    if buffer is None:
        stdout.write(data.decode())
    else:
        buffer.write(data)
    stdout.flush()


def wants_color(stream: TextIO) -> bool:
    """Whether ``stream`` is a terminal and nobody asked for no colour."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def write_diagnostics(stream: TextIO, found: Iterable[Diagnostic]) -> None:
    """Write ``found`` for people."""
    from execpolicy.diagnostics.render_text import render_text

    stream.write(render_text(found, color=wants_color(stream)))
