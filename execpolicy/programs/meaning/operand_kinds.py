"""How a word of a rule is compared with a word of a command, by the kind that a record gives to an operand.

``docs/records.md`` lists the kinds. Every comparison has one of three results: ``NOT``, ``POSSIBLY``, ``SURELY``.
"""

from __future__ import annotations

from functools import lru_cache
from posixpath import normpath

from execpolicy.core.matches import NOT, POSSIBLY, SURELY
from execpolicy.programs.names import MAX_PATTERN, base_name, fits_glob, fnmatch_pattern
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Said: TypeAlias = str | Word
    """A word of a command: its text, or the word itself if it is only known at run time."""

EVERY = "\0every"
"""An operand that means all that there are, as ``--all`` does."""
OPEN = "\0open"
"""Any operand."""
_ALL_OPERANDS = frozenset(["name", "ref-to", "unit"])
_GLOBS = frozenset(["ref-to", "unit"])
_REFS = ("refs/heads/", "heads/")
_VERSION = "[<>=!~;@ "
_REGISTRIES = ("docker.io/", "index.docker.io/", "library/")
_FRONTS = {
    "image": (*_REGISTRIES, *[f"{host}{_REGISTRIES[-1]}" for host in _REGISTRIES[:-1]]),
    "ref": _REFS,
    "ref-to": _REFS,
}
"""Text that may stand in front of a name."""
_PORTS = {"http": ":80", "https": ":443"}
_WHOLE_TREE = frozenset([".", ":/", ":/.", ":(top)", ":(top).", "*", "**", ":"])
_NINE_BITS = 3


def _word(text: str) -> tuple[str, ...]:
    return _path(text) if "/" in text or text[:1] == "." else (text,)


def _path(text: str) -> tuple[str, ...]:
    return (normpath(text) if text else text,)


def _text(text: str) -> tuple[str, ...]:
    return (text,)


def _target(text: str) -> tuple[str, ...]:
    return text, text.rstrip(",")  # `mix do a, b`


def _pathspec(text: str) -> tuple[str, ...]:
    if text in _WHOLE_TREE:
        return (".",)
    return _path(text.removeprefix(":/").removeprefix(":(top)"))


def _ref(text: str) -> tuple[str, ...]:
    for start in _REFS:
        if text.startswith(start):
            return (text[len(start) :],)
    return (text,)


def _ref_to(text: str) -> tuple[str, ...]:
    return ("*",) if text in (":", "+:") else _ref(text.lstrip("+").rpartition(":")[2])


def _gradle(text: str) -> tuple[str, ...]:
    return text, text.rpartition(":")[2]


def _mode(text: str) -> tuple[str, ...]:
    if text.isdigit():
        return (text.lstrip("0") or "0",)
    bits: dict[str, int] = dict.fromkeys("ugo", 0)
    exact: set[str] = set()
    for clause in text.split(","):
        sign = next((char for char in clause if char in "+-="), "")
        who, _, what = clause.partition(sign) if sign else (clause, "", "")
        value = sum({"r": 4, "w": 2, "x": 1}.get(char, 0) for char in set(what))
        for each in "ugo" if "a" in who else [char for char in who if char in bits]:
            bits[each] = value if sign == "=" else bits[each] | value if sign == "+" else bits[each] & ~value
            exact.update(each if sign == "=" else "")
    if all(each in exact or value == sum((4, 2, 1)) for each, value in bits.items()):
        return ("".join(map(str, bits.values())).lstrip("0") or "0",)
    return (text,)


def _owner(text: str) -> tuple[str, ...]:
    owner, _, group = text.replace(".", ":", 1).partition(":")
    owner = "root" if owner == "0" else owner
    return (f"{owner}:{group}", owner) if group else (owner,)


def _package(text: str) -> tuple[str, ...]:
    text = text.lower().replace("_", "-")
    end = next((at for at, char in enumerate(text) if at and char in _VERSION), len(text))
    return text, text[:end]


