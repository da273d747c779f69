"""``config``: every setting with its source, and a schema that says what the readers of the settings say."""

import json
import tomllib
from pathlib import Path

import pytest

from execpolicy.errors import UsageError
from execpolicy.layers import layer_options
from execpolicy.layers.hook_setting import hook_setting_of_process
from execpolicy.layers.layer_options import grants_of
from execpolicy.lint.config import FORMATS, find_settings
from tests.support.command_line import CommandLine, make_command_line
from tests.support.schemas import schema_named, schema_problems

NAME = "execpolicy.toml"


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    monkeypatch.setattr(layer_options, "MACHINE_FOLDER", str(tmp_path / "etc"))
    for variable in ("EXECPOLICY_GRANTS", "EXECPOLICY_LIMITS"):
        monkeypatch.delenv(variable, raising=False)
    return make_command_line(tmp_path, monkeypatch, capfd)


def sources(line: CommandLine) -> dict[str, tuple[object, str]]:
    shown = line.json("config", "show", "--format", "json")
    assert schema_problems(shown, "config-show") == []
    return {each["name"]: (each["value"], each["source"]) for each in shown}


def test_every_setting_has_a_source(line: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = sources(line)
    assert before["grants"] == ("flow", "default")
    assert before["lint.fail-on"] == ("warning", "default")
    assert before["CODEX_HOME"] == (str(line.machine.codex_home), "CODEX_HOME")
    machine, own = tmp_path / "etc" / NAME, line.machine.own_home / NAME
    for path, text in (
        (machine, 'grants = "plain"\n[hook]\nshells = ["box"]\n'),
        (own, '[hook]\nshells = ["mine"]\nignored = ["note"]\npermissions = "p.json"\n'),
        (line.machine.project / NAME, '[lint]\nignore = ["EP3"]\n'),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    after = sources(line)
    assert after["grants"] == ("plain", str(machine))
    assert after["hook.shells"] == (["box", "mine"], f"{machine}, {own}")
    assert after["hook.ignored"] == (["note"], str(own))
    assert before["hook.permissions"] == ([], "default")
    assert after["hook.permissions"] == ([str(own.parent / "p.json")], str(own))
    assert after["lint.ignore"] == (["EP3"], str(line.machine.project / NAME))
    assert after["lint.select"] == (["EP"], "default")
    monkeypatch.setenv("EXECPOLICY_GRANTS", "none")
    assert sources(line)["grants"] == ("none", "EXECPOLICY_GRANTS")
    _, text, _ = line.run("config", "show")
    assert text.startswith("grants ")
    assert "  EXECPOLICY_GRANTS\n" in text


def test_the_schema_is_printed(line: CommandLine) -> None:
    assert json.loads(line.run("config", "schema")[1]) == schema_named(NAME)


GOOD = [
    "",
    'grants = "none"',
    '[hook]\nshells = ["a*"]\nignored = []',
    '[hook]\npermissions = "~/p.json"',
    '[lint]\nselect = ["EP1", "duplicate"]\nignore = ["EP304"]\nfail-on = "info"\nformat = "json"\nbaseline = "b.json"',
    '[lint.severity]\nEP301 = "warning"',
    '[lint.per-file-ignores]\n"old/*" = ["EP301"]',
]
BAD = [
    'grants = "all"',
    "grants = 1",
    "[hook]\nshels = []",
    '[hook]\nshells = "a"',
    '[hook]\nignored = [""]',
    '[hook]\npermissions = ""',
    '[hook]\npermissions = ["p.json"]',
    "[lint]\nselct = []",
    '[lint]\nselect = "EP1"',
    '[lint]\nfail-on = "bad"',
    '[lint]\nformat = "xml"',
    '[lint]\nbaseline = ""',
    '[lint.severity]\nEP301 = "bad"',
    '[lint.per-file-ignores]\n"old/*" = "EP301"',
    "other = 1",
]


@pytest.mark.parametrize("text", [*GOOD, *BAD])
def test_the_schema_and_the_readers_agree(line: CommandLine, text: str) -> None:
    path = (line.machine.project if "[lint" in text else line.machine.own_home) / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert (schema_problems(tomllib.loads(text), NAME) == []) is (text in GOOD)
    try:
        if "[lint" in text:
            find_settings(str(line.machine.project))
        else:
            grants_of(None, {}, str(line.machine.own_home))
            hook_setting_of_process()
    except UsageError:
        assert text in BAD
    else:
        assert text in GOOD


def test_the_schema_names_every_lint_setting() -> None:
    lint = schema_named(NAME)["properties"]["lint"]["properties"]
    assert sorted(lint) == sorted(find_settings("/").as_written())
    assert sorted(lint["format"]["enum"]) == FORMATS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('grants = "none"\n[lint]\n', "`grants` has no effect in a project"),
        ('[hook]\nshells = ["x"]\n[lint]\n', "`hook` has no effect in a project"),
        ("[lnit]\n", "there is no setting `lnit`; a project has `[lint]`"),
    ],
)
def test_what_has_no_effect_in_a_project_is_refused_there(line: CommandLine, text: str, said: str) -> None:
    Path(NAME).write_text(text)
    Path("a.rules").write_text("")
    for arguments in (["lint", "a.rules"], ["config", "show"]):
        status, out, err = line.run(*arguments)
        assert (status, out) == (2, "")
        assert said in err
