"""``lint`` as a command: formats, exit status, selection, settings, fixes."""

import io
import json
import signal
import subprocess
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
    capsys.readouterr()
    status = main(["lint", "--format", "json", *arguments])
    return status, [each["code"] for each in json.loads(capsys.readouterr().out)]


def test_json_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.rules").write_text(TWICE)
    assert main(["lint", "--format", "json", "a.rules"]) == 1
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
        ("[lint]\nper-file-ignores = 1\n", "must be a table of globs"),
        ('[lint.per-file-ignores]\n"*" = "EP1"\n', "must be lists of codes"),
        ('[lint]\nfail-on = "bad"\n', "severity must be one of"),
        ("[lint]\nseverity = 1\n", "must be a table"),
        ("lint = 1\n", "must be a table"),
        ("[lint\n", "failed to read settings"),
        ('[lint]\nformat = "xml"\n', "`format` must be one of"),
        ("[lint]\nbaseline = 1\n", "`baseline` must be the path"),
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
    text = capsys.readouterr().out
    assert text.endswith("found 1 warning in 1 file; 1 can be fixed with --fix\n")
    main(["lint", "a.rules"])
    assert capsys.readouterr().out == text
    Path("a.rules").write_text("")
    assert main(["lint", "a.rules"]) == 0
    assert capsys.readouterr().out == "All checks passed: 1 file\n"


