"""The bytecode that a wheel carries in one piece behaves like importing, and is passed over wherever it would not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.programs.catalog import built_index
from tests.support.modules import arrows, syntax_trees
from tests.support.running import run_captured

ROOT = Path(__file__).parents[2]
LAUNCH = "import sys; from execpolicy.bytecode import start; start(sys.argv[1:]); "
RUN = LAUNCH + "from execpolicy.cli.main import run; run()"
USED = LAUNCH + "from execpolicy import bytecode; print(bytecode.identity() is not None)"
HOOK = '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git status"},"cwd":"/"}'
FORMS = {
    "argv": ("check", "-r", "one.rules", "--", "git", "push"),
    "no rule": ("check", "-r", "one.rules", "--", "ls", "-la"),
    "layers": ("check", "--", "sudo", "rm", "-rf", "/"),
    "plain script": ("check", "--script", "cd src && git status | head -3"),
    "script": ("check", "--script", 'for f in *; do FOO=1 sudo -n env A=b cat "$f"; done'),
    "compat": ("check", "--compat", "codex-0.169", "-r", "one.rules", "--", "git", "push"),
    "hook": ("hook", "-r", "one.rules", "claude"),
    "broken rules": ("check", "-r", "broken.rules", "--", "ls"),
    "usage": ("check",),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the package as a wheel installs it."""
    folder = tmp_path_factory.mktemp("installed")
    package = folder / "execpolicy"
    shutil.copytree(ROOT / "execpolicy", package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("grammar", "rules"):
        shutil.copytree(ROOT / name, package / "_data" / name)
    (package / "_data" / "programs.index").write_bytes(built_index())
    record = folder / "execpolicy.dist-info" / "RECORD"
    writer = [sys.executable, "-X", "no_debug_ranges", str(ROOT / ".ci" / "bytecode_groups.py")]
    subprocess.run([*writer, str(package), "../execpolicy.dist-info/RECORD"], check=True)
    record.parent.mkdir()
    record.write_text("")
    (folder / "one.rules").write_text('prefix_rule(pattern=["git", "push"], decision="forbidden")\n')
    (folder / "broken.rules").write_text("prefix_rule(\n")
    return folder


@pytest.fixture
def installed(built: Path, tmp_path: Path) -> Path:
    """The same, to be changed by one test."""
    return Path(shutil.copytree(built, tmp_path / "installed"))


def run(folder: Path, code: str, *words: str, cache: str = "", flags: tuple[str, ...] = ()) -> tuple[int, str, str]:
    """Exit status, standard output and errors of ``code`` with the package in ``folder``."""
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "PYTHONPATH": str(folder),
        "EXECPOLICY_CACHE": cache,
    }
    done = run_captured([sys.executable, "-P", *flags, "-c", code, *words], cwd=folder, env=environment, input=HOOK)
    return done.returncode, done.stdout, done.stderr


def is_used(folder: Path, *flags: str) -> bool:
    status, answer, errors = run(folder, USED, "check", "--", "ls", flags=flags)
    assert status == 0, errors
    return answer == "True\n"


def test_the_groups_hold_values_written_out(built: Path) -> None:
    groups = [*(built / "execpolicy" / "_data" / "bytecode").iterdir()]
    assert [path.name for path in groups if b"execpolicy.value" in path.read_bytes()] == []
    assert groups


@pytest.mark.parametrize("form", FORMS)
def test_answers_are_those_of_importing(built: Path, tmp_path: Path, form: str) -> None:
    assert is_used(built)
    expected = run(built, "from execpolicy.cli.main import run; run()", *FORMS[form])
    assert run(built, RUN, *FORMS[form]) == expected
    for _ in range(2):
        assert run(built, RUN, *FORMS[form], cache=str(tmp_path / "cache")) == expected
    if form not in ("broken rules", "usage"):
        assert any((tmp_path / "cache").iterdir())


def test_modules_are_complete(built: Path) -> None:
    code = LAUNCH + (
        "import execpolicy.judge.check as one, execpolicy.shell as package\n"
        "assert one.check.__doc__ is None, 'it was imported in the usual way'\n"
        "import importlib.util, inspect\n"
        "for module in (one, package):\n"
        "    usual = importlib.util.spec_from_file_location(module.__name__, module.__file__)\n"
        "    assert module.__spec__.origin == module.__file__ == usual.origin\n"
        "    assert module.__spec__.has_location\n"
        "    assert module.__package__ == module.__spec__.parent\n"
        "    assert type(module.__loader__) is type(usual.loader)\n"
        "assert inspect.getsource(one.check).startswith('def check(')\n"
        "assert package.__path__ == [package.__file__.removesuffix('/__init__.py')]\n"
        "import execpolicy.codex.segments\n"
    )
    assert run(built, code, "check", "--", "ls") == (0, "", "")


