"""What can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from execpolicy.amend import journal as module
from execpolicy.amend.journal import Journal
from execpolicy.errors import RuleStoreError

STATE = (1, 2, 3)


def saved(journal: Journal, path: str, line: str, at: int = 0) -> str:
    id = journal.announce(path, (line,), f"{line}\n", at)
    journal.confirm(id, STATE)
    return id


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(str(tmp_path / "home" / "amendments.jsonl"))


def test_what_was_saved_in_order(journal: Journal) -> None:
    assert journal.history("/r").entries == {}
    first = saved(journal, "/r", "x = 1")
    second = saved(journal, "/r", "y = 'é\u2028'", 6)
    found = journal.history("/r")
    assert list(found.entries) == [first, second]
    assert found.entries[second].pieces == [(6, "y = 'é\u2028'\n".encode())]
    assert found.state == STATE
    journal.forget(second)
    assert list(journal.history("/r").entries) == [first]


def test_what_was_taken_out_moves_up_what_was_behind_it(journal: Journal) -> None:
    ids = [saved(journal, "/r", f"x = {number}", 6 * number) for number in range(3)]
    taking = journal.announce_taking("/r", 6, "x = 1\n", shift=6, of=None)
    later = saved(journal, "/r", "late", 100)
    journal.confirm_taking(taking, happened=True, state=STATE)
    found = journal.history("/r").entries
    assert {id: entry.pieces[0][0] for id, entry in found.items()} == {ids[0]: 0, ids[2]: 6, later: 100}


def test_what_did_not_happen_changes_nothing(journal: Journal) -> None:
    id = saved(journal, "/r", "x = 1", 6)
    taking = journal.announce_taking("/r", 0, "x = 0\n", shift=6, of=None)
    assert list(journal.history("/r").taking) == [taking]
    journal.confirm_taking(taking, happened=False, state=STATE)
    found = journal.history("/r")
    assert (found.entries[id].pieces[0][0], found.taking) == (6, {})


def test_one_line_of_several_can_go(journal: Journal) -> None:
    id = journal.announce("/r", ("a", "b"), "\na\nb\n", 10)
    taking = journal.announce_taking("/r", 11, "a\n", shift=2, of=id)
    journal.confirm_taking(taking, happened=True, state=STATE)
    entry = journal.history("/r").entries[id]
    assert (entry.pieces, entry.completes) == ([(11, b"b\n")], True)


def test_other_files_are_not_mixed_in(journal: Journal) -> None:
    saved(journal, "/a", "x = 1")
    assert journal.history("/b").entries == {}


def test_lines_that_are_not_ours_are_passed_over(journal: Journal) -> None:
    id = saved(journal, "/r", "x = 1")
    with open(journal.path, "ab") as file:
        file.write(b'[1]\n{"id": 1}\n\xff\n{"saved": []}\n{"taken": "x", "happened": true}\n{"id": "torn", "pa')
    assert list(journal.history("/r").entries) == [id]


def test_nor_is_a_line_that_nests_without_end_an_obstacle(journal: Journal) -> None:
    id = saved(journal, "/r", "x = 1")
    with open(journal.path, "ab") as file:
        file.write(b"[" * 100_000 + b"\n" + b'{"id": ' + b"9" * 6_000 + b"}\n")
    assert list(journal.history("/r").entries) == [id]


def test_only_the_end_of_a_long_journal_is_read(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WINDOW", 1000)
    ids = [saved(journal, "/r", f"x = {number}", number) for number in range(50)]
    found = list(journal.history("/r").entries)
    assert 2 < len(found) < 10
    assert found == ids[-len(found) :]


def test_a_journal_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    journal = Journal(str(tmp_path / "home" / "amendments.jsonl"))
    with pytest.raises(RuleStoreError, match="journal"):
        saved(journal, "/r", "x = 1")
