"""Whether a word of a command carries a secret, by shape, by place and by randomness. In doubt it does: a rule file is
plain text that is kept for years, and the price of a false alarm is one more question."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from execpolicy.core.token_shapes import shaped_like

_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("a GitHub token", r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"),
        ("a GitLab token", r"\bgl(?:pat|dt|rt|oas|ptt|cbt|soat)-[A-Za-z0-9_-]{16,}"),
        ("an API key", r"\b[srp]k-[A-Za-z0-9_-]{16,}|\b[srp]k_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9]{16,}"),
        ("an AWS key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
        ("a Google key", r"\bAIza[0-9A-Za-z_-]{30,}|\bya29\.[0-9A-Za-z_-]{20,}|\bGOCSPX-[0-9A-Za-z_-]{20,}"),
        ("a Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/T"),
        ("a JSON web token", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*"),
        ("a private key", r"-----BEGIN [A-Z ]*PRIVATE KEY"),
        ("a package registry token", r"\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_-]{16,}|\brubygems_[a-f0-9]{30,}"),
        ("a Hugging Face token", r"\bhf_[A-Za-z0-9]{20,}"),
        ("a SendGrid key", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
        ("a cloud token", r"\b(?:dop|doo|dor)_v1_[a-f0-9]{32,}|\bshp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}|\bhvs\.[\w-]{20,}"),
        ("a bot token", r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}|\b[MNO][A-Za-z\d_-]{23,25}\.[\w-]{6}\.[\w-]{27,}"),
        ("a password in a URL", r"\b[a-z][a-z0-9+.-]*://[^/\s:@]*:[^/\s@]+@"),
        ("an authorization header", r"(?i)\b(?:bearer|basic|token)\s+[A-Za-z0-9._~+/=-]{8,}"),
        ("an authorization header", r"(?i)\b(?:x-)?(?:api|auth|access|private)[-_]?(?:key|token)\s*:\s*\S{6,}"),
        ("a cookie", r"(?i)^(?:set-)?cookie:\s*\S+=\S+"),
    )
)

_SECRET_NAME = re.compile(
    r"(?i)(?:^|[-_.]|pg|add-)(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api[-_]?key|auth(?:orization)?|credentials?|"
    r"private[-_]?key|access[-_]?key(?:[-_]?id)?|access[-_]?token|auth[-_]?(?:key|token)|account[-_]?key|admin[-_]?key|pat|secret[-_]?key|client[-_]?secret|session[-_]?key|signing[-_]?key|"
    r"encryption[-_]?key|connection[-_]?string|bearer|cookie)s?(?:$|[-_.])"
)
_NOT_THE_SECRET = re.compile(r"(?i)[-_.](?:file|path|name|type|env|stdin|ttl|length|limit|expiry|url|uri|dir)s?$")
_TAKES_A_LOGIN = frozenset(["curl", "curlie", "http", "https", "wget", "xh", "xhs"])
_ASSIGNED = re.compile(r"-{0,2}([A-Za-z][A-Za-z0-9_.-]*)=(.*)", re.DOTALL)
_PLACEHOLDER = re.compile(r"(?i)^(?:|x+|\*+|<.*>|\.\.\.|\$.*|true|false|yes|no|none|null|stdin|-|[0-9]{1,4})$")
_USER_PASSWORD = re.compile(r"[^:/\s]+:[^/\s].*")
_HEX = re.compile(r"[0-9a-fA-F-]+")
_RUN = re.compile(r"[A-Za-z0-9+/_=-]{20,}")
_WORDY = re.compile(r"(?:[a-z]{2,}|[A-Z]{2,}|[A-Z][a-z]+|[0-9]{1,8})")

_LONGEST_GUESS = 4.2
_SHORTEST_RANDOM = 20


def credential_in(tokens: Sequence[str]) -> str | None:
    """What kind of secret ``tokens`` (a program and its arguments) seem to carry; ``None`` if nothing was found.

    The answer never repeats the secret.
    """
    for at, token in enumerate(tokens):
        name = next((name for name, shape in _SHAPES if shape.search(token)), None) or (shaped_like(token) or [None])[0]
        if name is not None:
            return f"word {at + 1} looks like {name}"
        kind = _by_place(tokens, at)
        if kind is not None:
            return f"word {at + 1} looks like {kind}"
        if is_random(token):
            return f"word {at + 1} looks like a key: it is long and random"
    return None


def _by_place(tokens: Sequence[str], at: int) -> str | None:
    """A value that its own name, or the option in front of it, calls a secret."""
    token = tokens[at]
    assigned = _ASSIGNED.fullmatch(token)
    if assigned is not None:
        name, value = assigned.groups()
        if is_secret_name(name) and not _PLACEHOLDER.match(value):
            return f"the value of `{name}`"
    if at == 0:
        return None
    before = tokens[at - 1]
    program = tokens[0].rsplit("/", 1)[-1]
    if before.startswith("-") and "=" not in before and not token.startswith("-"):
        if is_secret_name(before.lstrip("-")) and not _PLACEHOLDER.match(token):
            return f"the value of `{before}`"
        if (
            program in _TAKES_A_LOGIN
            and before in ("-u", "--user", "--proxy-user", "-a")
            and _USER_PASSWORD.fullmatch(token)
        ):
            return f"the password in `{before}`"
    if program in ("mysql", "mysqldump", "mariadb", "sshpass") and len(token) > 2 and token.startswith("-p"):
        return "the value of `-p`"
    return "the value of `-p`" if program == "sshpass" and before == "-p" else None


def is_secret_name(name: str) -> bool:
    """Whether an option, a variable or a key of that name holds a secret."""
    return _SECRET_NAME.search(name) is not None and _NOT_THE_SECRET.search(name) is None


def is_random(token: str) -> bool:
    """Whether a long run of letters and digits in ``token`` is too irregular to be words, a path or a commit id."""
    for run in _RUN.findall(token):
        for part in run.split("/"):
            piece = part.strip("=-_+")
            if len(piece) < _SHORTEST_RANDOM or _HEX.fullmatch(piece):
                continue
            digits = any(c.isdigit() for c in piece)
            kinds = sum((any(c.islower() for c in piece), any(c.isupper() for c in piece), digits))
            if kinds < 2 or (kinds == 2 and not digits and "-" in piece):
                continue
            if _entropy(piece) >= _threshold(len(piece)) and _wordiness(piece) < 0.75:
                return True
    return False


def _threshold(length: int) -> float:
    """Bits per character that random base-62 text of this length reaches nearly always."""
    return min(_LONGEST_GUESS, math.log2(length) - 0.75)


def _entropy(text: str) -> float:
    """Shannon entropy in bits per character."""
    counts = [text.count(char) for char in set(text)]
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts)


def _wordiness(text: str) -> float:
    """The share of ``text`` in lower-case, upper-case or capitalised runs of four letters or more."""
    return sum(len(word) for word in _WORDY.findall(text) if len(word) >= 4 and word.isalpha()) / len(text)
