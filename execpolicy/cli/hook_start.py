"""What agents start: ``PYTHON -I -S …/hook_start.py [NAME=VALUE]… AGENT [OPTION]…`` is ``execpolicy hook`` and no more.

A hook runs with the variables and in the working folder of an agent, and a project can set both. ``-I`` keeps Python
from reading either, ``-S`` from looking for ``sitecustomize`` at all (and halves the time to start). What is left is
done here, before anything else of the package is loaded: modules come from its own folder and from that of the
libraries beside the interpreter, and the variables that lead to rules, settings and the cache are those on the
command line.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` only wraps it in enums, which takes 3 ms
import os
import sys
from pwd import getpwuid

_LEADING = ("HOME", "CODEX_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")
"""Variables that say where rules, settings and the cache are, beside our own."""
_NARROWING = "EXECPOLICY_GRANTS"
"""The one of our own variables that can only make decisions stricter."""
_PATIENCE = 12
"""Seconds after which the process is ended whatever it does: above the deadline of the hook, which answers by then, and
below the patience of the agent, which runs the command when that ends."""


def start(arguments: list[str]) -> None:
    """Answer the call on standard input and leave."""
    signal.setitimer(signal.ITIMER_PROF, _PATIENCE)  # where even the deadline's handler does not get its turn
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
    """Where the package is, and the libraries beside the interpreter, in its virtual environment if it has one."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    beside = os.path.dirname(os.path.dirname(sys.executable))
    root = beside if os.path.exists(f"{beside}/pyvenv.cfg") else sys.prefix
    libraries = f"{root}/lib/python{sys.version_info[0]}.{sys.version_info[1]}"
    return [package, f"{libraries}/site-packages", f"{libraries}/dist-packages"]


if __name__ == "__main__":
    start(sys.argv[1:])
