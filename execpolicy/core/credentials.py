"""Detects secrets in the words of a command by shape, by position and by randomness.

A person who saves a rule can answer one question too many, so doubtful words count as secrets there. In a file with
hundreds of rules, false alarms hide the true ones; ``sure`` leaves the doubtful words out. A word is surely a secret in
three cases:

* It has the shape of a known token (``grammar/tokens.txt``).
* It is at the place of a secret and is not a plain word, a path or an example. Such places are the value of an option,
  a variable or a header with such a name, and a login.
* It is long and random, and nothing marks it as a digest, an address or an identifier.
"""

from __future__ import annotations

import math
import os
import re
from base64 import b64decode
from binascii import Error
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from execpolicy.resources import grammar_folder

_CLASSES = {"a": "[A-Za-z0-9]", "w": "[A-Za-z0-9_-]", "x": "[0-9a-fA-F]", "u": "[A-Z0-9]", "b": "[A-Za-z0-9+/_=-]"}
_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"


@cache
def _shapes() -> dict[str, tuple[tuple[str, str], ...]]:
    """The kind of token and the expression for its remainder, by the prefix of the token."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    with open(os.path.join(grammar_folder(), "tokens.txt"), encoding="utf-8") as file:
        rows = [line.split("|") for line in file if not line.startswith("#")]
    for name, starts, behind in rows:
        for start in starts.split():
            found[start] = (*found.get(start, ()), (name.strip(), behind))
    return found


_INSIDE = frozenset(["8Q~", ".atlasv1.", "-us", ":AA"])
"""Markers in the middle of a token, with a piece of the token in front of them."""
_IN_FRONT = {
    "8Q~": "[A-Za-z0-9_~.-]{3}",
    ".atlasv1.": "[A-Za-z0-9]{14}",
    "-us": "[0-9a-f]{32}",
    ":AA": "(?:bot)?[0-9]{8,10}",
}
_LONG = re.compile(r"[A-Za-z0-9+/_=.~$%:-]{16}")


@cache
def _expression(start: str, behind: str) -> re.Pattern[str]:
    pieces: list[str] = []
    for piece in behind.split():
        kind, count = piece[0], piece[1:]
        if piece == "UUID":
            pieces.append(_UUID)
        elif kind in _CLASSES and count.isdigit():
            pieces.append(_CLASSES[kind] + "{" + count + ",}")
        else:
            pieces.append(piece)
    front = _IN_FRONT.get(start, "")
    bound = "" if start[0] in "/-" and start not in _INSIDE else r"(?<![A-Za-z0-9])"
    return re.compile(rf"{bound}{front}{re.escape(start)}({''.join(pieces)})")


def shaped_like(text: str, *, examples: bool = False) -> str | None:
    """The kind of token in ``text``; ``None`` if ``text`` has no known token.

    Args:
        examples: true if tokens count that a person typed as examples.
    """
    if _LONG.search(text) is None:
        return None
    for start, kinds in _shapes().items():
        if start in text:
            for name, behind in kinds:
                for found in _expression(start, behind).finditer(text):
                    if examples or not is_example(found[1] if start not in _IN_FRONT else found[0]):
                        return name
    return None


_EXAMPLE = re.compile(
    r"(?i)example|placeholder|your|dummy|fake|sample|changeme|redacted|xxxx|\*\*\*|1234567|abcdefg|qwerty|deadbeef"
)
_WORDS = re.compile(r"[a-z]{3,}|[A-Z]{3,}|[A-Z][a-z]{2,}")


def is_example(text: str) -> bool:
    """True if ``text``, found at the place of a token's random part, was typed by a person: words, or a repetition."""
    if _EXAMPLE.search(text) or len(set(text)) * 4 < min(len(text), 32):
        return True
    pieces = [piece for piece in re.split(r"[-_.]", text) if piece]
    words = [piece for piece in pieces if _WORDS.fullmatch(piece)]
    return len(words) > 1 and sum(map(len, words)) > 0.7 * sum(map(len, pieces))


