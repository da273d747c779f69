"""Host names and executable paths in the normal forms that rules compare, and the resolution of program paths."""

from __future__ import annotations

import os
from _collections_abc import Mapping

from execpolicy import validators
from execpolicy.core.text import WHITE_SPACE
from execpolicy.errors import InvalidRuleError

_WILDCARDS = frozenset("*?[")
PROTOCOLS = {
    "http": "http",
    "https": "https",
    "https_connect": "https",
    "http-connect": "https",
    "socks5_tcp": "socks5_tcp",
    "socks5_udp": "socks5_udp",
}
"""The accepted spellings of a protocol and the protocol that each one means. Source: Codex 0.169 to 0.171."""


def normalise_protocol(word: str) -> str:
    """The protocol spelled ``word``.

    Raises:
        InvalidRuleError: it is not an accepted spelling.
    """
    protocol = PROTOCOLS.get(word)
    if protocol is None:
        raise InvalidRuleError(
            f"invalid rule: network_rule protocol must be one of http, https, socks5_tcp, socks5_udp (got {word})"
        )
    return protocol


def normalise_host(raw: str) -> str:
    """``raw`` in lower case, without port and trailing dots.

    Source: ``normalize_network_rule_host`` of Codex 0.169 to 0.171.

    Raises:
        InvalidRuleError: it is empty, holds a scheme, path, wildcard or blank, or is a broken ``[IPv6]`` literal.
    """
    host = raw.strip(WHITE_SPACE)
    if not host:
        raise InvalidRuleError("invalid rule: network_rule host cannot be empty")
    if "://" in host or any(mark in host for mark in "/?#"):
        raise InvalidRuleError(
            "invalid rule: network_rule host must be a hostname or IP literal (without scheme or path)"
        )
    if host.startswith("["):
        inside, close, behind = host[1:].partition("]")
        if not close:
            raise InvalidRuleError("invalid rule: network_rule host has an invalid bracketed IPv6 literal")
        port = behind[1:]
        if behind and not (behind[0] == ":" and port.isascii() and port.isdigit()):
            raise InvalidRuleError(f"invalid rule: network_rule host contains an unsupported suffix: {raw}")
        host = inside
    elif host.count(":") == 1:
        name, _, port = host.partition(":")
        if name and port.isascii() and port.isdigit():
            host = name
    host = "".join([char.lower() if char.isascii() else char for char in host.rstrip(".").strip(WHITE_SPACE)])
    if not host:
        raise InvalidRuleError("invalid rule: network_rule host cannot be empty")
    if "*" in host:
        raise InvalidRuleError("invalid rule: network_rule host must be a specific host; wildcards are not allowed")
    if "\0" in host:
        raise InvalidRuleError("invalid rule: network_rule host cannot contain a NUL character")
    if any(char in WHITE_SPACE for char in host):
        raise InvalidRuleError("invalid rule: network_rule host cannot contain whitespace")
    return host


def normalise_path(path: str) -> str:
    """An absolute POSIX path without ``.``, ``..``, doubled and trailing slashes. Lexical: no link is followed."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if parts:
                parts.pop()
        elif part and part != ".":
            parts.append(part)
    return "/" + "/".join(parts)


def temporary_folder() -> tuple[str, ...]:
    """``$TMPDIR`` as it is written and with its links followed; empty unless it is a private folder of this user."""
    folder = os.environ.get("TMPDIR", "").rstrip("/")
    try:
        status = os.stat(folder) if folder[:1] == "/" and _WILDCARDS.isdisjoint(folder) else None
    except (OSError, ValueError):
        return ()
    if status is None or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        return ()
    return tuple(dict.fromkeys((normalise_path(folder), os.path.realpath(folder))))


def home_of(environ: Mapping[str, str]) -> str | None:
    """The home directory; ``None`` if it is unset or not an absolute path, because rules about it would never match."""
    home = environ.get("HOME", "")
    return home if home[:1] == "/" else None


def resolve_executable(token: str, *, cwd: str, home: str | None) -> tuple[str, str] | None:
    """The absolute path and base name of a program token, or ``None`` if it has no base name.

    A leading ``~`` or ``~/`` expands to ``home``. Any other relative path is resolved against ``cwd``, even the empty
    token. Source: Codex 0.169 to 0.171.
    """
    if home is not None and (token == "~" or token.startswith("~/")):
        path = normalise_path(home + "/" + token[2:])
    elif token.startswith("/"):
        path = normalise_path(token)
    else:
        path = normalise_path(cwd + "/" + token)
    name = path[path.rfind("/") + 1 :]
    return (path, name) if name else None


class HostResolution:
    """The directories that relative program paths and ``~`` refer to when programs are matched by base name.

    Attributes:
        cwd: the directory that relative program paths are resolved against.
        home: the expansion of ``~``, absolute; ``None`` if there is no home directory.

    Raises:
        UsageError: one of them is not an absolute path.
    """

    __slots__ = ("cwd", "home")

    def __init__(self, cwd: str, home: str | None) -> None:
        if (
            cwd.__class__ is not str
            or cwd[:1] != "/"
            or not (home is None or (home.__class__ is str and home[:1] == "/"))
        ):
            cwd = validators.folder(cwd, "the working folder")
            home = validators.optional(validators.folder)(home, "the home folder")
        self.cwd = cwd
        self.home = home

    @classmethod
    def of_process(cls) -> HostResolution:
        """The working directory and home directory of this process."""
        try:
            cwd = os.getcwd()
        except OSError:  # the working directory was removed: no relative path names a real file
            cwd = "/"
        return cls(cwd, home_of(os.environ))
