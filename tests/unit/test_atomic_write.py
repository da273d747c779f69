"""Files that are there as a whole or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.atomic_write import make_draft, write_whole


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


def test_a_file_is_written_as_a_whole_or_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, link = tmp_path / "a.json", tmp_path / "link"
    link.symlink_to(file)
    write_whole(str(link), b"first")
    file.chmod(0o640)
    write_whole(str(link), b"second")
    assert link.is_symlink()
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"second", 0o640)

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(str(file), b"third")
    assert file.read_bytes() == b"second"
    assert set(tmp_path.iterdir()) == {file, link}


def test_what_is_no_file_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(str(pipe), b"text")
    assert os.read(reader, 9) == b"text"
    os.close(reader)
    assert pipe.is_fifo()
    with pytest.raises(OSError, match="No such device"):
        write_whole(str(pipe), b"text")
    said = tmp_path / "said"
    code = "from execpolicy.atomic_write import write_whole; write_whole('/dev/stdout', b'text'); print(' and more')"
    with said.open("ab") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, check=True)
    assert said.read_bytes() == b"text and more\n"
