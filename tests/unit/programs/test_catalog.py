"""The catalog: every record is reached, and everybody who judges programs knows the same ones."""

from __future__ import annotations

import marshal
from pathlib import Path

import pytest

from execpolicy.amend.preview import reusable_prefix
from execpolicy.core.pattern import PrefixPattern
from execpolicy.insight.suggest import grant_for, why_not
from execpolicy.lint.checks.broad import is_shell_rule
from execpolicy.programs import catalog
from execpolicy.programs.breadth import why_broad
from execpolicy.programs.catalog import record_of, records, runners
from execpolicy.programs.record import Program
from tests.support.each import each
from tests.support.judging import decision
from tests.support.reach import examples_of_records, reaches

RECORDS = [*records()]
EXAMPLES = examples_of_records()
CALLED = [(name, record) for record in RECORDS for name in record.names if record.runs_others()]
FORBIDDEN = 'prefix_rule(pattern=["rm"], decision="forbidden")\n'


def example_of(name: str, record: Program) -> str:
    """The example of ``record`` with another of its names."""
    return (record.example or EXAMPLES[record.names[0]]).replace(record.names[0], name, 1)


@each(("name", "record"), CALLED, ids=[name for name, _ in CALLED])
def test_every_record_is_reached(name: str, record: Program) -> None:
    assert reaches(example_of(name, record), ["rm"])


@each(("name", "record"), CALLED, ids=[name for name, _ in CALLED])
def test_what_is_forbidden_is_found_where_the_program_is_allowed(name: str, record: Program) -> None:
    rules = f'prefix_rule(pattern=["{name}"])\n' + FORBIDDEN
    assert decision(example_of(name, record), rules) == "forbidden"


def test_a_record_without_an_example_carries_nothing() -> None:
    carrying = [record.names[0] for record in RECORDS if record.runs_others()]
    assert carrying == [record.names[0] for record in RECORDS if record.example or record.names[0] in EXAMPLES]


@each("name", sorted(runners()))
def test_lint_amend_and_insight_know_that_a_carrier_is_broad(name: str) -> None:
    assert why_broad([name]) or is_shell_rule(PrefixPattern.of([name]))
    assert reusable_prefix([name]) is None
    assert why_not((name,)) is not None or grant_for((name,)).unless == ("*",)


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


def test_the_index_is_that_of_the_records() -> None:
    assert [*catalog.index()[0]] == [name for record in RECORDS for name in record.names]
    assert [*runners()] == [name for name, _ in CALLED]
    assert record_of("sudo") is record_of("sudo-rs")
    assert record_of("no-such-program") is None


def test_the_index_of_a_wheel_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "programs.index"
    kept.write_bytes(catalog.built_index())
    monkeypatch.setattr(catalog, "catalog_index_path", lambda: str(kept))
    assert catalog._built() == catalog.index()
    kept.write_bytes(marshal.dumps(("another format", catalog.index())))
    assert catalog._built() is None
    kept.write_bytes(b"not an index")
    assert catalog._built() is None
