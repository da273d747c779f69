"""What a request of another tool would touch, as permission rules can name it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

from execpolicy.approvals.patch.patch_text import PATCH_BEGIN, PatchError, patched_paths

_PATH_NAMES = frozenset({
    "src", "dst", "dest", "destination", "source", "from", "to", "target", "root", "cwd", "output", "input", "location",
})  # fmt: skip
_PATH_ENDINGS = ("path", "paths", "file", "files", "filename", "filenames", "dir", "dirs", "directory", "folder")
_URL_ENDINGS = ("url", "urls", "uri", "uris", "endpoint", "href", "link")
_HOST_ENDINGS = ("host", "hostname", "proxy", "server", "address")
_TEXT_NAMES = frozenset({
    "content", "text", "message", "prompt", "oldstring", "newstring", "oldtext", "newtext", "oldstr", "newstr",
    "filetext", "inserttext", "newsource", "query", "body", "headers", "data", "description",
})  # fmt: skip
"""Arguments that hold text: a path or URL in them is not what the tool opens."""
_SCHEME = re.compile(r"(?:https?|ftp|wss?|file)://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Target:
    """One thing that a call touches.

    Attributes:
        spellings: the ways in which a rule may name it; a rule that matches one matches the target.
        host: host and protocol of a URL.
        doubt: why no rule may grant it.
    """

    spellings: tuple[str, ...]
    host: tuple[str, str] | None = None
    doubt: str | None = None


def targets_of(
    args: Mapping[str, Any],
    *,
    cwd: str,
    real_path: Callable[[str], str] = os.path.realpath,
    diffs: bool = False,
) -> tuple[Target, ...]:
    """The paths and URLs in ``args``, at any depth; empty if nothing in it is called like one.

    A path that leads through links is two targets: what is written, and where it leads. A patch is every file in it.

    Args:
        diffs: the tool changes files, so that the headers of a unified diff name some, in whatever argument it stands.
    """
    found: list[Target] = []
    _collect(args, "", cwd, real_path, found, 0)
    if diffs:
        found += [target for path in _in_diffs(args, 0) for target in path_targets(path, cwd=cwd, real_path=real_path)]
    return tuple(found)


_HEADER = re.compile(r"^(?:---|\+\+\+|rename (?:from|to)|copy (?:from|to)) +(?:[abciow]/)?([^\t\r\n]+)", re.MULTILINE)


def _in_diffs(value: Any, depth: int) -> list[str]:
    if depth >= MAX_DEPTH:
        return []
    if isinstance(value, Mapping | list):
        inner = value.values() if isinstance(value, Mapping) else value
        return [path for entry in inner for path in _in_diffs(entry, depth + 1)]
    if not isinstance(value, str) or not ("\n+++ " in value or "\nrename " in value or "\ncopy " in value):
        return []
    return [path for path in _HEADER.findall(value) if path != "/dev/null"]


def _collect(value: Any, name: str, cwd: str, real_path: Callable[[str], str], found: list[Target], depth: int) -> None:
    if isinstance(value, Mapping | list):
        if depth >= MAX_DEPTH:
            found.append(Target((), doubt="the arguments are nested too deeply"))
        elif isinstance(value, Mapping):
            for key, entry in value.items():
                _collect(entry, _plain(str(key)), cwd, real_path, found, depth + 1)
        else:
            for entry in value:
                _collect(entry, name, cwd, real_path, found, depth + 1)
    elif isinstance(value, str) and (patch := _PATCH.search(value)) is not None:
        found += _patch(value[patch.start() :], cwd, real_path)
    elif isinstance(value, str) and name not in _TEXT_NAMES:
        if name.endswith(_URL_ENDINGS) or _SCHEME.match(value):
            found += _url(value, cwd, real_path)
        elif name in _PATH_NAMES or name.endswith(_PATH_ENDINGS) or _looks_like_path(value, cwd):
            found += _path(value, cwd, real_path)
        elif name.endswith(_HOST_ENDINGS):
            found.append(Target((value,), doubt="the call goes through another host"))


MAX_DEPTH = 16
_PATCH = re.compile(rf"{re.escape(PATCH_BEGIN)}[ \t\r]*$", re.MULTILINE)
"""Some tools look for it behind other text."""


def _patch(text: str, cwd: str, real_path: Callable[[str], str]) -> list[Target]:
    try:
        paths = patched_paths(text)
    except PatchError as problem:
        return [Target(("*",), doubt=f"the patch cannot be read: {problem}")]
    return [target for path in paths for target in path_targets(path, cwd=cwd, real_path=real_path)]


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def _looks_like_path(value: str, cwd: str) -> bool:
    """An argument of another name that could be a path is one: a rule has to cover it."""
    if "/" in value or value.startswith("~") or value in (".", ".."):
        return True
    return 0 < len(value) < 256 and "\0" not in value and os.path.lexists(os.path.join(cwd, value))


def _path(value: str, cwd: str, real_path: Callable[[str], str]) -> list[Target]:
    if not value or "\0" in value:
        return [Target((), doubt="a path is empty or holds NUL")]
    if value.startswith("~"):
        return [Target((value,), doubt="what `~` stands for is the tool's choice")]
    written = os.path.normpath(os.path.join(cwd, value))
    if written.startswith("//"):
        written = written[1:]
    targets = [Target(_spellings(written, cwd))]
    try:
        real = real_path(written)
        base = real_path(cwd)
    except (OSError, ValueError):
        return [Target(_spellings(written, cwd), doubt="where the path leads cannot be seen")]
    if real != written:
        relative = os.path.join(cwd, os.path.relpath(real, base)) if _inside(real, base) else real
        targets.append(Target(tuple(dict.fromkeys((real, *_spellings(relative, cwd))))))
    return targets


def path_targets(path: str, *, cwd: str, real_path: Callable[[str], str] = os.path.realpath) -> tuple[Target, ...]:
    """What a call touches that names ``path``."""
    return tuple(_path(path, cwd, real_path))


def _spellings(path: str, cwd: str) -> tuple[str, ...]:
    """Absolute, and relative when it is inside ``cwd`` (as opencode names paths)."""
    if path == cwd:
        return (path, ".")
    return (path, os.path.relpath(path, cwd)) if _inside(path, cwd) else (path,)


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _url(value: str, cwd: str, real_path: Callable[[str], str]) -> list[Target]:
    if any(char.isspace() or not char.isprintable() or char == "\\" for char in value):
        return [Target((value,), doubt="the URL holds characters that programs read differently")]
    try:
        parts = urlsplit(value)
        host, port = parts.hostname, parts.port
    except ValueError:
        return [Target((value,), doubt="the URL cannot be read")]
    scheme = parts.scheme.lower()
    if scheme == "file":
        return [Target((value,)), *_path(parts.path, cwd, real_path)]
    if not host or scheme not in _PORTS:
        return [Target((value,), doubt="the URL names no host or an unusual scheme")]
    netloc = f"[{host}]" if ":" in host else host.rstrip(".")
    if port not in (None, _PORTS[scheme]):
        netloc += f":{port}"
    normal = f"{scheme}://{netloc}{parts.path or '/'}" + (f"?{parts.query}" if parts.query else "")
    protocol = "https" if scheme in ("https", "wss") else "http"
    return [Target(tuple(dict.fromkeys((normal, value))), host=(host, protocol), doubt=_url_doubt(parts, host))]


_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}


def _url_doubt(parts: SplitResult, host: str) -> str | None:
    if "@" in parts.netloc:
        return "the URL holds a user name, which can pose as a host"
    if not host.isascii() or "%" in host:
        return "the host has characters that look like others"
    if ".." in parts.path.split("/") or "%2e" in parts.path.lower():
        return "the path of the URL climbs"
    return None
