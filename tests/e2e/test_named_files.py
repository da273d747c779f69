"""What is named to a command and is no file: an error with the name, never a hang, never status 0."""

import ctypes
import json
import os
import socket
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from execpolicy.safe_open import read_named
from tests.support.running import run_captured
from tests.support.socket_files import bind

pytestmark = pytest.mark.slow

PROGRAM = [sys.executable, "-m", "execpolicy"]


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        bind(made, path)


def device(path: Path) -> None:
    path.symlink_to("/dev/random")


def folder(path: Path) -> None:
    path.mkdir()


def lost(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def circle(path: Path) -> None:
    path.symlink_to(path)


KINDS: list[Callable[[Path], None]] = [pipe, endless, listening, device, folder, lost, circle]
COMMANDS = {
    "check": ["check", "-r", "it.rules", "--", "ls"],
    "check --compat": ["check", "--compat", "codex-0.169", "-r", "it.rules", "ls"],
    "explain": ["explain", "-r", "it.rules", "--", "ls"],
    "explain --permissions": ["explain", "--permissions", "it.json", "--", "ls"],
    "lint": ["lint", "it.rules"],
    "fmt": ["fmt", "it.rules"],
    "fmt --check": ["fmt", "--check", "it.rules"],
    "test": ["test", "it.rules"],
    "test -r": ["test", "-r", "it.rules", "good.cases"],
    "test cases": ["test", "it.cases"],
    "test --history": ["test", "--cov", "--history", "it.cases", "good.rules"],
    "diff": ["diff", "it.rules", "good.rules"],
    "replay": ["replay", "it.jsonl"],
    "replay text": ["replay", "it.history"],
    "replay -r": ["replay", "-r", "it.rules", "good.jsonl"],
    "list": ["list", "-r", "it.rules"],
    "run": ["run", "-r", "it.rules", "--", "ls"],
    "arbiter": ["arbiter", "-r", "it.rules", "--", "true"],
    "arbiter --permissions": ["arbiter", "--permissions", "it.json", "--", "true"],
    "serve": ["serve", "-r", "it.rules"],
    "import": ["import", "it.json"],
    "lsp --history": ["lsp", "--history", "it.history"],
}


def run(arguments: list[str], cwd: Path, **options: object) -> "subprocess.CompletedProcess[str]":
    env = {**os.environ, "HOME": str(cwd / "home"), "EXECPOLICY_CACHE": ""}
    return subprocess.run(
        [*PROGRAM, *arguments],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
        **options,  # type: ignore[call-overload]  # the options that the case names
    )


def furnished(folder: Path) -> Path:
    """With a home, and with files that are in order."""
    (folder / "home").mkdir()
    (folder / "good.rules").write_text('prefix_rule(pattern=["ls"])\n')
    (folder / "good.cases").write_text("allow: ls\n")
    (folder / "good.jsonl").write_text('{"script": "ls"}\n')
    return folder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return furnished(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file(tmp_path: Path, kind: Callable[[Path], None]) -> None:
    names = [name for name in COMMANDS if kind in (pipe, endless) or name in ("lint", "replay")]

    def named(name: str) -> "subprocess.CompletedProcess[str]":
        own = tmp_path / name
        own.mkdir()
        kind(furnished(own) / it_of(name))
        return run(COMMANDS[name], own)

    # All at once: each waits some seconds for whoever may write into the pipe.
    with ThreadPoolExecutor(len(names)) as together:
        for name, done in zip(names, together.map(named, names), strict=True):
            if kind is folder and name.partition(" ")[0] in ("test", "lint", "fmt", "diff", "replay"):
                assert done.returncode in (0, 1, 2)  # a folder stands for the files in it
                continue
            assert done.returncode not in (0, 124), (name, done)
            assert "Traceback" not in done.stderr, name
            assert it_of(name) in done.stderr + done.stdout, name


def it_of(name: str) -> str:
    """The file that is none."""
    (it,) = {word for word in COMMANDS[name] if word.startswith("it.")}
    return it


@pytest.mark.parametrize("arguments", [["lint", "."], ["fmt", "."], ["test", "."], ["replay", "."]])
def test_a_folder_that_may_not_be_looked_into(place: Path, arguments: list[str]) -> None:
    hidden = place / "hidden"
    hidden.mkdir()
    (hidden / "more.rules").write_text('prefix_rule(pattern=["rm"], decision="forbidden")\n')
    hidden.chmod(0)
    done = run(arguments, place, preexec_fn=_may_look_nowhere)
    hidden.chmod(0o700)
    assert done.returncode not in (0, 124), done
    assert "hidden" in done.stderr


def _may_look_nowhere() -> None:
    """Root may look everywhere, by two capabilities that are lost with the next program."""
    drop, override, search = 24, 1, 2
    for capability in (override, search):
        ctypes.CDLL(None).prctl(drop, capability, 0, 0, 0)


def test_a_pipe_that_is_written_to_is_read(place: Path) -> None:
    rule = 'prefix_rule(pattern=[\\"frobnicate\\"])'
    script = f'"$@" -r <(sleep 0.3; echo "{rule}"; sleep 0.3) -- frobnicate'
    argv = ["bash", "-c", script, "bash", *PROGRAM, "check"]
    done = run_captured(argv, timeout=120)
    assert '"decision":"allow"' in done.stdout, done


def test_a_project_s_pipes_stop_nobody(place: Path) -> None:
    """Files of git's decide about trust, and a project that is not trusted can put anything in their place."""
    home = place / "home" / ".codex"
    home.mkdir()
    (home / "config.toml").write_text('[projects."/elsewhere"]\ntrust_level = "trusted"\n')
    (place / ".codex" / "rules").mkdir(parents=True)
    aside = place / "aside" / ".git" / "worktrees" / "one"
    aside.mkdir(parents=True)
    os.mkfifo(aside / "gitdir")
    (place / ".git").write_text(f"gitdir: {aside}\n")
    done = run(["check", "--", "ls"], place)
    assert done.returncode == 0, done


@pytest.mark.parametrize("name", ["config.toml", "execpolicy.toml", "requirements.toml"])
@pytest.mark.parametrize("kind", [pipe, endless])
def test_settings_that_are_no_file(place: Path, name: str, kind: Callable[[Path], None]) -> None:
    home = place / "home" / ".codex"
    own = place / "home" / ".config" / "execpolicy"
    for each in (home, own, place / ".codex"):
        each.mkdir(parents=True)
    kind((own if name == "execpolicy.toml" else home) / name)
    done = run(["check", "--", "frobnicate"], place)
    assert '"allow"' not in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["test", "--junit", "it", "good.rules"],
        ["lint", "--write-baseline", "--baseline", "it", "good.rules"],
        ["arbiter", "--audit", "it", "--", "true"],
    ],
)
def test_a_pipe_that_nobody_reads(place: Path, arguments: list[str]) -> None:
    os.mkfifo(place / "it")
    done = run(arguments, place)
    assert "Traceback" not in done.stderr
    assert (place / "it").is_fifo()
    if arguments[0] != "arbiter":
        assert done.returncode == 2
        assert "`it`" in done.stderr


