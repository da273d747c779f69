"""File names whose content is a secret, and devices that are no files: reading those is for a person to allow."""

from __future__ import annotations

from os.path import normpath

from execpolicy.core.text import bracket_end, glob_matches
from execpolicy.safety.secret_names import (
    COMMON_FILES,
    COPIES,
    DATA,
    ENDINGS,
    ENDS,
    FILES,
    FOLDERS,
    KEPT_AS,
    KEYS,
    PARTS,
    PLACES,
    SAMPLES,
    SAYING,
    SAYING_AT_HOME,
    SAYING_LAST,
    SPEAKING,
    STARTS,
    WHERE,
)

_MOST = 64
"""Alternatives of a pattern with braces that are looked at one by one."""
_UNSEEN = dict.fromkeys((*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF))
"""Characters that HFS+ ignores in names, as git knows them (``.g\u200cit``)."""
_LONGEST = 4096
"""Characters of a pattern with braces whose alternatives are looked at."""
_LONGEST_NAME = 255
"""Characters of a file's name, on usual file systems."""
_SAYING = 4
"""Letters of a pattern that must be known for it to be made to find one of the rarer names."""
_NAMED = COMMON_FILES | FILES
_BARE = _NAMED | FOLDERS
"""Those of letters and digits alone are all such names that are secret: every other sign of one has a mark in it."""
_SAYING_LAST = tuple([f"_{word}" for word in sorted(SAYING_LAST)])
_FOUND = tuple(sorted(COMMON_FILES | FOLDERS))
_FOUND_EASILY = tuple(sorted(_NAMED | FOLDERS))
"""Parts of a pattern that say enough of a name."""
_LYING_BELOW: dict[str, str] = {}
"""Each folder above usual secrets to the first of them; made when it is first asked about a folder from the root."""
_DEVICES = frozenset(("null", "stdin", "stdout", "stderr", "shm", "fd"))
"""Names below ``/dev`` that can be read like a file; ``zero`` and ``full`` never end."""


def secret_matching(pattern: str, *, hidden: bool = False) -> str | None:
    """Returns what is secret about the files that the shell pattern ``pattern`` is made to find, ``None`` if
    nothing is known.

    A pattern that takes everything, or everything with one ending (``*``, ``*.json``), is not made to find
    secrets. In the shell a leading ``*`` does not match the dot of a hidden file; for ``find`` it does (``hidden``).
    """
    question = pattern, hidden
    known = _matched.get(question)
    if known is None:
        if len(_matched) >= _REMEMBERED:  # by another thread as well: what was looked up is not looked up again
            _matched.clear()
        known = _matched[question] = (_secret_matching(_folded(pattern), hidden=hidden),)
    return known[0]


_REMEMBERED = 4_096
_matched: dict[tuple[str, bool], tuple[str | None]] = {}
"""Results of :func:`secret_matching`, each alone in a tuple: evidence asks again for each text that words may be."""


def _secret_matching(pattern: str, *, hidden: bool) -> str | None:
    if pattern.startswith(PLACES):
        return f"`{pattern}` usually holds secrets"
    parts = pattern.split("/")
    if pattern.startswith("/dev/") and _wild(pattern) and not parts[2].startswith(("shm", "fd", "std")):
        return f"`{pattern}` finds devices"
    return _secret_of_parts(pattern, parts, hidden=hidden)


def _secret_of_parts(pattern: str, parts: list[str], *, hidden: bool) -> str | None:
    for part in parts[:-1]:
        if _wild(part):
            if len(part) > _LONGEST_NAME:
                return "a pattern that is longer than any name may find secrets"
            wide = _widened(part)
            if part[:1] not in "*?" and any(glob_matches(wide, name) for name in FOLDERS):
                return f"`{part}` finds folders that usually hold secrets"
        elif part in FOLDERS:
            return f"files in `{part}` are usually secrets"
    name = parts[-1]
    if not _wild(name):
        return secret_in(pattern)
    if len(name) > _LONGEST_NAME:
        return "a pattern that is longer than any name may find secrets"
    if name.endswith(KEYS):
        return f"`{name}` looks for private keys"
    if name.endswith(ENDS):
        return f"`{name}` finds what usually holds secrets"
    core = name.strip("*?")
    if len(parts) > 1:
        found = _place_found(pattern)
        if found is not None:
            return found
    if not core and not (hidden and "*" not in name):  # `????` as find takes it
        return None
    ending = name[:2] == "*." and not _wild(name[2:])
    wide = _widened(name)
    begun = wide[0] not in "*?"
    for secret in _FOUND_EASILY if len(core) >= _SAYING and not ending else _FOUND:
        if begun and secret[0] != wide[0]:
            continue
        if (ending and secret != name[1:]) or (secret[0] == "." and name[0] in "*?" and not hidden):
            continue
        if glob_matches(wide, secret):
            return f"`{name}` finds `{secret}`, which usually holds secrets"
    for secret in (".env.local", ".env~"):
        if name.startswith(".") and glob_matches(wide, secret):
            return f"`{name}` finds `{secret}`, which usually holds secrets"
    return None


