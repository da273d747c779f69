"""The machine that the tests of layers run on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path.resolve())
    made.codex_home.mkdir(parents=True)
    return made