_DOUBTFUL = tuple([
    (name, re.compile(pattern))
    for name, pattern in (
        ("a Slack token", r"hooks\.slack\.com/services/T"),
        ("a private key", r"-----BEGIN [A-Z ]*PRIVATE KEY"),
        ("an authorization header", r"(?i)\b(?:bearer|basic|token)\s+[A-Za-z0-9._~+/=-]{8,}"),
        ("an authorization header", r"(?i)\b(?:x-)?(?:api|auth|access|private)[-_]?(?:key|token)\s*:\s*\S{6,}"),
        ("a cookie", r"(?i)^(?:set-)?cookie:\s*\S+=\S+"),
    )
])  # fmt: skip
"""Words that count as secrets in doubt."""

_SECRET_NAME = re.compile(
    r"(?i)(?:^|[-_.]|pg|add-)(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api[-_]?key|auth(?:orization)?|credentials?|"
    r"private[-_]?key|access[-_]?key(?:[-_]?id)?|access[-_]?token|auth[-_]?(?:key|token)|account[-_]?key|admin[-_]?key|pat|secret[-_]?key|client[-_]?secret|session[-_]?key|signing[-_]?key|"
    r"encryption[-_]?key|connection[-_]?string|bearer|cookie)s?(?:$|[-_.])"
)
_NOT_THE_SECRET = re.compile(r"(?i)[-_.](?:file|path|name|type|env|stdin|ttl|length|limit|expiry|url|uri|dir)s?$")
_PLACEHOLDER = re.compile(r"(?i)^(?:|:.*|x+|\*+|<.*>|\.\.\.|\$.*|true|false|yes|no|none|null|stdin|-|[0-9]{1,4})$")
_HEX = re.compile(r"[0-9a-fA-F-]+")
_RUN = re.compile(r"[A-Za-z0-9+/_=-]{20,}")
_WORDY = re.compile(r"(?:[a-z]{2,}|[A-Z]{2,}|[A-Z][a-z]+|[0-9]{1,8})")
_LONGEST_GUESS = 4.2
_SHORTEST_RANDOM = 20
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----\s*\S|AGE-SECRET-KEY-1[A-Z0-9]{50}")
_URL_LOGIN = re.compile(r"\b[a-z][a-z0-9+.-]*://[^/\s:@]*:([^/\s@]+)@")
_CONNECTION = re.compile(r"(?i)\b(?:AccountKey|SharedAccessKey|SharedAccessSignature|Password|Pwd)=([^;\s]+)(?=;|$)")
_QUERY = re.compile(r"(?i)[?&;]([a-z0-9_.-]+)=([^&\s#]+)")
_HEADER = re.compile(r"(?:^|[=\"'])\s*([A-Za-z][A-Za-z0-9-]*):[ ]*(\S.*)", re.DOTALL)
_SCHEME = re.compile(
    r"(?i)^(?:bearer|basic|token|digest|apikey|geniekey|ssws|key|hmac|aws4-hmac-sha256|bot|oauth)\s+(.+)$"
)
_COOKIE = re.compile(r"[\w.-]+=([^;\s]{16,})")
_SPOKEN_TOKEN = re.compile(r"(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{16,})")
_ASSIGNED = re.compile(r"-{0,2}(?://[^=\s]*:)?(_?[A-Za-z][A-Za-z0-9_.:-]*)=(.+)", re.DOTALL)
_DATABASE = re.compile(r"(?<!\S)password=([^\s;]+)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")

