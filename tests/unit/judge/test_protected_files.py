"""What agents obey is not written unasked, whoever writes it and whatever rules allow: every file of every record."""

import io
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from execpolicy.cli.hook_command import run_hook
from execpolicy.core.decision import Decision
from execpolicy.judge.check import check
from execpolicy.judge.file_write import FileWrite
from execpolicy.judge.situation import Situation
from execpolicy.safety.agent_places import PLACES, HookPlace
from execpolicy.safety.protected import protected
from tests.support.each import each
from tests.support.judging import decision, rulebook

RULES = """
prefix_rule(pattern=[["echo", "cp", "sed", "mv", "ln", "tee", "touch", "rm", "dd", "install", "mkdir", "python3"]])
prefix_rule(pattern=[["tar", "patch", "cd", "rsync", "prettier", "truncate", "git", "link"]])
write_rule(paths=["./**", "/**", "~/**"])
"""
WRITING = [
    "echo x > {}",
    "echo x >> {}",
    "cp x {}",
    "cp -t {folder} {name}",
    "cp x/{name} {folder}",
    "sed -i s/a/b/ {}",
    "mv x {}",
    "mv {} x",
    "ln -s x {}",
    "ln -sf x {folder}/{name}",
    "ln -s {} x",
    "ln {} x",
    "cp -l {} x",
    "cp --symbolic-link {} x",
    "echo x | tee {}",
    "tee -a {}",
    "touch {}",
    "rm -f {}",
    "dd of={}",
    "install x {}",
    "truncate -s 0 {}",
    "cd {folder} && cp x {name}",
    "cd {folder} && echo x > {name}",
    "prettier --write {}",
    'f={}; cp x "$f"',
    "bash <<'E'\ncp x {}\nE",
]
ELSEWHERE = [
    "cp x y",
    "echo x > y",
    "echo x > src/state/agents/y",
    "cp -r src/a docs",
    "rm -r build",
    "sed -i s/a/b/ src/*.py",
    "mv .github/workflows/a.yml .github/workflows/b.yml",
    "git add .claude/settings.json",
    "git commit -m 'the settings in .vscode/tasks.json'",
    "git checkout main",
    "python3 x.py",
    "mkdir -p .config/other",
]
WHOLE = [
    "rm -rf .",
    "rm -r ~",
    "mv ~ /tmp/x",
    "cp -r evil/. .",
    "cp -rT evil .",
    "rsync -a evil/ .",
    "rm -r .claude",
    "mv evil .claude",
    "ln -s evil .claude",
    "ln -s ~ x",
    "cp evil/* .",
    "rm -r .c*",
    "cp x .c[l]aude/settings.json",
    "cp x ~/.config/g*/config.yaml",
    "cp x .git",
    "echo x > .git",
    "cp -r evil .git/hooks",
]
GIT = [
    *("HEAD", "index", "config", "config.worktree", "commondir", "packed-refs", "objects/info/alternates"),
    *("rebase-merge/git-rebase-todo", "hooks/pre-commit", "info/attributes", "modules/a/config", "worktrees/w/gitdir"),
    "made/by/nobody/yet",
]
"""What lies in a folder of git's."""
BY_PATTERN = [
    "cp x .git/*",
    "cp x .git/re*/x",
    'cp x .git/"$x"',
    "echo x > .git/{HEAD,index}",
    "for f in HEAD index; do echo x > .git/$f; done",
    "rsync x .git/",
    "tar xf x.tar -C .git",
    "patch -d .git < x.patch",
]
OF_GIT_ITSELF = [
    "git status",
    "git init",
    "git commit -m .git/HEAD",
    "git worktree add x",
    "cp .git/HEAD y",
    "echo .git/ >> .gitignore",
    "echo x > a.git",
    "rsync -a --exclude=.git src/ build/",
]
UNKNOWN = [
    'cp x "$f"',
    "cp x $(cat list)",
    'cp x "src/$f"',
    'cp -t "$d" x',
    'cp -t"$d" x',
    'cp --target-directory="$d" x',
    'cp --target-directory "$d" x',
    'cp "$f" "$g"',
    'mv x "$f"',
    'mv "$f" x',
    'echo x | tee "$f"',
    'ln -s x "$f"',
    'touch "$f"',
    'rm -f "$f"',
    'dd of="$f"',
    'install x "$f"',
    'truncate -s 0 "$f"',
    "sed -i s/a/b/ $f",
    'git mv a "$f"',
]
"""Which file they write only the run knows."""
KNOWN = [
    'cp "$f" y',
    'for f in a b; do cp x "$f"; done',
    'f=y; cp x "$f"',
    'n=3; touch "y$n"',
    'd=y; cp --target-directory="$d" x',
    'sed -n 1p "$f"',
    'git add "$f"',
    'python3 x.py "$f"',
]
"""What they write is known, or they write nothing that they name."""
EVERY = [(place, path) for place in PLACES.values() for path in place.files]


def located(path: str, project: str, home: str) -> str:
    """A file that a record names, where it is for somebody."""
    path = path + "x.json" if path.endswith("/") else path
    return home + path[1:] if path.startswith("~") else path if path.startswith("/") else f"{project}/{path}"


