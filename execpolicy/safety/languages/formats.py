"""Small forms of single words.

Which names a regular expression of a filter finds, in the dialects of grep, sed, awk and their like.

Evidence for asking: an expression that is not understood, or that could take long to try, is taken to find every name.
"""

from __future__ import annotations

import re
from _collections_abc import Iterable

from execpolicy.core.text import bracket_end
from execpolicy.safety.secret_names import COMMON_FILES
from execpolicy.shell.variables import stays_in_shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Dialect = Literal["fixed", "basic", "extended", "perl"]


def variable_refusal(text: str) -> str | None:
    """Returns why no script may fill the variable ``text``; ``None`` if one may (what zsh adds is seen elsewhere)."""
    if not (text.isascii() and text.isidentifier()):
        return "is not a plain variable name"
    return None if stays_in_shell(text, "bash") else "is a variable that may change what programs do"


# fmt: off
_HIDDEN = (
    "pass", "token", "secret", "extraheader", "apikey", "api_key", "api-key", "privatekey", "private_key", "conninfo",
    "connstr", "cookie",
)
# fmt: on
_SECTIONS = frozenset(("http", "proxy", "auth", "sendemail", "imap"))
"""Groups of settings in which such a one is, of git and gcloud."""


def setting_refusal(text: str) -> str | None:
    """Returns why the setting ``text`` (or those that such a pattern finds) is not to be shown; ``None`` if it is
    plain.
    """
    name = text.lower().replace("\\", "")
    if any(word in name.replace("/", ".").rpartition(".")[2] for word in _HIDDEN):
        return "is a setting that holds what opens doors"
    return "is a group of settings, one of which is a password" if name.strip("^$.*/") in _SECTIONS else None


# fmt: off
_HOLDERS = (
    "http.extraheader", "http.https://example.com/.extraheader", "sendemail.smtppass", "sendemail.work.smtppass",
    "imap.pass", "http.proxy", "github.token", "github.oauth-token", "gitlab.token", "hub.oauthtoken",
    "credential.password", "credential.https://example.com.password", "lfs.accesstoken",
)
# fmt: on
"""Settings of git in which a password, a token or a header that holds one is."""


def settings_refusal(text: str) -> str | None:
    """Returns why a regular expression that chooses settings of git is refused; ``None`` if it finds none that
    opens doors.
    """
    found = found_names(text, "extended", _HOLDERS)
    return f"finds `{found[0]}`, a setting that holds what opens doors" if found else setting_refusal(text)


def names_refusal(text: str) -> str | None:
    """Returns why a regular expression that chooses files by their names is refused; ``None`` if it finds no usual
    secret.
    """
    found = found_names(text, "perl", (*sorted(COMMON_FILES), ".env.local", "server.pem", "server.key"))
    return f"finds `{found[0]}`, which usually holds secrets" if found else None


# fmt: off
_COLUMNS = frozenset((
    "%cpu", "%mem", "args", "bsdstart", "bsdtime", "c", "cgroup", "cls", "cmd", "comm", "command", "cp", "cputime",
    "drs", "egid", "egroup", "etime", "etimes", "euid", "euser", "fname", "fuid", "fuser", "gid", "group", "lstart",
    "lwp", "maj_flt", "majflt", "min_flt", "minflt", "ni", "nice", "nlwp", "nwchan", "pcpu", "pgid", "pgrp", "pid",
    "pmem", "ppid", "pri", "psr", "rgid", "rgroup", "rss", "rssize", "ruid", "ruser", "s", "sess", "session", "sgid",
    "sid", "size", "spid", "start", "start_time", "stat", "state", "stime", "suid", "sz", "thcount", "tid", "time",
    "tname", "tpgid", "trs", "tt", "tty", "ucmd", "ucomm", "uid", "uname", "user", "vsize", "vsz", "wchan",
))
# fmt: on


def columns_refusal(text: str) -> str | None:
    """Returns why ``text`` is no list of columns that every ``ps`` knows and that show no environment; ``None`` if
    it is.

    A column that is not known makes procps read all arguments once more, in its old form.
    """
    for part in text.split(","):
        if part.lstrip("+-").removesuffix("=") not in _COLUMNS:
            return f"holds `{part}`, which is no column on the list"
    return None