_NO_SECRET_NAME = re.compile(
    r"(?i)^no-.*|(?:^|[-_.])(?:(?:start(?:ing)?|continuation|next|page|pagination|pad|eos|bos|unk|sep|cls|mask|stop|max|min|"
    r"num|new|csrf|xsrf|cancel|idempotency|public|publishable|request|sec-websocket|cache|partition|sort|primary|foreign)"
    r"[-_]?(?:tokens?|keys?|id)|.*[-_](?:ids?|limits?|count|mode|scheme|type|name|format|policy|storage|store|manager|"
    r"version|rotation|expiration|enabled|required|ratio|authentication|helper))$"
)
_HEADER_NAME = re.compile(r"(?i)(?:^|-)(?:key|token|secret|auth|password|auth[a-z]*|x-jfrog-art-api|art-api)$")
_PASSWORD_OPTIONS: dict[str, tuple[str, ...]] = {
    "-p": ("sshpass", "mongo", "mongosh", "snowsql"),
    "-a": ("redis-cli",),
    "-w": ("ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd"),
    "-P": ("mosquitto_pub", "mosquitto_sub", "zip", "sqlcmd", "bcp"),
    "-k": ("openssl",),
    "-K": ("openssl",),
}
_LOGS_IN_WITH = ("-p",)
"""The options of a sub-command `login` or `upload` that take a password."""
_LOGS_IN = frozenset(["docker", "podman", "nerdctl", "buildah", "skopeo", "helm", "oras", "az", "twine", "oc", "cf"])
_GLUED = {
    "-p": frozenset(
        ["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump", "sshpass", "7z", "7za"]
    ),
    "/p:": frozenset(["xfreerdp", "xfreerdp3", "wlfreerdp"]),
}
_COOKIE_OPTIONS = dict.fromkeys(("-b", "--cookie"), frozenset(["curl", "curlie"]))
_USER_OPTIONS = {
    "-u": frozenset(["curl", "curlie", "xh", "http"]),
    "-a": frozenset(["http", "https", "xh", "xhs"]),
    "--user": frozenset(["curl", "curlie", "etcdctl", "wget"]),
    "--proxy-user": frozenset(["curl", "curlie"]),
    "-U": frozenset(["smbclient", "smbget", "curl"]),
}
_USER_PASSWORD = re.compile(r"[^:%/\s]*[:%]([^/\s].*)")
_SAVES = frozenset(["set", "add", "put", "create", "config:set", "--body", "--value"])

_REFERENCE = re.compile(
    r"(?s)\$.*|.*\$\{.*|(?:id|type)=.*|.*\$\(.*|%[A-Za-z_]+%|<.*>?|\{.*|\[.*|@.*|\*+|\.\.\.|-|file:.*|env:.*|pass:.{0,8}|op://.*|vault:.*"
)
_PATH = re.compile(
    r"(?:~|\.{1,2})?/[^\s=?&:@]*|[\w.-]+(?:/[\w.-]+)+|[\w-]+\.(?:txt|json|pem|key|crt|cert|ya?ml|toml|env|p12)"
)
_CAPITAL, _DIGIT = re.compile("[A-Z]"), re.compile("[0-9]")
_PLAIN_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*|[A-Z]{1,20}[0-9]{0,2}|[0-9]{1,20}[kKmMGT]?|v?[0-9]+(?:\.[0-9]+)+")
_BETWEEN_WORDS = re.compile(r"[-_.:/ ,|+&?!'\"()]+")
_FIXTURE = re.compile(
    r"(?i)(?:test|dev|dummy|fake|pass|password|passw0rd|secret|token|root|admin|guest|postgres|user|key|foo|bar)\d{0,4}"
)
_WHOLE_UUID = re.compile(_UUID, re.IGNORECASE)
_OPAQUE = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9+/_.=-]{24,}")
_PUBLIC = re.compile(
    r"sha(?:1|256|384|512)[-:]|h1:|AAAA[BCE][A-Za-z0-9]N|age1|pk_(?:live|test)_|0x|[a-z]{2,4}_[A-Za-z0-9]{14,24}$|Qm|"
    r"PR_|[A-Z]{1,3}_kw|eyJ|lib|[1-9A-HJ-NP-Za-km-z]{43,44}$|[A-Z]{2}[0-9A-F]{32}$"
)
_LOGIN_KEY = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHORTEST_SPOKEN = 8
_LONGEST_PLAIN = 15
"""The length in characters up to which no word has the shape of a token."""
_SHORTEST_OPAQUE = 24


def credential_in(tokens: Sequence[str], *, sure: bool = False) -> str | None:
    """The kind of secret that ``tokens`` (a program and its arguments) seem to contain; ``None`` if nothing was found.

    The result never contains the secret.

    Args:
        sure: leave out what may be something else.
    """
    if sure and "".join(tokens).isalnum() and max(map(len, tokens)) <= _LONGEST_PLAIN and _SAVES.isdisjoint(tokens):
        return None  # short words without punctuation, and no word that introduces a secret
    is_secret = _may_be_secret if sure else _is_given
    for at, token in enumerate(tokens):
        if sure and len(token) < 4:
            continue
        kind = None if sure else next((name for name, shape in _DOUBTFUL if shape.search(token)), None)
        kind = kind or _in_word(token, is_secret) or (_by_place(tokens, at, is_secret) if at else None)
        if kind is None and len(token) >= _SHORTEST_RANDOM:
            before = tokens[at - 1] if at else ""
            if is_random(token) if not sure else len(token) >= _SHORTEST_OPAQUE and _is_opaque(token, before):
                kind = "a key: it is long and random"
        if kind is not None:
            return f"word {at + 1} looks like {kind}"
    return None


