"""A replay goes on where it was stopped, with the same totals; nothing that changed or was damaged is believed."""

import json
import os
import random
import re
import resource
import sqlite3
import struct
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from execpolicy.errors import UsageError
from execpolicy.insight.checkpoint import _BEGINS, _HEAD, Checkpoint
from execpolicy.insight.history import read_history
from execpolicy.insight.portable import PortablePolicy
from execpolicy.insight.replay import replay
from execpolicy.insight.tally import Decided, History, Recorded
from execpolicy.insight.workers import decide_all
from tests.support.judging import PLACE, rulebook

RULES = 'prefix_rule(["git", "push"], decision="forbidden")\nprefix_rule(["make"])\n'
POLICY = PortablePolicy.of(rulebook(RULES), situation=PLACE)
OTHER = PortablePolicy.of(rulebook(), situation=PLACE)


def call(number: int, command: str) -> str:
    """A line of a transcript."""
    used = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
    return json.dumps({"type": "assistant", "message": {"content": [used]}}) + "\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Three histories: of text, of JSON lines with a broken one, and a session with its resumption."""
    (tmp_path / "a.txt").write_text("make all\ngit push\nmake all\nrm -rf /\n")
    (tmp_path / "b.jsonl").write_text('{"script": "ls"}\n{"argv": ["git", "push"]}\nbroken\n{"script": "\\ud800"}\n')
    (tmp_path / "c.jsonl").write_text(call(1, "make") + call(2, "git push"))
    (tmp_path / "d.jsonl").write_text(call(1, "make") + call(2, "git push") + call(3, "git push"))
    return [str(tmp_path / name) for name in ("a.txt", "b.jsonl", "c.jsonl", "d.jsonl")]


def report(files: Sequence[str], path: Path | None, policies: Sequence[PortablePolicy] = (POLICY, OTHER)) -> Any:
    """The whole report, resumed from ``path`` if there is one."""
    if path is None:
        return replay(read_history(files), *policies).to_json()
    with Checkpoint(str(path), policies) as checkpoint:
        return replay(read_history(files, checkpoint=checkpoint), *policies, checkpoint=checkpoint).to_json()


def unread(path: str) -> History:
    raise AssertionError(f"{path} was counted anew")


def undecided(commands: Sequence[Recorded]) -> list[tuple[Decided, ...]]:
    raise AssertionError(f"{commands} were decided anew")


def test_a_run_with_a_checkpoint_says_what_one_without_says(files: list[str], tmp_path: Path) -> None:
    fresh = report(files, None)
    path = tmp_path / "state"
    assert [report(files, path) for _ in range(3)] == [fresh] * 3
    assert path.stat().st_mode & 0o777 == 0o600
    assert [name.name for name in tmp_path.glob("state*")] == ["state"]


