"""Carriers nested very often: what they run is still found, in bounded work, or said to be unknown."""

from __future__ import annotations

import pytest

from execpolicy.flow import filters, streams
from execpolicy.programs.catalog import facts_of
from execpolicy.shell.read import read_script
from tests.support.each import each
from tests.support.judging import decision
from tests.support.reach import reaches


@pytest.mark.parametrize(
    "script",
    [
        "sudo " * 60 + "rm",
        "sudo env nice " * 20 + "rm",
        "find . -exec " * 60 + "rm",
        "eval " * 500 + "rm x",
        "sudo $x " * 60 + "rm x",
        "find $x -exec " * 40 + "rm x \\;",
        "find . -name -exec -exec rm x \\;",
        "find . -name -exec -o -exec rm x \\;",
        "find . -exec echo $end -exec rm x \\;",
        "find . -exec find {} -exec rm x \\; \\;",
        "echo rm x" + " | cat" * 9 + " | sh",
    ],
    ids=lambda script: script[:30],
)
def test_what_stands_below_many_levels_is_reached(script: str) -> None:
    assert reaches(script, ["rm"], depth=64)


@pytest.mark.parametrize(
    "script",
    [
        "sudo " * 20_000 + "rm",
        "sudo env " * 10_000 + "rm",
        "find . -exec " * 5_000 + "rm",
        "find $x -exec " * 1_000 + "rm",
        "find . -name -exec " * 2_000 + "rm \\;",
        "eval " * 20_000 + "rm",
        "sudo $x " * 1_000 + "rm",
        "timeout $x " * 1_000 + "rm",
        "parallel " * 5_000 + "rm",
        "env -S " * 5_000 + "rm",
        "fd -x " * 1_000 + "rm",
        "find $x " * 2_000 + "rm \\;",
    ],
    ids=lambda script: script[:30],
)
def test_no_nesting_is_opened_without_end(script: str) -> None:
    rules = 'prefix_rule(pattern=[["env", "eval", "fd", "find", "parallel", "sudo", "timeout"]])'
    assert decision(script, rules) == "prompt"


def test_every_part_of_a_long_pipe_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = 0

    def counted(args: list[str], stdin: bytes, shell: str) -> bytes:
        nonlocal runs
        runs += 1
        return stdin

    monkeypatch.setitem(filters.FILTERS, "cat", counted)
    facts = facts_of(read_script("echo x" + " | cat" * 500))
    for command in facts.script.commands:
        streams.fed_texts(command, facts)
    assert runs < 500


@each(
    "script",
    [
        "printf '%s\\n' status push | xargs -n1 git",
        "printf '%s\\n' a status b push | xargs -L2 git | echo; printf 'status\\npush\\n' | xargs -L 1 git",
        "echo status push | xargs --max-args=1 git",
        "while read c; do git $c; done <<< push",
        "echo push | while read c; do git $c; done",
        "while read -r a b; do git $b $a; done <<'E'\nx status\nx push\nE\n",
        "IFS=, read -ra c <<< 'git,push'; \"${c[@]}\"",
        "mapfile -t c <<< 'push'; git ${c[0]}",
        "while read; do git $REPLY; done <<< push",
        "exec <<< 'git push'; sh",
        "exec < <(echo git push); bash",
        "ssh-agent git push",
        "dbus-launch --exit-with-session git push",
        "faketime yesterday git push",
        "newgrp -c 'git push' users",
        "aa-exec -p x -- git push",
        "coresched new -t pid -- git push",
        "uclampset -m 0 git push",
        "schedtool -B -e git push",
        "logsave -a log git push",
        "systemd-cat git push",
        "hyperfine '--prepare=git push' ls",
        "run0 --user=root git push",
        "envdir d git push",
        "schroot -c x -- git push",
    ],
)
def test_a_hidden_push_is_found(script: str) -> None:
    assert reaches(script, ["git", "push"])
