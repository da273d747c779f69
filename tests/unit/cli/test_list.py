"""``execpolicy list``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, make_command_line


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    return make_command_line(tmp_path, monkeypatch, capfd)


def test_every_rule_has_its_layer_place_trust_and_effect(line: CommandLine) -> None:
    machine = line.machine
    user = machine.write(
        machine.codex_home / "rules/a.rules",
        'prefix_rule(["git", "push"])\nprefix_rule(["git", ["push", "pull"]], decision="prompt")\n'
        'host_executable("git", [])\nhost_executable("git", ["/usr/bin/git"])\n',
    )
    project = machine.write(machine.project / ".codex/rules/p.rules", 'prefix_rule(["ls"])\n')
    found = line.json("list", "--format", "json")
    rules = [rule for rule in found["rules"] if rule["layer"] != "built-in"]
    assert [
        (rule["layer"], rule["path"], rule["line"], rule["trusted"], rule["effective"], rule.get("reason"))
        for rule in rules
    ] == [
        ("user", str(user), 1, True, False, f"overridden: {user}:2 says prompt"),
        ("user", str(user), 2, True, True, None),
        ("user", str(user), 3, True, False, f"replaced by {user}:4"),
        ("user", str(user), 4, True, True, None),
        ("project", str(project), 1, False, False, "an untrusted project may not allow"),
    ]
    assert rules[1]["rule"] == 'prefix_rule(pattern=["git", ["push", "pull"]], decision="prompt")'
    layers = {layer["name"]: layer for layer in found["layers"]}
    assert layers["project"]["reason"].startswith("To load project-local config")
    assert found["failClosed"] is False


def test_every_rule_for_files_counts(line: CommandLine) -> None:
    rules = 'write_rule(["./src/**"])\nwrite_rule(["./build/**"])\nread_rule(["./a"])\nread_rule(["./b"])\n'
    line.machine.write(line.machine.own_home / "rules/w.rules", rules)
    found = [rule for rule in line.json("list", "--format", "json")["rules"] if rule["layer"] == "own"]
    assert [rule["effective"] for rule in found] == [True] * 4


def test_text_names_files_and_lines_and_what_is_inert(line: CommandLine) -> None:
    path = line.machine.write(line.machine.codex_home / "rules/a.rules", '\nprefix_rule(["a"], decision="prompt")\n')
    status, out, _ = line.run("list")
    assert status == 0
    assert f'user: {path.parent}\n  {path}:2  prefix_rule(pattern=["a"], decision="prompt")\n' in out
    assert "show them with --all" in out


def test_a_broken_file_is_reported_with_its_line_and_an_ignored_one_with_its_reason(line: CommandLine) -> None:
    folder = line.machine.codex_home / "rules"
    path = line.machine.write(folder / "a.rules", 'prefix_rule(["a"])\nnonsense(\n')
    (folder / "b.rules").symlink_to(path)
    status, out, err = line.run("list")
    assert status == 1
    assert f"{path}:" in err
    assert f"not read: {folder / 'b.rules'}: it is a symbolic link" in out
    assert "nothing is allowed unless a rule allows it" in out


def test_chosen_files_only(line: CommandLine) -> None:
    line.machine.write(line.machine.codex_home / "rules/a.rules", 'prefix_rule(["a"])\n')
    given = line.machine.write(line.machine.root / "given.rules", 'prefix_rule(["given"])\n')
    _, out, _ = line.run("list", "-r", str(given))
    assert str(given) in out
    assert "a.rules" not in out


def test_left_out_layers_are_said_to_be(line: CommandLine) -> None:
    _, out, _ = line.run("list", "--ignore-rules")
    assert "not in force (left out by --ignore-rules)" in out


def test_strict_is_an_error_and_lenient_is_codex(line: CommandLine) -> None:
    line.machine.write(line.machine.codex_home / "rules/a.rules", 'prefix_rule(["a"])\n')
    line.machine.write(line.machine.codex_home / "rules/b.rules", "nonsense(\n")
    status, out, _ = line.run("list", "--strict")
    assert (status, out) == (1, "")
    found = line.json("list", "--lenient", "--format", "json")
    assert [rule["effective"] for rule in found["rules"] if rule["layer"] == "user"] == [False]


def test_a_rule_cannot_steer_the_terminal(line: CommandLine) -> None:
    line.machine.write(
        line.machine.codex_home / "rules/a.rules",
        'network_rule("a.b", "https", "deny", justification="\\u009b2J\\u202e")\n',
    )
    _, out, _ = line.run("list")
    assert "\x9b" not in out
    assert "\u202e" not in out


def test_misspelt_rule_files_are_reported(line: CommandLine) -> None:
    folder = line.rules.parent
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("team.rule", "shop.rules~", "notes.rules.txt", "off.rules.disabled", "readme.txt"):
        (folder / name).write_text('prefix_rule(pattern=["make"])\n')
    meant = {"team.rule": "team.rules", "shop.rules~": "shop.rules", "notes.rules.txt": "notes.rules"}
    _, out, err = line.run("list")
    _, _, asked = line.run("check", "--", "make")
    for name, right in meant.items():
        reason = f"only files whose name ends in `.rules` are read; rename it to `{right}` if it is one"
        assert f"not read: {folder / name}: {reason}" in out
        assert reason in err
        assert reason in asked
    assert "off.rules" not in out + asked
    (folder / "shop.rules").write_text("")  # now the other one is an editor's copy
    assert "shop.rules~" not in line.run("list")[1]
