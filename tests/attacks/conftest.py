"""One sandbox for all attacks of a test process; it takes a second or two to make."""

from collections.abc import Iterator

import pytest

from tests.attacks.arena import Arena


@pytest.fixture(scope="session")
def arena() -> Iterator[Arena]:
    with Arena() as made:
        yield made
