"""What git, chmod, make and rm do with the spellings of an operand, and what a rule about that operand says of them."""

from __future__ import annotations

import itertools
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from execpolicy.core.matches import NOT, POSSIBLY, SURELY
from execpolicy.core.pattern import PrefixPattern
from execpolicy.programs.meaning.command_line import CommandLine
from execpolicy.shell.words import Word
from execpolicy.source import Span

IDENTITY = ("-c", "user.name=dev", "-c", "user.email=dev@example.com", "-c", "init.defaultBranch=main")
PUSHES = """
origin main | origin HEAD:main | origin +main | origin topic:main | origin refs/heads/main | -u origin main
origin HEAD:refs/heads/main | --all origin | --mirror origin | origin : | origin topic main | origin +topic:main
origin --delete main | origin :main | origin refs/heads/*:refs/heads/* | -f origin +HEAD:heads/main | origin main:other
origin topic | origin --tags | origin topic:refs/heads/other | origin HEAD | origin other:topic | origin +topic
"""
TARGETS = """
deploy | test deploy | X=1 deploy | deploy X=1 | -f Makefile deploy | -s -k test deploy | deploy-docs | test
X=deploy test
"""
FILES = "x | ./x | a/../x | .//x | -f y x | -- x | a/x | -f y | ./a/x"


def certainty(rule: str, arguments: str) -> int:
    program, *behind = words = rule.split()
    subcommand = behind[: program == "git"]
    line = CommandLine(program, [Word(text, Span(0, 1)) for text in (*subcommand, *shlex.split(arguments))])
    return line.means(PrefixPattern.of(words)).certainty


def ran(folder: Path, *words: str) -> None:
    home = {"HOME": str(folder), "PATH": os.environ["PATH"]}
    subprocess.run(words, cwd=folder, env=home, check=False, capture_output=True)


def rows(text: str) -> list[str]:
    return [each.strip() for line in text.strip().splitlines() for each in line.split(" | ")]


def pushes_main(folder: Path, arguments: str) -> bool:
    ran(folder, "git", *IDENTITY, "init", "-q", "--bare", "r")
    ran(folder, "git", *IDENTITY, "init", "-q", "w")
    work = folder / "w"
    for command in (
        f"{shlex.join(IDENTITY)} commit -qm 1 --allow-empty",
        "remote add origin ../r",
        "push -q origin main",
        "config receive.denyDeleteCurrent ignore",
        f"{shlex.join(IDENTITY)} commit -qm 2 --allow-empty",
        "branch other",
        "checkout -qb topic",
    ):
        ran(work, "git", *shlex.split(command))
    ran(folder / "r", "git", "config", "receive.denyDeleteCurrent", "ignore")
    head = folder / "r" / "refs" / "heads" / "main"
    before = head.read_bytes()
    ran(work, "git", "push", *shlex.split(arguments))
    return not head.exists() or head.read_bytes() != before


def makes_deploy(folder: Path, arguments: str) -> bool:
    rule = "deploy test deploy-docs:\n\techo > $@.made\n"
    (folder / "Makefile").write_text(rule, "utf-8")
    ran(folder, "make", *shlex.split(arguments))
    return (folder / "deploy.made").exists()


def removes_x(folder: Path, arguments: str) -> bool:
    (folder / "a").mkdir()
    for name in ("x", "y", "a/x"):
        (folder / name).touch()
    ran(folder, "rm", *shlex.split(arguments))
    return not (folder / "x").exists()


def sets_all(folder: Path, arguments: str) -> bool:
    (folder / "f").touch(0)
    ran(folder, "chmod", *shlex.split(arguments), "f")
    return (folder / "f").stat().st_mode & 0o777 == 0o777


def modes() -> list[str]:
    parts = (["a", "u", "g", "ugo", "uo"], "=+-", ["rwx", "xwr", "rx", "r"])
    clauses = ["".join(each) for each in itertools.product(*parts)]
    two = [f"{one},{other}" for one, other in itertools.product(clauses[::3], clauses[::5])]
    return ["777", "0777", "00777", "755", "775", "1777", "u=rwx,g=rwx,o=rwx", *clauses, *two]


@pytest.mark.parametrize(
    ("rule", "does", "arguments"),
    [
        *[("git push origin main", pushes_main, each) for each in rows(PUSHES)],
        *[("make deploy", makes_deploy, each) for each in rows(TARGETS)],
        *[("rm x", removes_x, each) for each in rows(FILES)],
    ],
)
def test_what_is_done_is_what_the_rule_says(
    rule: str, does: Callable[[Path, str], bool], arguments: str, tmp_path: Path
) -> None:
    if shutil.which(rule.split()[0]) is None:
        pytest.skip("not installed")
    found = certainty(rule, arguments)
    assert found in ((SURELY,) if does(tmp_path, arguments) else (NOT, POSSIBLY))


def test_modes_that_set_all_bits(tmp_path: Path) -> None:
    wrong = []
    for at, mode in enumerate(modes()):
        folder = tmp_path / str(at)
        folder.mkdir()
        found, done = certainty("chmod 777", f"{mode} f"), sets_all(folder, mode)
        if (found == SURELY) != done and (found, done) != (POSSIBLY, True):
            wrong.append(mode)
    assert wrong == []
