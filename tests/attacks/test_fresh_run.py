"""What is allowed of the attacks that were written by hand is run for real, and leaves no trace."""

import json
import shutil
from pathlib import Path

import pytest

from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from tests.attacks.arena import READINGS, Arena, available
from tests.attacks.leak import attack_rules, leak_of
from tests.support.each import share

pytestmark = pytest.mark.slow

CORPORA = Path(__file__).parents[1] / "data" / "corpora"
SHELLS = ("bash", "dash", "zsh", "ksh", "busybox")


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bwrap is missing")
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("name", ["attacks", "fresh"])
def test_what_is_allowed_of_a_corpus_leaves_no_trace(arena: Arena, name: str, shell: str) -> None:
    if shell not in available(SHELLS):
        pytest.skip(f"{shell} is not installed")
    book = attack_rules()
    found: list[tuple[str, str]] = []
    ran = 0
    reading = "sh" if shell == "dash" else READINGS.get(shell, shell)
    rows = (CORPORA / f"{name}.jsonl").read_text("utf-8").splitlines()
    # of the many each shell tries another share
    for line in rows if name == "attacks" else rows[SHELLS.index(shell) :: share(len(SHELLS))]:
        script = json.loads(line)["script"]
        verdict = judge_script(read_command(script, shell=reading), book, arena.place)
        if verdict.decision.word != "allow":
            continue
        ran += 1
        trace = arena.run(script, shell)
        leak = leak_of(trace, book) or (None if trace.finished else "it does not end")
        if leak is not None:
            found.append((script, leak))
    assert found == []
    assert ran or name == "attacks"