def test_nothing_is_done_twice(files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("execpolicy.insight.checkpoint._PIECE", 2)
    path = tmp_path / "state"
    report(files[:2], path)
    told: list[int] = []
    with Checkpoint(str(path), [POLICY, OTHER]) as checkpoint:
        for file in files[:2]:
            checkpoint.history_of(file, unread, told.append)
        commands = list(read_history(files[:2]).counts)
        decided = checkpoint.decisions_of(commands, undecided, told.append)
    assert decided == decide_all(commands, [POLICY, OTHER])
    assert told == [*[Path(file).stat().st_size for file in files[:2]], len(commands)]
    assert report(files, path) == report(files, None)


def test_what_a_run_does_first_is_kept_at_once(files: list[str], tmp_path: Path) -> None:
    """However soon it is killed: what it leaves then is the file as it is on the disk."""
    path, left = tmp_path / "state", tmp_path / "left"

    def read_after_another(name: str) -> History:
        left.write_bytes(path.read_bytes())
        return read_history([name])

    with Checkpoint(str(path), [POLICY]) as checkpoint:
        checkpoint.history_of(files[0], lambda name: read_history([name]))
        checkpoint.history_of(files[1], read_after_another)
    with Checkpoint(str(left), [POLICY]) as checkpoint:
        checkpoint.history_of(files[0], unread)
    commands = [f"make {number}" for number in range(100)]
    asked: list[Sequence[Recorded]] = []

    def decide(these: Sequence[Recorded]) -> list[tuple[Decided, ...]]:
        left.write_bytes(path.read_bytes())
        asked.append(these)
        return decide_all(these, [POLICY])

    with Checkpoint(str(path), [POLICY]) as checkpoint:
        checkpoint.decisions_of(commands, decide)
    with Checkpoint(str(left), [POLICY]) as checkpoint:
        checkpoint.decisions_of(asked[0], undecided)
    assert [len(these) for these in asked] == [64, 36]


def test_what_changed_is_counted_anew(files: list[str], tmp_path: Path) -> None:
    path = tmp_path / "state"
    report(files, path)
    before = Path(files[0]).stat()
    Path(files[0]).write_text("make all\ngit pull\nmake all\nrm -rf /\n")
    assert Path(files[0]).stat().st_size == before.st_size
    assert report(files, path) == report(files, None)
    changed = (PortablePolicy.of(rulebook('prefix_rule(["make"], decision="prompt")\n'), situation=PLACE),)
    for policies in (changed, (OTHER, POLICY), (POLICY,)):
        assert report(files, path, policies) == report(files, None, policies)
    assert report(files[1:], path) == report(files[1:], None)


def test_a_form_and_a_shell_are_part_of_what_is_kept(files: list[str], tmp_path: Path) -> None:
    path = str(tmp_path / "state")
    for form in ("auto", "text", "auto"):
        with Checkpoint(path, [POLICY], form=form) as checkpoint:
            kept = read_history(files, form=form, checkpoint=checkpoint)
        assert kept.counts == read_history(files, form=form).counts
    script = ["[[ a == b ]] && make"]
    for shell in ("bash", "sh", "bash"):
        with Checkpoint(path, [POLICY], shell=shell) as checkpoint:
            found = checkpoint.decisions_of(script, lambda these, name=shell: decide_all(these, [POLICY], shell=name))
        assert found == decide_all(script, [POLICY], shell=shell)


def test_a_damaged_file_is_named_and_not_believed(files: list[str], tmp_path: Path) -> None:
    path = tmp_path / "state"
    fresh = report(files, path)
    whole = path.read_bytes()
    chance = random.Random(1)
    refused = named = 0
    for _ in range(150):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        try:
            found = report(files, path)
        except UsageError as error:
            named += str(path) in str(error)
            refused += 1
        else:
            assert found == fresh
    assert refused == named > 10


def test_what_is_cut_off_is_done_again(files: list[str], tmp_path: Path) -> None:
    path = tmp_path / "state"
    fresh = report(files, path)
    whole = path.read_bytes()
    for length in random.Random(1).sample(range(len(whole)), 100):
        path.write_bytes(whole[:length])
        assert report(files, path) == fresh
        assert path.stat().st_size == len(whole)


def test_what_somebody_else_wrote_is_not_believed(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state"
    report(files, path)
    monkeypatch.setenv("EXECPOLICY_HOME", str(tmp_path / "another"))
    with pytest.raises(UsageError, match="is damaged, or was not written by you"):
        report(files, path)


def test_a_body_that_was_exchanged_is_not_believed(files: list[str], tmp_path: Path) -> None:
    path = tmp_path / "state"
    report(files, path)
    whole = path.read_bytes()
    assert whole.count(b"make all") >= 1
    path.write_bytes(whole.replace(b"make all", b"make any"))
    with pytest.raises(UsageError, match="is damaged, or was not written by you"):
        report(files, path)


def test_nothing_is_read_for_a_length_that_nobody_signed(tmp_path: Path) -> None:
    """It would be as much memory as whoever wrote the file likes."""
    path = tmp_path / "state"
    path.write_bytes(_BEGINS)
    with path.open("r+b") as file:
        file.seek(len(_BEGINS))
        file.write(_HEAD.pack(bytes(16), bytes(16), 1 << 40, bytes(32)) + bytes(32))
        file.truncate(2 << 40)
    with pytest.raises(UsageError, match="is damaged, or was not written by you"):
        Checkpoint(str(path), [POLICY])


def test_no_file_beside_it_has_a_say(files: list[str], tmp_path: Path) -> None:
    """SQLite takes a journal that lies there for its own, and deletes the files that are named in it."""
    path = tmp_path / "state"
    forbids = tmp_path / "default.rules"
    forbids.write_text('prefix_rule(["rm"], decision="forbidden")\n')
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"PRAGMA application_id = {0x65787072}")
        database.execute(
            "CREATE TABLE kept (scope BLOB, name BLOB, body BLOB, signature BLOB, PRIMARY KEY (scope, name))"
        )
    content = path.read_bytes()
    page = content[: int.from_bytes(content[16:18], "big")]
    magic = bytes.fromhex("d9d505f920a163d7")
    target = str(forbids).encode()
    journal = magic + struct.pack(">5I", 1, 0, len(content) // len(page), 512, len(page))
    journal = journal.ljust(512, b"\0") + struct.pack(">I", 1) + page + struct.pack(">I", sum(page[-200:0:-200]))
    journal += struct.pack(">I", 0x40000000 // len(page) + 1) + target + struct.pack(">2I", len(target), sum(target))
    path.with_name("state-journal").write_bytes(journal + magic)
    with pytest.raises(UsageError, match="is no file of"):
        report(files, path)
    assert forbids.exists()
    path.unlink()
    assert report(files, path) == report(files, None)
    assert forbids.exists()


def test_what_is_of_no_use_is_dropped(files: list[str], tmp_path: Path) -> None:
    path = tmp_path / "state"
    link = tmp_path / "link"
    link.symlink_to(path)
    report(files, link)
    size = path.stat().st_size
    other = PortablePolicy.of(rulebook('prefix_rule(["make"], decision="prompt")\n'), situation=PLACE)
    for policies in [(POLICY, other), (POLICY, OTHER)] * 3:
        assert report(files, link, policies) == report(files, None, policies)
        assert abs(path.stat().st_size - size) < 300
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_full_disk_leaves_what_was_kept(files: list[str], tmp_path: Path) -> None:
    path = tmp_path / "state"
    report(files[:1], path)
    most = path.stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most + 150, limits[1]))
        with pytest.raises(UsageError, match="File too large"):
            report(files, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.stat().st_size >= most
    assert report(files, path) == report(files, None)


@pytest.mark.parametrize("content", [b"l", b"ls\n", b"make\n" * 5000])
def test_another_file_is_refused_and_left_as_it_is(files: list[str], tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"mine.txt` is no file of `replay --resume`"):
        report(files, path)
    assert path.read_bytes() == content


def test_one_run_at_a_time(tmp_path: Path) -> None:
    path = str(tmp_path / "state")
    with Checkpoint(path, [POLICY]), pytest.raises(UsageError, match="another run does"):
        Checkpoint(path, [POLICY])


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    for path in (tmp_path / "pipe", tmp_path / "circle", tmp_path, tmp_path / "none/state", Path("/dev/null")):
        with pytest.raises(UsageError, match=re.escape(f"`{path}`")):
            Checkpoint(str(path), [POLICY])


def test_without_a_home_nothing_can_be_signed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("EXECPOLICY_HOME", raising=False)
    with pytest.raises(UsageError, match="set HOME or EXECPOLICY_HOME"):
        Checkpoint(str(tmp_path / "state"), [POLICY])
