"""The command of a shell request, and the targets of a request of another tool: paths and URLs as rules name them.

Every other argument may change what runs; one that is not known to be harmless prevents a rule from
granting the call.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import SplitResult, urlsplit

from execpolicy.approvals.patch import PATCH_BEGIN, PatchError, patched_paths
from execpolicy.permissions.tool_names import SHELL_NAMES
from execpolicy.programs.names import names_system_program
from execpolicy.shell.script import SHELLS
from execpolicy.shell.variables import harmless_assignment
from execpolicy.shell.words import Word
from execpolicy.source import Span

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
"""Arguments that contain text: a path or URL in them is not a target of the tool."""
_SCHEME = re.compile(r"(?:https?|ftp|wss?|file)://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Target:
    """A path or URL that a call uses.

    Attributes:
        spellings: the spellings that a rule may use; a rule that matches one matches the target.
        host: host and protocol of a URL.
        doubt: the reason why no rule may grant it.
    """

    spellings: tuple[str, ...]
    host: tuple[str, str] | None = None
    doubt: str | None = None


def targets_of(args: Mapping[str, Any], *, cwd: str, diffs: bool = False) -> tuple[Target, ...]:
    """The paths and URLs in ``args``, at any depth; empty if no argument has the name or form of one.

    A path through symbolic links is two targets: the path as written, and its real path. A patch is every file in it.

    Args:
        diffs: true if the tool changes files; the headers of a unified diff in any argument then name targets.
    """
    found: list[Target] = []
    _collect(args, "", cwd, found, 0)
    if diffs:
        found += [target for path in _in_diffs(args, 0) for target in path_targets(path, cwd=cwd)]
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


def _collect(value: Any, name: str, cwd: str, found: list[Target], depth: int) -> None:
    if isinstance(value, Mapping | list):
        if depth >= MAX_DEPTH:
            found.append(Target((), doubt="the arguments are nested too deeply"))
        elif isinstance(value, Mapping):
            for key, entry in value.items():
                _collect(entry, _plain(str(key)), cwd, found, depth + 1)
        else:
            for entry in value:
                _collect(entry, name, cwd, found, depth + 1)
    elif isinstance(value, str) and (patch := _PATCH.search(value)) is not None:
        found += _patch(value[patch.start() :], cwd)
    elif isinstance(value, str) and name not in _TEXT_NAMES:
        if name.endswith(_URL_ENDINGS) or _SCHEME.match(value):
            found += _url(value, cwd)
        elif name in _PATH_NAMES or name.endswith(_PATH_ENDINGS) or _looks_like_path(value, cwd):
            found += path_targets(value, cwd=cwd)
        elif name.endswith(_HOST_ENDINGS):
            found.append(Target((value,), doubt="the call goes through another host"))


MAX_DEPTH = 16
_PATCH = re.compile(rf"{re.escape(PATCH_BEGIN)}[ \t\r]*$", re.MULTILINE)
"""The first line of a patch; some tools accept it after other text."""


def _patch(text: str, cwd: str) -> list[Target]:
    try:
        paths = patched_paths(text)
    except PatchError as problem:
        return [Target(("*",), doubt=f"the patch cannot be read: {problem}")]
    return [target for path in paths for target in path_targets(path, cwd=cwd)]


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def _looks_like_path(value: str, cwd: str) -> bool:
    """True if an argument of another name may be a path, so that a rule has to cover it."""
    if "/" in value or value.startswith("~") or value in (".", ".."):
        return True
    return 0 < len(value) < 256 and "\0" not in value and os.path.lexists(os.path.join(cwd, value))


def path_targets(value: str, *, cwd: str) -> tuple[Target, ...]:
    """The targets of a call that names the path ``value``; a path through symbolic links is two."""
    if not value or "\0" in value:
        return (Target((), doubt="a path is empty or holds NUL"),)
    if value.startswith("~"):
        return (Target((value,), doubt="the tool chooses what `~` means"),)
    written = os.path.normpath(os.path.join(cwd, value))
    if written.startswith("//"):
        written = written[1:]
    target = Target(_spellings(written, cwd))
    try:
        real, base = os.path.realpath(written), os.path.realpath(cwd)
    except ValueError:  # characters that no file name has
        return (replace(target, doubt="where the path leads cannot be seen"),)
    if real == written:
        return (target,)
    relative = os.path.join(cwd, os.path.relpath(real, base)) if _inside(real, base) else real
    return target, Target(tuple(dict.fromkeys((real, *_spellings(relative, cwd)))))


def _spellings(path: str, cwd: str) -> tuple[str, ...]:
    """The absolute path, and the relative one if it is inside ``cwd`` (as opencode names paths)."""
    if path == cwd:
        return (path, ".")
    return (path, os.path.relpath(path, cwd)) if _inside(path, cwd) else (path,)


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _url(value: str, cwd: str) -> list[Target]:
    if any(char.isspace() or not char.isprintable() or char == "\\" for char in value):
        return [Target((value,), doubt="the URL holds characters that programs read differently")]
    try:
        parts = urlsplit(value)
        host, port = parts.hostname, parts.port
    except ValueError:
        return [Target((value,), doubt="the URL cannot be read")]
    scheme = parts.scheme.lower()
    if scheme == "file":
        return [Target((value,)), *path_targets(parts.path, cwd=cwd)]
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


SHELL_TOOLS = SHELL_NAMES
"""Names of tools that run commands, unless a session names others."""

COMMAND_FIELDS = ("command", "argv", "script")
FOLDER_FIELDS = ("cwd", "workdir", "working_directory")
_HARMLESS = frozenset(
    {"description", "justification", "timeout", "timeout_ms", "title", "login", "max_output_tokens", "yield_time_ms"}
)


class NotAShellCall(ValueError):
    """Arguments without a valid command; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class ShellCall:
    """The command of a shell request.

    Attributes:
        command: a script, or an argv.
        shell: the shell that reads the script.
        cwd: the absolute working directory.
        doubts: the reasons why no rule may grant it although ``command`` is known; each is one line.
    """

    command: str | tuple[str, ...]
    shell: str
    cwd: str
    doubts: tuple[str, ...] = ()