def _alternatives(pattern: str) -> list[str]:
    """Returns what the braces of ``pattern`` stand for; of many, one pattern that finds them all and more."""
    found = [pattern]
    if len(pattern) <= _LONGEST and pattern.count(",") <= _MOST and pattern.count("{") <= _MOST:
        while len(found) <= _MOST:
            opened = [part for each in found for part in _opened(each)]
            if opened == found:
                return found
            found = opened
    return [pattern[: pattern.index("{")] + "*" + pattern[pattern.rindex("}") + 1 :]]


def _opened(pattern: str) -> list[str]:
    """``pattern`` with each alternative of its first innermost braces, itself where it has none."""
    close = pattern.find("}")
    start = pattern.rfind("{", 0, max(close, 0))
    if start < 0:
        return [pattern]
    return [pattern[:start] + part + pattern[close + 1 :] for part in pattern[start + 1 : close].split(",")]


def _wild(text: str) -> bool:
    return "*" in text or "?" in text or "[" in text


def _widened(pattern: str) -> str:
    """A shell pattern that finds what ``pattern`` may find and more: what is in brackets is any character.

    ``^``, ``~`` and ``#`` may be operators of patterns in zsh, as an unseen ``.zshenv`` may set it.
    """
    simple: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        close = bracket_end(pattern, at) if char == "[" else -1
        if char == "\\":
            at += 1
            follower = pattern[at : at + 1]
            simple.append("?" if follower in ("*", "?", "[") else follower)
        elif close > 0:
            simple.append("?")
            at = close
        elif char in "^~" and simple and at + 1 < len(pattern):
            return "".join([*simple, "*"])
        elif char == "#" and simple:
            simple[-1] = "*"
        else:
            simple.append(char)
        at += 1
    return "".join(simple)


def secret_in(path: str) -> str | None:
    """Returns what is secret (or not a file) about ``path``, as a phrase; ``None`` if nothing is known against
    reading it.

    The text is taken as a path as it is: no link is followed. Capitals are the same as small letters: to some file
    systems, and to programs that are asked to search so.
    """
    # A row of questions to one path, each of which may end it.
    path = _folded(path)
    if path == "." or (path.isalnum() and path not in _BARE):
        return None
    if "{" in path and "," in path and path.find("{") < path.rfind("}"):  # rg -g '{a,.env}'
        alternatives = _alternatives(path)
        if alternatives != [path]:
            return next((found for each in alternatives if (found := secret_in(each)) is not None), None)
    if ":" in path:  # HEAD:.env, host:.netrc
        found = secret_in(path[path.index(":") + 1 :])
        if found is not None:
            return found
    if "?" in path or "%" in path:  # in an address: `contents/.env?ref=main`, `files/%2Eenv`
        named = path.partition("?")[0]
        if "%" in named:
            from urllib.parse import unquote

            named = unquote(named).lower()
        found = secret_in(named) if named not in ("", path) else None
        if found is not None:
            return found
    if "//" in path or "/." in path:
        kept = normpath(path)  # `/etc//shadow`, `~/.docker/./config.json`
        if kept != path and not path.startswith("//") and "/dev" not in path:
            found = secret_in(kept)
            if found is not None:
                return found
    if path.startswith(":("):  # the magic words of a path in git: `:(glob).e*`
        return secret_matching(path.partition(")")[2], hidden=True)
    if _wild(path.rpartition("/")[2]):  # quoted, for a program that finds names itself: `git grep x -- '.e*'`
        found = secret_matching(path, hidden=True)
        if found is not None:
            return found
    parts = path.split("/")
    name = parts[-1]
    if name in _NAMED or _is_shaped(name):
        return f"`{name}` usually holds secrets"
    if _says_so(name, parts):
        return f"`{path}` is a secret by its name"
    for part in parts:
        if part in FOLDERS:
            return f"files in `{part}` are usually secrets"
    if name.endswith(KEYS) and name not in KEYS:
        return f"`{name}` looks like a private key"
    if ("/" + path).endswith(ENDINGS):
        return f"`{path}` usually holds secrets"
    if path.startswith(PLACES):
        return f"`{path}` usually holds secrets"
    if path.startswith("/proc/") and name == "mem":
        return f"`{path}` is the memory of a process"
    if (name == "kmsg" or name.startswith("trace_pipe") or "usbmon" in parts) and path.startswith(("/proc/", "/sys/")):
        return f"`{path}` tells everything once: what is read is gone, or what is typed"
    if path.startswith("/inet"):
        return f"`{path}` is a network connection for gawk"
    if path.startswith(("/dev/", "//")) or "/../dev/" in path:
        real = [part for part in parts if part not in ("", ".")]
        if len(real) > 1 and real[0] == "dev" and (real[1] not in _DEVICES or ".." in real):
            return f"`{path}` is a device"
    original = _copied(name)
    return None if original is None else secret_in(path[: len(path) - len(name)] + original)


def _folded(path: str) -> str:
    """``path`` as file systems compare it: APFS folds `ſ` to `s`, HFS+ leaves out what is unseen."""
    return path.lower() if path.isascii() else path.translate(_UNSEEN).casefold()


