"""``fmt`` as a command: what it writes, prints and returns."""

import io
import multiprocessing
import os
import resource
import signal
import sys
from pathlib import Path
from unittest import mock

import pytest

from execpolicy.cli.main import main
from execpolicy.cli.rewrite import rewrite
from execpolicy.errors import RuleStoreError

MESSY = "#why\nprefix_rule( pattern = ['a'] )\n"
CLEAN = '# why\nprefix_rule(pattern=["a"])\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.rules").write_text(MESSY)
    (tmp_path / "sub/b.rules").write_text(CLEAN)
    (tmp_path / "c.txt").write_text(MESSY)
    return tmp_path


def test_files_are_rewritten_in_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inode = (folder / "a.rules").stat().st_ino
    assert main(["fmt", str(folder)]) == 0
    assert (folder / "a.rules").read_text() == CLEAN
    assert (folder / "a.rules").stat().st_ino == inode
    assert (folder / "c.txt").read_text() == MESSY
    assert sorted(os.listdir(folder)) == ["a.rules", "c.txt", "sub"]
    assert capsys.readouterr().err == f"formatted {folder}/a.rules\n"
    assert main(["fmt", "--check", str(folder)]) == 0


def test_check_only_tells(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "--check", str(folder)]) == 1
    assert (folder / "a.rules").read_text() == MESSY
    assert capsys.readouterr().err == f"would format {folder}/a.rules\n"


def test_diff(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "--diff", str(folder / "a.rules")]) == 1
    assert (folder / "a.rules").read_text() == MESSY
    out = capsys.readouterr().out
    assert "-#why\n" in out
    assert '+prefix_rule(pattern=["a"])\n' in out


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(MESSY.replace("\n", "\r\n").encode())))
    assert main(["fmt", "-"]) == 0
    assert capfd.readouterr().out == CLEAN


def test_a_broken_file_does_not_stop_the_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "0.rules").write_text("x = (\n")
    assert main(["fmt", str(folder)]) == 1
    err = capsys.readouterr().err
    assert f"{folder}/0.rules:1:5: error[EP001]" in err
    assert (folder / "0.rules").read_text() == "x = (\n"
    assert (folder / "a.rules").read_text() == CLEAN


@pytest.mark.parametrize(
    ("arguments", "message"), [([], "no rule file given"), (["no/such"], "no such file or folder")]
)
def test_wrong_targets(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


def test_text_that_is_not_utf_8(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.rules").write_bytes(b"# \xff\n")
    assert main(["fmt", str(tmp_path)]) == 1
    assert "not UTF-8 at byte 2" in capsys.readouterr().err


def test_what_an_interrupted_run_left_stays_and_does_not_block(tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    path.write_text(MESSY)
    (tmp_path / "x.rules.backup").write_text("old")
    assert rewrite(str(path), lambda text: CLEAN)
    assert path.read_text() == CLEAN
    assert {each.name for each in tmp_path.iterdir()} == {"x.rules", "x.rules.backup"}
    assert (tmp_path / "x.rules.backup").read_text() == "old"


def test_a_full_disk_leaves_the_old_text(tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    path.write_text(MESSY)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(MESSY) + 10, limits[1]))
    try:
        with pytest.raises(RuleStoreError, match="failed to write"):
            rewrite(str(path), lambda text: "# " + "x" * 10_000 + "\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert path.read_text() == MESSY
    assert [each.name for each in tmp_path.iterdir()] == ["x.rules"]


def test_the_backup_is_for_those_who_can_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    path.write_text(MESSY)
    path.chmod(0o600)
    seen = []

    def change(text: str) -> str:
        return CLEAN

    real = os.fsync

    def noticing(descriptor: int) -> None:
        seen.extend(each.stat().st_mode & 0o777 for each in tmp_path.glob("*.backup"))
        real(descriptor)

    with mock.patch("os.fsync", noticing):
        rewrite(str(path), change)
    assert set(seen) == {0o600}


def append(path: str, count: int, barrier: object) -> None:
    from execpolicy.amend.locking import locked

    barrier.wait()  # type: ignore[attr-defined]  # a multiprocessing barrier
    for number in range(count):
        with locked(path, create=False) as fd:
            os.write(fd, f"prefix_rule( pattern=['p{number}'] )\n".encode())


def test_no_rule_that_is_appended_meanwhile_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "default.rules"
    path.write_text("")
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(2)
    writer = context.Process(target=append, args=(str(path), 200, barrier))
    writer.start()
    barrier.wait()
    while writer.is_alive():
        assert main(["fmt", str(path)]) == 0
    writer.join()
    assert main(["fmt", str(path)]) == 0
    assert path.read_text().splitlines() == [f'prefix_rule(pattern=["p{number}"])' for number in range(200)]
