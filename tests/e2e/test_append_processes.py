"""Many processes, one rule file: nothing is lost, torn or doubled."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from execpolicy.amend.append import append_lines
from execpolicy.errors import RuleStoreError
from execpolicy.lang.compile import compile_source
from execpolicy.layers.rule_file import read_rule_file
from execpolicy.source import Source
from tests.support.each import share

pytestmark = pytest.mark.slow

WRITERS = 8
APPENDS = 500 // share(2)

OUR_WRITER = """
import sys
from execpolicy.amend.append import append_lines
from execpolicy.lang.render import render_prefix_rule
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
for number in range(count):
    append_lines(path, (render_prefix_rule([name, str(number)]),), timeout=120.0)
    print(number, flush=True)
"""

OTHER_WRITER = """
import fcntl, os, sys
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
for number in range(count):
    line = f'prefix_rule(pattern=["{name}", "{number}"], decision="allow")'.encode()
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    fcntl.flock(fd, fcntl.LOCK_EX)
    data = b""
    while chunk := os.read(fd, 1 << 16):
        data += chunk
    if line not in data.split(b"\\n"):
        if data and not data.endswith(b"\\n"):
            os.write(fd, b"\\n")
        os.write(fd, line)
        os.write(fd, b"\\n")
    os.close(fd)
    print(number, flush=True)
"""

UNDOER = """
import sys
from execpolicy.amend.append import append_lines
from execpolicy.amend.journal import Journal
from execpolicy.amend.undo import undo_last
from execpolicy.lang.render import render_prefix_rule
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
journal = Journal(path + ".journal")
for number in range(count):
    lines = (render_prefix_rule([name, str(number)]),)
    ids = []
    announce = lambda text, at: ids.append(journal.announce(path, lines, text, at))
    append_lines(path, lines, timeout=120.0, announce=announce, confirm=lambda state: journal.confirm(ids[-1], state))
    if number % 5:
        assert undo_last(path, journal, id=ids[-1], timeout=120.0) == lines
"""

READER = """
import os, sys
from execpolicy.errors import RuleStoreError
from execpolicy.lang.compile import compile_source
from execpolicy.layers.rule_file import read_rule_file
from execpolicy.source import Source
path, stop = sys.argv[1], sys.argv[2]
seen, loads = 0, 0
while not os.path.exists(stop) or loads == 0:
    count = len(compile_source(Source(path, read_rule_file(path))).statements)
    assert count >= seen - int(sys.argv[3]), (count, seen)
    seen, loads = count, loads + 1
print(loads)
"""

MANAGER = """
import os, sys
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import PolicyManager
path, stop = sys.argv[1], sys.argv[2]
manager = PolicyManager(LayerOptions(cwd="/", codex_home=os.path.dirname(os.path.dirname(path)), project=False))
seen, loads = 0, 0
while not os.path.exists(stop) or loads == 0:
    snapshot = manager.reload()
    assert not snapshot.diagnostics, snapshot.diagnostics
    assert len(snapshot.policy.rules) >= seen - int(sys.argv[3])
    seen, loads = len(snapshot.policy.rules), loads + 1
