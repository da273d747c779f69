"""Scripts that were written by hand to get past the tool, from what a stranger sees of it.

``tests/data/corpora/fresh.jsonl``: ``cls``, ``script``, ``must``; where it says ``forbidden``, or there is ``allowed``,
the rules allow those programs and forbid ``pwn``, or what stands in ``forbidden``; with ``writes`` files below may be
written. Where ``rules`` stand, those are the rules. What still gets through
stands in :data:`OPEN`, which may only shrink.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

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
    # asks: `$x` is only known at run time
    "pwsh -c 'param($x) git $x' push",
    "cd fixtures/repo.git && git diff HEAD~ HEAD",
}


def holds(attack: dict[str, Any]) -> bool:
    said = decision(attack["script"], rules_for(attack), shell=attack.get("shell", "bash"))
    return said == "forbidden" if attack["must"] == "forbidden" else said != "allow"


def rules_for(attack: dict[str, Any]) -> str:
    """The rules of the attack: its own, or those that allow some programs, and files below, and forbid a command."""
    if "rules" in attack or ("allowed" not in attack and attack["must"] != "forbidden"):
        return attack.get("rules", "")
    rules = [f'prefix_rule(pattern=["{program}"])' for program in attack.get("allowed", ())]
    for words in attack.get("forbidden", ["pwn"]):
        rules.append(f"prefix_rule(pattern={words.split()!r}, decision='forbidden')")
    return "\n".join([*rules, *(['write_rule(paths=["./**"])'] if attack.get("writes") else []), ""])


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
