"""``lint`` as a command: formats, exit status, selection, settings, fixes."""

import io
import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from execpolicy.cli.main import main
from tests.support.sarif import sarif_problems

TWICE = 'prefix_rule(pattern=["ls"])\nprefix_rule(pattern=["ls"])\n'
SHELL = 'prefix_rule(pattern=["bash", "-c"])\n'
NO_REASON = 'prefix_rule(pattern=["a", "b"], decision="prompt", match=["a b"])\n'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    status = main(["lint", "--format", "json", *arguments])
    return status, [each["code"] for each in json.loads(capsys.readouterr().out)]


def test_json_is_the_default_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.rules").write_text(TWICE)
    assert main(["lint", "a.rules"]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert {key: found[key] for key in ("code", "path", "line", "column", "endLine", "endColumn", "severity")} == {
        "code": "EP201",
        "path": "a.rules",
        "line": 2,
        "column": 1,
        "endLine": 2,
        "endColumn": 28,
        "severity": "warning",
    }


@pytest.mark.parametrize(
    ("text", "severity", "status"),
    [
        (NO_REASON, None, 0),
        (NO_REASON, "info", 1),
        (TWICE, None, 1),
        (TWICE, "error", 0),
        (SHELL, "error", 1),
        ("x = (", "error", 1),
        ("", "info", 0),
    ],
)
def test_exit_status_by_severity(
    text: str, severity: str | None, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.rules").write_text(text)
    assert run(capsys, *(["--severity", severity] if severity else []), "a.rules")[0] == status


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        (["--select", "EP4"], ["EP402"]),
        (["--select", "EP4,EP201"], ["EP201", "EP402"]),
        (["--ignore", "EP4"], ["EP201"]),
        (["--select", "duplicate"], ["EP201"]),
        (["--ignore", "EP", "--select", "EP402"], ["EP402"]),
        (["--select", "ALL", "--ignore", "EP2", "--ignore", "EP4"], []),
    ],
)
def test_selection(options: list[str], codes: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.rules").write_text(TWICE + SHELL)
    assert run(capsys, *options, "a.rules")[1] == codes


@pytest.mark.parametrize(
    ("name", "head"), [("pyproject.toml", "[tool.execpolicy.lint]"), ("execpolicy.toml", "[lint]")]
)
def test_settings_files(
    name: str, head: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(name).write_text(
        f'{head}\nignore = ["EP402"]\nfail-on = "error"\n{head[:-1]}.severity]\nEP201 = "error"\nEP301 = "warning"\n'
    )
    Path("sub").mkdir()
    monkeypatch.chdir("sub")
    Path("a.rules").write_text(TWICE + SHELL + NO_REASON)
    assert main(["lint", "--format", "json", "a.rules"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [(each["code"], each["severity"]) for each in found] == [("EP201", "error"), ("EP301", "warning")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[lint]\nselct = []\n", "unknown lint setting `selct`"),
        ('[lint]\nselect = "EP1"\n', "must be lists of codes"),
        ('[lint]\nignore = ["XY1"]\n', "`XY1` is no lint code"),
        ('[lint]\nfail-on = "bad"\n', "severity must be one of"),
        ("[lint]\nseverity = 1\n", "must be a table"),
        ("lint = 1\n", "must be a table"),
        ("[lint\n", "failed to read settings"),
    ],
)
def test_wrong_settings_are_refused(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("execpolicy.toml").write_text(text)
    Path("a.rules").write_text(TWICE)
    assert main(["lint", "a.rules"]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


def test_fix_writes_files_and_reports_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.rules").write_text(TWICE + SHELL)
    Path("b.rules").write_text('prefix_rule(pattern=["ls", "-l"])\n')
    assert run(capsys, "--fix", ".") == (1, ["EP402"])
    assert Path("a.rules").read_text() == 'prefix_rule(pattern=["ls"])\n' + SHELL
    assert Path("b.rules").read_text() == ""
    assert run(capsys, "--unsafe-fixes", ".") == (0, [])
    assert Path("a.rules").read_text() == 'prefix_rule(pattern=["ls"])\n'


def test_rules_are_compared_across_files(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.rules").write_text('prefix_rule(pattern=["git"], decision="prompt", match=["git"], justification="x")\n')
    Path("b.rules").write_text('prefix_rule(pattern=["git", "status"])\n')
    assert main(["lint", "--format", "json", "a.rules", "b.rules"]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["code"], found["path"]) == ("EP203", "b.rules")
    assert "a.rules:1" in found["message"]


def test_a_broken_file_does_not_hide_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.rules").write_text("x = (\n")
    Path("b.rules").write_text(TWICE)
    Path("c.rules").write_bytes(b"\xff")
    Path("d.rules").mkdir()
    assert run(capsys, ".") == (1, ["EP005", "EP001", "EP201"])


def test_what_codex_ignores(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = here / ".codex/rules"
    (rules / "sub").mkdir(parents=True)
    (rules / "a.rules").write_text('write_rule(paths=["./build/**"])\n')
    (rules / "b.rule").write_text('prefix_rule(pattern=["x"])\n')
    (rules / "link.rules").symlink_to("a.rules")
    (rules / "sub/c.rules").write_text('prefix_rule(pattern=["y"])\n')
    (rules / "exact.rules").write_text('prefix_rule(["x"], "prompt", spelling="exact")\n')
    (here / "own.rules").write_text('write_rule(paths=["./build/**"])\n')
    targets = [str(rules / name) for name in ("a.rules", "exact.rules", "b.rule", "link.rules", "sub/c.rules")]
    assert main(["lint", "--format", "json", "--select", "EP106", *targets, "own.rules"]) == 1
    found = [(Path(each["path"]).name, each["message"]) for each in json.loads(capsys.readouterr().out)]
    assert [(name, message.split(":")[0]) for name, message in found] == [
        ("a.rules", "Codex does not know `write_rule` and drops all rule files because of it"),
        ("exact.rules", "Codex does not know `spelling` and drops all rule files because of it"),
        ("b.rule", "Codex ignores `b.rule`"),
        ("link.rules", "Codex ignores `link.rules`"),
        ("link.rules", "Codex does not know `write_rule` and drops all rule files because of it"),
        ("c.rules", "Codex ignores `c.rules`"),
    ]


def test_rules_in_files_that_nothing_reads(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.rules", "b.rule", "default", "notes.md"):
        Path(name).write_text('# rules\n  prefix_rule(pattern=["x"], decision="allow")\n' if name == "default" else "")
    Path("b.rule").write_text('prefix_rule(pattern=["x"])\n')
    Path("notes.md").write_text('prefix_rule(pattern=["x"])\n')
    Path("other").write_text("about prefix_rule( and friends\n")
    assert main(["lint", "--format", "json", "."]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [(each["code"], each["path"]) for each in found] == [("EP106", "./b.rule"), ("EP106", "./default")]
    assert main(["lint", "--ignore", "EP106", "."]) == 0


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def give(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    give(TWICE)
    assert main(["lint", "--format", "json", "--stdin-filename", "p/default.rules", "-"]) == 1
    assert json.loads(capsys.readouterr().out)[0]["path"] == "p/default.rules"
    give(TWICE)
    assert main(["lint", "--fix", "-"]) == 2
    assert "cannot be fixed in place" in capsys.readouterr().err


def test_other_formats(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.rules").write_text(TWICE)
    assert main(["lint", "--format", "sarif", "a.rules"]) == 1
    assert sarif_problems(json.loads(capsys.readouterr().out)) == []
    main(["lint", "--format", "junit", "a.rules"])
    assert ElementTree.fromstring(capsys.readouterr().out).attrib["failures"] == "1"
    main(["lint", "--format", "github", "a.rules"])
    assert capsys.readouterr().out.startswith("::warning file=a.rules,line=2,")
    main(["lint", "--format", "text", "a.rules"])
    assert capsys.readouterr().out.endswith("found 1 warning; 1 can be fixed with --fix\n")
    Path("a.rules").write_text("")
    assert main(["lint", "--format", "text", "a.rules"]) == 0
    assert capsys.readouterr().out == "no problems found\n"


def test_codes_explain_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--list"]) == 0
    assert "EP202  warning  subsumed" in capsys.readouterr().out
    assert main(["lint", "--explain", "ep202"]) == 0
    assert capsys.readouterr().out.startswith("# EP202 `subsumed`\n")
    assert main(["lint", "--explain", "EP999"]) == 2
    assert "is no code" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [([], "no rule file given"), (["none.rules"], "no such file"), (["--select", "nonsense", "."], "is no lint code")],
)
def test_wrong_calls(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""
