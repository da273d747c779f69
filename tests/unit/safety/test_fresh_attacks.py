"""Scripts that were written by hand to get past the tool, from what a stranger sees of it.

``tests/data/corpora/fresh.jsonl``: ``cls``, ``script``, ``must``; with ``forbidden`` the rules forbid ``pwn``, and
allow the programs in ``allowed``; where ``rules`` stand, those are the rules. What still gets through
stands in :data:`OPEN`, which may only shrink.
"""

import json
from functools import cache
from pathlib import Path

import pytest

from tests.support.judging import decision

FRESH = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "corpora" / "fresh.jsonl").read_text("utf-8").splitlines()
]
OPEN = {
    # allowed on purpose: the collected harmless commands name it, and `.git/config` shows the same
    "git config -l",
    "git config --list --show-origin",
    # allowed on purpose: asks the remote that the repository names, as `git ls-remote` does, and says so
    "git remote show origin",
    # allowed: what they read depends on how a file is called, on a variable from outside, or stands in an archive
    "wc -l *",
    "grep x *",
    "grep x $x",
    "grep $x y",
    'grep "$x" y',
    # allowed: they only read and print, if without an end, or show which jobs, mounts and archives there are; of mounts
    # the kernel hides the passwords, and of an archive that is locked a person is asked for one
    "tail -f x",
    "tail --follow=name x",
    "tail -F x --pid=1",
    "yes",
    "tee",
    "mount",
    "at -l",
    "7z l x",
    "git --work-tree=x status",
    "find . -execdir ls {} +",
    # allowed where there is no such folder; one that is a bare repository is found (test_embedded_repository)
    "git -C fixtures/repo.git diff HEAD~ HEAD",
    "cd fixtures/repo.git && git diff HEAD~ HEAD",
}


def holds(attack: dict[str, str]) -> bool:
    shell = attack.get("shell", "bash")
    if attack["must"] != "forbidden":
        return decision(attack["script"], attack.get("rules", ""), shell=shell) != "allow"
    allowed = "".join([f'prefix_rule(pattern=["{program}"])\n' for program in attack.get("allowed", ())])
    rules = attack.get("rules", allowed + 'prefix_rule(pattern=["pwn"],decision="forbidden")\n')
    return decision(attack["script"], rules, shell=shell) == "forbidden"


KINDS = sorted({attack["cls"] for attack in FRESH})


@cache
def through(kind: str) -> frozenset[str]:
    """What gets through of one class."""
    return frozenset([attack["script"] for attack in FRESH if attack["cls"] == kind and not holds(attack)])


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_of_fresh_attacks(kind: str) -> None:
    assert through(kind) <= OPEN, sorted(through(kind) - OPEN)


def test_only_what_is_open_is_called_open() -> None:
    assert frozenset().union(*[through(kind) for kind in KINDS]) == OPEN
