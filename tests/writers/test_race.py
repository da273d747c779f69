"""A small race; ``python -m tests.writers`` is the large one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.writers.race import race


@pytest.mark.parametrize("undo", [False, True])
def test_nothing_is_lost_torn_or_doubled(tmp_path: Path, undo: bool) -> None:
    found = race(tmp_path, writers=3, appends=60, foreign=1, undo=undo, kills=5)
    assert found.is_clean(), found
    assert found.kills > 0
    assert found.saved > 60
    assert bool(found.undone) is undo
