"""What stands around the command does not change its answer: the working folder, its streams, other files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.running import run_captured

MODULE = [sys.executable, "-m", "execpolicy"]


def run(arguments: str, cwd: Path, **more: object) -> subprocess.CompletedProcess[str]:
    """Run a shell line; ``$E`` is the command."""
    line = arguments.replace("$E", " ".join(MODULE))
    environment = {**os.environ, "HOME": str(cwd), "EXECPOLICY_CACHE": ""}
    return run_captured(["bash", "-c", line], cwd=cwd, env=environment, timeout=60)


@pytest.mark.parametrize("arguments", ["$E list", "$E check -- rm -rf /", "$E lint .", "$E fmt --check ."])
def test_modules_in_the_working_folder_are_not_ours(tmp_path: Path, arguments: str) -> None:
    for name in ("click", "lark", "starlark", "filelock", "json", "_blake2"):
        (tmp_path / f"{name}.py").write_text("print('PWNED'); raise SystemExit(0)\n")
    done = run(arguments, tmp_path)
    assert "PWNED" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "arguments", ["check --exit-code -- rm x", "check -- ls", "list", "explain -- ls", "split --script ls"]
)
@pytest.mark.parametrize("redirection", ["> /dev/full", ">&-"])
def test_output_that_cannot_be_written_is_no_success(tmp_path: Path, arguments: str, redirection: str) -> None:
    done = run(f"$E {arguments} {redirection}", tmp_path)
    assert done.returncode not in (0, 3, 4), done
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", ["check --exit-code -- rm x", "check --jsonl", "list --format json"])
def test_nobody_reads_is_no_success(tmp_path: Path, arguments: str) -> None:
    requests = 'yes \'{"argv": ["ls"]}\' | head -n 5000 |'
    done = run(f"{requests} {{ sleep 0.3; $E {arguments}; echo $? >&2; }} | true; sleep 1.5", tmp_path)
    assert done.stderr.split()[-1] in ("1", "141"), done
    assert "Traceback" not in done.stderr
