"""What holds for every test: no cache, home or configuration of this machine is read or written."""

import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# a loaded machine makes the drawing of examples slow, which says nothing about the code
settings.register_profile("everywhere", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("everywhere")

# a shell starts background jobs with these ignored, and what is ignored here stays ignored in every program under test
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # `nohup` hands its disregard on to every child


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    patch.setenv("EXECPOLICY_CACHE", str(tmp_path_factory.mktemp("cache")))
    patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))  # where the secret of the cache is
    yield
    patch.undo()
