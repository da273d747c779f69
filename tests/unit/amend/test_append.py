"""Appending to a real file: what is written, and what happens when something goes wrong."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from execpolicy.amend import append
from execpolicy.amend.append import append_lines
from execpolicy.errors import RuleStoreError
from tests.support.running import run_captured

LINE = 'prefix_rule(pattern=["a"], decision="allow")'
OTHER = 'prefix_rule(pattern=["b"], decision="allow")'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rules" / "default.rules"


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def text_of(path: Path) -> str:
    return path.read_bytes().decode()


def test_folder_and_file_are_made(path: Path) -> None:
    done = append_lines(str(path), (LINE,))
    assert (text_of(path), done.text, done.at) == (f"{LINE}\n", f"{LINE}\n", 0)
    status = path.stat()
    assert done.state == (status.st_ino, status.st_size, status.st_mtime_ns)


def test_a_missing_folder_above_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "missing" / "rules"
    with pytest.raises(RuleStoreError) as caught:
        append_lines(str(folder / "default.rules"), (LINE,))
    assert str(caught.value) == f"failed to create policy directory {folder}: No such file or directory"


def test_a_path_without_a_folder_is_an_error() -> None:
    with pytest.raises(RuleStoreError, match=r"^policy path has no parent: default\.rules$"):
        append_lines("default.rules", (LINE,))


@pytest.mark.parametrize("lines", [(), ("a\nb",), ("a\r",)])
def test_only_lines_can_be_appended(path: Path, lines: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="each of them a single one"):
        append_lines(str(path), lines)
    assert not path.parent.exists()


def test_a_line_that_is_there_changes_nothing_not_even_the_time(path: Path) -> None:
    put(path, f"{LINE}\r\n# x")
    before = path.stat()
    assert append_lines(str(path), (LINE,)).text == ""
    after = path.stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


def test_permissions_owner_links_and_the_file_itself_are_kept(path: Path) -> None:
    put(path, "# mine")
    path.chmod(0o640)
    hard_link = path.with_name("same")
    os.link(path, hard_link)
    append_lines(str(path), (LINE,))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert text_of(hard_link) == f"# mine\n{LINE}\n"


def test_several_lines_arrive_in_one_write(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writes: list[bytes] = []
    write = os.write
    monkeypatch.setattr(append.os, "write", lambda fd, data: (writes.append(data), write(fd, data))[1])
    put(path, "# mine")
    append_lines(str(path), (LINE, OTHER))
    assert writes == [f"\n{LINE}\n{OTHER}\n".encode()]


def test_a_broken_file_is_extended_all_the_same(path: Path) -> None:
    put(path, "nonsense(\n")
    append_lines(str(path), (LINE,))
    assert text_of(path) == f"nonsense(\n{LINE}\n"


@pytest.mark.parametrize(
    "tail",
    [
        'prefix_rule(pattern=["git", "push"], decision="forbidden"',
        'prefix_rule(pattern=["git", "push"], decision="f',
        'prefix_rule(pattern=["git", "push"], decision="prompt", justification="ask',
        'network_rule(host="a.com", protocol="https", decision="deny"',
        'network_rule(host="a.com", protocol="https", decision="',
        'network_rule(host="a.com"',
        "netw",
        'prefix_rule(pattern=["git"], decision="allowed',
        "pre",
        'prefix_rule(pattern=["rm"',
        'prefix_rule(pattern=["rm"], decis',
        'prefix_rule(pattern=["rm"], decision="',
        'prefix_rule(pattern=["rm"], decision="allow" if at_home else',
    ],
)
def test_an_unfinished_line_is_named_and_stays(path: Path, tail: str) -> None:
    put(path, f"{OTHER}\n{tail}")
    with pytest.raises(RuleStoreError, match=r":2: the last line is unfinished and may forbid something"):
        append_lines(str(path), (LINE,))
    assert text_of(path) == f"{OTHER}\n{tail}"


def test_a_file_that_is_not_utf8_is_left_alone(path: Path) -> None:
    put(path, "")
    path.write_bytes(b"# fine\n# \xff\n")
    with pytest.raises(RuleStoreError) as caught:
        append_lines(str(path), (LINE,))
    assert str(caught.value) == (
        f"failed to read policy file {path}: line 2 is not UTF-8; repair the file with an editor, then try again"
    )
    assert path.read_bytes() == b"# fine\n# \xff\n"


class TestRefusedBySystem:
    """Files that cannot be written."""

    def test_a_link_is_refused_because_nobody_would_read_it(self, path: Path) -> None:
        target = put(path, "# target\n").rename(path.with_name("target"))
        path.symlink_to(target)
        with pytest.raises(RuleStoreError, match="it is a symbolic link, and rule files that are links are not read"):
            append_lines(str(path), (LINE,))
        assert text_of(target) == "# target\n"

    def test_a_dangling_link_makes_no_file(self, path: Path) -> None:
        path.parent.mkdir()
        path.symlink_to(path.with_name("target"))
        with pytest.raises(RuleStoreError, match="symbolic link"):
            append_lines(str(path), (LINE,))
        assert not path.exists()

    def test_a_folder_of_that_name(self, path: Path) -> None:
        path.mkdir(parents=True)
        with pytest.raises(RuleStoreError, match=r"Is a directory; move the folder"):
            append_lines(str(path), (LINE,))

    def test_a_pipe_of_that_name_does_not_hang(self, path: Path) -> None:
        path.parent.mkdir()
        os.mkfifo(path)
        with pytest.raises(RuleStoreError, match="not a regular file"):
            append_lines(str(path), (LINE,))

    @pytest.mark.parametrize("what", ["file", "folder"])
    def test_without_permission_it_says_what_to_do(self, path: Path, what: str) -> None:
        put(path, "# mine\n")
        path.parent.chmod(0o777)
        if what == "folder":
            path.unlink()
            path.parent.chmod(0o555)
        else:
            path.chmod(0o444)
        for folder in list(path.parents)[:5]:
            if folder.owner() == Path.home().owner() and folder != path.parent and folder != Path("/tmp"):
                folder.chmod(folder.stat().st_mode | 0o711)
        code = (
            "import os, sys; from execpolicy.amend.append import append_lines\n"
            "from execpolicy.errors import RuleStoreError\n"
            "if os.getuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
            "try: append_lines(sys.argv[1], ('x = 1',))\n"
            "except RuleStoreError as error: print(error)\n"
        )
        result = run_captured([sys.executable, "-c", code, str(path)], check=True)
        assert result.stdout == (
            f"failed to open policy file {path}: Permission denied; make the file and its folder writable for you\n"
        )


def failing(number: int) -> Callable[..., int]:
    def fail(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    return fail


class TestFullDisk:
    """What was there stays, and nothing half-written is left."""

    @contextmanager
    def largest_file(self, size: int) -> Iterator[None]:
        """No file of this process may grow beyond ``size`` bytes; Python ignores the signal, so writes fail or stop."""
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    @pytest.mark.parametrize("room", [0, 1, 20, len(LINE)])
    def test_a_write_that_stops_in_the_middle_is_rolled_back(self, path: Path, room: int) -> None:
        put(path, "# mine\n")
        with (
            self.largest_file(7 + room),
            pytest.raises(RuleStoreError, match="failed to write to policy file") as caught,
        ):
            append_lines(str(path), (LINE,))
        assert str(path) in str(caught.value)
        assert text_of(path) == "# mine\n"

    def test_so_is_one_whose_flush_fails(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        put(path, "# mine\n")
        fsync = os.fsync
        calls = iter([failing(errno.ENOSPC)])
        monkeypatch.setattr(append.os, "fsync", lambda fd: next(calls, fsync)(fd))
        with pytest.raises(RuleStoreError, match=r"No space left on device; the disk is full"):
            append_lines(str(path), (LINE,))
        assert text_of(path) == "# mine\n"

    def test_the_next_append_works_again(self, path: Path) -> None:
        put(path, "# mine\n")
        with self.largest_file(20), pytest.raises(RuleStoreError):
            append_lines(str(path), (LINE,))
        append_lines(str(path), (LINE,))
        assert text_of(path) == f"# mine\n{LINE}\n"


class TestMeddling:
    """Programs that change the file without taking the lock."""

    @pytest.fixture
    def meddle(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
        """Call something once, between reading and writing."""

        def install(action: Callable[[], object]) -> None:
            suffix = append.missing_suffix
            pending = [action]

            def decide(text: str, lines: tuple[str, ...]) -> str:
                if pending:
                    pending.pop()()
                return suffix(text, lines)

            monkeypatch.setattr(append, "missing_suffix", decide)

        return install

    def test_an_editor_that_replaces_the_file(self, path: Path, meddle: Callable[[Callable[[], object]], None]) -> None:
        put(path, "# old\n")
        new = put(path.with_name("new"), "# edited")
        meddle(lambda: new.rename(path))
        append_lines(str(path), (LINE,))
        assert text_of(path) == f"# edited\n{LINE}\n"

    def test_an_editor_that_truncates_and_rewrites(
        self, path: Path, meddle: Callable[[Callable[[], object]], None]
    ) -> None:
        put(path, "# old text, longer than the new one\n")
        meddle(lambda: put(path, "# edited"))
        append_lines(str(path), (LINE,))
        assert text_of(path) == f"# edited\n{LINE}\n"

    def test_somebody_who_deletes_the_file(self, path: Path, meddle: Callable[[Callable[[], object]], None]) -> None:
        put(path, "# old\n")
        meddle(path.unlink)
        append_lines(str(path), (LINE,))
        assert text_of(path) == f"{LINE}\n"

    def test_a_cut_in_the_very_last_moment_does_not_glue_lines_together(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(path, f"{OTHER}\n")
        write = os.write
        pending = [lambda: os.truncate(path, len(OTHER) - 3)]

        def late(fd: int, data: bytes) -> int:
            if pending:
                pending.pop()()
            return write(fd, data)

        monkeypatch.setattr(append.os, "write", late)
        with pytest.raises(RuleStoreError, match="the last line is unfinished"):
            append_lines(str(path), (LINE,))
        assert text_of(path) == OTHER[:-3]

    def test_one_who_never_stops_is_named(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        put(path, "# old\n")
        suffix = append.missing_suffix

        def decide(text: str, lines: tuple[str, ...]) -> str:
            put(path.with_name("new"), text + "# more\n").rename(path)
            return suffix(text, lines)

        monkeypatch.setattr(append, "missing_suffix", decide)
        with pytest.raises(RuleStoreError, match="another program keeps replacing it without taking its lock"):
            append_lines(str(path), (LINE,))


def test_a_lock_that_is_not_given_up_ends_in_a_clear_error(path: Path) -> None:
    put(path, "# mine\n")
    with path.open() as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        with pytest.raises(RuleStoreError) as caught:
            append_lines(str(path), (LINE,), timeout=0.05)
    assert str(caught.value) == (
        f"failed to lock policy file {path}: another program has held its lock for 0.05 s; "
        f"see which one with `fuser {path}`, then try again"
    )
    assert text_of(path) == "# mine\n"
