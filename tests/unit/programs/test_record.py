"""The text of a record: what it says, and what a mistake in it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from execpolicy.lint import record_check
from execpolicy.lint.record_check import formatted, main, mistakes
from execpolicy.programs.record import parse_record

GENTLY = """\
program gently kindly: @task=2,run=3 @fetches
leading -C:
options -o: --out:
wraps: -q -v -w: --wait: @operands=1 @grant=-q,-w @stop=-v
wraps run, job start: @joined
writes -o
broad

# gently 2.0: its manual page.
: -q,--quiet @abbreviate
run|r: -o:,--out:
"""


def found(text: str, name: str = "gently.txt") -> list[str]:
    return [f"{line}:{column}: {message}" for line, column, message in mistakes(name, text)]


def test_every_record_is_without_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert capsys.readouterr().out.endswith(" records, 0 mistakes\n")


def test_what_a_record_says() -> None:
    record = parse_record(GENTLY)
    first, second = record.wraps
    assert record.names == ["gently", "kindly"]
    assert (record.task, record.fetches, record.far, record.broad, record.always) == ("2 run=3", True, False, "", "")
    assert (record.leading, record.writes) == ("-C:", "-o")
    assert (first.options, first.operands, first.grant, first.stop) == ("-q -v -w: --wait:", 1, "-q -w", "-v")
    assert (first.subcommands, first.after, first.joined) == ("", "", False)
    assert (second.subcommands, second.after, second.joined, second.grant) == ("run, job start", "--", True, None)
    assert record.grammar.splitlines()[1:] == [": -q,--quiet @abbreviate", "run|r: -o:,--out:"]
    assert record.runs_others()
    assert not parse_record("program sleep\n").runs_others()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("program gently", "gently", "1:1: a record begins with `program`"),
        ("@fetches", "@fetchs", "1:38: `@fetchs` is no mark; there are @language,"),
        ("leading -C:", "leads -C:", "2:1: `leads` is no fact; there are leading,"),
        ("wraps: -q", "wraps -q", "4:1: write a colon in front of the options"),
        ("@grant=-q", "@grant=-z", "4:45: `-z` is in a mark and has to be among the options, too"),
        ("--wait:", "wait:", "4:18: `wait:` is no option and no mark"),
        ("@operands=1", "@operands=one", "4:26: `@operands=one` is no option and no mark"),
        ("broad\n", "broad\nbroad a\n", "7:1: join the lines `broad`"),
        ("@joined", "@joint", "5:23: `@joint` is no option and no mark"),
        ("writes -o", "writes -p, each", "6:1: list `each` in a line `options`"),
        ("program gently kindly", "program kindly gently", "1:9: call the file `kindly.txt`"),
        ("@fetches", "@prints=all", "1:38: what it prints is"),
        ("@fetches", "@form=none", "1:38: there is no form `none`"),
        ("@fetches", "@extractor=none", "1:38: register the function"),
        ("@task=2", "@task=two", "1:24: write a number of words"),
        ("@abbreviate", "@abridge", "10:14: `@abridge` is no option and no mark"),
        ("-o:,--out:\n", "-o:,--out: out\n", "11:19: `out` is no option and no mark"),
        ("-o:,--out:\n", "-o,--out:\n", "11:8: write the same sign behind each name in `-o,--out:`"),
        ("run|r:", "run|r", "11:1: write a form as `SUB-COMMAND: OPTIONS`"),
        ("-q -v", "-q  -v", "4:11: the layout differs"),
    ],
)
def test_a_mistake_is_found_where_it_is(old: str, new: str, expected: str) -> None:
    lines = found(GENTLY.replace(old, new))
    assert [line for line in lines if line.startswith(expected)], lines


def test_the_layout() -> None:
    assert found(formatted(GENTLY)) == []
    assert formatted("program a\nwraps:  -a\n    -b\n\n\n: -c\n") == "program a\nwraps: -a -b\n\n: -c\n"
    wide = formatted("program a\nwraps: " + "--a-long-option " * 20)
    assert max(map(len, wide.splitlines())) <= 120
    assert formatted(wide) == wide


def test_files_are_checked_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "gently.txt").write_text(GENTLY)
    (folder / "kindly.txt").write_text("program kindly\n")
    monkeypatch.setattr(record_check, "records_folder", lambda: str(folder))
    assert main(["--write"]) == 1
    report = f"{folder}/kindly.txt:1:1: `kindly` is also in gently.txt: leave it out\n2 records, 1 mistakes\n"
    assert capsys.readouterr().out == report
    (folder / "kindly.txt").unlink()
    assert main([]) == 0
    assert (folder / "gently.txt").read_text() == formatted(GENTLY)
