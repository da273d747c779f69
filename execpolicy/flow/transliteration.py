"""A static version of ``tr``: letters replaced, deleted and squeezed, byte by byte.

Checked against GNU coreutils 9.1, which takes bytes for characters.
"""

from __future__ import annotations

from execpolicy.flow.filters import unescape

_LONG = {"--delete": "d", "--squeeze-repeats": "s", "--complement": "c", "--truncate-set1": "t"}


def tr(args: list[str], stdin: bytes, shell: str) -> bytes | None:
    flags, at = "", 0
    while at < len(args) and args[at][:1] == "-" and len(args[at]) > 1:
        flags += _LONG.get(args[at], args[at][1:])
        at += 1
    sets = [_tr_set(arg) for arg in args[at:]]
    if not set(flags) <= set("cCdst") or not 1 <= len(sets) <= 2 or any(chars is None for chars in sets):
        return None
    first, second = sets[0] or b"", (sets[1] if len(sets) == 2 else None) or b""
    if "c" in flags.lower():
        first = bytes(sorted(set(range(256)).difference(first)))
    if "d" in flags:
        if len(sets) != (2 if "s" in flags else 1):
            return None
        return _squeezed(stdin.translate(None, first), second)
    if not second:
        return _squeezed(stdin, first) if "s" in flags and len(sets) == 1 else None
    if "t" in flags:
        first = first[: len(second)]
    wide = second[: len(first)] + second[-1:] * (len(first) - len(second))
    table = bytearray(range(256))
    for source, target in zip(first, wide, strict=True):
        table[source] = target
    return _squeezed(stdin.translate(bytes(table)), second if "s" in flags else b"")


def _squeezed(text: bytes, chars: bytes) -> bytes:
    """``text`` with each row of one of ``chars`` as one of it."""
    kept = bytearray()
    for byte in text:
        if not kept or byte != kept[-1] or byte not in chars:
            kept.append(byte)
    return bytes(kept)


def _tr_set(text: str) -> bytes | None:
    if text.startswith("-"):
        return None
    for name, chars in (
        ("[:lower:]", "abcdefghijklmnopqrstuvwxyz"),
        ("[:upper:]", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        ("[:digit:]", "0123456789"),
        ("[:space:]", "\t\n\v\f\r "),
        ("[:blank:]", "\t "),
    ):
        text = text.replace(name, chars)
    if "[:" in text or "[=" in text:
        return None
    raw = unescape(text, leading_zero=False)[0]
    out = bytearray()
    at = 0
    while at < len(raw):
        if at + 2 < len(raw) and raw[at + 1] == 45 and raw[at] <= raw[at + 2]:
            out += bytes(range(raw[at], raw[at + 2] + 1))
            at += 3
        else:
            out.append(raw[at])
            at += 1
    return bytes(out)
