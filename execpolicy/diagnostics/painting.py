"""Terminal colours by meaning."""

from __future__ import annotations

from _collections_abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

Paint: TypeAlias = "Callable[[str, str], str]"


_RESET = "\x1b[0m"
_STYLES = {
    "error": "\x1b[1;31m",
    "warning": "\x1b[1;33m",
    "info": "\x1b[1;36m",
    "good": "\x1b[1;32m",
    "allow": "\x1b[32m",
    "prompt": "\x1b[33m",
    "forbidden": "\x1b[31m",
    "place": "\x1b[1m",
    "frame": "\x1b[34m",
    "help": "\x1b[36m",
    "dim": "\x1b[2m",
}


def painter(color: bool) -> Paint:
    """The function that colours a text by a meaning, or returns it unchanged."""
    return (lambda text, meaning: f"{_STYLES[meaning]}{text}{_RESET}") if color else lambda text, meaning: text
