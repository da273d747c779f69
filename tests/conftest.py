"""What holds for every test: no cache, home or configuration of this machine is read or written."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    patch.setenv("EXECPOLICY_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()
