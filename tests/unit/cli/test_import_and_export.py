"""``execpolicy import`` and ``export``: files found, files written, and nothing lost when something is broken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from execpolicy.exchange.agent_formats import AGENTS, agent_files
from execpolicy.lint.survey import codex_rules_folder
from execpolicy.safety.agent_places import PLACES
from tests.support.command_line import CommandLine, make_command_line
from tests.support.each import each

SETTINGS = '{"permissions": {"allow": ["Bash(git log:*)"], "deny": ["Bash(rm:*)"]}}'


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    return make_command_line(tmp_path, monkeypatch, capfd)


def test_settings_of_home_and_project_are_found(cli: CommandLine) -> None:
    for folder in (cli.machine.root / "home" / ".claude", cli.machine.project / ".claude"):
        folder.mkdir(parents=True)
    (cli.machine.root / "home" / ".claude" / "settings.json").write_text('{"permissions": {"allow": ["Bash(ls:*)"]}}')
    (cli.machine.project / ".claude" / "settings.local.json").write_text(SETTINGS)
    status, out, err = cli.run("import", "claude")
    assert status == 0
    rules = [line for line in out.splitlines() if line.startswith("prefix_rule")]
    assert [line.partition(", decision")[0] for line in rules] == [
        'prefix_rule(pattern=["ls"]',
        'prefix_rule(pattern=["rm"]',
        'prefix_rule(pattern=["git", "log"]',
    ]
    assert err.endswith("3 entries: 2 exact, 1 stricter, 0 laxer, 0 impossible\n")


@each(
    "name, file",
    [(name, file) for name in AGENTS if name in PLACES and PLACES[name].moved for file in AGENTS[name].files],
)
def test_settings_are_read_where_a_variable_puts_them(tmp_path: Path, name: str, file: str) -> None:
    variable = PLACES[name].moved[-1][0]
    environ = {"HOME": str(tmp_path / "home"), variable: str(tmp_path / "moved")}
    moved = PLACES[name].elsewhere(file, environ)
    assert (moved is not None) == file.startswith("~/")
    for path in (moved, file.replace("~", environ["HOME"], 1)) if moved is not None else ():
        where = Path(path) / "x.toml" if path.endswith("/") else Path(path)
        where = where.with_suffix(".rules") if name == "codex" and path.endswith("/") else where
        where.parent.mkdir(parents=True, exist_ok=True)
        where.touch()
        found = agent_files(name, cwd=str(tmp_path), environ=environ, system=str(tmp_path / "none"))
        assert all(one.startswith(f"{tmp_path}/moved/") for one in found)
        assert (str(where) in found) == (path is moved)


def test_a_file_grows_by_what_it_does_not_have(cli: CommandLine) -> None:
    source = cli.machine.project / "settings.json"
    source.write_text(SETTINGS)
    target = cli.machine.root / "new" / "rules" / "own.rules"
    assert cli.run("import", str(source), "--to", str(target))[0] == 0
    text = target.read_text()
    target.write_text("# mine\n" + text + "prefix_rule(pattern=['x'])")
    status, out, _ = cli.run("import", str(source), "--to", str(target))
    assert (status, out.splitlines()[0]) == (0, f"wrote 0 new rules to {target}")
    assert target.read_text() == "# mine\n" + text + "prefix_rule(pattern=['x'])"
    source.write_text(SETTINGS.replace("(rm:", "(dd:"))
    cli.run("import", str(source), "--to", str(target))
    grown = target.read_text()
    assert grown.startswith("# mine\n" + text + "prefix_rule(pattern=['x'])\n")
    assert 'prefix_rule(pattern=["dd"], decision="forbidden"' in grown
    assert cli.run("check", "-r", str(target), "--", "git", "log")[0] == 0


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        (".claude/settings.json", '{"permissions": {"allow": ["Bash(ls:*)"}}', "settings.json:1:40"),
        ("rules.toml", "[[rule]]\ntoolName = \n", "rules.toml:2:12"),
        ("x.rules", "prefix_rule(pattern=[)\n", "x.rules:1:22"),
    ],
)
def test_a_broken_file_is_an_error_with_its_place_and_touches_nothing(
    cli: CommandLine, name: str, text: str, place: str
) -> None:
    good, broken = cli.machine.project / "good.json", cli.machine.project / name
    broken.parent.mkdir(exist_ok=True)
    good.write_text(SETTINGS)
    broken.write_text(text)
    target = cli.machine.root / "target.rules"
    status, out, err = cli.run("import", str(good), str(broken), "--to", str(target))
    assert (status, out) == (1, "")
    assert place in err
    assert not target.exists()


def test_where_codex_reads_nothing_of_ours_is_written(cli: CommandLine) -> None:
    source = cli.machine.project / "settings.json"
    source.write_text('{"permissions": {"allow": ["Bash(make all)"], "deny": ["Edit(.env)"]}}')
    cli.run("import", str(source), "--to", str(cli.rules))
    assert [line for line in cli.rules.read_text().splitlines() if not line.startswith("#")] == []


def test_folders_of_codex_are_recognized(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, home = tmp_path / "real", tmp_path / "home"
    (real / "rules").mkdir(parents=True)
    home.symlink_to(real)
    monkeypatch.setenv("CODEX_HOME", str(home))
    assert codex_rules_folder(f"{real}/rules/a.rules") == f"{real}/rules"
    assert codex_rules_folder(f"{home}/rules/a.rules") == f"{home}/rules"
    assert codex_rules_folder(f"{tmp_path}/.codex/rules/below/a.rules") == f"{tmp_path}/.codex/rules"
    assert codex_rules_folder(f"{tmp_path}/my.codex/rules/a.rules") is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["qwen"], "nothing to import for `qwen`: it has no settings here"),
        (["copilot"], "nothing to import for `copilot`: name a file that holds its options"),
        (["notes.txt"], "cannot tell whose settings `notes.txt` holds: say it with --from"),
        (["empty.json"], "cannot tell whose settings `empty.json` holds: say it with --from"),
    ],
)
def test_what_cannot_be_imported_is_wrong_usage(cli: CommandLine, arguments: list[str], message: str) -> None:
    Path("notes.txt").write_text("hello")
    Path("empty.json").write_text("{}")
    assert cli.run("import", *arguments) == (2, "", f"error: {message}\n")


@pytest.mark.parametrize("name", ["missing.json", "binary.json", "folder"])
def test_what_cannot_be_read_is_a_problem(cli: CommandLine, name: str) -> None:
    Path("binary.json").write_bytes(b"{\n\xff}")
    Path("folder").mkdir()
    status, out, err = cli.run("import", name)
    assert (status, out) == (1, "")
    assert err.startswith(f"error: cannot read `{name}`: ")


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.json", '{"amp.permissions": []}', "Amp"),
        ("a.jsonc", '// c\n{"permission": "ask"}', "opencode"),
        ("a.json", '{"permissions": []}', "opencode"),
        ("a.json", '{"permissions": {"allow": ["Shell(ls)"]}}', "Cursor CLI"),
        ("a.json", '{"permissions": {"allowed_tools": []}}', "Crush"),
        ("crush.json", "{}", "Crush"),
        (".qwen/settings.json", "{}", "Qwen Code"),
        (".gemini/settings.json", "{}", "Gemini CLI"),
        ("a.toml", "", "Gemini CLI"),
        ("config.toml", "", "Codex"),
        ("a.rules", "", "Codex"),
        ("run.sh", "copilot --deny-tool 'shell(rm)'", "Copilot CLI"),
    ],
)
def test_whose_settings_a_file_holds(cli: CommandLine, name: str, text: str, title: str) -> None:
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    assert cli.run("import", name)[1].startswith(f"# Imported from {title} by")


def test_the_agent_can_be_said(cli: CommandLine) -> None:
    Path("x.json").write_text('{"permissions": {"allow": ["Bash(npm ci)"]}}')
    assert 'pattern=["npm", "ci"]' in cli.run("import", "--from", "qwen", "x.json")[1]
    assert (
        'prefix_rule(pattern=["npm", "ci"], decision="allow", unless=["*"])'
        in cli.run("import", "--from", "claude", "x.json")[1]
    )


def test_export_takes_the_rules_in_force(cli: CommandLine) -> None:
    cli.rules.parent.mkdir(parents=True, exist_ok=True)
    cli.rules.write_text('prefix_rule(pattern=["git", "log"])\nprefix_rule(pattern=["rm"], decision="forbidden")\n')
    body = cli.json("export", "--to", "claude", "--format", "json")
    assert json.loads(body["settings"]) == {
        "permissions": {"allow": ["Bash(git log:*)"], "ask": [], "deny": ["Bash(rm:*)"]}
    }
    assert [(each["level"], each["why"]) for each in body["rules"]] == [
        ("exact", ""),
        ("laxer", "found only where it is spelled so: keep the hook"),
    ]


def test_an_imported_export_changes_nothing(cli: CommandLine) -> None:
    Path("a.rules").write_text(
        'prefix_rule(pattern=["git", "log"])\nprefix_rule(pattern=["rm"], decision="forbidden")\n'
    )
    Path("settings.json").write_text(cli.run("export", "--to", "claude", "-r", "a.rules")[1])
    Path("b.rules").write_text(cli.run("import", "settings.json")[1])
    assert cli.run("diff", "a.rules", "b.rules")[1].endswith("0 stricter, 0 laxer, 0 other changes\n")
