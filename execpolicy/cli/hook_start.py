"""The entry point for agents: ``PYTHON -I -S …/hook_start.py [NAME=VALUE]… AGENT [OPTION]…`` is ``execpolicy hook``.

A hook runs with the environment and in the working directory of an agent, and a project can set both. ``-I`` keeps
Python from reading either, ``-S`` from searching for ``sitecustomize`` (and halves the start time). This module
does the rest before it loads the package. Modules come only from the package's own folder and from that of the
libraries of the interpreter. The variables that locate rules, settings and the cache come only from the command
line.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` only wraps it in enums, which takes 3 ms
import os
import sys
from pwd import getpwuid

_LEADING = ("HOME", "CODEX_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
"""Variables that locate rules, settings and the cache, besides those of execpolicy."""
_NARROWING = "EXECPOLICY_GRANTS"
"""The only variable of execpolicy that can only make decisions stricter."""
_PATIENCE = 12
"""Seconds until the process is ended in any case.

It is above the deadline of the hook, which answers by then, and below the timeout of the agent, which then runs the
command.
"""


def start(arguments: list[str]) -> None:
    """Answer the call on standard input and exit."""
    signal.setitimer(signal.ITIMER_PROF, _PATIENCE)  # in case even the deadline's handler cannot run
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE)
    for name in list(os.environ):
        if name in _LEADING or (name.startswith("EXECPOLICY_") and name != _NARROWING):
            del os.environ[name]
    while arguments and "=" in arguments[0]:
        name, _, value = arguments.pop(0).partition("=")
        os.environ[name] = value
    if "HOME" not in os.environ:
        os.environ["HOME"] = getpwuid(os.getuid()).pw_dir
    sys.path += _folders()
    from execpolicy.cli.signals import refuse_when_signalled

    refuse_when_signalled()
    sys.argv[1:] = ["hook", "--no-silence", *arguments]
    from execpolicy.bytecode import start as load

    load(sys.argv[1:])
    from execpolicy.cli.main import run

    run()


def _folders() -> list[str]:
    """The folders of the package and of the libraries of the interpreter, which may be in a virtual environment."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    beside = os.path.dirname(os.path.dirname(sys.executable))
    root = beside if os.path.exists(f"{beside}/pyvenv.cfg") else sys.prefix
    libraries = f"{root}/lib/python{sys.version_info[0]}.{sys.version_info[1]}"
    return [package, f"{libraries}/site-packages", f"{libraries}/dist-packages"]


if __name__ == "__main__":
    start(sys.argv[1:])
