"""``bash -lc SCRIPT args…``: which script an argv hands to a shell.

The option grammar is that of the shells: bash 5.2 (``shell.c``'s documented invocation), dash, ksh93/mksh and zsh.
"""

from __future__ import annotations

from execpolicy.core.text import word_set
from execpolicy.shell.script import SHELLS
from execpolicy.value import KW_ONLY, value

_ALIASES = {"rbash": "bash", "ash": "sh", "mksh": "ksh", "ksh93": "ksh", "lksh": "ksh", "pdksh": "ksh", "oksh": "ksh"}
_LONG = word_set(
    "debug debugger dump-po-strings dump-strings help login noediting noprofile norc posix pretty-print protected "
    "restricted verbose version wordexp"
)
"""Long options of bash without a value; bash also takes them with one dash."""
_LONG_VALUE = frozenset(("init-file", "rcfile"))
_PLAIN_LONG = frozenset(("login", "norc", "noprofile", "noediting"))
_PLAIN_LETTERS = frozenset("celu")
_PLAIN_NAMES = frozenset(("errexit", "nounset", "pipefail", "xtrace"))


@value
class Launched:
    """A script handed to a shell.

    Attributes:
        script: its text.
        shell: ``bash``, ``sh``, ``zsh``, ``dash`` or ``ksh``.
        login: whether it is a login shell (start-up files run first).
        positional: ``$0 $1 …`` as given behind the script.
        odd: option words that change what runs or how it is read (``-i``, ``--rcfile``, ``-O``, ``-s``, ``-k`` …);
            with any of them nothing may be granted for the script.
        index: the place of the script in the argv.
        traced: whether the shell prints what it runs (``-x``, ``-o xtrace``).
    """

    script: str
    shell: str
    index: int
    _: KW_ONLY
    login: bool
    positional: tuple[str, ...]
    odd: tuple[str, ...]
    traced: bool = False


def shell_name(program: str) -> str | None:
    """The shell that ``program`` names (any path, ``.exe`` and a login dash allowed), or ``None``."""
    name = program[program.rfind("/") + 1 :]
    if "\\" in name:
        name = name[name.rfind("\\") + 1 :]
    if name in SHELLS:
        return name
    name = name.lower()
    name = name.removesuffix(".exe")
    name = name.removeprefix("-")
    stem = name.split(".", 1)[0]
    for candidate in (name, stem, stem.rstrip("0123456789-")):
        if candidate in SHELLS:
            return candidate
        if candidate in _ALIASES:
            return _ALIASES[candidate]
    return None


def launched_script(argv: tuple[str, ...] | list[str]) -> Launched | None:
    """The script that ``argv`` runs with ``-c``, or ``None`` when it is not a shell with a script text."""
    if len(argv) < 3:
        return None
    shell = shell_name(argv[0])
    if shell is None:
        return None
    if (argv[1] == "-c" or argv[1] == "-lc") and argv[2][:1] not in ("-", "+"):
        odd = ("-l",) if argv[1] == "-lc" and shell == "dash" else ()
        return Launched(argv[2], shell, 2, login=argv[1] == "-lc", positional=tuple(argv[3:]), odd=odd)
    return _walk(argv, shell)


def _walk(argv: tuple[str, ...] | list[str], shell: str) -> Launched | None:
    odd: list[str] = []
    wants = login = traced = False
    at = 1
    while at < len(argv):
        word = argv[at]
        if word == "--" or word == "-":
            at += 1
            break
        if word[:1] not in ("-", "+") or len(word) < 2:
            break
        at += 1
        name = word[2:] if word.startswith("--") else word[1:]
        long = word[0] == "-" and (word.startswith("--") or name in _LONG or name in _LONG_VALUE)
        if long and (shell in ("bash", "sh") or word.startswith("--")):
            key = name.partition("=")[0]
            login = login or key == "login"
            if key not in _PLAIN_LONG:
                odd.append(word)
            if key in _LONG_VALUE and "=" not in name:
                at += 1
            continue
        for letter in word[1:]:
            if letter == "c" and word[0] == "-":
                wants = True
            elif letter == "l" and word[0] == "-":
                login = True
            elif letter == "x":
                traced = True
            elif letter in "oO":
                if at < len(argv):
                    traced = traced or argv[at] == "xtrace"
                    if letter == "O" or argv[at] not in _PLAIN_NAMES:
                        odd.append(f"{word} {argv[at]}")
                    at += 1
                else:
                    odd.append(word)
            elif letter not in _PLAIN_LETTERS or (word[0] == "+" and letter in "cl"):
                odd.append(word)
    if not wants or at >= len(argv):
        return None
    positional = tuple(argv[at + 1 :])
    return Launched(argv[at], shell, at, login=login, positional=positional, odd=tuple(odd), traced=traced)
