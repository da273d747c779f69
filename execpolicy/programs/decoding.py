"""What texts stand for that are written in other letters: base64 and its kin, digits, and what is packed in those.

``exec(zlib.decompress(b64decode("eJx…")))`` says as much as its plain text does. Every way is tried, and what comes out
and is text counts. It is evidence for restricting: nobody asks which way the program takes.

Sources: RFC 4648 (base16, base32, base64 and its alphabet for addresses), RFC 1924 and Python's ``base64`` (base85),
RFC 1950 and 1952 (zlib, gzip).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SHORTEST = 4
_SHORTEST_RUN = 6
"""Letters in a row that are text, where the bytes between are none: what ``pickle`` and ``marshal`` hold."""
_LONGEST = 20_000
"""Bytes that are unpacked; nobody writes a longer program that way, and a short text may stand for gigabytes."""
_SHORTEST_DENSE = 10
"""Letters of base85 and base32 that say a command of two words, where names could be written with the same letters."""
_SHORTEST_HIGH = 5
"""Letters of base85 that say ``rm x``, where some are none of a name."""
_SHORTEST_PACKED = 10
"""Bytes of a compressed text that says anything."""
_MEMORY = 1 << 27
"""Bytes that an unpacker may take."""
_FOUND: dict[str, tuple[str, ...]] = {}
_REMEMBERED, _LONG = 512, 2_000
"""Texts whose meaning is kept, and letters of the longest: the same constant is asked about in many ways."""
_HIGH_BASES = frozenset("!#$%&()*-;<>?@^`{|}~")
"""Letters of base85 that base64 and names do not have."""
_TEXT_BITS = range(0x20, 0x7F)


def decoded(text: str) -> tuple[str, ...]:
    """What ``text``, which is written in one of these ways, stands for; without blanks around it."""
    if len(text) > _LONG:
        return _decoded(text)
    found = _FOUND.get(text)
    if found is None:
        if len(_FOUND) >= _REMEMBERED:
            _FOUND.clear()
        found = _FOUND[text] = _decoded(text)
    return found


def _decoded(text: str) -> tuple[str, ...]:
    packed = "".join(text.split()) if "\n" in text else text
    packed = packed.rpartition(";base64,")[2] if packed.startswith("data:") else packed
    if len(packed) < _SHORTEST or not packed.isascii() or any(map(str.isspace, packed)):
        return ()
    found: dict[str, None] = {}
    for way in _ways(packed):
        try:
            data = way(packed)
        except ValueError:
            continue
        for plain in (data, *_unpacked(data)):
            found.update(dict.fromkeys(_texts(plain)))
    found.pop(packed, None)
    return tuple(found)


def of_number(digits: str) -> Iterator[str]:
    """The text whose bytes a large number has, in either order: ``(7451614741135717224).to_bytes(8, "big")``."""
    number = int(digits, 0 if digits[:1] == "0" and digits[1:2] in ("x", "X") else 10)
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    for each in (data, data[::-1]):
        if each.isascii() and _is_text(each.decode("ascii")):
            yield each.decode("ascii").strip()


def mixed(text: str, key: int) -> str:
    """``text`` with each letter XORed with ``key``; empty where that is no text."""
    found = "".join([chr(ord(char) ^ key) for char in text])
    return found if found.isascii() and _is_text(found) else ""


def _ways(text: str) -> Iterator[Callable[[str], bytes]]:
    from binascii import a2b_base64, a2b_hex

    body = text.rstrip("=")
    if len(text) % 2 == 0:
        yield a2b_hex
    if body.replace("-", "").replace("_", "").replace("+", "").replace("/", "").isalnum():
        yield lambda text: a2b_base64(body.translate(_STANDARD) + "=" * (-len(body) % 4))
        if len(body) >= _SHORTEST_DENSE and (body.isupper() or (body.islower() and not body.isalpha())):
            import base64

            yield lambda text: base64.b32decode(body.upper() + "=" * (-len(body) % 8))
    high = not _HIGH_BASES.isdisjoint(text)
    dense = _SHORTEST_HIGH if high else _SHORTEST_DENSE
    if len(text) >= dense and not text.isalpha() and (high or text.isalnum()):
        import base64

        yield base64.b85decode
        yield lambda text: base64.a85decode(text.removeprefix("<~").removesuffix("~>"))


_STANDARD = str.maketrans("-_", "+/")


def _unpacked(data: bytes) -> Iterator[bytes]:
    """What ``data`` holds, if it is compressed; of very much the beginning."""
    if data[:3] == b"BZh":
        import bz2

        try:
            yield bz2.BZ2Decompressor().decompress(data, _LONGEST)
        except (OSError, EOFError):
            return
    elif data[:6] == b"\xfd7zXZ\0":
        import lzma

        try:
            yield lzma.LZMADecompressor(memlimit=_MEMORY).decompress(data, _LONGEST)
        except (lzma.LZMAError, EOFError):
            return
    elif len(data) >= _SHORTEST_PACKED and not data.isascii():
        import zlib

        for bits in (zlib.MAX_WBITS | 32, -zlib.MAX_WBITS):  # zlib and gzip, and without a head
            try:
                yield zlib.decompressobj(bits).decompress(data, _LONGEST)
            except zlib.error:
                continue


def _texts(data: bytes) -> Iterator[str]:
    """``data`` as text, or the texts in it where it is none."""
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        text = ""
    if text and _is_text(text):
        yield text.strip()
        return
    run: list[str] = []
    for byte in (*data, 0):
        if byte in _TEXT_BITS:
            run.append(chr(byte))
            continue
        if len(run) >= _SHORTEST_RUN and " " in run:
            yield "".join(run).strip()
        run = []


def _is_text(text: str) -> bool:
    return all(char.isprintable() or char in "\n\t\r" for char in text)
