"""The shelf: every record is reached, and everybody who judges programs knows the same ones."""

from __future__ import annotations

import marshal
from pathlib import Path

import pytest

from execpolicy.amend.preview import reusable_prefix
from execpolicy.core.pattern import PrefixPattern
from execpolicy.insight.suggestion_policy import grant_for, why_not
from execpolicy.lint.checks.ep402_shell_allow import is_shell_rule
from execpolicy.programs import shelf, written_by
from execpolicy.programs.breadth import why_broad
from execpolicy.programs.knowledge import KNOWLEDGE
from execpolicy.programs.options import VALUES, option_table
from execpolicy.programs.record import Program, Wrapper
from execpolicy.programs.shelf import carriers, record_of, records
from execpolicy.programs.written_files import options_of
from tests.support.each import each
from tests.support.judging import PLACE, decision, rulebook
from tests.support.reach import reaches

RECORDS = [record for _, record in records()]
CALLED = [(name, record) for record in RECORDS for name in record.names if record.carries_others()]
FORBIDDEN = 'prefix_rule(pattern=["rm"], decision="forbidden")\n'


def example_of(name: str, record: Program) -> str:
    """The example of ``record`` with another of its names."""
    return record.example.replace(record.names[0], name, 1)


@each(("name", "record"), CALLED, ids=[name for name, _ in CALLED])
def test_every_record_is_reached(name: str, record: Program) -> None:
    assert reaches(example_of(name, record), ["rm"])


@each(("name", "record"), CALLED, ids=[name for name, _ in CALLED])
def test_what_is_forbidden_is_found_where_the_program_is_allowed(name: str, record: Program) -> None:
    rules = f'prefix_rule(pattern=["{name}"])\n' + FORBIDDEN
    assert decision(example_of(name, record), rules) == "forbidden"


def test_a_record_without_an_example_carries_nothing() -> None:
    assert [record.names[0] for record in RECORDS if bool(record.example) != record.carries_others()] == []


@each("name", sorted(carriers()))
def test_lint_amend_and_insight_know_that_a_carrier_is_broad(name: str) -> None:
    assert why_broad([name]) or is_shell_rule(PrefixPattern.of([name]))
    assert reusable_prefix([name]) is None
    assert why_not((name,), rulebook(), PLACE) is not None or grant_for((name,)).unless == ("*",)


@pytest.mark.parametrize("prefix", ["chronic", "sudo-rs", "hyperfine", "watchexec", "pnpx", "sudo chronic", "uv run"])
def test_broad_prefixes(prefix: str) -> None:
    assert why_broad(prefix.split())


@pytest.mark.parametrize(
    "prefix",
    [
        "timeout 5 make test",
        "uv run pytest",
        "python3 -m pytest",
        "docker ps",
        "git status",
        "sudo --version",
        "npx tsc",
    ],
)
def test_prefixes_that_say_what_is_run(prefix: str) -> None:
    assert why_broad(prefix.split()) is None


@pytest.mark.parametrize("prefix", ["timeout 5 bash", "chronic sh -c", "sudo -u bob zsh", "nu", "/bin/mksh"])
def test_shells_are_shells_behind_every_wrapper(prefix: str) -> None:
    assert is_shell_rule(PrefixPattern.of(prefix.split()))


@pytest.mark.parametrize(
    "script",
    ["bun x rm foo", "vagrant ssh -- rm foo", "hyperfine -p'rm foo' ls", "hyperfine ls 'rm foo'", "sudo-rs -s rm foo"],
)
def test_no_row_hides_behind_another(script: str) -> None:
    rules = 'prefix_rule(pattern=[["bun", "bunx", "vagrant", "hyperfine", "sudo-rs"]])\n' + FORBIDDEN
    assert decision(script, rules) == "forbidden"


@each("record", RECORDS, ids=lambda record: record.names[0])
def test_option_tables_are_well_formed(record: Program) -> None:
    texts = [record.leading, record.settings, record.options, *[spec.options for spec in record.wraps]]
    for text in texts:
        for word in text.split():
            assert word[0] in "-@", word
            assert word[0] != "@" or word in ("@anywhere", "@nopt", "@numeric", "@permute"), word
        kinds = option_table(text).kinds
        assert set(kinds.values()) <= set(VALUES)
    assert set(option_table(record.leading).kinds.values()) <= {"", ":", "?", "&"}
    for spec in record.wraps:
        known = {*option_table(spec.options).kinds, "@numeric"}
        named = {*(spec.grant or "").split(), *spec.stop.split(), *spec.direct.split(), *spec.split.split()}
        assert named | set(spec.through_shell.split()) <= known


@each("record", RECORDS, ids=lambda record: record.names[0])
def test_fields_are_of_the_kind_that_their_class_says(record: Program) -> None:
    for one in (record, *record.wraps):
        for name, said in vars(one).items():
            usual = getattr(type(one), name, said)
            assert isinstance(said, str if usual is None else type(usual)) or name == "carries", name


def test_a_field_that_there_is_not_is_an_error() -> None:
    with pytest.raises(TypeError, match="exmaple"):
        Program("gently", Wrapper(), exmaple="gently rm x")
    with pytest.raises(TypeError, match="names"):
        Wrapper(names="gently")


def test_a_record_takes_few_words() -> None:
    exceptions = [record.task.split()[1:] for record in RECORDS if record.task]
    assert all(each.partition("=")[2].isdigit() for listed in exceptions for each in listed)
    assert {record.prints for record in RECORDS} <= {"", "input", "arguments"}
    assert {record.form for record in RECORDS} <= {
        *(
            "",
            "action",
            "ansible",
            "assignment",
            "cargo",
            "colon",
            "commas",
            "hg",
            "ini",
            "jj",
            "linker",
            "mail",
            "pipe",
        ),
        *("ssh", "tox", "unit", "wget"),
    }


def test_the_indexes_say_what_the_records_say() -> None:
    assert shelf._indexed() == shelf.index()
    assert set(carriers()) == {name for name, _ in CALLED}
    assert record_of("sudo") is record_of("sudo")
    assert record_of("no-such-program") is None


def test_an_index_that_came_with_a_wheel_is_used_while_the_files_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "programs.index"
    kept.write_bytes(shelf.built_index())
    monkeypatch.setattr(shelf, "shelf_index_path", lambda: str(kept))
    assert shelf._brought() == shelf.index()
    form, sizes, found = marshal.loads(kept.read_bytes())
    kept.write_bytes(marshal.dumps((form, {**sizes, "git.py": 1}, found)))
    assert shelf._brought() is None
    kept.write_bytes(b"not an index")
    assert shelf._brought() is None


def test_programs_that_copy_their_input_to_files_say_which_files_they_write() -> None:
    """Who follows texts and who asks which files are written know the same programs."""
    for name in KNOWLEDGE.writing_files | KNOWLEDGE.copying:
        record = record_of(name)
        assert record is not None, name
        assert record.writes, name


def test_what_a_record_says_of_writing_is_understood() -> None:
    plain = {"all", "rest", "into", "from", "1st", "2nd", "none", "named", "linked", ""}
    for record in RECORDS:
        for part in record.writes.split(", ") if record.writes else ():
            what = part.rpartition(": ")[2].partition(" if ")[0].partition(" unless ")[0].rstrip("?/")
            options = options_of(record).kinds
            assert (
                what in plain
                or what.endswith("=")
                or what.startswith("urls -")
                or (what.startswith("@") and hasattr(written_by, what[1:]))
                or (what.startswith("-") and (what in options or record.leading))
            ), (record.names, part)
