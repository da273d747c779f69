"""Every claim that an allow rests on is held up by some code: weakened, the attack on it finds a leak."""

import shutil

import pytest

from execpolicy.judge.grounds import KINDS
from tests.attacks.arena import Arena
from tests.attacks.mutations import MUTATIONS, OF_CLASSES, weakened
from tests.attacks.run import attacked, attacks, attacks_of_classes

pytestmark = pytest.mark.slow

MOST = 10_000
"""Scripts until a leak must have been found; a few dozen mostly do."""
MOST_OF_CLASS = 150
"""The same for classes: all of them are tried."""


def test_every_kind_of_ground_has_its_mutation() -> None:
    assert set(MUTATIONS) == set(KINDS)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bwrap is missing")
@pytest.mark.parametrize("ground", MUTATIONS)
def test_a_weak_claim_leaks(arena: Arena, ground: str) -> None:
    attack = attacks()[ground](0, MUTATIONS[ground].shell)
    with weakened(ground):
        tally = attacked(arena, attack, MOST, first_on=ground)
    assert any(ground in hole.grounds for hole in tally.holes), f"{tally.made} scripts, {tally.allowed} run"


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bwrap is missing")
@pytest.mark.parametrize("name", OF_CLASSES)
def test_a_weak_search_leaks(arena: Arena, name: str) -> None:
    attack = attacks_of_classes()[name](0, OF_CLASSES[name].shell)
    with weakened(name):
        assert attacked(arena, attack, MOST_OF_CLASS).holes
