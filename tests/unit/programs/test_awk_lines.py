"""What awk puts together of its constants and of lines that the script shows: of files, and of names that it lists."""

import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.support.each import each
from tests.support.judging import decision

PROGRAMS = ("awk", "echo", "touch", "mkdir", "ls", "tee", "jq", "sh")
RULES = 'prefix_rule(pattern=["git", "push"], decision="forbidden")\nwrite_rule(paths=["./**"])\n' + "".join(
    [f'prefix_rule(pattern=["{program}"])\n' for program in PROGRAMS]
)
FOUND = []


@each(
    "script",
    [
        *FOUND,
    ],
)
def test_it_is_forbidden(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@each(
    "script",
    [
        "touch push; ls | awk '{print \"git \" $0}'",
        'touch a; awk \'BEGIN{while("ls"|getline x)system("git log " x)}\'',
        "touch push; ls | awk '{system(\"git add \" $0)}'",
        "echo x > f; awk '/a|b/{print \"then git push\" $0}' f",
        "echo push > v; awk '{print $1}' v",
        "echo push > v; awk '{system(\"echo \" $0)}' v",
        "jq -r .name package.json",
    ],
)
def test_another_command_is_not(script: str) -> None:
    assert decision(script, RULES) != "forbidden"


@pytest.mark.slow
@each("script", FOUND)
def test_awk_runs_it(script: str, tmp_path: Path) -> None:
    if shutil.which("awk") is None:
        pytest.skip("needs awk")
    folder, programs = Path(mkdtemp(dir=tmp_path)), Path(mkdtemp(dir=tmp_path))
    (programs / "git").write_text(f'#!/bin/sh\necho "$*" >> {programs}/log\n')
    (programs / "git").chmod(0o755)
    environment = {"PATH": f"{programs}:/usr/bin:/bin"}
    subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, timeout=10, check=True)
    assert "push" in (programs / "log").read_text()
