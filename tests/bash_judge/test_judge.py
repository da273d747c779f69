"""A few thousand random scripts, the scripts that once were read wrongly, and proof that the judge can fail."""

from __future__ import annotations

import shutil

import pytest

from execpolicy.shell.read import read_script
from tests.bash_judge.__main__ import Job, judge, noticed
from tests.bash_judge.cases import CASES
from tests.bash_judge.compare import complaints
from tests.bash_judge.mutations import MUTATIONS
from tests.bash_judge.run import Judge
from tests.support.each import share

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("bwrap") is None, reason="bwrap is missing")]

SEEDS = range(4 // share(4))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("shell", ["bash", "sh"])
def test_what_ran_was_reported(shell: str, seed: int) -> None:
    tally, cases = judge(Job(shell, seed, 5_000 // share(2) if shell == "bash" else 250))
    assert [case for case in cases if case["kind"] == "WRONG"] == []
    assert tally["structured"] > 0
    assert tally["plain"] > 0
    assert tally["commands run"] > 200


@pytest.mark.parametrize("seed", SEEDS)
def test_what_variables_and_lists_gave_was_reported(seed: int) -> None:
    tally, cases = judge(Job("bash", seed, 2_000, values=True))
    assert [case for case in cases if case["kind"] == "WRONG"] == []
    assert tally["structured"] > 1_500
    assert tally["commands run"] > 2_000


@pytest.mark.parametrize("text", CASES)
def test_scripts_that_were_once_read_wrongly(text: str) -> None:
    script = read_script(text)
    with Judge() as runner:
        run = runner.run(text)
    assert script.status == "opaque" or complaints(script, run) == []


@pytest.mark.parametrize("name", sorted(MUTATIONS))
def test_a_broken_reader_is_noticed(name: str) -> None:
    assert noticed(name) is not None
