"""The audit log: one redacted JSON object a line, rotated by size (seed 001, best practice 5)."""

import fcntl
import json
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from execpolicy.errors import RuleStoreError, UsageError
from execpolicy.permissions.audit import AuditLog


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def test_entries_are_lines_in_order_with_the_time_and_without_secrets(tmp_path: Path) -> None:
    path = tmp_path / "new" / "audit.jsonl"
    log = AuditLog(path, clock=lambda: "2026-01-02T03:04:05.006Z")
    log.write({"tool": "bash", "params": {"password": "hunter2", "command": "é\n\ud800"}})
    log.write({"tool": "read"})
    assert lines(path) == [
        {
            "ts": "2026-01-02T03:04:05.006Z",
            "tool": "bash",
            "params": {"password": "[redacted]", "command": "é\n\ud800"},
        },
        {"ts": "2026-01-02T03:04:05.006Z", "tool": "read"},
    ]
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_default_clock_is_utc_to_the_millisecond(tmp_path: Path) -> None:
    AuditLog(tmp_path / "a").write({})
    stamp = lines(tmp_path / "a")[0]["ts"]
    assert isinstance(stamp, str)
    assert len(stamp) == len("2026-01-02T03:04:05.006Z")
    assert stamp.endswith("Z")


def test_full_files_move_up_and_the_oldest_goes(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    log = AuditLog(path, max_bytes=60, keep=2, clock=lambda: "t")
    for number in range(12):
        log.write({"n": number})
    kept = [lines(tmp_path / name) for name in ("audit.jsonl.2", "audit.jsonl.1", "audit.jsonl")]
    numbers = [entry["n"] for file in kept for entry in file]
    assert numbers == list(range(12 - len(numbers), 12))
    assert sorted(os.listdir(tmp_path)) == ["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2"]
    assert all((tmp_path / name).stat().st_size <= 60 for name in os.listdir(tmp_path))


def test_no_old_files_are_kept_when_none_are_wanted(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "a", max_bytes=1, keep=0, clock=lambda: "t")
    for number in range(3):
        log.write({"n": number})
    assert os.listdir(tmp_path) == ["a"]
    assert [entry["n"] for entry in lines(tmp_path / "a")] == [2]


def test_lines_of_many_threads_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "a"
    log = AuditLog(path, max_bytes=2_000, keep=100)

    def write(thread: int) -> None:
        for number in range(50):
            log.write({"thread": thread, "n": number, "text": "x" * 40})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    entries = [(e["thread"], e["n"]) for name in os.listdir(tmp_path) for e in lines(tmp_path / name)]
    assert sorted(entries) == [(thread, number) for thread in range(6) for number in range(50)]


def test_a_log_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RuleStoreError, match="cannot write the audit log"):
        AuditLog(tmp_path / "file" / "audit.jsonl").write({})


@pytest.mark.parametrize("wrong", [{"max_bytes": 0}, {"keep": -1}])
def test_limits_that_make_no_sense_are_refused(tmp_path: Path, wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        AuditLog(tmp_path / "a", **wrong)


WRITER = """
import sys
from execpolicy.permissions.audit import AuditLog
log = AuditLog(sys.argv[1], max_bytes=1500, keep=2000)
for number in range(200):
    log.write({"writer": sys.argv[2], "number": number})
"""


def test_processes_that_fill_it_together_lose_no_line(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(name)]) for name in range(4)]
    assert [writer.wait(120) for writer in writers] == [0] * 4
    lines = [json.loads(line) for each in tmp_path.iterdir() for line in each.read_text().splitlines()]
    assert sorted((line["writer"], line["number"]) for line in lines) == [
        (str(name), number) for name in range(4) for number in range(200)
    ]


def test_what_does_not_fit_leaves_no_half_line(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.jsonl")
    log.write({"event": "first"})
    before = (tmp_path / "audit.jsonl").read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, limits[1]))
        with pytest.raises(RuleStoreError, match="File too large"):
            log.write({"event": "second"})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (tmp_path / "audit.jsonl").read_bytes() == before


def test_who_keeps_it_locked_makes_nobody_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("execpolicy.permissions.audit._PATIENCE_S", 0.05)
    path = tmp_path / "audit.jsonl"
    with path.open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(RuleStoreError, match="another program keeps it locked"):
            AuditLog(path).write({"event": "first"})
