"""Rule files that another program rewrites, without any lock, while they are read."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from execpolicy.cli.loading import load_rulebook
from execpolicy.core.decision import Decision
from execpolicy.layers import load, rule_file
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import PolicyManager
from tests.support.streams import Streams

pytestmark = pytest.mark.slow

WRITER = """
import os, sys, time
path, way = sys.argv[1], sys.argv[2]
lines = [b'prefix_rule(pattern=["git"], decision="allow")\\n']
lines += [b'prefix_rule(pattern=["p%d"], decision="allow")\\n' % number for number in range(3)]
lines += [b'prefix_rule(pattern=["git", "push"], decision="forbidden")\\n']
whole = b"".join(lines)
pieces = lines if way != "bytes" else [whole[at : at + 17] for at in range(0, len(whole), 17)]
parent = os.getppid()
while os.getppid() == parent:
    if way == "replaced":
        os.unlink(path)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | (0 if way == "in place" else os.O_TRUNC))
    for piece in pieces:
        before = time.monotonic()
        time.sleep(0.002)
        os.write(fd, piece)
        if time.monotonic() - before > 0.01:
            open(path + ".late", "a").close()
    os.close(fd)
    time.sleep(0.06)
"""
WAYS = ["lines", "bytes", "replaced", "in place"]
CHECK = [sys.executable, "-m", "execpolicy", "check", "--", "git", "push"]


@contextmanager
def rewriting(path: Path, way: str) -> Iterator[None]:
    """A process that rewrites ``path`` all the time; what it holds in the end forbids ``git push``."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path), way])
    try:
        deadline = time.monotonic() + 20
        while not (path.exists() and b"forbidden" in path.read_bytes()) and time.monotonic() < deadline:
            time.sleep(0.005)
        yield
    finally:
        writer.kill()
        writer.wait()


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / ".codex/rules/default.rules"
    path.parent.mkdir(parents=True)
    path.touch()
    return path


def is_proven(rules: Path, answers: list[Decision | None]) -> bool:
    """Whether no answer is laxer; or the machine was so busy that the writer paused for as long as nobody waits."""
    return set(answers) == {Decision.FORBIDDEN} or rules.with_name(rules.name + ".late").exists()


def options(rules: Path) -> LayerOptions:
    home = str(rules.parent.parent)
    return LayerOptions(cwd="/", codex_home=home, project=False)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("cache", ["", "cache"])
def test_no_check_is_laxer_while_a_file_is_rewritten(
    rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, cache: str
) -> None:
    monkeypatch.setenv("EXECPOLICY_CACHE", cache and str(tmp_path / cache))
    if cache:  # what was kept of the file when it was shorter must not answer for it now
        for text in ("", 'prefix_rule(pattern=["git"], decision="allow")\n'):
            rules.write_text(text)
            load_rulebook(options(rules), Streams().err)
    answers = []
    with rewriting(rules, way):
        for _ in range(40):
            rulebook = load_rulebook(options(rules), Streams().err)
            answers.append(rulebook.policy.check(["git", "push"]).decision)
    assert is_proven(rules, answers)


def test_nor_is_one_by_a_process_of_its_own(rules: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path), "EXECPOLICY_CACHE": str(tmp_path / "cache")}
    with rewriting(rules, "lines"):
        for _ in range(12):
            done = subprocess.run(CHECK, env=environment, cwd=tmp_path, capture_output=True, check=False, timeout=60)
            forbids = b'"decision":"forbidden"' in done.stdout
            assert is_proven(rules, [Decision.FORBIDDEN if forbids else None]), done


@pytest.mark.parametrize("way", WAYS)
def test_a_manager_never_holds_a_part_of_a_file(rules: Path, way: str) -> None:
    with rewriting(rules, way):
        manager = PolicyManager(options(rules))
        for _ in range(40):
            assert is_proven(rules, [manager.reload().policy.check(["git", "push"]).decision])


def test_a_writer_that_pauses_with_the_file_open_is_waited_for(rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For however long nobody waits for one that has closed it."""
    monkeypatch.setattr(rule_file, "LONG_QUIET_NS", 10**12)
    monkeypatch.setattr(rule_file, "_LONGEST_SLEEP", 10**6)
    with rules.open("w", buffering=1) as writer:
        writer.write('prefix_rule(pattern=["git"], decision="allow")\n')
        time.sleep(0.05)
        paused: list[float] = []

        def go_on(seconds: float) -> None:
            if not paused:
                writer.write('prefix_rule(pattern=["git", "push"], decision="forbidden")\n')
                writer.close()
            paused.append(seconds)
            time.sleep(0.03)

        monkeypatch.setattr(rule_file, "sleep", go_on)
        assert PolicyManager(options(rules)).current().policy.check(["git", "push"]).decision is Decision.FORBIDDEN
    assert paused


def test_a_change_of_equal_size_and_time_is_noticed(rules: Path) -> None:
    rules.write_text('prefix_rule(pattern=["git"], decision="allow")    \n')
    os.utime(rules, ns=(10**18, 10**18))
    manager = PolicyManager(options(rules))
    swapped: list[Decision | None] = []
    manager.subscribe(lambda snapshot: swapped.append(snapshot.policy.check(["git"]).decision))
    with manager.watching(interval=0.01):
        with rules.open("r+") as file:
            file.write('prefix_rule(pattern=["git"], decision="forbidden")\n')
        os.utime(rules, ns=(10**18, 10**18))
        deadline = time.monotonic() + 20
        while Decision.FORBIDDEN not in swapped and time.monotonic() < deadline:
            time.sleep(0.005)
    assert swapped == [Decision.FORBIDDEN]


def test_a_file_that_is_never_left_alone_fails_closed(rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = "import os, sys\nwhile True: os.utime(sys.argv[1])"
    rules.write_text('prefix_rule(pattern=["git"], decision="allow")\n')
    process = subprocess.Popen([sys.executable, "-c", writer, str(rules)])
    try:

        def until_touched(seconds: float) -> None:
            before = rules.stat().st_ctime_ns
            while rules.stat().st_ctime_ns == before:  # however busy the machine is
                time.sleep(0.001)

        until_touched(0)
        monkeypatch.setattr(rule_file, "sleep", until_touched)
        monkeypatch.setattr(load, "QUIET_NS", 10**10)  # more than the busiest machine takes from a change to a look
        snapshot = PolicyManager(options(rules)).current()
    finally:
        process.kill()
        process.wait()
    assert snapshot.rulebook.fail_closed
    assert "written to without a pause" in snapshot.diagnostics[0].message
