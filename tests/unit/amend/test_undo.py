"""Taking lines out again: exactly ours, exactly once, and every line whole wherever it stops."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from execpolicy.amend import append
from execpolicy.amend.append import Appended, FileState, append_lines
from execpolicy.amend.journal import Journal
from execpolicy.amend.undo import undo_last, undo_line
from execpolicy.errors import RuleStoreError

LINE = 'prefix_rule(pattern=["a"], decision="allow")'
OTHER = 'prefix_rule(pattern=["b"], decision="allow")'
MUCH = "".join(f"# {number:0>98}\n" for number in range(100))
"""Ten thousand bytes: more than a kernel writes in one piece."""


class Place:
    """A rule file and the journal of what we do to it."""

    def __init__(self, base: Path) -> None:
        self.path = base / "rules" / "default.rules"
        self.path.parent.mkdir()
        self.journal = Journal(str(base / "home" / "amendments.jsonl"))

    def put(self, text: str) -> None:
        self.path.write_text(text, encoding="utf-8", newline="")

    def text(self) -> str:
        return self.path.read_bytes().decode()

    def save(self, *lines: str, confirmed: bool = True) -> Appended:
        """As a manager does it; without the confirmation as one that was killed."""
        ids: list[str] = []
        announce: Callable[[str, int], None] = lambda text, at: ids.append(  # noqa: E731  # one line of a test
            self.journal.announce(str(self.path), lines, text, at)
        )
        confirm: Callable[[FileState], None] = lambda state: (  # noqa: E731  # the same
            self.journal.confirm(ids[-1], state) if confirmed else None
        )
        return append_lines(str(self.path), lines, announce=announce, confirm=confirm)

    def undo(self) -> tuple[str, ...]:
        return undo_last(str(self.path), self.journal)

    def undo_line(self, line: str) -> bool:
        return undo_line(str(self.path), line, self.journal)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_the_file_is_as_it_was_before_even_without_a_final_newline(place: Place) -> None:
    place.put("# mine")
    place.save(LINE, OTHER)
    assert place.undo() == (LINE, OTHER)
    assert place.text() == "# mine"


def test_what_was_written_behind_it_stays(place: Place) -> None:
    place.put("# mine\n")
    place.save(LINE)
    append_lines(str(place.path), (OTHER,))
    assert place.undo() == (LINE,)
    assert place.text() == f"# mine\n{OTHER}\n"


def test_a_newline_that_completed_a_line_stays_if_something_follows(place: Place) -> None:
    place.put("# mine")
    place.save(LINE)
    append_lines(str(place.path), (OTHER,))
    place.undo()
    assert place.text() == f"# mine\n{OTHER}\n"


def test_one_after_the_other(place: Place) -> None:
    place.put("# mine\n")
    for number in range(5):
        place.save(f"x = {number}")
    place.undo_line("x = 1")
    append_lines(str(place.path), ("# theirs",))
    taken = [place.undo() for _ in range(4)]
    assert taken == [("x = 4",), ("x = 3",), ("x = 2",), ("x = 0",)]
    assert place.text() == "# mine\n# theirs\n"


def test_the_file_itself_and_its_permissions_are_kept(place: Place) -> None:
    place.put(f"{LINE}\n{OTHER}\n")
    place.path.chmod(0o600)
    inode = place.path.stat().st_ino
    assert place.undo_line(LINE)
    status = place.path.stat()
    assert (place.text(), status.st_ino, stat.S_IMODE(status.st_mode)) == (f"{OTHER}\n", inode, 0o600)


def test_nothing_to_remove(place: Place) -> None:
    assert not place.undo_line(LINE)
    place.put(f"# {LINE}\n")
    assert not place.undo_line(LINE)
    with pytest.raises(RuleStoreError, match="nothing to undo"):
        place.undo()


def test_stopping_before_the_end_is_cut_off_leaves_every_line_whole(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.put(f"# first\n{LINE}\n{OTHER}\n# last\n")

    def failing(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(append.os, "ftruncate", failing)
        with pytest.raises(RuleStoreError, match="failed to write to policy file"):
            place.undo_line(LINE)
    assert [line for line in place.text().split("\n") if line] == ["# first", OTHER, "# last"]
    place.save("x = 1")
    assert place.undo() == ("x = 1",)
    assert [line for line in place.text().split("\n") if line] == ["# first", OTHER, "# last"]


def test_in_a_long_file_the_line_becomes_a_comment(place: Place) -> None:
    place.save(LINE, OTHER)
    append_lines(str(place.path), tuple(MUCH.splitlines()))
    place.undo()
    marked = [f"# undone: e{line[len(b'prefix_rule') :]}" for line in (LINE, OTHER)]
    assert place.text() == "".join(f"{line}\n" for line in marked) + MUCH


def test_an_append_that_was_killed_before_it_wrote_is_no_append(place: Place) -> None:
    place.save(LINE)
    place.journal.announce(str(place.path), (OTHER,), f"{OTHER}\n", place.path.stat().st_size)
    assert place.undo() == (LINE,)


def test_one_that_was_killed_after_it_wrote_is_the_last(place: Place) -> None:
    place.save(LINE)
    place.save(OTHER, confirmed=False)
    assert place.undo() == (OTHER,)
    assert place.undo() == (LINE,)


@pytest.mark.parametrize("before", ["", "# mine\n"])
def test_a_line_that_somebody_else_saved_again_stays(place: Place, before: str) -> None:
    place.put(before)
    place.save(OTHER)
    place.save(LINE)
    place.put(f"{before}{OTHER}\n")  # a person takes it out with an editor
    os.utime(place.path, ns=(1, 1))
    append_lines(str(place.path), (LINE,))  # another program saves it again
    with pytest.raises(RuleStoreError, match="saved once more by another program"):
        place.undo()
    assert place.text() == f"{before}{OTHER}\n{LINE}\n"


def test_a_line_that_is_elsewhere_is_not_ours(place: Place) -> None:
    place.save(LINE)
    place.put(f"{OTHER}\n{LINE}\n")
    with pytest.raises(RuleStoreError, match="is no longer there"):
        place.undo()
    assert place.text() == f"{OTHER}\n{LINE}\n"


def test_appends_are_confirmed_in_the_order_in_which_they_were_made(place: Place) -> None:
    """Under the lock: or the last state that the journal knows is an older one, and an undo is refused for it."""
    held: list[bool] = []

    def confirm(state: FileState) -> None:
        with place.path.open("rb") as other:
            try:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.append(True)
        assert state[1] == place.path.stat().st_size

    append_lines(str(place.path), (LINE,), confirm=confirm)
    append_lines(str(place.path), (LINE,), confirm=confirm)  # nothing is written: nothing to confirm
    assert held == [True]