def test_codes_explain_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--list"]) == 0
    assert "EP202  warning  subsumed" in capsys.readouterr().out
    assert main(["lint", "--explain", "ep202"]) == 0
    assert capsys.readouterr().out.startswith("# EP202 `subsumed`\n")
    assert main(["lint", "--explain", "EP999"]) == 2
    assert "is no code" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no rule file is in force here"),
        (["none.rules"], "no such file"),
        (["--select", "nonsense", "."], "is no lint code"),
    ],
)
def test_wrong_calls(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""


def test_format_from_settings_and_in_a_github_workflow(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.rules").write_text(TWICE)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    main(["lint", "a.rules"])
    text = capsys.readouterr().out
    assert text.startswith("a.rules:2:1: warning[EP201]")
    assert "\n::warning file=a.rules,line=2," in text
    assert "found 1 warning" in text
    Path("execpolicy.toml").write_text('[lint]\nformat = "json"\n')
    main(["lint", "a.rules"])
    assert json.loads(capsys.readouterr().out)[0]["code"] == "EP201"
    main(["lint", "--format", "text", "a.rules"])
    assert "::warning" not in capsys.readouterr().out


def test_every_fault_of_a_file_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.rules").write_text(
        'prefix_rule(pattern=["git", "push")\n'  # 1: a bracket
        'prefix_rule(pattern=["a"], justification=" ")\n'  # 2: an empty justification
        "prefix_rule(pattern=[“b”])\n"  # 3: curly quotes
        'names = missing + ["x"]\n'  # 4: an unknown name
        "for name in names:\n    prefix_rule(pattern=[name])\n"  # needs line 4: not a fault of its own
        'prefix_rule(pattern=["c"], match=["d"])\n'  # 7: a wrong example
        'prefix_rule(pattern=["c" "d"])\n'  # 8: a comma
        'prefix_rule(pattern=["bash", "-c"])\n'  # 9: a risk
        'prefix_rule(pattern=["e"],\n  not_match=["e f"])\n'  # 10: a wrong example
        'load("x", "y")\n'  # 12
        'prefix_rule(patern=["git"])\n'  # 13
        'prefix_rule(pattern="git")\n'  # 14
        'prefix_rule(pattern=["open"'  # 15: to the end of the file
    )
    assert main(["lint", "--format", "json", "--ignore", "EP3", "a.rules"]) == 1
    found = [(each["line"], each["code"], each["message"]) for each in json.loads(capsys.readouterr().out)]
    assert found == [
        (1, "EP001", "`[` is never closed"),
        (2, "EP002", "invalid rule: justification cannot be empty"),
        (3, "EP001", "invalid input `“`"),
        (4, "EP001", "Variable `missing` not found"),
        (7, "EP003", "the `match` example `d` is not matched by `c`"),
        (8, "EP001", 'unexpected string literal `"d"`, expected `]`'),
        (9, "EP402", "allowing `bash -c` allows `bash -c ./evil`: a shell runs every command"),
        (10, "EP004", "the `not_match` example `e f` is matched: it begins with `e`"),
        (12, "EP001", "`load` is reserved: a rule file loads nothing"),
        (13, "EP002", "Missing parameter `pattern` for call to `prefix_rule`"),
        (14, "EP002", '`pattern` must be a list, and "git" is a string'),
        (15, "EP001", "unexpected end of file, `[` is never closed"),
    ]


def test_a_fault_hides_no_finding_but_fixes_rely_on_files_that_load(capsys: pytest.CaptureFixture[str]) -> None:
    broken = 'prefix_rule(pattern=["rm"], decision="forbidden")\nprefix_rule(pattern=["a"], justification="")\n'
    Path("a.rules").write_text(broken + TWICE)
    Path("b.rules").write_text('prefix_rule(pattern=["rm", "-r"], decision="forbidden")\n')
    assert run(capsys, "--ignore", "EP3", "a.rules", "b.rules") == (1, ["EP002", "EP201", "EP202"])
    assert run(capsys, "--ignore", "EP3", "--fix", "a.rules", "b.rules")[1] == ["EP002", "EP201", "EP202"]
    assert Path("a.rules").read_text() == broken + TWICE
    assert Path("b.rules").read_text() == 'prefix_rule(pattern=["rm", "-r"], decision="forbidden")\n'


def test_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.rules").write_text(TWICE + TWICE + SHELL)
    assert main(["lint", "--statistics", "a.rules"]) == 1
    assert capsys.readouterr().out == (
        "    3  EP201  warning  duplicate (3 can be fixed)\n"
        "    1  EP402  error    shell-allow\n"
        "found 1 error, 3 warnings in 1 file; 3 can be fixed with --fix\n"
    )
    main(["lint", "--statistics", "--format", "json", "a.rules"])
    assert [(each["code"], each["count"]) for each in json.loads(capsys.readouterr().out)] == [
        ("EP201", 3),
        ("EP402", 1),
    ]


def test_diff_of_fixes_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.rules").write_text(TWICE + SHELL)
    assert main(["lint", "--diff", "a.rules"]) == 1
    told = capsys.readouterr()
    assert told.out.startswith("--- a.rules\n+++ a.rules\n")
    assert told.err == "would fix 1 file\n"
    assert Path("a.rules").read_text() == TWICE + SHELL
    assert main(["lint", "--diff", "--unsafe-fixes", "a.rules"]) == 1
    assert '-prefix_rule(pattern=["bash", "-c"])' in capsys.readouterr().out
    Path("a.rules").write_text(SHELL)
    assert main(["lint", "--diff", "a.rules"]) == 0
    assert capsys.readouterr() == ("", "nothing to fix\n")


@pytest.mark.parametrize(("glob", "silent"), [("a.rules", True), ("*.rules", True), ("old/*", False), ("./a*", True)])
def test_codes_are_ignored_in_some_files(glob: str, silent: bool, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.rules").write_text(TWICE + SHELL)
    Path("execpolicy.toml").write_text(f'[lint.per-file-ignores]\n"{glob}" = ["EP2", "shell-allow"]\n')
    assert run(capsys, "a.rules")[1] == ([] if silent else ["EP201", "EP402"])


def test_baseline(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.rules").write_text(TWICE + SHELL)
    assert main(["lint", "--write-baseline", "a.rules"]) == 2
    assert "needs a file" in capsys.readouterr().err
    assert main(["lint", "--baseline", "known.json", "--write-baseline", "a.rules"]) == 0
    assert capsys.readouterr().err == "known.json: 2 findings kept\n"
    Path("a.rules").write_text("# moved down\n" + TWICE + SHELL)
    assert main(["lint", "--baseline", "known.json", "a.rules"]) == 0
    assert capsys.readouterr().out == "All checks passed: 1 file (2 findings of the baseline not shown)\n"
    Path("execpolicy.toml").write_text('[lint]\nbaseline = "known.json"\n')
    Path("sub").mkdir()
    monkeypatch.chdir("sub")
    assert main(["lint", "../a.rules"]) == 0
    monkeypatch.chdir(here)
    Path("a.rules").write_text(TWICE + SHELL + SHELL)
    assert run(capsys, "a.rules")[1] == ["EP201", "EP402"]  # one more of the same is new
    Path("a.rules").write_text(TWICE + "x = (\n")
    assert run(capsys, "a.rules")[1] == ["EP001"]
    capsys.readouterr()
    assert main(["lint", "a.rules"]) == 1
    assert "1 finding of the baseline" in capsys.readouterr().err
    assert main(["lint", "--write-baseline", "a.rules"]) == 0
    assert run(capsys, "a.rules")[1] == ["EP001"]  # what keeps a file from loading is never known
    Path("known.json").write_text("[]")
    capsys.readouterr()
    assert main(["lint", "a.rules"]) == 2
    assert "is no baseline" in capsys.readouterr().err


def test_a_folder_without_rule_files_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    for command in ("lint", "fmt", "test"):
        assert main([command, "empty"]) == 2
        assert "`empty`" in capsys.readouterr().err
    Path("a.rules").write_text("")
    assert main(["lint", "empty", "a.rules"]) == 0
    assert capsys.readouterr().err == "warning: there is no rule file in `empty`: rule files end in `.rules`\n"


def test_many_findings_of_one_code_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    saved = [f'prefix_rule(pattern=["make", "{"x" * 201}{at}"])\n' for at in range(200)]
    Path("a.rules").write_text("".join(saved))
    assert main(["lint", "--select", "EP305", "a.rules"]) == 1
    out = capsys.readouterr().out
    assert out.count("warning[EP305]") == 10
    assert "a.rules: 190 more EP305 `one-off`: line 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, …\n" in out
    assert out.endswith("found 200 warnings in 1 file\n")


def test_watch_looks_again_when_a_file_changes(here: Path) -> None:
    Path("a.rules").write_text(SHELL)
    command = [sys.executable, "-m", "execpolicy", "lint", "--watch", "."]
    with subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as watching:
        assert watching.stdout is not None
        seen = next(line for line in watching.stdout if "found" in line)
        assert seen == "found 1 error in 1 file\n"
        Path("a.rules").write_text("")
        assert next(watching.stdout) == "All checks passed: 1 file\n"
        Path("b.rules").write_text("x = (\n")
        assert next(line for line in watching.stdout if "found" in line) == "found 1 error in 1 of 2 files\n"
        watching.send_signal(signal.SIGINT)
        assert watching.wait(10) == 130
    assert main(["lint", "--watch", "--fix", "."]) == 2
