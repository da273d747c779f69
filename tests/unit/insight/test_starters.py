"""Starter rules: they load, show what they decide, and never replace a file."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from execpolicy.cli.group import cli
from execpolicy.insight.starters import SAMPLES, decisions, starters, write_starter
from execpolicy.lang.compile import compile_source
from execpolicy.source import Source
from tests.support.judging import PLACE, builtin, decision


@pytest.mark.parametrize("starter", starters(), ids=lambda s: s.name)
def test_every_rule_has_a_justification_and_an_example(starter: object) -> None:
    from execpolicy.insight.starters import Starter

    assert isinstance(starter, Starter)
    compiled = compile_source(Source(starter.file_name, starter.text))
    for built in compiled.built:
        first = built.statements[0]
        assert getattr(first, "justification", "network and host statements have none") is not None
        if first.__class__.__name__ == "PrefixRule":
            assert built.match
            assert built.not_match


def test_every_starter_has_samples_and_none_of_them_is_simply_allowed() -> None:
    assert {starter.name for starter in starters()} == set(SAMPLES)
    for starter in starters():
        shown = decisions(starter, builtin(), PLACE)
        assert [command for command, _ in shown] == list(SAMPLES[starter.name])
        assert {decision for _, decision in shown} <= {"prompt", "forbidden"}


def test_an_existing_file_is_never_replaced(tmp_path: Path) -> None:
    starter = starters()[0]
    assert write_starter(starter, str(tmp_path / "rules"))
    (tmp_path / "rules" / starter.file_name).write_text("mine")
    assert not write_starter(starter, str(tmp_path / "rules"))
    assert (tmp_path / "rules" / starter.file_name).read_text() == "mine"
    assert [path.name for path in (tmp_path / "rules").iterdir()] == [starter.file_name]


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    runner = CliRunner()
    done = runner.invoke(cli, ["init", "--with", "git", "--project"], standalone_mode=False)
    assert done.return_value == 0
    assert "forbidden  git push --force" in done.output
    assert (tmp_path / ".codex" / "rules" / "git.rules").is_file()
    nothing = runner.invoke(cli, ["init", "--project"], standalone_mode=False)
    assert nothing.return_value == 1
    unknown = runner.invoke(cli, ["init", "--with", "nope"], standalone_mode=False)
    assert "no starter file `nope`" in str(unknown.exception)


ALL = "\n".join(starter.text for starter in starters())


@pytest.mark.parametrize(
    "command",
    [
        "git push origin main --force",
        "git push -uf origin x",
        "git push -d origin topic",
        "git push origin +main",
        "git reset -q --hard",
        "git -C sub clean -n",
        "rm -r -f /",
        "rm -rf -- /",
        "rm -fr ~",
        "rm -Rf build /",
        "rm --recursive --force ..",
        "npm pub",
        "cargo +nightly publish",
    ],
)
def test_what_they_forbid_is_forbidden_in_every_spelling(command: str) -> None:
    assert decision(command, ALL) == "forbidden"


@pytest.mark.parametrize(
    "command", ["rm -rf build", "git push origin main", "git alias x", "git delta main", "npm prune"]
)
def test_what_only_looks_like_it_is_not(command: str) -> None:
    assert decision(command, ALL) == "prompt"
