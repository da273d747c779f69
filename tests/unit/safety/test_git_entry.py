"""The git entry against the installed git: arity of options, and that accepted calls change nothing."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from execpolicy.judge.reading import read_command
from execpolicy.programs.catalog import facts_of
from execpolicy.safety.entries import SafeCommand
from execpolicy.safety.heuristics import Heuristics
from tests.support.entries import built_in_entries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.safety.grammar import Grammar

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "GIT_PAGER": "cat", "GIT_CONFIG_NOSYSTEM": "1"}

SETUP = """
set -e
git init -q -b main .
git config user.name Test
git config user.email test@example.com
printf 'one\\n' > a.txt
mkdir src
printf 'two\\n' > src/b.txt
git add .
git commit -q -m first
printf 'more\\n' >> a.txt
git commit -q -a -m second
git tag v1
git branch topic HEAD~1
printf 'stashed\\n' >> a.txt
git stash -q
printf 'changed\\n' >> a.txt
printf 'x\\n' > untracked.txt
git notes add -m note
"""


@pytest.fixture(scope="module")
def git() -> SafeCommand:
    found: SafeCommand = next(entry for entry in built_in_entries() if entry.name == "git")
    return found


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["bash", "-c", SETUP], cwd=root, env=ENVIRONMENT | {"HOME": str(root)}, check=True)
    return root


def run(repository: Path, *arguments: str) -> str:
    """Output and errors of ``git *arguments``."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=repository,
        env=ENVIRONMENT | {"HOME": str(repository)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=30,
    )
    return (done.stdout + done.stderr).decode(errors="replace")


def paths(grammar: Grammar, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Grammar]]:
    """Every grammar below ``grammar`` with the sub-commands that lead to it."""
    yield words, grammar
    if grammar.subcommands is not None:
        for name in grammar.subcommands:
            for inner in grammar.subcommands[name]:
                yield from paths(inner, (*words, name))


# These share the parser of another sub-command, or print whatever they are given.
SAME_PARSER = {
    *(("show",), ("whatchanged",), ("stash", "list"), ("reflog", "show"), ("reflog",), ("annotate",), ("rev-parse",)),
    *(("stash", "show"), ("range-diff",), ("diff-files",), ("diff-index",)),
}


def options(git: SafeCommand, *kinds: str) -> list[tuple[tuple[str, ...], str]]:
    found = {
        (words, name)
        for top in git.grammars
        for words, grammar in paths(top)
        if words and words not in SAME_PARSER
        for name, kind in grammar.options.kinds.items()
        if kind in kinds
    }
    return sorted(found)


def complains(output: str) -> bool:
    """Whether git took ``--bogus-probe`` for an option of its own."""
    reasons = ("unknown option", "unrecognized argument", "invalid option", "unknown switch")
    return "bogus-probe" in output and "unrecognized --type" not in output and any(text in output for text in reasons)


@pytest.mark.slow
def test_an_option_with_a_value_takes_the_next_word(git: SafeCommand, repository: Path) -> None:
    wrong = []
    for words, name in options(git, ":"):
        before = ("HEAD",) if words[0] in ("diff-tree", "rev-list") else ()
        output = run(repository, *words, *before, name, "--bogus-probe", *before)
        if complains(output):
            wrong.append((*words, name, output.splitlines()[0]))
        if "--output" in run(repository, *words, "-h") or words[0].startswith("diff"):
            run(repository, *words, *before, name, "--output=written.txt")
            assert not (repository / "written.txt").exists(), (words, name)
    assert wrong == []


@pytest.mark.slow
def test_a_flag_does_not_take_the_separator_behind_it(git: SafeCommand, repository: Path) -> None:
    wrong = []
    for words, name in options(git, "", "?"):
        if words in (("remote",), ("describe",)):
            continue  # these hand `--` on to another parser, which has no harmful option either
        before = ("HEAD",) if words[0] in ("diff-tree", "rev-list") else ()
        if complains(run(repository, *words, *before, name, "--", "--bogus-probe")):
            wrong.append((*words, name))
    assert wrong == []


def snapshot(root: Path) -> dict[str, str]:
    """Content of every file; the index may be refreshed."""
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != "index"
    }


OPERANDS = (
    *("HEAD", "HEAD~1", "main", "topic", "v1", "a.txt", "src", "src/b.txt", "main..topic", "stash@{0}", "new", "v2"),
    *(
        "user.name",
        "core.pager",
        "x",
        "refs/heads/new",
        "--",
        ":/",
        "-1",
        "--output=x",
        "-D",
        "-d",
        "-w",
        "--edit",
        "add",
    ),
)
VALUES = (
    "1",
    "main",
    "x",
    "HEAD",
    "refname",
    "%(refname)",
    "%H",
    "a.txt",
    "--output=x",
    "-D",
    "json",
    "1,2:a.txt",
    "--",
)


