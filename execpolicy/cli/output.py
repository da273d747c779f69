"""Output: JSON in the format of serde_json, lines in UTF-8, diagnostics in colour, exit statuses.

JSON is written without the ``json`` module, whose import costs half of a check.
"""

from __future__ import annotations

import os
from _collections_abc import Iterable

from execpolicy.diagnostics import render_text as diagnostics_render_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

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
    """True if ``stream`` is a terminal and colour is not switched off."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def write_diagnostics(stream: TextIO, found: Iterable[Diagnostic]) -> None:
    """Write ``found`` as text for people."""
    stream.write(diagnostics_render_text.render_text(found, color=wants_color(stream)))


def dumps(value: Any, *, pretty: bool = False) -> str:
    """``value`` (dicts, lists, strings, integers, bools, ``None``) as one line, or indented by two blanks."""
    return _pretty(value, "\n") if pretty else _compact(value)


class _Context:
    """The context object that the C function behind :func:`json.loads` reads."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_int, parse_float, parse_constant = int, float, float


def loads(text: str) -> Any:
    """The same value as :func:`json.loads` returns for ``text``.

    Raises:
        ValueError: it is not JSON.
    """
    stripped = text.strip(" \t\n\r")
    try:
        from _json import make_scanner

        value, end = make_scanner(_Context)(stripped, 0)  # type: ignore[arg-type]  # any object with these attributes
        if end == len(stripped):
            return value
    except (ImportError, StopIteration, SystemError, ValueError):
        pass  # ``json`` has better error messages; until it is loaded, the C function cannot even raise its error
    import json

    return json.loads(text)


def _quote(text: str) -> str:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    # The C function behind json.dumps(…, ensure_ascii=False). Loading it takes 0.1 ms.
    from _json import encode_basestring

    return encode_basestring(text)


def _compact(value: Any) -> str:
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, dict):
        return "{" + ",".join([f"{_quote(key)}:{_compact(item)}" for key, item in value.items()]) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([_compact(item) for item in value]) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


def _pretty(value: Any, newline: str) -> str:
    inner = newline + "  "
    if isinstance(value, dict) and value:
        items = [f"{_quote(key)}: {_pretty(item, inner)}" for key, item in value.items()]
        return "{" + inner + ("," + inner).join(items) + newline + "}"
    if isinstance(value, (list, tuple)) and value:
        return "[" + inner + ("," + inner).join([_pretty(item, inner) for item in value]) + newline + "]"
    return _compact(value)


def encode(text: str) -> bytes:
    """UTF-8; a lone surrogate (from an argument that is not UTF-8) becomes ``\\udcXX``."""
    return text.encode("utf-8", "backslashreplace")


OK = 0
"""There is an answer."""
PROBLEM = 1
"""A rule file has a problem, or ``lint``, ``fmt --check`` or ``test`` fails."""
USAGE = 2
"""The call itself is invalid."""
PROMPT = 3
"""``check --exit-code``: the command prompts."""
FORBIDDEN = 4
"""``check --exit-code``: forbidden."""
NO_MATCH = 5
"""``check --exit-code --compat …``: no rule matched."""
BROKEN_PIPE = 141
"""The reader of the output is gone: the status that a shell reports for a program ended by SIGPIPE."""