print(loads)
"""


def start(code: str, *arguments: object, output: int | None = None) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *[str(argument) for argument in arguments]]
    return subprocess.Popen(command, stdout=output, text=True)


def rules_in(path: Path) -> Counter[tuple[str, ...]]:
    """The patterns in force, by compiling the file."""
    statements = compile_source(Source(str(path), read_rule_file(str(path)))).statements
    return Counter(tuple(position[0] for position in rule.pattern.positions()) for rule in statements)  # type: ignore[union-attr]  # only prefix rules are written here


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "rules" / "default.rules"
    file.parent.mkdir()
    file.touch()
    return file


@pytest.mark.parametrize("others", [0, 2])
def test_every_rule_of_every_writer_arrives_exactly_once(path: Path, tmp_path: Path, others: int) -> None:
    stop = tmp_path / "stop"
    readers = [start(code, path, stop, 0, output=subprocess.PIPE) for code in (READER, MANAGER)]
    codes = [OTHER_WRITER] * others + [OUR_WRITER] * (WRITERS - others)
    writers = [start(code, path, f"p{n}", APPENDS, output=subprocess.DEVNULL) for n, code in enumerate(codes)]
    assert [writer.wait() for writer in writers] == [0] * WRITERS
    stop.touch()
    loads = [int(reader.communicate()[0]) for reader in readers]
    assert [reader.returncode for reader in readers] == [0, 0]
    assert min(loads) > 1
    expected = {(f"p{n}", str(number)): 1 for n in range(WRITERS) for number in range(APPENDS)}
    assert rules_in(path) == expected
    assert path.read_text().count("\n") == WRITERS * APPENDS


def test_undoing_while_others_append_takes_out_nothing_else(path: Path, tmp_path: Path) -> None:
    stop = tmp_path / "stop"
    readers = [start(code, path, stop, 2, output=subprocess.PIPE) for code in (READER, MANAGER)]
    undoers = [start(UNDOER, path, f"u{n}", 150) for n in range(2)]
    others = [start(OTHER_WRITER, path, "o", 300, output=subprocess.DEVNULL)]
    writers = [start(OUR_WRITER, path, "w", 300, output=subprocess.DEVNULL)]
    assert [process.wait() for process in undoers + others + writers] == [0] * 4
    stop.touch()
    for reader in readers:
        reader.communicate()
    assert [reader.returncode for reader in readers] == [0, 0]
    expected = {(name, str(number)): 1 for name in "ow" for number in range(300)}
    expected |= {(name, str(number)): 1 for name in ("u0", "u1") for number in range(0, 150, 5)}
    assert rules_in(path) == expected


def test_killed_writers_lose_at_most_the_line_that_they_were_writing(path: Path) -> None:
    confirmed: set[tuple[str, ...]] = set()
    for batch in range(5):
        writers = {
            f"p{batch}.{n}": start(OUR_WRITER, path, f"p{batch}.{n}", 10_000, output=subprocess.PIPE) for n in range(3)
        }
        for writer in writers.values():
            assert writer.stdout is not None
            writer.stdout.readline()
        time.sleep(0.007 * batch)
        for name, writer in writers.items():
            os.kill(writer.pid, signal.SIGKILL)
            output, _ = writer.communicate()
            done = [0, *[int(line) for line in output.split("\n")[:-1]]]
            confirmed |= {(name, str(number)) for number in range(max(done) + 1)}
        rules = rules_in(path)
        assert confirmed <= rules.keys()
        assert set(rules.values()) == {1}
    extra = rules_in(path).keys() - confirmed
    assert len(extra) <= 15  # a line may be in force before its writer could say so
    whole = re.compile(r'(prefix_rule\(pattern=\["p\d\.\d", "\d+"\], decision="allow"\)|)')
    assert [line for line in path.read_text().split("\n") if not whole.fullmatch(line)] == []
    append_lines(str(path), ('prefix_rule(pattern=["after"], decision="allow")',))
    assert ("after",) in rules_in(path)


def test_a_half_written_line_is_not_in_force_and_stays_until_somebody_decides(path: Path) -> None:
    """What it would have decided cannot be told: `fmt` writes what people forbid in the same form."""
    whole = 'prefix_rule(pattern=["git", "push"], decision="allow")'
    for length in range(1, len(whole)):
        before = f'prefix_rule(pattern=["before"], decision="allow")\n{whole[:length]}'
        path.write_text(before)
        with pytest.raises(
            RuleStoreError,
            match=re.escape(f":2: the last line is unfinished and may forbid something: `{whole[:length]}`"),
        ):
            append_lines(str(path), ('prefix_rule(pattern=["after"], decision="allow")',))
        assert path.read_text() == before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can mount a small file system")
def test_a_full_file_system_keeps_what_is_there(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("this container may not mount; RLIMIT_FSIZE covers short writes in the unit tests")
    try:
        path = disk / "default.rules"
        saved, error = 0, ""
        while not error:
            try:
                append_lines(str(path), (f'prefix_rule(pattern=["{"x" * 700}", "{saved}"], decision="allow")',))
                saved += 1
            except RuleStoreError as found:
                error = str(found)
        assert error == (
            f"failed to write to policy file {path}: No space left on device; "
            "the disk is full: free some space and try again"
        )
        assert saved > 10
        rules = rules_in(path)
        assert len(rules) == saved
        assert set(rules.values()) == {1}
        other = disk / "new" / "default.rules"
        with pytest.raises(RuleStoreError, match="No space left on device"):
            append_lines(str(other), ('prefix_rule(pattern=["y"], decision="allow")',))
        assert not other.exists() or other.read_text() == ""
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can mount read-only")
def test_a_read_only_file_system_is_named(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "ro,size=64k", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("this container may not mount; the unit tests cover files without permission")
    try:
        with pytest.raises(RuleStoreError, match=r"Read-only file system"):
            append_lines(str(disk / "default.rules"), ("x = 1",))
    finally:
        subprocess.run(["umount", str(disk)], check=True)
