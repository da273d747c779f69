"""TOML to plain values, with an error that says where."""

from __future__ import annotations

import tomllib
from typing import Any

from execpolicy.exchange.settings_text import broken
from execpolicy.source import Source


def parse_toml(source: Source) -> dict[str, Any]:
    """The table that ``source`` holds.

    Raises:
        RuleFileError: it is no TOML; line and column are those of the file.
    """
    try:
        return tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        raise broken(source, _message(error), _offset(source, error)) from None
    except RecursionError:
        raise broken(source, "it is nested too deep") from None


def _message(error: tomllib.TOMLDecodeError) -> str:
    text = str(error).split(" (at ")[0]
    return text[:1].lower() + text[1:]


def _offset(source: Source, error: tomllib.TOMLDecodeError) -> int:
    """Where the parser stopped: it tells line and column in its message."""
    found = str(error).rpartition("(at ")[2].rstrip(")")
    if not found.startswith("line "):
        return len(source.text)
    line, _, column = found.removeprefix("line ").partition(", column ")
    lines = source.text.split("\n")
    return sum(len(each) + 1 for each in lines[: int(line) - 1]) + int(column) - 1
