"""Carriers nested very often: what they run is still found, in bounded work, or said to be unknown."""

from __future__ import annotations

import pytest

from execpolicy.flow import filters, streams
from execpolicy.programs.catalog import facts_of
from execpolicy.programs.unwrap import MAX_INNER, MAX_WORDS, unwrap
from execpolicy.shell.limits import LIMITS
from execpolicy.shell.read import read_script
from tests.support.each import each
from tests.support.reach import reaches


def _opened(text: str, most: int = 3_000) -> tuple[int, int]:
    """How many inner commands there are on all levels, and how many words they have; stops behind ``most``."""
    count = words = 0
    script = read_script(text)
    pending = [(command, script) for command in script.commands]
    while pending and count <= most:
        command, script = pending.pop()
        for inner in unwrap(command, facts_of(script)):
            count += 1
            if inner.command is not None:
                words += len(inner.command.words)
                pending.append((inner.command, script))
            elif inner.script is not None:
                pending.extend([(each, inner.script) for each in inner.script.commands])
    return count, words


@pytest.mark.parametrize(
    "script",
    [
        "sudo " * 100 + "rm",
        "sudo env nice " * 30 + "rm",
        "find . -exec " * 100 + "rm",
        "eval " * 500 + "rm x",
        "sudo $x " * 60 + "rm x",
        "find $x -exec " * 40 + "rm x \\;",
        "find . -name -exec -exec rm x \\;",
        "find . -name -exec -o -exec rm x \\;",
        "find . -exec echo $end -exec rm x \\;",
        "find . -exec find {} -exec rm x \\; \\;",
        "echo rm x" + " | cat" * 60 + " | sh",
        "echo rm x" + " | cat" * 1_000 + " | sh",
        "echo 'rm x'" + " | cat" * 501 + " | sh",
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
    count, words = _opened(script)
    assert count <= 2 * MAX_INNER
    assert words <= 40 * 40_000 + 2 * MAX_WORDS


def test_what_is_too_deep_is_said_to_be_unknown() -> None:
    script = read_script("sudo " * 1_000 + "rm")
    assert any(inner.opaque for inner in unwrap(script.commands[0], facts_of(script)))


def test_the_filters_of_one_script_print_so_much_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = 0

    def counted(args: list[str], stdin: bytes, shell: str) -> bytes:
        nonlocal printed
        printed += len(stdin)
        return stdin

    monkeypatch.setattr(filters, "cat", counted)
    script = read_script("echo " + "a" * 50_000 + " | cat" * 1_500 + " | sh")
    assert streams.fed_texts(script.commands[-1], facts_of(script)) == ([], False)
    assert 0 < printed <= LIMITS.work


def test_every_part_of_a_long_pipe_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = 0

    def counted(args: list[str], stdin: bytes, shell: str) -> bytes:
        nonlocal runs
        runs += 1
        return stdin

    monkeypatch.setattr(filters, "cat", counted)
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
        "yes 'git push' | head -1 | sh",
        'awk \'BEGIN{print "git push" | "sh"}\'',
        'awk \'BEGIN{print "git", "push" | "/bin/bash"}\'',
        'awk \'BEGIN{print "push" | "xargs git"}\'',
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
