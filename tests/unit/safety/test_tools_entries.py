"""Developer tools: accepted calls, run where the tool is installed, change nothing in the project.

`gh`, `docker` and `kubectl` need a server that no test has; their options were compared with `--help` by hand, and
their examples are checked here. The others are run as far as they are installed.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from execpolicy.core.quoting import join
from execpolicy.judge.reading import read_command
from execpolicy.programs.catalog import facts_of
from execpolicy.safety.entries import SafeCommand
from execpolicy.safety.heuristics import Heuristics
from execpolicy.shell.read import read_script
from tests.support.each import share
from tests.support.entries import built_in_entries

if TYPE_CHECKING:
    from execpolicy.safety.grammar import Grammar

NEED_A_SERVER = frozenset(("gh", "docker", "kubectl"))
OPERANDS = (
    "x",
    "demo",
    "./...",
    "a.txt",
    "--",
    "-w",
    "--log=out.txt",
    "install",
    "set",
    "a=b",
    "--output=out.txt",
    ".",
)
VALUES = ("1", "x", "json", "{{.}}", "out.txt", "--log=out.txt")


TOOLS = NEED_A_SERVER | {
    *("pip", "pip3", "systemctl", "journalctl", "apt", "apt-cache", "gzip", "zcat", "bc", "tar", "gtar", "bsdtar"),
    *("zgrep", "zegrep", "zfgrep", "bzcat", "xzcat", "lzcat", "zstdcat", "gzcat", "gunzip", "bunzip2", "unxz"),
    *("unzstd", "xz", "bzip2", "zstd", "openssl", "tmux", "shellcheck", "gofmt", "ag", "svn", "fzf"),
}


def entries() -> list[SafeCommand]:
    """The entries about developer tools."""
    return [
        entry for entry in built_in_entries() if isinstance(entry, SafeCommand) and TOOLS.issuperset(entry.programs)
    ]


def runnable() -> list[tuple[str, SafeCommand]]:
    return [
        (program, entry)
        for entry in entries()
        for program in entry.programs
        if program not in NEED_A_SERVER and shutil.which(program)
    ]


def test_every_program_has_an_entry() -> None:
    assert {program for entry in entries() for program in entry.programs} == TOOLS


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "package.json").write_text('{"name": "demo", "version": "1.0.0"}\n')
    (root / "Cargo.toml").write_text('[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2021"\n')
    (root / "src").mkdir()
    (root / "src" / "main.rs").write_text("fn main() {}\n")
    (root / "go.mod").write_text("module example.com/demo\n\ngo 1.19\n")
    (root / "demo.go").write_text("package demo\n")
    (root / "main.tf").write_text('output "x" {\n  value = 1\n}\n')
    (root / "a.txt").write_text("a\n")
    (root / ".cargo").mkdir()
    (root / ".cargo" / "config.toml").write_text('[build]\nrustc = "./started"\n')
    started = root / "started"
    started.write_text("#!/bin/sh\n: > STARTED\n")
    started.chmod(0o755)
    return root


def snapshot(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        for path in sorted(root.rglob("*"))
    }


def invocation(program: str, grammars: tuple[Grammar, ...], chance: random.Random) -> list[str]:
    words = [program]
    grammar = chance.choice(grammars)
    while True:
        names = sorted(grammar.options.kinds)
        for _ in range(chance.choice((0, 0, 1, 2))):
            if not names:
                break
            name = chance.choice(names)
            kind = grammar.options.kinds[name]
            if kind == "" or (kind == "?" and chance.random() < 0.5):
                words.append(name)
            elif kind == ":":
                words += [name, chance.choice(VALUES)]
            else:
                words.append(f"{name}={chance.choice(VALUES)}")
        if grammar.subcommands is None:
            break
        sub = chance.choice(sorted(grammar.subcommands))
        words.append(sub)
        grammar = chance.choice(grammar.subcommands[sub])
    for _ in range(chance.choice((0, 0, 1, 1, 2))):
        words.append(chance.choice(OPERANDS))
    return words


@pytest.mark.slow
@pytest.mark.parametrize("program", [program for program, _ in runnable()])
def test_accepted_calls_change_nothing_in_the_project(program: str, project: Path, tmp_path: Path) -> None:
    entry = dict(runnable())[program]
    heuristics = Heuristics([entry])
    chance = random.Random(program)
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        "PATH": f"{Path(shutil.which(program) or '').parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup")),
        "LC_ALL": "C",
        "npm_config_registry": "http://127.0.0.1:9/",
        "npm_config_fetch_retries": "0",
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "PIP_RETRIES": "0",
        "GOPROXY": "off",
        "GOFLAGS": "-mod=mod",
        "CHECKPOINT_DISABLE": "1",
        "CARGO_NET_OFFLINE": "true",
    }
    before = snapshot(project)
    accepted = 0
    for _ in range(400):
        words = invocation(program, entry.grammars, chance)
        script = (
            read_script(f"{join(words)} | cat") if entry.piped else read_command(words)
        )  # it is run in front of one
        if heuristics.opinion(script.commands[0], facts_of(script)).verdict != "safe":
            continue
        accepted += 1
        if accepted > 12 // share(2):
            break
        done = subprocess.run(
            words,
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=60,
        )
        assert snapshot(project) == before, (words, done.returncode)
    assert accepted > 3