def test_the_import_of_its_door_loads_a_group(built: Path) -> None:
    code = LAUNCH + (
        "from execpolicy import bytecode\n"
        "import importlib, importlib.util\n"
        "assert [*bytecode._doors.values()] == ['safe', 'git', 'compile', 'script', 'reader', 'meaning', 'hook']\n"
        "for door, group in [*bytecode._doors.items()]:\n"
        "    assert door not in sys.modules\n"
        "    before = {*sys.modules}\n"
        "    module = importlib.import_module(door)\n"
        "    assert sys.modules[door] is module\n"
        "    assert bytecode._loaded[group] == bytecode.identity()\n"
        "    loaded = [sys.modules[name] for name in {*sys.modules} - before if name.startswith('execpolicy.')]\n"
        "    assert len(loaded) > 2, group\n"
        "    for each in loaded:\n"
        "        usual = importlib.util.spec_from_file_location(each.__name__, each.__file__)\n"
        "        parent, _, child = each.__name__.rpartition('.')\n"
        "        assert each.__doc__ is None, f'{each.__name__} was imported in the usual way'\n"
        "        assert each.__spec__.origin == each.__file__ == usual.origin\n"
        "        assert type(each.__spec__.loader) is type(each.__loader__) is type(usual.loader)\n"
        "        assert getattr(sys.modules[parent], child) is each\n"
        "assert not bytecode._doors\n"
    )
    assert run(built, code, "check", "--", "ls") == (0, "", "")


def test_a_group_without_its_file_is_imported_in_the_usual_way(installed: Path) -> None:
    (path,) = (installed / "execpolicy" / "_data" / "bytecode").glob("safe.*")
    path.unlink()
    code = LAUNCH + "import execpolicy.safety.entries as door; print(door.__doc__ is not None)"
    assert run(installed, code, "check", "--", "ls") == (0, "True\n", "")


def test_only_the_doors_of_the_package_know_of_it() -> None:
    """The installed command's launcher, which is no module, and that of hooks; the cache asks what was built."""
    trees = syntax_trees(ROOT / "execpolicy")
    found = {name for name, targets in arrows(trees).items() if "execpolicy.bytecode" in targets}
    assert found == {"execpolicy.cli.hook_start", "execpolicy.layers.compiled"}


def test_an_edited_module_is_the_one_that_runs(installed: Path) -> None:
    path = installed / "execpolicy" / "core" / "decision.py"
    path.write_text(path.read_text() + "print('edited')\n")
    assert not is_used(installed)
    assert run(installed, RUN, *FORMS["argv"])[1].count("edited") == 1


@pytest.mark.parametrize("path", ["judge/judge.py", "lang/compile.py", "shell/read.py", "_data/programs.index"])
def test_a_newer_file_of_the_same_size_is_noticed(installed: Path, path: str) -> None:
    edited = installed / "execpolicy" / path
    installed_at = (installed / "execpolicy.dist-info" / "RECORD").stat().st_mtime
    os.utime(edited, (installed_at + 1, installed_at + 1))
    assert not is_used(installed)


@pytest.mark.parametrize("damage", ["cut", "empty", "other version", "no marshal", "missing", "no record"])
def test_a_file_that_does_not_fit_is_passed_over(installed: Path, damage: str) -> None:
    (path,) = (installed / "execpolicy" / "_data" / "bytecode").glob("check.*")
    data = path.read_bytes()
    if damage == "missing":
        path.unlink()
    elif damage == "no record":
        (installed / "execpolicy.dist-info" / "RECORD").unlink()
    else:
        changed = {"cut": data[: len(data) // 2], "empty": b"", "other version": b"\0\0\0\0" + data[4:]}
        path.write_bytes(changed.get(damage, data[:4] + b"garbage"))
    assert not is_used(installed)
    status, answer, errors = run(installed, RUN, *FORMS["argv"])
    assert (status, errors) == (0, "")
    assert '"forbidden"' in answer


def test_assertions_stay_off_where_they_are_off(built: Path) -> None:
    assert not is_used(built, "-O")


def test_a_library_keeps_its_docstrings(built: Path) -> None:
    code = "from execpolicy.judge.check import check; print(check.__doc__ is not None)"
    assert run(built, code) == (0, "True\n", "")
    others = ("lint", "--help")
    assert run(built, LAUNCH + code, *others) == (0, "True\n", "")
