"""Small forms of single words.

A regular expression is tried on names of secrets if it holds only what every dialect reads alike.
"""

from __future__ import annotations

import re
from _collections_abc import Iterable

from execpolicy.safety.secret_names import COMMON_FILES
from execpolicy.shell.variables import stays_in_shell

_UNDERSTOOD = re.compile(r"(?:(?<![^(|])\^|[(|]|\)\??|(?:[\w/.-]|\\\.|\[\.\])[*+?]?|\$(?=[)|]|$))+", re.ASCII)
"""Letters, dots (``[.]`` among them) and repetitions of one, groups with alternatives, and anchors at their ends."""
_LONGEST, _REPEATED = 200, 3
"""Characters of an expression that is tried, and parts without a limit in it."""


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
    found = _found_names(text, _HOLDERS)
    return f"finds `{found[0]}`, a setting that holds what opens doors" if found else setting_refusal(text)


def names_refusal(text: str) -> str | None:
    """Returns why a regular expression that chooses files by their names is refused; ``None`` if it finds no usual
    secret.
    """
    found = _found_names(text, (*sorted(COMMON_FILES), ".env.local", "server.pem", "server.key"))
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


def _found_names(regex: str, names: Iterable[str]) -> list[str]:
    """Those of ``names`` in which ``regex`` finds something; all of them if it is not understood."""
    repeated = regex.count("*") + regex.count("+")
    if len(regex) > _LONGEST or repeated > _REPEATED or _UNDERSTOOD.fullmatch(regex) is None:
        return list(names)
    try:
        tried = re.compile(regex, re.IGNORECASE)
    except re.error:
        return list(names)
    return [name for name in names if tried.search(name) is not None]
