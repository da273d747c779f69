"""Files that are there as a whole or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.drafts import make_draft


@pytest.fixture
def dead() -> int:
    """The number of a process that is no more."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    return process.pid


def test_a_draft_is_whole_beside_its_place_and_has_its_mode(tmp_path: Path) -> None:
    draft = Path(make_draft(str(tmp_path / "a.json"), b"text", 0o640))
    assert (draft.parent, draft.read_bytes(), draft.stat().st_mode & 0o777) == (tmp_path, b"text", 0o640)


def test_two_drafts_of_one_process_are_two_files(tmp_path: Path) -> None:
    path = str(tmp_path / "a.json")
    assert make_draft(path, b"1", 0o600) != make_draft(path, b"2", 0o600)


def test_what_a_killed_process_left_goes_and_what_others_write_stays(tmp_path: Path, dead: int) -> None:
    path = str(tmp_path / "a.json")
    ours = Path(make_draft(path, b"1", 0o600))
    ours.rename(ours.with_suffix(f".{dead}"))
    others = ours.with_suffix(f".{os.getppid()}")
    foreign = tmp_path / f"notes.{dead}"
    for each in (others, foreign):
        each.touch()
    draft = Path(make_draft(path, b"2", 0o600))
    assert set(tmp_path.iterdir()) == {draft, others, foreign}


def test_one_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        make_draft(str(tmp_path / "a.json"), b"1", 0o600)
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_of_the_name_stops_nobody(tmp_path: Path) -> None:
    path = str(tmp_path / "a.json")
    first = make_draft(path, b"1", 0o600)
    os.unlink(first)
    os.mkfifo(first)
    assert Path(make_draft(path, b"2", 0o600)).read_bytes() == b"2"
