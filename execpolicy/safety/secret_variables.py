"""Variables of the environment whose value is a secret by their names, or the path of one."""

from __future__ import annotations

import re

from execpolicy.flow.facts import Facts
from execpolicy.safety.secret_names import groups
from execpolicy.safety.secrets import secret_in
from execpolicy.shell.variables import plain_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

_FOUND = groups("secret-variables.txt")
_WITHIN = _FOUND["within"]
_WORDS = frozenset(_FOUND["words"])
_ENDS = _FOUND["ends"]
_STARTS = _FOUND["starts"]
_EXACTLY = frozenset(_FOUND["exactly"])
_NO_SECRETS = frozenset(_FOUND["none"])
_PUBLIC = frozenset(_FOUND["public"])
_SERVICES = frozenset(_FOUND["services"])
_OF_HOSTS = tuple(sorted([name for name in _SERVICES if name in ("DB", "PG") or len(name) > 3]))
"""Also with the name of a host in one word: ``CLOUDAMQP_URL``."""
_ADDRESSES = ("_URL", "_URI", "_URLS")
_SMALL = "npm_config_"
"""The beginning of settings that npm passes to its programs, in small letters."""
_USUAL: dict[str, str] = {}
"""The usual value of a variable that names a secret file."""
for _word in _FOUND["paths"]:
    if _word[0] in "~/.":
        _path = _word
    else:
        _USUAL[_word] = _path
_VARIABLE = re.compile(r"\$(?:\{(\w+)[^}]*\}?|(\w+))[\"']?((?:/[\w.@+-]+)*)")


def own_variables(facts: Facts) -> frozenset[str]:
    """The variables that the script fills and that the environment does not usually contain.

    Another one may still have the value of the environment where it is used: ``echo $TOKEN; TOKEN=x``.
    """
    return frozenset([name for name in facts.assigned if plain_variable(name, facts.script.shell)])


def secret_place(text: str, assigned: Container[str]) -> str | None:
    """The first path in ``text``, shell text, by way of a variable whose usual value makes it a secret's.

    Args:
        assigned: variables to which the script itself gives another value, see :func:`own_variables`.
    """
    for found in _VARIABLE.finditer(text) if "$" in text else ():
        name = found[1] or found[2]
        place = _USUAL.get(name)
        if place is not None and name not in assigned and secret_in(place + found[3]) is not None:
            return found[0].strip("\"'")
    return None


def secret_variable(raw: str) -> str | None:
    """The first variable in the source of a word whose value is a secret by its name; ``None`` if there is none."""
    return next(iter(secret_variables(raw)), None)


def secret_variables(raw: str) -> list[str]:
    """The variables in ``raw``, shell text, whose values are secrets by their names, as often as they stand there.

    The length (``${#X}``) and whether it is set (``${X:+…}``) are no secrets. A name may go on in the next line.
    """
    if "\\\n" in raw:
        joined = secret_variables(raw.replace("\\\n", ""))
        return joined + [name for name in _secret_variables(raw) if name not in joined]
    return _secret_variables(raw)


def _secret_variables(raw: str) -> list[str]:
    found: list[str] = []
    at = raw.find("$")
    while at >= 0:
        start = at + 2 if raw[at + 1 : at + 2] == "{" else at + 1
        if raw[start : start + 1] == "!":
            start += 1
        end = start
        while end < len(raw) and (raw[end].isalnum() or raw[end] == "_"):
            end += 1
        name = raw[start:end]
        if name and _is_secret(name) and raw[end : end + 2] != ":+":
            found.append(name)
        at = raw.find("$", max(end, at + 1))
    return found


def _is_secret(name: str) -> bool:
    """True if a variable of that name usually holds a secret."""
    if name in _EXACTLY or name.startswith(_STARTS):
        return True
    if name.startswith(_SMALL):
        name = name.upper()
    if not name.isupper() or name in _NO_SECRETS:
        return False
    words = set(name.split("_"))
    if any(part in name for part in _WITHIN):
        return True
    if not _PUBLIC.isdisjoint(words):
        return False
    address = name.endswith(_ADDRESSES) and any(
        one in _SERVICES or one.startswith(_OF_HOSTS) or one.endswith(_OF_HOSTS) for one in words
    )
    return address or name.endswith(_ENDS) or not _WORDS.isdisjoint(words)
