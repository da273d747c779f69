"""Text that no argument can hold, or that shells do not keep apart from their own marks: what they may read instead."""

from __future__ import annotations

_ALONE = "\ufffd"
"""Stands for what is no character. No rule names it: rules are UTF-8, as is every name that they can match."""


def oddness(text: str) -> str | None:
    """Why ``text`` may be read as another one, if so."""
    if "\0" in text:
        return "a NUL character"
    if "\x01" in text or "\x7f" in text:
        return "a control character that shells use internally"
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return "text that is not valid UTF-8"
    return None


def as_evidence(text: str) -> tuple[str, list[int] | None]:
    """What a shell reads of ``text`` that comes from a file, and where each of its characters stands in ``text``.

    bash, dash, mksh and busybox drop every NUL. What is no character stands for a byte, and is one of a name.
    """
    places = None
    if "\0" in text:
        places = [at for at, char in enumerate(text) if char != "\0"]
        places.append(len(text))
        text = text.replace("\0", "")
    return "".join([_ALONE if "\ud800" <= char <= "\udfff" else char for char in text]), places
