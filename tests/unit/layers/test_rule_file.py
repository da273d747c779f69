"""Reading a file that others write to."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from pathlib import Path

import pytest

from execpolicy.layers import folders, rule_file
from execpolicy.layers.folders import QUIET_NS, collect_rule_files
from execpolicy.layers.rule_file import read_rule_file, read_settled


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.rules"


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made, which say how long somebody waits whatever else this machine does."""
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        time.sleep(seconds)

    monkeypatch.setattr(rule_file, "sleep", sleep)
    monkeypatch.setattr(folders, "sleep", sleep)
    return pauses


def test_line_endings_and_everything_else_stay(path: Path) -> None:
    path.write_bytes("\ufeffa\r\nb\rc\u2028".encode())
    assert read_rule_file(str(path)) == "\ufeffa\r\nb\rc\u2028"


def test_it_waits_for_a_writer_to_finish_its_line(path: Path) -> None:
    path.write_text("whole\nha")
    with path.open("a") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        reading = threading.Event()
        found: list[str] = []

        def reader() -> None:
            reading.set()
            found.append(read_rule_file(str(path)))

        thread = threading.Thread(target=reader)
        thread.start()
        reading.wait()
        writer.write("lf\n")
    thread.join()
    assert found == ["whole\nhalf\n"]


def test_a_lock_that_is_never_given_up_does_not_stop_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_file, "_PATIENCE", 0.01)
    monkeypatch.setattr(rule_file, "_MORE_PATIENCE", 0.01)
    path.write_text("whole\nha")
    with path.open() as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        assert read_rule_file(str(path)) == "whole\nha"


def test_a_stranger_cannot_make_it_wait_at_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text("half")
    monkeypatch.setattr(rule_file, "_lock_shared", None)  # calling it would fail
    assert read_rule_file(str(path), patient=False) == "half"


def test_nor_by_never_pausing(path: Path, slept: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text("half")
    sleep = rule_file.sleep
    monkeypatch.setattr(rule_file, "sleep", lambda seconds: (sleep(seconds), os.utime(path)))
    for reads in (lambda: read_rule_file(str(path), patient=False), lambda: read_settled(str(path), patient=False)):
        slept.clear()
        with pytest.raises(OSError, match="written to without a pause"):
            reads()
        assert 0 < sum(slept) < 0.1


def test_the_lock_is_given_back(path: Path) -> None:
    path.write_text("x")
    read_rule_file(str(path))
    with path.open() as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_link_is_refused_even_if_it_came_in_after_the_search(path: Path) -> None:
    path.symlink_to("/etc/hostname")
    with pytest.raises(OSError, match="symbolic links"):
        read_rule_file(str(path))


def test_pipes_and_huge_files_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(path)
    with pytest.raises(OSError, match="not a regular file"):
        read_rule_file(str(path))
    path.unlink()
    path.write_text("xx")
    monkeypatch.setattr(rule_file, "LARGEST", 1)
    with pytest.raises(OSError, match="too large"):
        read_rule_file(str(path))


def test_a_text_that_was_not_touched_for_a_while_is_read_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text("x = 1\n")
    while path.stat().st_ctime_ns + 2 * QUIET_NS > time.time_ns():
        time.sleep(0.005)
    monkeypatch.setattr(rule_file, "sleep", None)  # calling it would fail
    assert read_rule_file(str(path)) == "x = 1\n"


def test_the_clock_of_a_file_system_may_be_ahead(
    path: Path, slept: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text("x = 1\n")
    monkeypatch.setattr(rule_file, "time_ns", lambda: path.stat().st_ctime_ns - 10**9)
    assert read_rule_file(str(path)) == "x = 1\n"
    assert 0 < sum(slept) < 0.5


def test_a_file_of_the_system_without_a_size(path: Path) -> None:
    assert "Name" in read_rule_file("/proc/self/status", only_regular=False)


def test_the_folder_too(path: Path, slept: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    path.touch()
    monkeypatch.setattr(folders, "time_ns", lambda: path.parent.stat().st_ctime_ns - 10**9)
    assert collect_rule_files(str(path.parent))[0] == (str(path),)
    assert 0 < sum(slept) < 0.5


def test_writers_that_leave_the_lock_for_moments_only_are_stopped_for_one(path: Path) -> None:
    path.write_text("x = 1\n")
    over = threading.Event()

    def write() -> None:
        with path.open("a") as file:
            while not over.is_set():
                fcntl.flock(file, fcntl.LOCK_EX)
                for _ in range(8):  # as eight writers with a slow disk between them
                    file.write("x = 1\n")
                    file.flush()
                    time.sleep(0.05)
                fcntl.flock(file, fcntl.LOCK_UN)
                time.sleep(0.003)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(3):
            assert read_rule_file(str(path)).endswith("x = 1\n")
    finally:
        over.set()
        writer.join()
