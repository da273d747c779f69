"""Runs the command line as on another system: ``python -m tests.support.faked_system macos|windows ARGS…``.

With ``-c CODE`` it runs code. Only names are taken away, and what lies below ``/proc``.
"""

from __future__ import annotations

import builtins
import os
import sys
from typing import Any

NO_MODULES = {"macos": (), "windows": ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty")}
NO_NAMES = {
    "macos": {
        "os": ("memfd_create", "pidfd_open", "pidfd_send_signal", "splice"),
        "fcntl": ("F_GETLEASE", "F_SETLEASE", "F_SETSIG"),
        "socket": ("AF_NETLINK", "SO_PEERCRED"),
    },
    "windows": {
        "os": (
            "O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "O_PATH", "WNOHANG", "chown", "chroot",
            "fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getgroups", "getpgid", "getpgrp",
            "getsid", "getuid", "initgroups", "killpg", "lchown", "major", "memfd_create", "minor", "mkfifo", "mknod",
            "openpty", "pidfd_open", "posix_spawn", "posix_spawnp", "register_at_fork", "sched_getaffinity", "setpgid",
            "setsid", "statvfs", "sysconf", "tcgetpgrp", "tcsetpgrp", "ttyname", "uname", "waitid",
        ),
        "signal": ("SIGHUP", "SIGKILL", "SIGQUIT", "SIGURG", "SIGUSR1", "SIGWINCH", "pthread_sigmask", "setitimer"),
        "socket": ("AF_NETLINK", "AF_UNIX", "SO_PEERCRED"),
    },
}  # fmt: skip


def fake(system: str) -> None:
    """Takes away what ``system`` has not."""
    for module in NO_MODULES[system]:
        sys.modules[module] = None  # type: ignore[assignment]  # an import of it fails
    for module, names in NO_NAMES[system].items():
        for name in names:
            vars(__import__(module)).pop(name, None)
    sys.platform = {"macos": "darwin", "windows": "win32"}[system]
    os.name = {"macos": "posix", "windows": "nt"}[system]
    whole = builtins.open

    def opened(file: Any, *args: Any, **kwargs: Any) -> Any:
        if str(file).startswith("/proc/"):
            raise FileNotFoundError(2, "No such file or directory", file)
        return whole(file, *args, **kwargs)

    builtins.open = opened
    really = os.open

    def descriptor(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if system == "windows" and dir_fd is not None:
            raise NotImplementedError("dir_fd unavailable on this platform")
        if str(path).startswith("/proc/"):
            raise FileNotFoundError(2, "No such file or directory", path)
        return really(path, flags, mode, dir_fd=dir_fd)

    os.open = descriptor


LIBRARIES = (
    "asyncio click concurrent.futures.thread concurrent.futures.process duckdb filelock lark "
    "multiprocessing.connection pygls.lsp.server pyarrow shutil socket starlark starlette.applications subprocess "
    "tempfile urllib.request uvicorn"
)
"""Loaded before: they choose by the system what they need of it, and only this package is looked at."""


if __name__ == "__main__":
    for library in LIBRARIES.split():
        __import__(library)
    fake(sys.argv[1])
    if sys.argv[2] == "-c":
        exec(sys.argv[3])
    else:
        sys.argv[1:] = sys.argv[2:]
        from execpolicy.cli.main import run

        run()
