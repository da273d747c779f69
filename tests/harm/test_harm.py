"""Lines that were proven harmful are so again, on whatever of their programs this machine has."""

import re
from collections.abc import Iterator
from random import Random

import pytest

from tests.harm.ground import Ground
from tests.harm.harm import USUAL, harmful_lines, program_of, proofs, proven

pytestmark = pytest.mark.slow
EACH = 4
"""Lines of each program that are tried: all of them take an hour, with ``python -m tests.harm``."""
_NEEDS_TOOLS = re.compile(r"^npm .*(?: -- |--dir|--node-options)")
"""What the program of a script does with it is seen where that program is installed: ``--tools``."""


@pytest.fixture(scope="module")
def ground() -> Iterator[Ground]:
    made = Ground()
    yield made
    made.close()


def test_what_was_proven_is_among_the_harmful_lines() -> None:
    found = proven()
    assert set(found) <= set(harmful_lines())
    assert len(found) >= 400


@pytest.mark.parametrize("program", ["make", "gmake", "cmake", "ctest", "npm"])
def test_a_line_does_its_harm_again(ground: Ground, program: str) -> None:
    lines = [line for line in proven() if program_of(line) == program and not _NEEDS_TOOLS.search(line)]
    if not lines or not ground.installed(program):
        pytest.skip(f"{program} is not here")
    tried = Random(program).sample(lines, min(EACH, len(lines)))
    assert [line for line in tried if not proofs(ground, line)] == []


def test_the_usual_does_no_harm(ground: Ground) -> None:
    """Or a proof would prove nothing."""
    for line in USUAL["make"]:
        assert ground.seen(line).kinds() == ()
