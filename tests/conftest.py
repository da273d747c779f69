"""What holds for every test: no cache, home or configuration of this machine is read or written."""

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from execpolicy.cli.commands.init import OF_AGENTS
from execpolicy.cli.signals import FATAL
from tests.support.compiled_entries import keep_compiled

# a loaded machine makes the drawing of examples slow, which says nothing about the code
settings.register_profile("everywhere", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("everywhere")

# a shell starts background jobs with these ignored, and what is ignored here stays ignored in every program under test
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # `nohup` hands its disregard on to every child

# a version manager's stand-ins run what files of a folder say, so they are asked about: what they stand in for is taken
_FOLDERS = os.environ.get("PATH", os.defpath).split(os.pathsep)
os.environ["PATH"] = os.pathsep.join(
    [f"{sys.base_prefix}/bin" if "shims" in folder.split(os.sep) else folder for folder in _FOLDERS]
)

_SIGNALS = [number for name in FATAL if (number := getattr(signal, name, None)) is not None]
_COMPILED = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Once for all workers."""
    if not hasattr(config, "workerinput") and not config.option.collectonly:
        kept = keep_compiled()
        if kept is not None:
            config.stash[_COMPILED] = kept


def pytest_unconfigure(config: pytest.Config) -> None:
    """Nothing stays behind in the checkout."""
    kept = config.stash.get(_COMPILED, None)
    if kept is not None:
        kept.unlink(missing_ok=True)
        with suppress(OSError):  # another run's file may be there by now
            kept.parent.rmdir()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Ten thousand tests stay until the end: looking through them for garbage, again and again, takes seconds."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    patch.setenv("EXECPOLICY_CACHE", str(tmp_path_factory.mktemp("cache")))
    patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))  # where the secret of the cache is
    for name in OF_AGENTS:  # an agent may run the tests
        patch.delenv(name, raising=False)
    yield
    patch.undo()


@pytest.fixture(autouse=True)
def _own_signals() -> Iterator[None]:
    """What a command sets that is run in this process, as a hook does, ends with its test."""
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    yield
    for number, handler in before.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)
