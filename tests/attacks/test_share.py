"""A share of every attack on the grounds; the long run is ``python -m tests.attacks``."""

import shutil

import pytest

from execpolicy.judge.grounds import KINDS
from tests.attacks.arena import SHELLS, Arena, available
from tests.attacks.page import PAGE, page
from tests.attacks.run import attacked, attacks, attacks_of_classes
from tests.support.each import share

pytestmark = pytest.mark.slow

SHARE = 30 // share(3)
"""Scripts for each ground and shell."""
_sandboxed = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bwrap is missing")


def test_every_kind_of_ground_has_its_attack() -> None:
    assert set(attacks()) == set(KINDS)


def test_the_page_is_written_from_the_list() -> None:
    assert PAGE.read_text("utf-8") == page(), "write it again: python -m tests.attacks.page"


def test_a_kind_names_the_shells_that_its_attack_is_run_with() -> None:
    for code, attack in attacks().items():
        tried = KINDS[code].tried
        programs = {SHELLS[shell][0] for shell in attack.shells}
        assert tried.startswith("any") or all(program in tried for program in programs), code


@_sandboxed
@pytest.mark.parametrize(
    ("ground", "shell"),
    [
        (ground, shell)
        for ground, attack in (attacks() | attacks_of_classes()).items()
        for shell in available(attack.shells)
    ],
)
def test_nothing_leaks(arena: Arena, ground: str, shell: str) -> None:
    tally = attacked(arena, (attacks() | attacks_of_classes())[ground](0, shell), SHARE)
    assert tally.holes == []