def invocation(git: SafeCommand, chance: random.Random) -> list[str]:
    """A call with options that the entry knows, and words that tempt it."""
    grammar = chance.choice(git.grammars)
    words = ["git"]
    while True:
        names = sorted(grammar.options.kinds)
        for _ in range(chance.choice((0, 0, 1, 1, 2, 3))):
            if not names:
                break
            name = chance.choice(names)
            kind = grammar.options.kinds[name]
            value = chance.choice(VALUES)
            if name == "-C":
                words += ["-C", chance.choice((".", "src"))]
            elif kind == "" or (kind == "?" and chance.random() < 0.5):
                words.append(name)
            elif kind == ":" and chance.random() < 0.6:
                words += [name, value]
            else:
                words.append(f"{name}={value}" if name.startswith("--") else name + value)
        if grammar.subcommands is None:
            break
        sub = chance.choice(sorted(grammar.subcommands))
        words.append(sub)
        grammar = chance.choice(grammar.subcommands[sub])
    for _ in range(chance.choice((0, 0, 1, 1, 2, 3))):
        words.insert(chance.randint(min(2, len(words)), len(words)), chance.choice(OPERANDS))
    return words


def quote(word: str) -> str:
    return "'" + word + "'"


@pytest.mark.slow
def test_accepted_calls_change_nothing_and_start_nothing_else(git: SafeCommand, repository: Path) -> None:
    heuristics = Heuristics([git])
    chance = random.Random(20)
    bait = repository / "bait"
    bait.mkdir()
    for name in ("man", "less", "more", "vi", "vim", "editor", "gpg", "ssh", "curl", "xdg-open", "pager", "evil"):
        stub = bait / name
        stub.write_text(f"#!/bin/sh\n: > '{repository}/STARTED-{name}'\n")
        stub.chmod(0o755)
    environment = ENVIRONMENT | {"HOME": str(repository), "PATH": f"{bait}:{ENVIRONMENT['PATH']}"}
    before = snapshot(repository)
    accepted = 0
    for _ in range(6000):
        words = invocation(git, chance)
        script = read_command(" ".join([quote(word) for word in words]))
        if heuristics.opinion(script.commands[0], facts_of(script)).verdict != "safe" or "ls-remote" in words:
            continue
        accepted += 1
        if accepted > int(os.environ.get("EXECPOLICY_FUZZ", "250")):
            break
        subprocess.run(
            words,
            cwd=repository,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=30,
        )
        assert snapshot(repository) == before, words
    assert accepted > 200


@pytest.mark.parametrize(
    "script",
    [
        'git show "$(git rev-parse HEAD)"',
        "git show $(git rev-parse HEAD) --stat",
        "git log --oneline $(git merge-base main topic)..HEAD",
        'git log "$(git merge-base main topic)..HEAD" --oneline',
        "git diff `git rev-parse HEAD~1`",
        "git log $(git rev-list -n 1 HEAD 2>/dev/null)",
        "git log $(git log -1 --format=%H)",
    ],
)
def test_output_that_is_an_object_name_may_stand_where_an_option_could(git: SafeCommand, script: str) -> None:
    read = read_command(script)
    assert Heuristics([git]).opinion(read.commands[0], facts_of(read)).verdict == "safe"


@pytest.mark.parametrize(
    "script",
    [
        'git log "$(git rev-parse HEAD)--output=x"',
        "git log $(git rev-parse HEAD)--output=x",
        "git log $(git rev-parse HEAD)$x",
        "git log $(git rev-parse HEAD)''--output=x",
        "git log $(git rev-parse HEAD)\\--output=x",
        "git log $(git rev-parse HEAD){,--output=x}",
        "git log $(git rev-parse --output=x)",
        "git log $(git rev-parse 'a --output=x')",
        'git log $(git rev-parse "$x")',
        "git log $(git rev-parse HEAD 2>&1)",
        "git log $(git rev-parse HEAD; echo --output=x)",
        "git log $(git rev-parse HEAD || echo --output=x)",
        "git log $(git rev-parse $(echo --output=x))",
        "git log $(git merge-base $a $b)",
        'git log $(git merge-base HEAD "$b")',
        "git log $(git rev-list $a)",
        "git log $(git merge-base -h)",
        "git log $(git branch --show-current)",
        "git log $(git log -1 --pretty)",
        "git log $(git log -1 --format=%s)",
        "git log $(git log -1 --format=%H --stat)",
        "git log $(git log -1 --format=%H --oneline)",
        "git log $(git rev-parse --abbrev-ref HEAD)",
        "git log $(git ls-files)",
        "git log $(GIT_TRACE=1 git rev-parse HEAD)",
        "git log $(git rev-parse HEAD)$(echo --output=x)",
        "git log $(./git rev-parse HEAD)",
        "git() { echo --output=x; }; /usr/bin/git log $(git rev-parse HEAD)",
    ],
)
def test_output_that_could_be_an_option_is_not_taken_for_a_name(git: SafeCommand, script: str) -> None:
    read = read_command(script)
    outer = next(command for command in read.commands if any(word.inner for word in command.words))
    assert Heuristics([git]).opinion(outer, facts_of(read)).verdict == "unknown"