def date_refusal(text: str) -> str | None:
    """Returns why ``text`` is not an output format of ``date``, or ``None`` if it is. Any other operand would set
    the clock.
    """
    return None if text.startswith("+") else "is not a format (`+…`), so it would set the clock"


_LONGEST = 200
"""Characters of an expression that is tried."""
_REPEATED = 3
"""Parts without a limit in an expression that is tried: a name has few letters, and each part may begin at any."""
_CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "xdigit": "0-9a-fA-F",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "blank": r" \t",
    "word": r"\w",
    "graph": "!-~",
    "print": " -~",
}
_OPERATORS = "(){}|+?"
"""Operators that a basic expression writes with a backslash in front, as GNU's programs and busybox read it."""
_NUMBERS = re.compile(r"[0-9]+(,[0-9]*)?\\?\}")
_KNOWN = "wWsSbB"
"""Letters that mean the same behind a backslash in Python, where they mean something."""


def found_names(regex: str, dialect: Dialect, names: Iterable[str]) -> list[str]:
    """Those of ``names`` in which ``regex`` finds something; capitals are also the same as small letters."""
    translated = re.escape(regex) if dialect == "fixed" else _translated(regex, dialect)
    if translated is None:
        return list(names)
    try:
        tried = [re.compile(translated), re.compile(translated, re.IGNORECASE)]
    except (re.error, OverflowError, RecursionError):
        return list(names)
    return [name for name in names if any(one.search(name) is not None for one in tried)]


def _translated(regex: str, dialect: str) -> str | None:
    """``regex`` as Python writes it; ``None`` where that is not known, or where trying it may take long."""
    if len(regex) > _LONGEST:
        return None
    made: list[str] = []
    at = repeated = 0
    while at < len(regex):
        char = regex[at]
        part = char
        if char == "[":
            close = bracket_end(regex, at)
            bracket = _bracket(regex[at + 1 : close], dialect) if close > 0 else None
            if bracket is None:
                return None
            part, at = bracket, close
        elif char == "\\":
            at += 1
            part = _escaped(regex[at : at + 1], dialect)
            if not part:
                return None
        elif dialect == "basic" and char in _OPERATORS:
            part = "\\" + char
        repeated += part in ("*", "+", "{")
        before = made[-1] if made else "("
        if repeated > _REPEATED or (
            _reads_otherwise(part, before, regex[at + 1 :])
            if dialect != "perl"
            else before == ")" and part in ("*", "+", "{")
        ):
            return None
        made.append(part)
        at += 1
    return "".join(made)


def _reads_otherwise(part: str, before: str, behind: str) -> bool:
    """True if POSIX may take ``part`` for something else than Python does, or trying it may take long.

    Repetition of nothing or of a repetition, braces without numbers, and anchors elsewhere than at the ends.
    """
    if part in ("*", "+", "?", "{"):
        numbered = part != "{" or _NUMBERS.match(behind) is not None
        return not numbered or before in ("(", "|", "^", "*", "+", "?", "}") or (before == ")" and part != "?")
    if part == "^":
        return before not in ("(", "|")
    return part == "$" and behind != "" and behind[:2] not in ("\\)", "\\|") and behind[:1] not in (")", "|")


def _escaped(char: str, dialect: str) -> str:
    """Returns what ``\\char`` is in Python; empty where it is not known."""
    if dialect == "basic" and char and char in _OPERATORS:
        return char
    if char in ("<", ">"):
        return r"\b"
    known = char in _KNOWN or (dialect == "perl" and char in "dD")
    return "\\" + char if char and (known or not char.isalnum()) and char not in "`'" else ""


def _bracket(inside: str, dialect: str) -> str | None:
    """A bracket expression as Python writes it; ``inside`` is what is between the brackets."""
    if "[." in inside or "[=" in inside:
        return None
    negated = inside[:1] == "^"
    rest = inside[negated:]
    if dialect != "perl" and "\\" in rest:  # itself in POSIX, the beginning of an escape in awk
        return None
    for name, characters in _CLASSES.items():
        rest = rest.replace(f"[:{name}:]", characters)
    if "[:" in rest:
        return None
    kept = rest if "\\" in rest else rest.replace("[", "\\[")
    if kept[:1] == "]":
        kept = "\\" + kept
    return f"[{'^' if negated else ''}{kept}]"