def _copied(name: str) -> str | None:
    """The name of the file that one of this name is a copy of, made by an editor or a person."""
    if not name.endswith(COPIES):
        return None
    ending = next(each for each in COPIES if name.endswith(each))
    if len(name) <= len(ending) + 1:
        return None
    hidden = ending in (".swp", ".swo") and name[:1] == "." and not _is_shaped(name[: -len(ending)])
    return name[1 if hidden or ending == "#" else 0 : -len(ending)]


def _is_shaped(name: str) -> bool:
    """True if a file of this name is a secret by the shape of the name, and no sample of one."""
    shaped = name.endswith(ENDS) or name.startswith(STARTS)
    shaped = shaped or (name.endswith(KEPT_AS) and any(part in name for part in PARTS))
    return shaped and not name.endswith(SAMPLES)


def _says_so(name: str, parts: list[str]) -> bool:
    """True if a file is called by a word for a secret: anywhere one of data, any in a program's own folder at home."""
    stem, _, endings = name.lstrip(".").partition(".")
    stem = stem.replace("-", "_")
    ending = endings.rpartition(".")[2]
    known = ending in DATA and not any(sample in "." + endings for sample in SAMPLES)
    if known and (stem in SAYING or stem.endswith(_SAYING_LAST)) and SPEAKING.isdisjoint(parts[:-1]):
        return True
    return stem in SAYING_AT_HOME and (known or not endings) and _at_home(parts)


def _at_home(parts: list[str]) -> bool:
    """True if a path leads into a hidden folder of a user's home."""
    inside = _homely("/".join(parts)).split("/")
    return len(inside) > 2 and inside[0] == "~" and inside[1][:1] == "."


def exposing_root(folder: str) -> str | None:
    """Returns what is secret below ``folder``, which a program reads whole; ``None`` if nothing is known to lie there.

    The text is taken as it is written: ``~``, ``$HOME`` and the homes of other users are homes.
    """
    if folder[:1] not in ("/", "~", "$", '"'):
        return None
    root = _homely(folder.lower().strip('"'))
    if root[:1] not in ("/", "~"):
        return None
    above = root.rstrip("/") + "/"
    if above in ("/home/", "/users/"):
        above = "~/"
    if not _LYING_BELOW:
        for each in reversed(WHERE):
            _LYING_BELOW.update({each[: at + 1]: each for at, char in enumerate(each) if char == "/"})
    place = _LYING_BELOW.get(above)
    return None if place is None else f"`{folder}` contains secrets such as `{place}`"


def behind_process(path: str) -> str:
    """Returns what ``path`` names that goes by way of a process: its root is the root, its folder may be any."""
    parts = path.split("/")
    if parts[:2] == ["", "proc"]:
        for at, part in enumerate(parts[3:], 3):
            if part == "root" or (part == "cwd" and ".." in parts[at:]):
                return "/" + ("/".join(parts[at + 1 :]) if part == "root" else "")
    return path


def _homely(path: str) -> str:
    """``path`` with ``~`` for any home and ``self`` for any process."""
    path = behind_process(path)
    if ".." in path or "//" in path or "/." in path:
        path = normpath(path)
    for home in ("${home}", "$home", "/root"):
        if path == home or path.startswith(home + "/"):
            return "~" + path[len(home) :]
    parts = path.split("/")
    if parts[0][:1] == "~":
        parts[0] = "~"
    elif len(parts) > 2 and parts[1] in ("home", "users") and parts[2]:
        parts[:3] = ["~"]
    elif len(parts) > 2 and parts[1] == "proc" and (parts[2].isdigit() or parts[2] == "thread-self"):
        parts[2] = "self"
    if parts[1:4] == ["proc", "self", "task"] and len(parts) > 4 and parts[4].isdigit():  # a thread, as the process
        del parts[3:5]
    return "/".join(parts)


def _place_found(pattern: str) -> str | None:
    """The secret that ``pattern`` finds by walking down to where it usually lies: ``/etc/*``, ``/home/*/*rc``."""
    parts = _homely(pattern).split("/")
    if parts[0] not in ("", "~"):
        return None
    for place in WHERE:
        names = place.split("/")
        if len(names) == len(parts) and all(
            (name[:1] != "." or part[:1] not in "*?") and glob_matches(_widened(part), name)
            for part, name in zip(parts, names, strict=True)
        ):
            return f"`{pattern}` finds `{place}`, which usually holds secrets"
    return None


_BETWEEN_PATHS = dict.fromkeys(map(ord, "\"'`$(){}<>|&;,=\n\t"), " ")
_SHORTEST = 3
"""Letters of a name or pattern that says something: `.e*`."""


def secret_named(text: str) -> str | None:
    """The first part of a script that names a secret file or a pattern for some, whatever the script does with it."""
    for part in dict.fromkeys(text.translate(_BETWEEN_PATHS).split()):
        name = part.rpartition(":-")[2]  # ${x:-~/.netrc}
        if len(name) < _SHORTEST or (name.isalnum() and name not in _NAMED):
            continue
        problem = secret_matching(name) if _wild(name) else secret_in(name)
        if problem is not None:
            return name
    return None