@pytest.mark.parametrize("command", ["install", "uninstall", "doctor", "import"])
@pytest.mark.parametrize(
    ("agent", "path"),
    [
        ("claude", ".claude/settings.json"),
        ("claude", ".claude/settings.local.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
    ],
)
@pytest.mark.parametrize("kind", [pipe, endless])
def test_an_agent_s_settings_that_are_no_file(
    place: Path, command: str, agent: str, path: str, kind: Callable[[Path], None]
) -> None:
    """In the home folder and in the project: whoever writes to that can put anything there."""
    for folder in (place, place / "home"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        kind(folder / path)
    done = run([command, agent], place)
    assert "Traceback" not in done.stderr
    assert not (place / "home" / path).is_file()


@pytest.mark.parametrize("kind", [pipe, endless])
def test_a_skill_that_is_no_file(place: Path, kind: Callable[[Path], None]) -> None:
    skill = place / ".claude/skills/deploy/SKILL.md"
    skill.parent.mkdir(parents=True)
    kind(skill)
    call = {"hook_event_name": "PreToolUse", "tool_name": "Skill", "tool_input": {"skill": "deploy"}, "cwd": str(place)}
    env = {**os.environ, "HOME": str(place / "home"), "EXECPOLICY_CACHE": ""}
    done = run_captured([*PROGRAM, "hook"], cwd=place, env=env, input=json.dumps(call), timeout=60)
    assert '"allow"' not in done.stdout
    assert done.returncode == 2 or '"ask"' in done.stdout or '"deny"' in done.stdout, done


def test_a_small_file_needs_little_room(place: Path) -> None:
    tracemalloc.start()
    read_named(str(place / "good.rules"))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 4 << 20
