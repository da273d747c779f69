"""No version manager of this machine stands in front of the programs that a test judges."""

import os

import pytest


@pytest.fixture(autouse=True)
def without_shims(monkeypatch: pytest.MonkeyPatch) -> None:
    folders = os.environ.get("PATH", "").split(os.pathsep)
    monkeypatch.setenv("PATH", os.pathsep.join([each for each in folders if "shims" not in each.split(os.sep)]))
