"""The corpora as data: nothing in them leaks, and everyday work is not asked about."""

from __future__ import annotations

import json
import random
import shlex
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.lang.precompiled import builtin_entries

CORPORA = Path(__file__).parents[2] / "data" / "corpora"
SITUATION = Situation("/scratch/cur", home="/scratch/home", real_path=lambda path: path)

INNER_NOT_SEEN = {
    "set touch PWNED; $*": "`set` without `--` is not followed",
    "set touch PWNED; $1 $2": "`set` without `--` is not followed",
    "$BASH -c 'touch PWNED'": "a variable of the shell itself is the program",
    "docker compose -f x.yml -p y down -v": "options of a plug-in stand before its sub-command",
}
"""Scripts that are asked about, but whose inner command a forbid rule does not find."""


@cache
def builtin_rulebook() -> Rulebook:
    return Rulebook(builtin_entries())


@cache
def entries(name: str) -> tuple[dict[str, Any], ...]:
    text = (CORPORA / f"{name}.jsonl").read_text(encoding="utf-8")
    return tuple([json.loads(line) for line in text.split("\n") if line])


def decision(entry: dict[str, Any], rulebook: Rulebook) -> str:
    return check(entry["script"], rulebook, shell=entry.get("shell", "bash"), situation=SITUATION).decision.word


@pytest.mark.parametrize("name", ["bypass", "own_bypass"])
def test_no_script_that_must_not_be_allowed_is_allowed(name: str) -> None:
    rulebook = builtin_rulebook()
    leaks = [
        entry["script"] for entry in entries(name) if not entry["strict_only"] and decision(entry, rulebook) == "allow"
    ]
    assert leaks == []


PLACES: tuple[Callable[[str], str], ...] = (
    lambda script: f"ls; {script}",
    lambda script: f"{script}\nls",
    lambda script: f"( {script}\n)",
    lambda script: f"true && {{ {script}\n}}",
    lambda script: f"if true; then {script}\nfi",
    lambda script: f"for i in 1; do {script}\ndone",
    lambda script: f"while {script}\ndo break; done",
    lambda script: f"case x in x) {script}\n;; esac",
    lambda script: f"! {{ {script}\n}}",
    lambda script: f"time {{ {script}\n}}",
    lambda script: f"f() {{ {script}\n}}; f",
    lambda script: f"ls | {{ {script}\n}}",
    lambda script: f'echo "$({script}\n)"',
    lambda script: f"x=$({script}\n)",
    lambda script: f"cat <({script}\n)",
    lambda script: f"cd . && {script}",
    lambda script: f"LC_ALL=C; {script}",
    lambda script: f"bash -c {shlex.quote(script)}",
    lambda script: f"timeout 5 bash -lc {shlex.quote(script)}",
    lambda script: f"eval {shlex.quote(script)}",
    lambda script: f"find . -maxdepth 0 -exec bash -c {shlex.quote(script)} \\;",
    lambda script: f"echo x | xargs -I{{}} bash -c {shlex.quote(script)}",
    lambda script: f"{script} || true",
    lambda script: f"{script} | cat",
    lambda script: f"{script} >/dev/null 2>&1",
)
"""Where a script can stand without changing what it does."""


def test_a_script_that_must_not_be_allowed_is_not_allowed_anywhere_inside_another() -> None:
    chance = random.Random(7)
    rulebook = builtin_rulebook()
    leaks = []
    for name in ("bypass", "own_bypass"):
        for entry in entries(name):
            if not entry["strict_only"] and entry["verified"] and "shell" not in entry:
                for place in chance.sample(PLACES, 2):
                    script = place(entry["script"])
                    if decision({"script": script}, rulebook) == "allow":
                        leaks.append(script)
    assert leaks == []


