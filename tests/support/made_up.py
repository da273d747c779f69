"""Commands with made-up tokens in them, see ``tests/data/secrets``."""

from __future__ import annotations

import random
import re
import string
from pathlib import Path

from execpolicy.core.quoting import split

FOLDER = Path(__file__).parents[1] / "data/secrets"
_HEXADECIMAL = "0123456789abcdef"
_ALPHABETS = {
    "a62": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "alow": string.ascii_lowercase,
    "low": string.ascii_lowercase + string.digits,
    "up": string.ascii_uppercase + string.digits,
    "up32": "0123456789ABCDEFGHJKMNPQRSTVWXYZ",
    "lowkz": "klmnopqrstuvwxyz",
    "A32": string.ascii_uppercase + "234567",
    "u64": string.ascii_letters + string.digits + "-_",
    "b64": string.ascii_letters + string.digits + "+/",
    "b58": "".join(sorted(set(string.ascii_letters + string.digits) - set("0OIl"))),
    "hex": _HEXADECIMAL,
    "HEX": _HEXADECIMAL.upper(),
    "d": string.digits,
}
_PART = re.compile(r"\{(\w+):(\d+)\}|\{(uuid|UUID)\}")


def made_up(name: str, rounds: int) -> list[tuple[str, tuple[str, ...]]]:
    """The commands of a file, each with what it is; those with made-up parts ``rounds`` times."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for line in (FOLDER / name).read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        kind, _, text = line.partition(" | ")
        for each in range(rounds if _PART.search(text) else 1):
            words = split(_filled(text, random.Random(f"{each} {line}")))
            assert words, line
            found.append((kind, tuple(words)))
    return found


def _filled(text: str, chance: random.Random) -> str:
    def part(found: re.Match[str]) -> str:
        kind, count, uuid = found.groups()
        if uuid is None:
            return "".join(chance.choices(_ALPHABETS[kind], k=int(count)))
        alphabet = _ALPHABETS["hex" if uuid == "uuid" else "HEX"]
        return "-".join(["".join(chance.choices(alphabet, k=size)) for size in (8, 4, 4, 4, 12)])

    return _PART.sub(part, text)
