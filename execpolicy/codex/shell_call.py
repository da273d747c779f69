"""The argv that Codex runs a script with, and the argvs in which Codex recognizes a script."""

from __future__ import annotations

from collections.abc import Sequence

from execpolicy.errors import UsageError

_SHELLS = frozenset({"bash", "sh", "zsh"})
_FLAGS = frozenset({"-c", "-lc"})
_SHELL_FOLDERS = frozenset({"/bin", "/usr/bin"})
_PATHS = {"bash": "/bin/bash", "sh": "/usr/bin/sh"}
"""Paths of the shells that Codex found on the machine of the recorded cases. zsh was not installed."""

_OTHER_SHELL = "/bin/sh"
NO_LOGIN_SHELL = "login shell is disabled by config; omit `login` or set it to false."
"""Codex's answer to a call that requests a login shell if ``allow_login_shell`` is false."""


def shell_kind(program: str) -> str | None:
    """``bash``, ``sh`` or ``zsh`` by the name of ``program``, in any folder and with any extensions."""
    name = program.rstrip("/")
    name = name[name.rfind("/") + 1 :]
    while name not in _SHELLS:
        stem, dot, _ = name.rpartition(".")
        if not dot or not stem:
            return None
        name = stem
    return name


def shell_script(argv: Sequence[str]) -> str | None:
    """The script of ``[shell, "-c" | "-lc", script]`` (a shell of :func:`shell_kind`); ``None`` for any other argv."""
    if len(argv) != 3 or argv[1] not in _FLAGS or shell_kind(argv[0]) is None:
        return None
    return argv[2]


def is_system_shell(program: str) -> bool:
    """True if ``program`` is a path directly in ``/bin`` or ``/usr/bin``."""
    folder, slash, _ = program.rpartition("/")
    return bool(slash) and folder in _SHELL_FOLDERS


def shell_argv(
    script: str, shell: str | None = None, login: bool | None = None, *, allow_login: bool = True
) -> tuple[str, ...]:
    """The argv that Codex runs a script with: the folder of ``shell`` is ignored, unknown ones become ``sh``.

    Args:
        shell: name or path of the shell; ``bash`` if not given.
        login: use a login shell (``-lc``) and not ``-c``; the value of ``allow_login`` if not given.
        allow_login: the setting ``allow_login_shell``.

    Raises:
        UsageError: a login shell is requested, and the setting refuses it.
    """
    if login and not allow_login:
        raise UsageError(NO_LOGIN_SHELL)
    login = allow_login if login is None else login
    kind = shell_kind("bash" if shell is None else shell)
    path = _OTHER_SHELL if kind is None else _PATHS.get(kind, _OTHER_SHELL)
    return (path, "-lc" if login else "-c", script)


def codex_argv(command: str | Sequence[str], *, shell: str = "bash", login: bool | None = None) -> tuple[str, ...]:
    """The argv that Codex would run: a script gets its shell in front."""
    if isinstance(command, str):
        return shell_argv(command, shell=shell, login=login)
    return tuple(command)
