"""The wrapper table against the wrappers themselves: what they really run is one of the commands that we found.

Each installed wrapper is run with odd spellings of its options in front of a recording program. Whatever argv the
recorder got must be among the inner commands; a transparent one must be exactly it.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from execpolicy.programs.catalog import facts_of
from execpolicy.programs.unwrap import unwrap
from execpolicy.shell.script import Command, Script
from execpolicy.shell.words import Word
from execpolicy.source import Span

SPAN = Span(0, 0)

POOLS: dict[str, list[list[str]]] = {
    "timeout": [
        ["-k", "1"],
        ["-k1"],
        ["--kill-after=1"],
        ["--kill", "1"],
        ["-s", "KILL"],
        ["-sKILL"],
        ["-v"],
        ["--fore"],
    ]
    + [["--signal", "TERM"], ["--preserve-status"], ["-vk", "1"], ["--"], ["5"], ["5s"], ["0.5m"]],
    "nice": [
        ["-n", "5"],
        ["-n5"],
        ["-5"],
        ["--adjustment=3"],
        ["--adj", "3"],
        ["--"],
        ["-n", "+1"],
        ["--adjustment", "2"],
    ],
    "env": [
        ["A=1"],
        ["-i"],
        ["-"],
        ["-u", "A"],
        ["-uA"],
        ["--unset=A"],
        ["--ignore"],
        ["-C", "/"],
        ["-iu", "B"],
        ["--"],
    ]
    + [["B=c d"], ["--chdir=/"], ["-v"], ["-S", "X=1"], ["-SY=2 Z=3"]],
    "stdbuf": [["-oL"], ["-o", "L"], ["-e0"], ["--output=L"], ["--out", "0"], ["-i", "0"], ["--"]],
    "setsid": [["-w"], ["--wait"], ["-c"], ["--"], ["-cw"]],
    "ionice": [["-c3"], ["-c", "2"], ["-n", "4"], ["-c2", "-n7"], ["-t"], ["--class", "idle"], ["--class=3"], ["--"]],
    "taskset": [["-c", "0"], ["0x1"], ["1"], ["--cpu-list", "0"], ["-a"], ["--"]],
    "chrt": [["-o", "0"], ["-b", "0"], ["-i", "0"], ["-v"], ["--other", "0"], ["-R"], ["--"]],
    "flock": [["-n"], ["lockfile"], ["-w", "1"], ["-x"], ["--timeout=1"], ["-E", "3"], ["--"], ["-w1"]],
    "nohup": [["--"]],
    "xargs": [
        ["-n", "1"],
        ["-n1"],
        ["-r"],
        ["-0"],
        ["-P", "2"],
        ["-L1"],
        ["-t"],
        ["--max-args=1"],
        ["--max-a", "2"],
        ["-x"],
    ]
    + [["-d", ","], ["-I", "{}"], ["-I{}"], ["--no-run-if-empty"], ["-i"], ["-E", "e"], ["--"]],
    "prlimit": [["--nofile=64"], ["-n64"], ["--core=0"], ["--"]],
    "unshare": [["-U"], ["-r"], ["--user"], ["-Ur"], ["--"]],
    "setarch": [["x86_64"], ["-R"], ["-v"], ["--addr-no-randomize"], ["--"]],
    "linux64": [["-R"], ["-v"], ["--"]],
    "strace": [["-f"], ["-o", "out"], ["-oout"], ["-e", "trace=none"], ["-qq"], ["-s", "9"], ["--"]],
    "time": [["-p"], ["-o", "out"], ["-f", "%e"], ["-f%e"], ["-v"], ["--output=out"], ["--form", "%e"], ["-a"], ["--"]],
    "busybox": [["timeout", "5"], ["nice", "-n", "3"], ["env", "A=1"], ["env", "-i"], ["xargs", "-n", "1"], ["setsid"]],
    "fakeroot": [["--"], ["-u"], ["-i", "none"]],
    "rlwrap": [["-a"], ["-N"], ["-b", "x"]],
    "choom": [["-n", "5"], ["-n5"], ["--adjust=5"], ["--"]],
}
INSTALLED = [name for name in POOLS if shutil.which(name)]
RUNS = 14


def _command(argv: list[str]) -> tuple[Command, Script]:
    command = Command(tuple([Word(text, SPAN) for text in argv]), SPAN)
    return command, Script("", "bash", "plain", (command,))


def _inner(command: Command, script: Script, depth: int = 0) -> list[tuple[tuple[Word, ...], bool]]:
    """Every inner command, with whether all wrappers around it were transparent."""
    found: list[tuple[tuple[Word, ...], bool]] = []
    for inner in unwrap(command, facts_of(script)):
        if inner.command is not None and depth < 6:
            found.append((inner.words, inner.transparent))
            found.extend(
                [(words, plain and inner.transparent) for words, plain in _inner(inner.command, script, depth + 1)]
            )
    return found


def _covers(words: tuple[Word, ...], argv: list[str]) -> bool:
    """Whether ``words`` may have become ``argv``."""
    if not words:
        return not argv
    first, rest = words[0], words[1:]
    if first.literal is not None:
        return bool(argv) and argv[0] == first.literal and _covers(rest, argv[1:])
    if first.many:
        return any(_covers(rest, argv[at:]) for at in range(len(argv) + 1))
    return (
        bool(argv) and argv[0].startswith(first.prefix) and argv[0].endswith(first.suffix) and _covers(rest, argv[1:])
    )


@pytest.mark.parametrize("name", INSTALLED)
def test_what_a_wrapper_runs_is_found(name: str, tmp_path: Path) -> None:
    probe = tmp_path / "probe"
    seen = tmp_path / "seen"
    record = f'for a in "$0" "$@"; do printf "%s\\0" "$a"; done >> {seen}'
    probe.write_text(f'#!/bin/sh\n{record}\nprintf "\\n" >> {seen}\n')
    probe.chmod(0o755)
    chance = random.Random(name)
    ran = 0
    for _ in range(RUNS):
        options = [
            word for part in chance.sample(POOLS[name], chance.randint(0, min(3, len(POOLS[name])))) for word in part
        ]
        argv = [name, *options, str(probe), *chance.sample(["-a", "b c", "--", "{}", "A=1", "-n", ""], 2)]
        seen.unlink(missing_ok=True)
        program = shutil.which(name)
        assert program is not None
        subprocess.run([program, *argv[1:]], input=b"x y\n", capture_output=True, cwd=tmp_path, timeout=20, check=False)
        if not seen.exists():
            continue
        ran += 1
        command, script = _command(argv)
        found = _inner(command, script)
        for line in seen.read_bytes().rstrip(b"\n").split(b"\0\n"):
            real = line.removesuffix(b"\0").decode().split("\0")
            assert any(_covers(words, real) for words, _ in found), (argv, real, found)
            # Of several readings that a grant needs all of, one is what runs.
            relied = [words for words, transparent in found if transparent and words[0].literal == str(probe)]
            assert not relied or any(_covers(words, real) for words in relied), (argv, real, relied)
    assert ran, "the wrapper never ran anything: the pool is wrong"
