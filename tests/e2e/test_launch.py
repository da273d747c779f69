"""The installed command starts Python isolated, wherever it was installed and however it is called."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from shutil import copy
from subprocess import CompletedProcess

import pytest

from tests.support.running import run_captured

CLI = Path(__file__).parents[2] / "execpolicy" / "cli"
PACKAGE = CLI.parent


@pytest.fixture
def command(tmp_path: Path) -> Path:
    """The command as an installer leaves it, in a folder with a blank: the interpreter stands in the second file."""
    folder = tmp_path / "an environment" / "bin"
    folder.mkdir(parents=True)
    copy(CLI / "launch", folder / "execpolicy")
    started = (CLI / "launch_python").read_text("utf-8")
    assert started.startswith("#!python\n")
    (folder / "execpolicy-python").write_text(f"#!{sys.executable}\n" + started.partition("\n")[2])
    (folder / "execpolicy-python").chmod(0o755)
    return folder / "execpolicy"


def check(command: str | Path, *words: str, cwd: Path, **environ: str) -> CompletedProcess[str]:
    return run_captured(
        [str(command), "check", "--format", "text", "--", *words], cwd=cwd, env={**os.environ, **environ}
    )


def test_variables_and_the_working_folder_load_nothing(command: Path, tmp_path: Path) -> None:
    for name in ("sitecustomize", "usercustomize", "execpolicy", "json", "marshal", "os"):
        (tmp_path / f"{name}.py").write_text("print('allow: taken over'); raise SystemExit(0)")
    done = check(command, "rm", "-rf", "/", cwd=tmp_path, PYTHONPATH=".", PYTHONHOME=".", PYTHONSTARTUP="json.py")
    assert (done.returncode, done.stdout.partition(":")[0]) != (0, "allow"), done
    assert "taken over" not in done.stdout + done.stderr
    assert done.stdout.startswith("prompt: "), done


def test_through_links_and_relative_paths(command: Path, tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(command)
    (tmp_path / "two").symlink_to("one")
    path = f".{os.pathsep}{os.environ['PATH']}"
    for name in ("two", "./two", os.path.relpath(command, tmp_path)):
        done = check(name, "ls", cwd=tmp_path, PATH=path)
        assert done.stdout.startswith("allow: "), done


def test_the_package_beside_it_is_taken_and_the_libraries_where_they_are(command: Path, tmp_path: Path) -> None:
    beside = command.parents[1] / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    beside.mkdir(parents=True)
    (beside / "execpolicy").symlink_to(PACKAGE)
    (beside.parents[2] / "pyvenv.cfg").write_text("")
    program = "import execpolicy, sys; print(execpolicy.__file__, sys.prefix); import click, starlark, filelock"
    looks = command.with_name("looks-python")
    text = command.with_name("execpolicy-python").read_text("utf-8")
    looks.write_text(text.partition("from execpolicy.bytecode")[0] + program)
    done = run_captured([sys.executable, "-I", "-S", str(looks)], cwd=tmp_path)
    assert done.stdout.split(" ", 1)[0].startswith(str(beside).split(" ")[0]), done
    assert done.stdout.rstrip().endswith(str(beside.parents[2])), done


def test_a_python_may_be_told_to_read_it(command: Path, tmp_path: Path) -> None:
    done = run_captured([sys.executable, str(command), "check", "--format", "text", "--", "ls"], cwd=tmp_path)
    assert done.stdout.startswith("allow: "), done


@pytest.mark.parametrize("left", ["", "no python here\n", "#!/no/such/python\n"])
def test_without_its_interpreter_nothing_is_allowed(left: str, command: Path, tmp_path: Path) -> None:
    second = command.with_name("execpolicy-python")
    second.write_text(left)
    done = check(command, "ls", cwd=tmp_path)
    assert done.returncode not in (0, 1), done
    assert done.stdout == ""
    second.unlink()
    done = check(command, "ls", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (127, "")
