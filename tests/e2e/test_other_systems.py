"""The command line and the library where the names of other systems are missing; what cannot work says so at once."""

import os
import sys
from pathlib import Path

import pytest

from tests.support.running import run_captured

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


def on(system: str, *words: str, folder: Path, stdin: str = "") -> tuple[int, str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}
    argv = [sys.executable, "-P", "-m", "tests.support.faked_system", system, *words]
    done = run_captured(argv, cwd=folder, env=environment, input=stdin, timeout=60)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rule = 'prefix_rule(pattern=["ship"], decision="forbidden", justification="no", match=["ship x"])\n'
    (tmp_path / "my.rules").write_text(rule + 'write_rule(paths=["./prod/*"], decision="forbidden")\n')
    (tmp_path / "calls.jsonl").write_text('{"argv": ["git", "status"]}\n')
    return tmp_path


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("check --format text -r my.rules --script ls;ship", 0, "forbidden: `ship` is forbidden: no"),
        ("check --format text -r my.rules --script echo>Prod/x", 0, "forbidden: writing"),
        ("check --format text -- git status", 0, "allow: it is known to be safe"),
        ("check --jsonl", 0, '"decision":"allow"'),
        ("hook claude", 0, '"permissionDecision":"ask"'),
        ("lint my.rules", 0, "All checks passed"),
        ("test my.rules", 0, "1 passed, 0 failed"),
        ("explain -- make", 0, "would be allowed with"),
        ("list", 0, "entries"),
        ("replay calls.jsonl", 0, "allow             1"),
        ("allow --yes -- make all", 0, "saved"),
        ("doctor claude", 1, "the inbox needs Linux, and this is darwin: `--on-prompt inbox` denies"),
        ("run --sandbox danger-full-access -- ls my.rules", 0, "my.rules"),
        ("run -- ls my.rules", 1, "the sandbox needs Linux, and this is darwin"),
        ("ui --no-browser", 1, "error: the inbox needs Linux, and this is darwin"),
    ],
)
def test_a_mac(line: str, status: int, said: str, folder: Path) -> None:
    found, printed = on("macos", *line.split(), folder=folder, stdin=CALL)
    assert said in printed
    assert "Traceback" not in printed
    assert (found == 0) is (status == 0)


CALL = '{"argv": ["git", "status"]}\n'


@pytest.mark.parametrize("line", ["check -- ls", "hook claude", "doctor claude", "ui", "run -- ls", "--help"])
def test_windows_is_refused_in_one_sentence(line: str, folder: Path) -> None:
    assert on("windows", *line.split(), folder=folder) == (
        2,
        "error: execpolicy does not work on Windows itself: run it in WSL, where the agent runs too\n",
    )


def test_the_library_decides_without_the_names_of_posix(folder: Path) -> None:
    code = (
        "import execpolicy as ep; source = ep.Source('my.rules', open('my.rules').read());"
        "book = ep.Rulebook(ep.compile_source(source).statements);"
        "print(ep.check('ls; ship', book, situation=ep.Situation('/srv')).decision)"
    )
    assert on("windows", "-c", code, folder=folder) == (0, "forbidden\n")
