"""``--grants``, ``EXECPOLICY_GRANTS`` and ``execpolicy.toml``: the narrowest holds."""

import io
import json
from pathlib import Path

import pytest

from execpolicy.cli.main import main
from execpolicy.errors import UsageError
from execpolicy.layers import layer_options as settings
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import PolicyManager
from tests.support.command_line import CommandLine, make_command_line

PLAIN = "ls -la"
FLOW = "n=3; head -n $n a.txt"


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    monkeypatch.setattr(settings, "MACHINE_FOLDER", str(tmp_path / "etc"))
    return make_command_line(tmp_path, monkeypatch, capfd)


def decisions(line: CommandLine, *options: str) -> list[str]:
    return [line.json("check", *options, "--script", script)["decision"] for script in (PLAIN, FLOW)]


@pytest.mark.parametrize(
    ("option", "expected"),
    [("none", ["prompt", "prompt"]), ("plain", ["allow", "prompt"]), ("flow", ["allow", "allow"])],
)
def test_the_option(line: CommandLine, option: str, expected: list[str]) -> None:
    assert decisions(line, "--grants", option) == expected
    assert decisions(line, f"--grants={option}") == expected
    explained = [line.json("explain", "--format", "json", "--grants", option, "--script", s) for s in (PLAIN, FLOW)]
    assert [each["decision"] for each in explained] == expected
    assert all(
        bool(part["grounds"]) == (part["decision"] == "allow") for each in explained for part in each["commands"]
    )


def test_what_is_left_out_is_said(line: CommandLine) -> None:
    found = line.json("explain", "--format", "json", "--grants", "plain", "--script", "echo $x")
    assert [block["code"] for part in found["commands"] for block in part["blocks"]] == ["grants"]


def test_nobody_widens_what_somebody_narrowed(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXECPOLICY_GRANTS", "plain")
    assert decisions(line, "--grants", "flow") == ["allow", "prompt"]
    monkeypatch.delenv("EXECPOLICY_GRANTS")
    line.machine.own_home.mkdir(parents=True, exist_ok=True)
    (line.machine.own_home / "execpolicy.toml").write_text('grants = "plain"\n')
    assert decisions(line, "--grants", "flow") == ["allow", "prompt"]
    machine = Path(settings.MACHINE_FOLDER)
    machine.mkdir()
    (machine / "execpolicy.toml").write_text('grants = "none"\n')
    assert decisions(line, "--grants", "flow") == ["prompt", "prompt"]
    assert PolicyManager(LayerOptions.of_process()).current().rulebook.grants == "none"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('grants = "all"', "not `all`"),
        ("grants = 1", "a word in quotes"),
        ("grants = ", "Invalid value"),
        ("grant = 'plain'", "no setting `grant`"),
        ("\udcff", "codec can't decode"),
    ],
)
def test_a_broken_setting_is_an_error_and_no_widening(line: CommandLine, text: str, why: str) -> None:
    line.machine.own_home.mkdir(parents=True, exist_ok=True)
    path = line.machine.own_home / "execpolicy.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError, match=why) as caught:
        settings.grants_of(None, {}, str(line.machine.own_home))
    assert str(path) in str(caught.value)
    status, out, err = line.run("check", "--script", "ls")
    assert (status, out) == (2, "")
    assert str(path) in err


def test_a_hook_obeys_it_and_closes_on_a_broken_setting(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(*options: str) -> str:
        call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": FLOW}}
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(call).encode())))
        answer = line.json("hook", *options, "claude")
        return str(answer["hookSpecificOutput"]["permissionDecision"])

    assert ask() == "allow"
    assert ask("--grants", "plain") == "ask"
    line.machine.own_home.mkdir(parents=True, exist_ok=True)
    (line.machine.own_home / "execpolicy.toml").write_text("grants = 5")
    assert ask() != "allow"


def test_a_request_may_ask_for_grounds(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    requests = [
        {"id": 1, "script": FLOW, "grounds": True},
        {"id": 2, "script": FLOW},
        {"id": 3, "argv": ["rm"], "grounds": True},
    ]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\n".join(json.dumps(r).encode() for r in requests))))
    _, out, _ = line.run("check", "--jsonl")
    first, second, third = [json.loads(answer) for answer in out.splitlines()]
    assert all(set(ground) == {"code", "span", "detail"} for c in first["commands"] for ground in c["grounds"])
    assert "variable-proven" in [ground["code"] for ground in first["commands"][1]["grounds"]]
    assert all("grounds" not in command for command in second["commands"])
    assert third["commands"][0]["grounds"] == []


def test_the_word_is_checked(line: CommandLine) -> None:
    assert line.run("check", "--grants", "all", "--", "ls")[0] == 2
    assert main(["explain", "--grants", "all", "--", "ls"]) == 2


@pytest.mark.parametrize(("options", "expected"), [((), "prompt"), (("--terminal", "no"), "allow")])
def test_without_a_terminal_no_pager_opens(line: CommandLine, options: tuple[str, ...], expected: str) -> None:
    assert line.json("check", *options, "--script", "journalctl -n 5")["decision"] == expected