POISONS: tuple[Callable[[str], str], ...] = (
    lambda script: f"{script}\ntouch PWNED",
    lambda script: f"{{ {script}\n}} > out.txt",
    lambda script: f"{{ {script}\n}} 2> err.txt",
    lambda script: f"{{ {script}\n}} | tee out.txt",
    lambda script: f"{{ {script}\n}} | sh",
    lambda script: f"exec > out.txt\n{script}",
    lambda script: f"PATH=.:$PATH\n{script}",
    lambda script: f"read -r PATH\n{script}",
    lambda script: f"for PATH in .; do {script}\ndone",
    lambda script: f"export GIT_EXTERNAL_DIFF=./evil\n{script}",
    lambda script: f"declare -x LD_PRELOAD=./x.so\n{script}",
    lambda script: f"hash -p ./evil ls\n{script}",
    lambda script: f"enable -f ./x.so ls\n{script}",
    lambda script: f"ls() {{ touch PWNED; }}\nls\n{script}",
    lambda script: f"alias ls=./evil\n{script}",
    lambda script: f"trap 'touch PWNED' EXIT\n{script}",
    lambda script: f". ./evil\n{script}",
    lambda script: f"cat <<EOF\n$(touch PWNED)\nEOF\n{script}",
    lambda script: f"echo $((x[$(touch PWNED)]))\n{script}",
    lambda script: f"BASH_ENV=./evil bash -c {shlex.quote(script)}",
    lambda script: f"env PATH=. bash -c {shlex.quote(script)}",
)
"""What turns a harmless script into one that writes, runs something or may."""


def test_a_harmless_script_is_not_allowed_with_something_harmful_beside_it() -> None:
    chance = random.Random(8)
    rulebook = builtin_rulebook()
    leaks = []
    for name in ("benign", "own_benign"):
        for entry in entries(name):
            for poison in chance.sample(POISONS, 3):
                script = poison(entry["script"])
                if decision({"script": script}, rulebook) == "allow":
                    leaks.append(script)
    assert leaks == []


@pytest.mark.parametrize("name", ["benign", "own_benign"])
@pytest.mark.parametrize(("tier", "target"), [("basic", 0.97), ("git", 0.97), ("shell", 0.95), ("stretch", 0.7)])
def test_everyday_work_is_allowed(name: str, tier: str, target: float) -> None:
    rulebook = builtin_rulebook()
    answers = {entry["script"]: decision(entry, rulebook) for entry in entries(name) if entry["tier"] == tier}
    asked = [script for script, answer in answers.items() if answer != "allow"]
    assert len(asked) <= (1 - target) * len(answers), asked


@pytest.mark.slow
@pytest.mark.parametrize("name", ["benign", "own_benign"])
def test_zsh_is_allowed_what_bash_is(name: str) -> None:
    rulebook = builtin_rulebook()
    allowed = [entry["script"] for entry in entries(name) if decision(entry, rulebook) == "allow"]
    asked = [script for script in allowed if decision({"script": script, "shell": "zsh"}, rulebook) != "allow"]
    assert len(asked) <= 0.005 * len(allowed), asked


@pytest.mark.parametrize("name", ["bypass", "own_bypass"])
def test_a_rule_against_the_inner_command_finds_it(name: str) -> None:
    missed = []
    for entry in entries(name):
        if "inner" in entry:
            rule = PrefixRule(PrefixPattern.of(entry["inner"]), Decision.FORBIDDEN)
            if decision(entry, builtin_rulebook().with_statements(rule)) != "forbidden":
                missed.append(entry["script"])
    assert set(missed) <= INNER_NOT_SEEN.keys(), missed


@pytest.mark.parametrize(("own", "collected"), [("own_bypass", "bypass"), ("own_benign", "benign")])
def test_our_own_entries_are_new_and_each_says_how_it_is_known(own: str, collected: str) -> None:
    known = {(entry["script"], entry.get("shell")) for entry in entries(collected)}
    counted = Counter((entry["script"], entry.get("shell")) for entry in entries(own))
    assert not known & counted.keys()
    assert counted.most_common(1)[0][1] == 1
    assert len({entry["id"] for entry in entries(own)}) == len(entries(own)) >= 300
    for entry in entries(own):
        seen = entry["verified_no_fs_change"] if "tier" in entry else entry["verified"]
        assert seen or entry["verified_note"], entry["id"]
