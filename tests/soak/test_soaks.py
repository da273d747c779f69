"""Some seconds of each; ``python -m tests.soak`` is ten minutes of each."""

from pathlib import Path

import pytest

from tests.soak.soaks import SOAKS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", SOAKS)
def test_nothing_is_lost(tmp_path: Path, name: str) -> None:
    """Memory needs more than some seconds to be told to stand still: the long run looks at it."""
    soak = SOAKS[name](tmp_path.resolve(), 3)
    assert soak.lost == 0, soak
    assert soak.count >= 10
    assert max(soak.held.descriptors) < 200