def shell_call(args: Mapping[str, Any], *, cwd: str) -> ShellCall:
    """The call that ``args`` describe.

    Args:
        cwd: the working directory of the child.

    Raises:
        NotAShellCall: there is no command, or more than one, or an argument has the wrong form.
    """
    given = [name for name in COMMAND_FIELDS if args.get(name) is not None]
    if len(given) != 1:
        raise NotAShellCall(f"exactly one of `{'`, `'.join(COMMAND_FIELDS)}` is needed, not {len(given)}")
    command = _command(given[0], args[given[0]])
    doubts: list[str] = []
    folder = cwd
    folders = [name for name in FOLDER_FIELDS if args.get(name) is not None]
    if len({str(args[name]) for name in folders}) > 1:
        raise NotAShellCall(f"`{folders[0]}` and `{folders[1]}` name different folders")
    if folders:
        named = args[folders[0]]
        if not isinstance(named, str) or not named or "\0" in named:
            raise NotAShellCall(f"`{folders[0]}` is not a folder")
        folder = os.path.normpath(os.path.join(cwd, named))
        if named.startswith("~"):
            doubts.append("the tool chooses what `~` means")
    shell = args.get("shell") or "bash"
    name = os.path.basename(shell) if isinstance(shell, str) else ""
    if name not in SHELLS:
        doubts.append("the shell is not one that can be read")
        name = "bash"
    elif not names_system_program(shell):
        doubts.append(f"`{shell}` is not in a system folder: it may be any program")
    doubts += _environment(args.get("env"))
    known = {*COMMAND_FIELDS, *FOLDER_FIELDS, "shell", "env"}
    doubts += [
        f"the argument `{name}` is not understood"
        for name, value in args.items()
        if name not in known and (name not in _HARMLESS or isinstance(value, Mapping | list))
    ]
    return ShellCall(command, name, folder, tuple(doubts))


def _command(name: str, given: Any) -> str | tuple[str, ...]:
    if isinstance(given, str) and name != "argv":
        return given
    if isinstance(given, list) and name != "script" and given and all(isinstance(word, str) for word in given):
        return tuple(given)
    raise NotAShellCall(f"`{name}` is not a {'script' if name == 'script' else 'command'}")


def _environment(env: Any) -> list[str]:
    if env is None:
        return []
    if not isinstance(env, Mapping) or not all(isinstance(value, str) for value in env.values()):
        raise NotAShellCall("`env` is not an object of text")
    return [
        f"the variable `{name}` may change what runs"
        for name, value in env.items()
        if not harmless_assignment(name, Word(value, Span(0, len(value))), exported=True, shell="bash")
    ]