def _image(text: str) -> tuple[str, ...]:
    for start in _REGISTRIES:
        text = text.removeprefix(start)
    folder, slash, last = text.partition("@")[0].rpartition("/")
    name = folder + slash + last.partition(":")[0]
    return (text, name) if text != name else (name, f"{name}:latest")


def _unit(text: str) -> tuple[str, ...]:
    return (text.removesuffix(".service"),)


def _url(text: str) -> tuple[str, ...]:
    scheme, _, rest = text.rpartition("://")
    scheme = scheme.lower() or "http"
    host, slash, path = rest.partition("/")
    host = host.lower().removesuffix(_PORTS.get(scheme, " "))
    return (f"{scheme}://{host}{slash or '/'}{path}",)


def _host(text: str) -> tuple[str, ...]:
    text = text.removeprefix("ssh://").rstrip("/").lower()
    return text, text.rpartition("@")[2], text.rpartition("@")[2].partition(":")[0]


def _db(text: str) -> tuple[str, ...]:
    if "://" in text:
        scheme, _, rest = text.replace("postgresql:", "postgres:", 1).partition("?")[0].partition("://")
        place, _, name = rest.partition("/")
        return f"{scheme}://{rest}", f"{scheme}://{place.rpartition('@')[2].partition(':')[0]}/{name}", name
    named = [part[7:] for part in text.split() if part.startswith("dbname=")]
    return (text, *named)


def parts_of_db(text: str) -> tuple[str, str, str]:
    """The host, the port and the user that the address of a database says; ``""`` for each that it does not say."""
    if "://" in text:
        user, _, place = text.partition("://")[2].partition("/")[0].rpartition("@")
        host, _, port = place.partition(":")
        return host, port, user.partition(":")[0]
    said = {key: value for key, _, value in [part.partition("=") for part in text.split()]}
    return said.get("host", ""), said.get("port", ""), said.get("user", "")


def _caseless(text: str) -> tuple[str, ...]:
    return (text.lower(),)


_NAMES: dict[str, Callable[[str], tuple[str, ...]]] = {
    "caseless": _caseless,
    "console": _text,
    "db": _db,
    "gradle": _gradle,
    "host": _host,
    "image": _image,
    "mode": _mode,
    "name": _text,
    "owner": _owner,
    "package": _package,
    "path": _path,
    "pathspec": _pathspec,
    "ref": _ref,
    "ref-to": _ref_to,
    "script": _path,
    "remote": _text,
    "target": _target,
    "text": _text,
    "unit": _unit,
    "url": _url,
    "word": _word,
}
KINDS = frozenset(_NAMES)
_EXACT = KINDS - {"console", "gradle", "mode", "name", "pathspec", "ref", "ref-to", "remote", "unit"}
"""Kinds whose words are the same only if they share a name."""


@lru_cache(maxsize=4096)
def names_of(kind: str, text: str) -> tuple[str, ...]:
    """The names under which ``text`` is known as an operand of this kind, the most exact one first."""
    return _NAMES[kind](text)


def is_nameless(said: Said) -> bool:
    """True if of the path ``said`` at most the folder is known."""
    if isinstance(said, str) or said.suffix or said.number or said.kind in ("glob", "process"):
        return False
    found = said.span.start == said.span.end  # a program fills it in: what it finds in `.` begins so
    return said.prefix[-1:] in ("", "/") or (found and said.prefix == ".")


def known_as(kind: str, text: str) -> tuple[str, ...]:
    """The names of ``text``, and ``OPEN`` if it may be the same as a word that does not share one of them."""
    names = _NAMES[kind](text)
    if kind in _EXACT:
        return names
    globs = kind in _GLOBS and any("*" in name or "?" in name for name in names)
    cut = kind in ("gradle", "console") or (kind == "mode" and len(names[0]) > _NINE_BITS)
    is_open = globs or cut or text == EVERY or is_relative(kind, text)
    return (*names, OPEN) if is_open else names