def _is_given(value: str) -> bool:
    """True unless a value at the place of a secret is a placeholder."""
    return not _PLACEHOLDER.match(value)


def _in_word(token: str, is_secret: Callable[[str], bool]) -> str | None:
    """The kind of secret that a word holds, independent of the words around it."""
    shape = shaped_like(token, examples=is_secret is _is_given) if len(token) > _LONGEST_PLAIN else None
    if shape is not None:
        return shape
    if _PRIVATE_KEY.search(token):
        return "a private key"
    if "=" in token or ":" in token:
        if any(is_secret(found[1]) for found in _URL_LOGIN.finditer(token)):
            return "a password in a URL"
        for name, value in _named(token):
            if is_secret(value):
                return f"the value of `{name}`"
    return None


def _named(token: str) -> Iterator[tuple[str, str]]:
    """The values in a word whose names are names of secrets, with those names."""
    assigned = _ASSIGNED.fullmatch(token)
    for _ in range(2):  # `--from-literal=password=…`
        if assigned is not None:
            name, value = assigned.groups()
            if _names_a_secret(name):
                yield name, value
            assigned = _ASSIGNED.fullmatch(value)
    for found in _QUERY.finditer(token):
        if (_names_a_secret(found[1]) or found[1].lower() in ("key", "sig", "signature")) and len(found[2]) >= 16:
            yield found[1], found[2]
    for found in _CONNECTION.finditer(token) if ";" in token else ():
        yield found[0].partition("=")[0], found[1]
    for found in _DATABASE.finditer(token) if "host=" in token or "dbname=" in token else ():
        yield "password", found[1]
    header = _HEADER.search(token)
    if header is not None:
        yield from _in_header(*header.groups())
    elif " " in token:
        for found in _SPOKEN_TOKEN.finditer(token):
            if is_random(found[1]) and not _is_encoded_text(found[1]):
                yield "bearer", found[1]


def _in_header(name: str, text: str) -> Iterator[tuple[str, str]]:
    lowered = name.lower()
    if lowered.endswith("cookie"):
        yield from [(name, found[1]) for found in _COOKIE.finditer(text) if is_random(found[1])]
    elif lowered.endswith("authorization"):
        scheme = _SCHEME.match(text)
        value = (scheme[1] if scheme is not None else text).strip("\"'").rpartition("token=")[2]
        if " " not in value:
            yield name, value
    elif _HEADER_NAME.search(name) and not (
        " " in text or _NO_SECRET_NAME.search(name) or len(text) < _SHORTEST_SPOKEN
    ):
        yield name, text


def _by_place(tokens: Sequence[str], at: int, is_secret: Callable[[str], bool]) -> str | None:
    """The kind of secret that a word is because of the words in front of it."""
    token, before, program = tokens[at], tokens[at - 1], tokens[0].rsplit("/", 1)[-1]
    if before[:1] == "-" and "=" not in before and token[:1] != "-":
        if _names_a_secret(before.lstrip("-")) and is_secret(token):
            return f"the value of `{before}`"
        if before in ("-pass", "-passin", "-passout") and token[:5] == "pass:" and is_secret(token[5:]):
            return f"the password in `{before}`"
        if _takes_password(tokens, before, program) and is_secret(token):
            return f"the password in `{before}`"
        login = _USER_PASSWORD.fullmatch(token) if program in _USER_OPTIONS.get(before, ()) else None
        if login is not None and is_secret(login[1]):
            return f"the password in `{before}`"
        if program in _COOKIE_OPTIONS.get(before, ()) and any(is_random(found[1]) for found in _COOKIE.finditer(token)):
            return "a cookie"
    for start, programs in _GLUED.items():
        if program in programs and token.startswith(start) and is_secret(token[len(start) :]):
            return f"the value of `{start}`"
    if before == "login" and _LOGIN_KEY.fullmatch(token):
        return "the key in `login`"
    is_mixed = len(token) >= 16 and any(map(str.isdigit, token)) and any(map(str.isalpha, token))
    saves = at > 1 and before[:1] != "-" and not _SAVES.isdisjoint(tokens[1:at])
    if saves and is_secret_name(_spelled(before.rpartition(":")[2])) and (is_random(token) or is_mixed):
        return f"the value of `{before}`"
    return None


