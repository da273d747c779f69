"""What can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from execpolicy.amend.appending import Appended, append_lines
from execpolicy.amend.journal import Journal
from execpolicy.errors import RuleStoreError


def appended(path: Path, line: str) -> Appended:
    return append_lines(str(path), (line,))


def test_the_newest_append_that_was_not_undone(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path / "home" / "amendments.jsonl"))
    rules = tmp_path / "rules" / "default.rules"
    assert journal.last(str(rules)) is None
    first = journal.record(appended(rules, "x = 1"))
    second = journal.record(appended(rules, "y = 'é\u2028'"))
    assert first is not None
    assert second is not None
    assert journal.last(str(rules)) == second
    assert second.text == "y = 'é\u2028'\n"
    journal.forget(second)
    assert journal.last(str(rules)) == first
    journal.forget(first)
    assert journal.last(str(rules)) is None


def test_an_append_that_added_nothing_cannot_be_undone(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path / "amendments.jsonl"))
    rules = tmp_path / "default.rules"
    appended(rules, "x = 1")
    assert journal.record(appended(rules, "x = 1")) is None
    assert journal.last(str(rules)) is None


def test_other_files_are_not_mixed_in(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path / "amendments.jsonl"))
    journal.record(appended(tmp_path / "a.rules", "x = 1"))
    assert journal.last(str(tmp_path / "b.rules")) is None


def test_lines_that_are_not_ours_are_passed_over(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path / "amendments.jsonl"))
    rules = tmp_path / "default.rules"
    entry = journal.record(appended(rules, "x = 1"))
    with open(journal.path, "ab") as file:
        file.write(b'[1]\n{"id": 1}\n\xff\n{"id": "torn", "pa')
    assert journal.last(str(rules)) == entry


def test_a_journal_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    journal = Journal(str(tmp_path / "home" / "amendments.jsonl"))
    with pytest.raises(RuleStoreError, match="journal"):
        journal.record(appended(tmp_path / "default.rules", "x = 1"))