def same(kind: str, wanted: str, said: Said) -> int:
    """How surely the word ``said`` of a command is what the word ``wanted`` of a rule says."""
    if not isinstance(said, str):
        return _may_be(kind, wanted, said)
    if said == EVERY:
        return SURELY if kind in _ALL_OPERANDS or (kind == "pathspec" and _pathspec(wanted) == (".",)) else NOT
    names, name = names_of(kind, said), names_of(kind, wanted)[0]
    if said == wanted or name in names:
        return SURELY
    if kind in _GLOBS and any(fits_glob(name, each) for each in names if "*" in each or "?" in each):
        return SURELY
    if kind == "console" and _is_cut_short(name, said):
        return SURELY
    if is_relative(kind, said) or (kind == "gradle" and _is_camel_case(name, names[1])):
        return POSSIBLY
    return POSSIBLY if kind == "mode" and len(names[0]) > _NINE_BITS and names[0][-_NINE_BITS:] == name else NOT


def is_relative(kind: str, text: str) -> bool:
    """True if only the state of the repository says what ``text`` is: ``HEAD`` for a push, ``-``, a remote's URL."""
    if kind == "ref-to":
        return _ref_to(text)[0] in ("HEAD", "@", "")
    if kind == "ref":
        return text == "-" or text.startswith("@{-")
    return kind == "remote" and ("/" in text or ":" in text or text[:1] == ".")


def _is_cut_short(whole: str, text: str) -> bool:
    """``mi:f`` for ``migrate:fresh``."""
    parts, given = whole.split(":"), text.split(":")
    return len(parts) == len(given) and all(map(str.startswith, parts, given)) and "" not in given


def _is_camel_case(whole: str, text: str) -> bool:
    """``pTML`` for ``publishToMavenLocal``."""
    return len(text) > 1 and _is_cut_short(
        *["".join([f":{char}" if char.isupper() else char for char in each]) for each in (whole, text)]
    )


def _may_be(kind: str, wanted: str, word: Word) -> int:
    """How surely a word that is only known at run time is ``wanted``: the parts of it that are known must fit."""
    prefix, suffix = word.prefix, word.suffix
    if wanted[:1] == "-" and not word.may_start_with_dash():
        return NOT
    if kind == "ref-to":
        if ":" in suffix:
            return same(kind, wanted, suffix.rpartition(":")[2])
        prefix = prefix.lstrip("+").rpartition(":")[2]
    if word.number:
        return POSSIBLY if wanted.lstrip("-").isdigit() else NOT
    if word.kind == "process":
        return POSSIBLY if wanted.startswith("/dev/fd/") else NOT
    if word.kind == "glob" and word.pattern:
        return POSSIBLY if _glob_fits(word.pattern, wanted) else NOT
    last, glob = base_name(wanted), base_name(word.pattern or "")
    if last and 0 < len(glob) <= MAX_PATTERN and not fits_glob(last, fnmatch_pattern(glob)):
        return NOT  # what `find -name` finds
    name = names_of(kind, wanted)[0]
    relative = "/" if prefix[:1] == "/" else ""  # `./` and `../` may lead anywhere
    starts = [prefix, names_of(kind, prefix)[0].lstrip(".") if prefix.strip("./") else relative]
    if word.absolute and not prefix:
        starts = [""] if kind in ("path", "word", "pathspec") or wanted[:1] == "/" else []
    spelled = (name, wanted, *[front + name for front in _FRONTS.get(kind, ())])
    begins = any(each.startswith(start) for each in spelled for start in starts)
    begins = begins or (kind == "mode" and prefix[:1] not in "1234567")
    ends = any(each.endswith(suffix) for each in (name, wanted, f"/{name}")) or suffix.endswith(f"/{name}")
    return POSSIBLY if begins and (ends or kind in ("image", "mode", "owner", "package", "url")) else NOT


def _glob_fits(pattern: str, token: str) -> bool:
    if len(pattern) > MAX_PATTERN:
        return True
    parts, names = pattern.removeprefix("./").split("/"), token.removeprefix("./").split("/")
    return len(parts) == len(names) and all(
        fits_glob(name, fnmatch_pattern(part)) and (name[:1] != "." or part[:1] in (".", "\\"))
        for part, name in zip(parts, names, strict=True)
    )
