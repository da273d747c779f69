"""Which script an argv hands to a shell."""

from __future__ import annotations

import pytest

from execpolicy.programs.launcher import launched_script, shell_name


@pytest.mark.parametrize(
    ("argv", "script", "shell", "login", "positional", "odd"),
    [
        (["bash", "-c", "A"], "A", "bash", False, (), ()),
        (["/bin/bash", "-lc", "A", "x", "y"], "A", "bash", True, ("x", "y"), ()),
        (["bash.exe", "-c", "A"], "A", "bash", False, (), ()),
        (["sh", "-ec", "A"], "A", "sh", False, (), ()),
        (["bash", "-x", "-c", "A"], "A", "bash", False, (), ()),
        (["bash", "--norc", "-c", "A"], "A", "bash", False, (), ()),
        (["bash", "--login", "-c", "A"], "A", "bash", True, (), ()),
        (["bash", "-o", "errexit", "-c", "A"], "A", "bash", False, (), ()),
        (["bash", "-o", "posix", "-c", "A"], "A", "bash", False, (), ("-o posix",)),
        (["bash", "-O", "extglob", "-c", "A"], "A", "bash", False, (), ("-O extglob",)),
        (["bash", "-oc", "errexit", "A"], "A", "bash", False, (), ()),
        (["bash", "-c", "-o", "errexit", "A"], "A", "bash", False, (), ()),
        (["bash", "--rcfile", "f", "-ic", "A"], "A", "bash", False, (), ("--rcfile", "-ic")),
        (["bash", "-c", "--", "-A"], "-A", "bash", False, (), ()),
        (["bash", "-ck", "A"], "A", "bash", False, (), ("-ck",)),
        (["zsh", "-fc", "A"], "A", "zsh", False, (), ("-fc",)),
    ],
)
def test_scripts_are_found(
    argv: list[str], script: str, shell: str, login: bool, positional: tuple[str, ...], odd: tuple[str, ...]
) -> None:
    found = launched_script(argv)
    assert found is not None
    assert (found.script, found.shell, found.login, found.positional, found.odd) == (
        script,
        shell,
        login,
        positional,
        odd,
    )
    assert argv[found.index] == script


@pytest.mark.parametrize(
    "argv", [["bash"], ["bash", "-c"], ["bash", "f.sh", "-c", "x"], ["python", "-c", "x"], ["bash", "-s", "x"], []]
)
def test_other_argvs_hold_no_script(argv: list[str]) -> None:
    assert launched_script(argv) is None


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("/usr/bin/dash", "dash"),
        ("-bash", "bash"),
        ("BASH.EXE", "bash"),
        ("bash5.2", "bash"),
        ("mksh", "ksh"),
        ("fish", None),
    ],
)
def test_shell_names(program: str, name: str | None) -> None:
    assert shell_name(program) == name