def _takes_password(tokens: Sequence[str], option: str, program: str) -> bool:
    if program in _PASSWORD_OPTIONS.get(option, ()):
        return program != "openssl" or "enc" in tokens
    logs_in = "login" in tokens or "upload" in tokens or "--service-principal" in tokens
    return option in _LOGS_IN_WITH and program in _LOGS_IN and logs_in


def _names_a_secret(name: str) -> bool:
    name = _spelled(name.rpartition(":")[2] or name).lstrip("-")
    named = is_secret_name(name) or name.endswith(("storepass", "keypass"))
    return named and _NO_SECRET_NAME.search(name) is None


def _spelled(name: str) -> str:
    """A name with its words separated: ``accessToken`` as ``access_Token``."""
    return _CAMEL.sub("_", name)


def _may_be_secret(value: str) -> bool:
    """True if a value at the place of a secret is a secret: not a reference, a path, plain words or an example."""
    value = value.strip("\"';")
    if len(value) < 3 or _REFERENCE.fullmatch(value) or _is_words(value):
        return False
    if _WHOLE_UUID.fullmatch(value):
        return True
    if is_example(value) or value.startswith(("pk_live_", "pk_test_")):
        return False
    return not _is_path(value)


def _is_path(value: str) -> bool:
    """True if a value has the form of a path: no part mixes capitals and digits, as random text does."""
    if _PATH.fullmatch(value) is None:
        return False
    parts = [part for part in value.split("/") if "." not in part and len(part) >= _SHORTEST_SPOKEN]
    return not any(_CAPITAL.search(part) and _DIGIT.search(part) for part in parts)


def _is_words(value: str) -> bool:
    pieces = [piece for piece in _BETWEEN_WORDS.split(value) if piece]
    return all(_PLAIN_WORD.fullmatch(piece) or _FIXTURE.fullmatch(piece) for piece in pieces)


def _is_opaque(token: str, before: str) -> bool:
    """True if a word, or the value in it, is random letters and digits without another known meaning."""
    name, equals, value = token.partition("=")
    named, word = (name, value) if equals and value.strip("=") else (before, token)
    if "://" in token or word[:1] in ("/", "~") or _NO_SECRET_NAME.search(_spelled(named)):
        return False
    if _OPAQUE.fullmatch(word) is None or _PUBLIC.match(word) or ("/" in word and _is_path(word)):
        return False
    return is_random(word) and not is_example(word) and not _is_encoded_text(word)


def _is_encoded_text(word: str) -> bool:
    """True if the word is base64-encoded words."""
    try:
        plain = b64decode(word + "=" * (-len(word) % 4), validate=True)
    except (Error, ValueError):
        return False
    return all(0x20 <= byte < 0x7F or byte in b"\t\r\n" for byte in plain)


def is_secret_name(name: str) -> bool:
    """True if an option, a variable or a key with this name holds a secret."""
    return _SECRET_NAME.search(name) is not None and _NOT_THE_SECRET.search(name) is None


def is_random(token: str) -> bool:
    """True if a long run of letters and digits in ``token`` is too irregular to be words, a path or a commit id."""
    for run in _RUN.findall(token):
        for part in run.split("/"):
            piece = part.strip("=-_+")
            if len(piece) < _SHORTEST_RANDOM or _HEX.fullmatch(piece):
                continue
            digits = any(c.isdigit() for c in piece)
            kinds = sum((any(c.islower() for c in piece), any(c.isupper() for c in piece), digits))
            if kinds < 2 or (kinds == 2 and not digits and "-" in piece):
                continue
            # random base-62 text of this length nearly always has as many bits per character
            if _entropy(piece) >= min(_LONGEST_GUESS, math.log2(len(piece)) - 0.75) and _wordiness(piece) < 0.75:
                return True
    return False


def _entropy(text: str) -> float:
    """Shannon entropy in bits per character."""
    counts = [text.count(char) for char in set(text)]
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts)


def _wordiness(text: str) -> float:
    """The share of ``text`` in lower-case, upper-case or capitalised runs of four letters or more."""
    return sum(len(word) for word in _WORDY.findall(text) if len(word) >= 4 and word.isalpha()) / len(text)
