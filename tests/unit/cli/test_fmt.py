"""``fmt`` as a command: what it writes, prints and returns."""

import io
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from execpolicy.cli.main import main
from execpolicy.cli.rule_targets import rewrite
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
    (folder / "a.rules").chmod(0o640)
    assert main(["fmt", str(folder)]) == 0
    assert (folder / "a.rules").read_text() == CLEAN
    assert (folder / "a.rules").stat().st_mode & 0o777 == 0o640
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
    ("arguments", "message"), [([], "no rule file is in force here"), (["no/such"], "no such file or folder")]
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


@pytest.mark.parametrize("kind", ["file", "link", "others"])
def test_what_an_interrupted_run_left_does_not_block(tmp_path: Path, kind: str) -> None:
    path, left = tmp_path / "x.rules", tmp_path / ".x.rules.new"
    path.write_text(MESSY)
    (tmp_path / "precious").write_text("precious")
    if kind == "link":
        left.symlink_to(tmp_path / "precious")
    else:
        left.write_text("half")
        left.chmod(0o600 if kind == "file" else 0)
    assert rewrite(str(path), lambda text: CLEAN)
    assert path.read_text() == CLEAN
    assert {each.name for each in tmp_path.iterdir()} == {"x.rules", "precious"}
    assert (tmp_path / "precious").read_text() == "precious"


def test_links_are_followed_and_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "x.rules", tmp_path / "link.rules"
    path.write_text(MESSY)
    link.symlink_to(path)
    assert rewrite(str(link), lambda text: CLEAN)
    assert (path.read_text(), link.is_symlink()) == (CLEAN, True)


def test_hard_links_do_not_come_apart(tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    path.write_text(MESSY)
    os.link(path, tmp_path / "same")
    with pytest.raises(RuleStoreError, match="several names"):
        rewrite(str(path), lambda text: CLEAN)
    assert path.read_text() == MESSY
    assert sorted(os.listdir(tmp_path)) == ["same", "x.rules"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to somebody else")
def test_the_owner_stays(tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    path.write_text(MESSY)
    os.chown(path, 12345, 23456)
    path.chmod(0o604)
    assert rewrite(str(path), lambda text: CLEAN)
    status = path.stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (12345, 23456, 0o604)


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


def test_a_draft_is_for_nobody_else_until_it_is_like_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    path.write_text(MESSY)
    path.chmod(0o644)
    seen = []
    real = os.fchmod

    def noticing(descriptor: int, mode: int) -> None:
        seen.extend(each.stat().st_mode & 0o777 for each in tmp_path.glob(".*.new"))
        real(descriptor, mode)

    with mock.patch("os.fchmod", noticing):
        rewrite(str(path), lambda text: CLEAN)
    assert set(seen) == {0o600}


def test_what_somebody_without_the_lock_wrote_meanwhile_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    path.write_text(MESSY)
    pending = ["#more\n"]

    def change(text: str) -> str:
        if pending:
            with path.open("a") as file:
                file.write(pending.pop())
        return text.replace("#", "# ")

    assert rewrite(str(path), change)
    assert path.read_text() == (MESSY + "#more\n").replace("#", "# ")


HALVES = """
import fcntl, os, sys, time
fd = os.open(sys.argv[1], os.O_RDWR | os.O_APPEND)
fcntl.flock(fd, fcntl.LOCK_EX)
os.write(fd, b"prefix_rule( p")
print(flush=True)
time.sleep(float(sys.argv[2]))
os.write(fd, b"attern = ['x'] )\\n")
"""


@pytest.mark.parametrize("seconds", [0.1, 0.5])
@pytest.mark.parametrize("command", ["fmt", "lint"])
def test_half_of_an_append_is_waited_for(tmp_path: Path, command: str, seconds: float) -> None:
    """The kernel shows a line that crosses two of its pages by halves to whoever does not wait for the lock."""
    path = tmp_path / "default.rules"
    path.write_text("")
    with subprocess.Popen([sys.executable, "-c", HALVES, str(path), str(seconds)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        assert main([command, str(path)]) == 0


OURS = """
import os, sys
from execpolicy.amend.append import append_lines
for number in range(int(sys.argv[3])):
    append_lines(sys.argv[1], (f"prefix_rule( pattern=['{sys.argv[2]}{number}'] )",), timeout=60.0)
"""
THEIRS = """
import fcntl, os, sys
for number in range(int(sys.argv[3])):
    fd = os.open(sys.argv[1], os.O_RDWR | os.O_APPEND)
    fcntl.flock(fd, fcntl.LOCK_EX)
    os.write(fd, f"prefix_rule( pattern=['{sys.argv[2]}{number}'] )\\n".encode())
    os.close(fd)
"""


def test_no_rule_that_is_appended_meanwhile_is_lost(tmp_path: Path) -> None:
    """Neither one of ours nor one of a program that does not look which file it has locked."""
    path = tmp_path / "default.rules"
    path.write_text("")
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(path), name, "300"])
        for name, code in (("o", OURS), ("t", THEIRS), ("u", THEIRS))
    ]
    while any(writer.poll() is None for writer in writers):
        assert main(["fmt", str(path)]) == 0
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert main(["fmt", str(path)]) == 0
    expected = sorted(f'prefix_rule(pattern=["{name}{number}"])' for name in "otu" for number in range(300))
    assert sorted(path.read_text().splitlines()) == expected