@each("place, path", EVERY)
def test_no_rule_lets_a_command_write_it(place: HookPlace, path: str) -> None:
    where = located(path, "/srv/project", "/home/u")
    folder, _, name = where.rpartition("/")
    words = {"folder": shlex.quote(folder), "name": shlex.quote(name)}
    scripts = [script.format(shlex.quote(where), **words) for script in WRITING]
    assert {script: decision(script, RULES) for script in scripts} == dict.fromkeys(scripts, "prompt")


@each("script", ELSEWHERE)
def test_other_files_are_a_matter_of_the_rules(script: str) -> None:
    assert decision(script, RULES) == "allow"


@each("script", WHOLE)
def test_what_holds_it_or_may_be_it_is_asked_about(script: str) -> None:
    assert decision(script, RULES) == "prompt"


@each("git", [".git", ".GIT", "sub/.git", "/srv/other/.git"])
@each("name", GIT)
def test_no_rule_lets_a_command_write_below_a_folder_of_git(git: str, name: str) -> None:
    where = f"{git}/{name}"
    folder, _, last = where.rpartition("/")
    scripts = [script.format(where, folder=folder, name=last) for script in WRITING]
    assert {script: decision(script, RULES) for script in scripts} == dict.fromkeys(scripts, "prompt")


@each("script", BY_PATTERN)
def test_nor_one_that_only_the_run_knows(script: str) -> None:
    assert decision(script, RULES) == "prompt"


@each("script", OF_GIT_ITSELF)
def test_what_git_writes_itself_is_a_matter_of_the_rules(script: str) -> None:
    assert decision(script, RULES) == "allow"


@each("script", [*UNKNOWN, *KNOWN])
def test_words_that_only_the_run_knows_are_covered_by_the_rule(script: str) -> None:
    assert decision(script, RULES) == "allow"


@pytest.fixture
def place_of_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project beside a home folder, and rules that allow everything to be written."""
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    (tmp_path / "my.rules").write_text(RULES)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path


@each("place, path", EVERY)
def test_no_rule_lets_a_tool_write_it(place: HookPlace, path: str, place_of_tests: Path) -> None:
    where = located(path, str(place_of_tests / "project"), str(place_of_tests / "home"))
    calls: list[tuple[str, dict[str, Any]]] = [
        ("Write", {"file_path": where, "content": "x"}),
        ("Edit", {"file_path": where, "old_string": "a", "new_string": "b"}),
        ("MultiEdit", {"file_path": where, "edits": []}),
        ("apply_patch", {"input": f"*** Begin Patch\n*** Add File: {where}\n+x\n*** End Patch\n"}),
        ("mcp__fs__move_file", {"source": "x", "destination": where}),
        ("mcp__fs__create_directory", {"path": where}),
    ]
    for tool, arguments in calls:
        envelope = {
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": arguments,
            "cwd": str(place_of_tests / "project"),
        }
        out = io.StringIO()
        rules = ("-r", str(place_of_tests / "my.rules"), "--deadline", "3000")
        assert run_hook(["claude", *rules], io.StringIO(json.dumps(envelope)), out, io.StringIO()) == 0
        said = json.loads(out.getvalue() or "{}").get("hookSpecificOutput", {})
        assert said.get("permissionDecision") == "ask", tool


@pytest.mark.parametrize("marks", [("objects", "refs"), ("commondir",)])
def test_a_repository_of_any_name(marks: tuple[str, ...], tmp_path: Path) -> None:
    """A bare one, or one that a file ``.git`` names; but not a working tree in it."""
    store = tmp_path / "project" / "store"
    (store / "tree").mkdir(parents=True)
    (store / "tree" / ".git").write_text("gitdir: ..\n")
    (tmp_path / "project" / "link").symlink_to("store")
    situation = Situation(str(tmp_path / "project"))
    scripts = ["echo x > store/config", "cp x store/hooks/y", "echo x > link/config", "rm -r store", "echo x > store"]

    def decisions() -> set[str]:
        return {check(script, rulebook(RULES), situation=situation).decision.word for script in scripts}

    assert decisions() == {"allow"}
    for name in ("HEAD", *marks):
        (store / name).touch()
    assert decisions() == {"prompt"}
    assert FileWrite("store/config", rulebook(RULES), situation).decision() is Decision.PROMPT
    assert FileWrite("store/tree/x", rulebook(RULES), situation).decision() is Decision.ALLOW


@each("place", PLACES.values())
def test_a_folder_that_a_variable_names_is_kept_too(place: HookPlace) -> None:
    for name, instead in place.moved:
        variable, _, inside = name.partition("/")
        with pytest.MonkeyPatch.context() as monkeypatch:
            monkeypatch.setenv(variable, "/elsewhere/kept")
            moved = place.elsewhere(place.user, {variable: "/elsewhere/kept"})
            if place.user.startswith(f"{instead}/"):
                assert moved == "/elsewhere/kept" + (inside and f"/{inside}") + place.user[len(instead) :]
                assert protected(moved) is not None
                assert decision(f"cp x {moved}", RULES) == "prompt"
            if instead not in ("~", "~/.config"):
                assert protected(f"/elsewhere/kept/{inside}".rstrip("/") + "/settings.local.json") is not None
            assert protected("/elsewhere/other") is None
            monkeypatch.setenv(variable, "relative")
            assert protected("/elsewhere/kept/settings.json") is None
