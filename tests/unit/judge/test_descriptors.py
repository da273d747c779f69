"""`/dev/stdout` and its like open the file behind a descriptor anew: they are harmless only while nothing moved it."""

import pytest

from tests.support.judging import decision


@pytest.mark.parametrize(
    "script",
    [
        "echo hi 1< victim.txt > /dev/stdout",
        "echo hi 3<victim.txt >/dev/fd/3",
        "echo hi <victim.txt >/dev/fd/0",
        "echo hi {x}<victim.txt >/dev/fd/10",
        "echo hi 9<victim.txt 1<&9 >/dev/stdout",
        "cat <victim.txt 3<&0 >/dev/fd/3",
        "ls nope 2<victim.txt 2>/dev/stderr",
        "echo hi 1<victim.txt >> /dev/stdout",
        "echo hi 1<victim.txt &>/dev/stdout",
        "cat a.txt 2<victim.txt 2>|/dev/stderr",
        "echo hi 1<victim.txt 3>/dev/stdout >&3",
        "{ echo hi >/dev/stdout; } 1<victim.txt",
        "(echo hi >/dev/stderr) 2<victim.txt",
        "while :; do echo hi > /dev/stderr; break; done 2<victim.txt",
        "bash -c 'echo hi > /dev/stderr' 2<victim.txt",
        "timeout 5 echo hi 1<victim.txt >/dev/stdout",
        "cat <<'E' 3<~/.bashrc >>/dev/fd/3\nx\nE\n",
        "echo x >&3",
        "echo x > /dev/fd/3",
        "echo x > /dev/tty",
        "echo x 1<> victim.txt",
    ],
)
def test_a_moved_descriptor_is_never_allowed(script: str) -> None:
    assert decision(script) == "prompt"


@pytest.mark.parametrize(
    "script",
    [
        "ls 2>&1",
        "ls >&2",
        "ls 1>&2",
        "ls 2>/dev/null",
        "ls &>/dev/null",
        "echo x > /dev/stderr",
        "wc -l < a.txt",
        "ls 2>&-",
        "cat <<< x",
        "ls > /dev/null 2>&1 < /dev/null",
    ],
)
def test_everyday_redirections_stay_allowed(script: str) -> None:
    assert decision(script) == "allow"
