"""An entry that says which files of the folder its program obeys speaks only where none of them lies."""

from pathlib import Path

import pytest

from execpolicy.errors import InvalidRuleError
from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from execpolicy.safety.entries import build_safe
from tests.support.each import each
from tests.support.judging import PLACE, builtin, rulebook

ENTRY = 'safe_command(name="o", program="O", obeys=".obeyed", reason="asks the folder", operands="any*")'
HERE = ["O", "O x", "timeout 5 O", "time O", "O | cat", 'echo "$(O)"', "ls && O", "FOO=1 O", "bash -c 'O x'"]
ELSEWHERE = [
    "cd sub && O",
    "cd sub; cd ..; O",
    "pushd sub; O",
    "env -C sub O",
    "find . -name a -execdir O ';'",
    "bash -c 'cd sub; O'",
    "f() { O; }; cd sub; f",
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in a home folder."""
    (tmp_path / "home" / "work" / "sub").mkdir(parents=True)
    return tmp_path / "home" / "work"


def decided(script: str, folder: Path, text: str = ENTRY) -> str:
    return check(script, rulebook(text), situation=Situation(str(folder), home=str(folder.parent))).decision.word


@each("script", HERE)
def test_it_is_allowed_where_nothing_lies(script: str, project: Path) -> None:
    assert decided(script, project) == "allow"


@each("script", HERE)
@each("place", [".", "sub/..", "../.."])
def test_it_is_asked_about_where_one_lies_here_or_above(script: str, place: str, project: Path) -> None:
    (project / place / ".obeyed").touch()
    assert decided(script, project) == "prompt"


@each(
    "script",
    [
        *("echo x > .obeyed; O", "> .obeyed; O", "O > .obeyed", "{ echo x; } > .obeyed; O", "make; O", "O & make"),
        *("f() { echo x > .obeyed; }; f; O", "bash -c 'make'; O", "bash -c 'make; O'", "make; bash -c O"),
        *('bash -c "make; bash -c O"', "bash -c 'echo x > .obeyed; O'", "timeout 5 make; O"),
    ],
)
def test_what_the_script_may_write_first_is_asked_about(script: str, project: Path) -> None:
    rules = ENTRY + "\n" + 'write_rule(paths=["./**"])\nprefix_rule(pattern=["make"])\n'
    assert decided(script, project, rules) == "prompt"
    assert decided(script.replace("O", "true"), project, rules) == "allow"


def test_a_link_to_nowhere_and_a_folder_count(project: Path) -> None:
    (project / ".obeyed").symlink_to("nowhere")
    assert decided("O", project) == "prompt"
    (project / ".obeyed").unlink()
    (project / ".obeyed").mkdir()
    assert decided("O", project) == "prompt"


def test_what_lies_in_the_home_folder_is_the_users_own(project: Path) -> None:
    (project.parent / ".obeyed").touch()
    assert decided("O", project) == "allow"
    assert check("O", rulebook(ENTRY), situation=Situation(str(project))).decision.word == "prompt"


def test_the_folder_behind_a_link_counts(project: Path, tmp_path: Path) -> None:
    (tmp_path / "other" / "deep").mkdir(parents=True)
    (tmp_path / "other" / ".obeyed").touch()
    (project / "link").symlink_to(tmp_path / "other" / "deep")
    assert decided("O", project / "link") == "prompt"


@each("script", ELSEWHERE)
def test_it_is_asked_about_where_the_script_moves(script: str, project: Path) -> None:
    assert decided(script, project) == "prompt"


def test_nobody_can_look_into_a_folder_that_is_not_there() -> None:
    verdict = check("O", rulebook(ENTRY), situation=PLACE)
    assert verdict.decision.word == "prompt"
    opinion = verdict.commands[0].opinion
    assert opinion is not None
    assert (opinion.code, opinion.why) == (
        "settings",
        "`/srv/project` cannot be searched for `.obeyed`, which it obeys",
    )


def test_the_reason_names_the_file(project: Path) -> None:
    (project / ".obeyed").touch()
    opinion = check("O", rulebook(ENTRY), situation=Situation(str(project))).commands[0].opinion
    assert opinion is not None
    assert opinion.why == f"it obeys `{project}/.obeyed`, which can name servers, files and programs"


def test_an_allow_says_that_it_rests_on_it(project: Path) -> None:
    grounds = check("O x", rulebook(ENTRY), situation=Situation(str(project))).grounds
    assert [(each.code, each.detail) for each in grounds if each.code == "settings-absent"] == [
        ("settings-absent", ".obeyed")
    ]


def test_another_entry_speaks_whatever_lies_there(project: Path) -> None:
    (project / ".obeyed").touch()
    other = '\nsafe_command(name="trusting", program="O", reason="I trust it", operands=[["x"]])'
    assert decided("O x", project, ENTRY + other) == "allow"
    assert decided("O y", project, ENTRY + other) == "prompt"


def test_an_answer_is_not_kept_while_the_disk_may_change(project: Path) -> None:
    book, place = rulebook(ENTRY), Situation(str(project), home=str(project.parent))
    assert check("O", book, situation=place).decision.word == "allow"
    (project / ".obeyed").touch()
    assert check("O", book, situation=place).decision.word == "prompt"


def test_nor_is_that_on_git_in_a_folder_that_becomes_a_repository(project: Path) -> None:
    place = Situation(str(project))
    assert check("git -C sub status", builtin(), situation=place).decision.word == "allow"
    for name in ("objects", "refs"):
        (project / "sub" / name).mkdir()
    (project / "sub" / "HEAD").touch()
    assert check("git -C sub status", builtin(), situation=place).decision.word == "prompt"


@each("files", ["a/b", "", 3, {"a": 1}])
def test_it_names_files(files: object) -> None:
    with pytest.raises(InvalidRuleError, match="obeys"):
        build_safe({"name": "o", "program": "O", "reason": "r", "obeys": files})


def test_npm_is_asked_about_under_settings_of_the_project(project: Path) -> None:
    place = Situation(str(project), home=str(project.parent))
    assert check("npm ls", builtin(), situation=place).decision.word == "allow"
    (project / ".npmrc").touch()
    assert check("npm ls", builtin(), situation=place).decision.word == "prompt"


@each("name", ["proxy", "noproxy"])
def test_a_variable_that_npm_reads_is_none_of_no_meaning(name: str, project: Path) -> None:
    assert decided(f"{name}=http://evil npm view lodash", project, "") == "prompt"


TELLING = [
    *[("terraform state list", ".terraform"), ("terraform version", ".terraform"), ("tofu providers", ".terraform")],
    *[("ansible --version", "ansible.cfg"), ("ansible-galaxy collection list", "ansible.cfg")],
    *[("sentry-cli issues list", ".sentryclirc"), ("supabase projects list", "supabase")],
    *[("uv pip list", ".venv"), ("uv python find 3.12", "uv.toml"), ("uv pip list", "pyproject.toml")],
    *[("mise ls", "mise.toml"), ("mise activate bash", ".tool-versions"), ("mise registry", ".config")],
    *[("go version", "go.mod"), ("go version", "go.work"), ("go --help", "go.mod")],
    *[("cargo --version", "rust-toolchain.toml"), ("rustc -V", "rust-toolchain"), ("cargo -V", "rust-toolchain")],
    *[("yarn --version", ".yarnrc.yml"), ("yarn info lodash", "package.json"), ("pnpm -v", "package.json")],
]


@each("case", TELLING)
def test_what_the_built_in_entries_obey(case: tuple[str, str], tmp_path: Path) -> None:
    script, file = case
    place = Situation(str(tmp_path))
    assert check(script, builtin(), situation=place).decision.word == "allow"
    (tmp_path / file).touch()
    assert check(script, builtin(), situation=place).decision.word == "prompt"
    (tmp_path / file).unlink()


def test_miller_obeys_a_file_of_the_folder(project: Path) -> None:
    script = "mlr --icsv --ojson cat a.csv"
    assert check(script, builtin(), situation=Situation(str(project))).decision.word == "allow"
    (project / ".mlrrc").write_text("-I\n")
    assert check(script, builtin(), situation=Situation(str(project))).decision.word == "prompt"


LIBRARY = 'safe_command(name="o", program="O", obeys="json.*", reason="imports json", operands="any*")'


@each("name", ["json.py", "json.pyc", "json.cpython-313-x86_64-linux-gnu.so", "json"])
def test_a_module_of_any_kind_counts_in_the_folder_alone(name: str, project: Path) -> None:
    (project / "jsonx.py").touch()
    assert decided("O", project, LIBRARY) == "allow"
    (project / name).touch()
    assert decided("O", project, LIBRARY) == "prompt"
    assert decided("O", project / "sub", LIBRARY) == "allow"
    (project / name).unlink()


@each("script", ["python3 -c 'import json; print(json.dumps(1))'", "python3 - <<'E'\nprint(1)\nE"])
@each("name", ["re.py", "traceback.py", "_pylong.py", "stringprep.so"])
def test_python_imports_its_own_library(script: str, name: str, project: Path) -> None:
    place = Situation(str(project), home=str(project.parent))
    assert check(script, builtin(), situation=place).decision.word == "allow"
    (project / name).touch()
    assert check(script, builtin(), situation=place).decision.word == "prompt"
    (project / name).unlink()
