"""Starter rules: they load, show what they decide, and never replace a file."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from execpolicy.cli.group import cli
from execpolicy.insight.starters import PACK_SAMPLES, SAMPLES, decisions, packs, starters, write_starter
from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from execpolicy.lang.compile import compile_source
from execpolicy.safety.entries import SafeCommand
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


@pytest.mark.parametrize(
    ("arguments", "refused"),
    [
        (["--yes"], True),
        (["--workspace", "on"], True),
        (["--with", "python"], True),
        (["--remove", "git"], True),
        (["--list"], False),
    ],
)
def test_an_agent_does_not_set_up_its_own_permissions(
    arguments: list[str], refused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", f"{tmp_path}-home")
    monkeypatch.setenv("CLAUDECODE", "1")
    done = CliRunner().invoke(cli, ["init", *arguments], standalone_mode=False)
    assert ("an agent runs this" in str(done.exception)) is refused
    assert not Path(f"{tmp_path}-home", ".config", "execpolicy", "rules").exists()


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", f"{tmp_path}-home")
    runner = CliRunner()
    done = runner.invoke(cli, ["init", "--with", "git", "--project"], standalone_mode=False)
    assert done.return_value == 0
    assert "forbidden  git push --force" in done.output
    assert (tmp_path / ".codex" / "rules" / "git.rules").is_file()
    nothing = runner.invoke(cli, ["init", "--project"], standalone_mode=False)
    assert nothing.return_value == 1
    unknown = runner.invoke(cli, ["init", "--with", "nope"], standalone_mode=False)
    assert "no starter file or pack `nope`" in str(unknown.exception)


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


PACKS = {pack.name: pack for pack in packs() if pack.name != "disaster"}
DISASTER = next(pack for pack in packs() if pack.name == "disaster")


@pytest.mark.parametrize("name", PACKS)
def test_every_entry_of_a_pack_says_what_for_and_has_examples_of_both_kinds(name: str) -> None:
    pack = PACKS[name]
    for built in compile_source(Source(pack.file_name, pack.text)).built:
        entry = built.statements[0]
        assert isinstance(entry, SafeCommand)
        assert entry.name.startswith(f"pack-{name}")
        assert entry.reason
        assert entry.match
        assert entry.not_match


@pytest.mark.parametrize("name", PACKS)
def test_what_a_pack_refuses_is_allowed_with_no_other_pack_either(name: str) -> None:
    pack = PACKS[name]
    rulebook = builtin().with_statements(*compile_source(Source("packs.rules", ALL_PACKS)).statements)
    allowed = [
        example
        for built in compile_source(Source(pack.file_name, pack.text)).built
        for example in built.statements[0].not_match
        if check(example, rulebook, situation=PLACE).decision.word == "allow"
    ]
    assert allowed == []


def test_a_pack_shows_one_command_that_it_allows_and_one_that_it_does_not() -> None:
    assert {*PACKS, "disaster"} == set(PACK_SAMPLES)
    for pack in PACKS.values():
        assert "This trusts the project" in pack.text
        before = [check(command, builtin(), situation=PLACE).decision.word for command in pack.samples]
        assert "allow" not in before
        after = [decision for _, decision in decisions(pack, builtin(), PLACE)]
        assert after[0] == "allow"
        assert "allow" not in after[1:]


@pytest.mark.parametrize("name", ["workspace", *PACKS])
def test_no_starter_and_no_disaster_takes_away_what_a_pack_or_the_workspace_allows(name: str) -> None:
    text = PACKS[name].text if name in PACKS else Path("rules/workspace/workspace.rules").read_text(encoding="utf-8")
    restricted = builtin().with_statements(*compile_source(Source("all.rules", f"{ALL}\n{DISASTER.text}")).statements)
    entries = [each for built in compile_source(Source("p", text)).built for each in built.statements]
    undone = {
        example: match
        for entry in entries
        if isinstance(entry, SafeCommand)
        for example in entry.match
        for command in check(example, restricted, situation=PLACE).commands
        for match in command.restrictions
    }
    assert not undone


def test_disasters_are_forbidden_by_what_they_do_and_harmless_commands_are_left_alone(tmp_path: Path) -> None:
    rulebook = builtin().with_statements(*compile_source(Source("disaster.rules", DISASTER.text)).statements)
    wrong = {}
    for line in Path("tests/data/disaster.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        verdict = check(row["script"], rulebook, situation=Situation(str(tmp_path), home="/home/dev"))
        found = max([match.decision for each in verdict.commands for match in each.restrictions], default=None)
        if (found.word if found else "") != row["restricted"]:
            wrong[row["script"]] = found
    assert not wrong


ALL_PACKS = "\n".join(pack.text for pack in PACKS.values())


def test_packs_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("EXECPOLICY_HOME", str(tmp_path / "own"))
    runner = CliRunner()

    def run(*arguments: str) -> tuple[object, str]:
        done = runner.invoke(cli, ["init", *arguments], standalone_mode=False)
        return done.return_value, done.output + str(done.exception or "")

    written = tmp_path / "own" / "rules" / "pack-go.rules"
    status, said = run("--pack", "go,make", "--pack", "go")
    assert status == 0
    assert "allow      go test ./..." in said
    assert written.is_file()
    assert written.with_name("pack-make.rules").is_file()
    written.write_text(written.read_text() + "# mine\n")
    status, said = run("--remove", "go")
    assert (status, "it was changed" in said, written.is_file()) == (1, True, True)
    status, said = run("--remove", "go,make", "--even-changed")
    assert (status, list(written.parent.iterdir())) == (0, [])
    assert run("--remove", "go")[0] == 1
    assert "no pack `nope`" in run("--pack", "nope")[1]
    assert "packs are for a person" in run("--pack", "go", "--project")[1]
    assert "python (pack): " in run("--list")[1]
