"""What is forbidden is found in every spelling that the real program takes for it."""

import json
import random
import shutil
from pathlib import Path

import pytest

from execpolicy.core.matches import SURELY
from execpolicy.core.pattern import PrefixPattern
from execpolicy.programs.meaning.command_line import CommandLine
from execpolicy.shell.words import Word
from execpolicy.source import Span
from tests.support.command_shapes import RECORDED
from tests.support.real_developer_tools import TOOLS, Psql
from tests.support.real_npm import Npm
from tests.support.real_programs import GIT_PATTERNS, SMALL, Curl, Git, Rm, Tar

PATTERNS = {"git": GIT_PATTERNS, "rm": Rm.patterns, "tar": Tar.patterns, "curl": Curl.patterns}
PATTERNS |= {one.name: one.patterns for one in SMALL}
PATTERNS |= {one.name: one.patterns for one in (*TOOLS, Npm)}
FALSE_ALARMS = {"git": 234, "rm": 73, "tar": 28, "curl": 130, "chmod": 0, "sed": 0, "cp": 50, "find": 51} | {
    "mv": 75,
    "ln": 70,
    "mkdir": 82,
    "chown": 42,
    "rsync": 44,
    "make": 126,
    "grep": 106,
    "ssh": 2,
    "pip": 48,
    "go": 132,
    "terraform": 32,
    "psql": 113,
    "yarnpkg": 132,
    "npm": 238,
}
"""In all of them the option is given, without effect in that one run: nothing to force or to delete, the paths
were others, it was taken back behind (`--no-force`, `-i`), or it only counts in another mode (`--to-command` while
writing an archive, `-d` with `-G`; `-B` and `-f` of make with `-n`, `-r` over a file; `-c` of psql with `-l`, `-D` of
Yarn with `-O` behind it; `-I` takes `--interactive=never` back; `-d` of curl is a `POST`, whatever else is recorded;
`=false` of what Go's parser reads). npm knows no option by a beginning that several have, and
`true` and `false` behind `-C` are folders of it. In some of pip, a cluster of letters of the program and of the
sub-command may take the next word. A rule may not rest on that."""


def said(program: str, text: str) -> CommandLine:
    return CommandLine(program, [Word(word, Span(0, 1)) for word in text.split()])


@pytest.mark.parametrize("program", PATTERNS)
def test_every_spelling_that_means_it_is_found(program: str) -> None:
    missed, alarms = [], []
    patterns = {pattern: PrefixPattern.of([program, *pattern.split()]) for pattern in PATTERNS[program]}
    for row in (RECORDED / f"{program}.jsonl").read_text().splitlines():
        text, meant = json.loads(row)
        line = said(program, text)
        for pattern, prefix in patterns.items():
            found = line.means(prefix).certainty == SURELY
            if pattern in (meant or ()) and not found:
                missed.append(f"{pattern}: {text}")
            elif found and meant is not None and pattern not in meant:
                alarms.append(f"{pattern}: {text}")
    assert missed == []
    assert len(alarms) <= FALSE_ALARMS[program], alarms


@pytest.mark.parametrize(
    "start", [Git, Rm, Tar, pytest.param(Psql, marks=pytest.mark.slow)], ids=lambda start: start.name
)
def test_the_installed_program_agrees(start: type[Git | Rm | Tar | Psql], tmp_path: Path) -> None:
    if shutil.which(start.name) is None:
        pytest.skip("not installed")
    program = start(tmp_path)
    chance = random.Random(1)
    for _ in range(60):
        words = program.spelling(chance)
        for pattern in program.meant(words):
            line = said(program.name, " ".join(words))
            assert line.means(PrefixPattern.of([program.name, *pattern.split()])).certainty == SURELY, words


def test_every_name_that_npm_takes_for_a_command_is_that_command() -> None:
    names = json.loads((RECORDED / "npm.json").read_text())
    for word, command in names.items():
        assert said("npm", f"{word} x").means(PrefixPattern.of(["npm", command])).certainty == SURELY, word


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("git push --force", "push --mirror"),
        ("git push --force", "push origin +:topic"),
        ("git push --delete", "push origin +:topic"),
        ("git push --delete", "push --prune origin"),
        ("git branch -D", "branch -d --force x"),
        ("git branch --delete --force", "branch -D x"),
        ("git checkout -- .", "checkout HEAD ."),
        ("rm -rf /", "-rf -- /"),
        ("rm -rf /", "-r -f x /"),
        ("rm -rf -- -x", "-rf -- y -x"),
        ("tar -x -C /", "xCf / a.tar"),
        ("tar xf", "-x --file a.tar"),
        ("cp -r", "-a x y"),
        ("curl -d", "--json x y"),
        ("find / -delete", "/ -name x -delete"),
        ("docker run --privileged", "container run --privileged x"),
        ("docker container rm -f", "rm -f x"),
        ("docker container", "container rm x"),
        ("podman rmi", "image rm x"),
        ("terraform destroy", "apply --destroy -auto-approve"),
        ("terraform apply -destroy -auto-approve", "-chdir=x destroy -auto-approve"),
        ("yarn install", "--frozen-lockfile"),
        ("yarn add -D", "--emoji false add --emoji=-D x"),
        ("git stash push", "stash -u"),
        ("brew bundle install", "bundle --file=x"),
        ("brew uninstall", "uninstal x"),
        ("brew cleanup -s", "cleanup --scrub"),
        ("brew services stop", "services unload x"),
        ("helm repo remove", "repo rm x"),
        ("helm plugin install", "plugin add x"),
        ("helm uninstall", "--kube-token t un x"),
        ("psql -d prod", "-c x prod"),
        ("psql -U root", "-d x root"),
        ("pip install --no-deps", "install --no-dependencies x"),
        ("pip install --trusted-host h", "install --trust h x"),
    ],
)
def test_what_one_says_for_another(pattern: str, text: str) -> None:
    words = pattern.split()
    assert said(words[0], text).means(PrefixPattern.of(words)).certainty == SURELY


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("git push --delete", "push origin :"),
        ("git branch -D", "branch -d x"),
        ("rm -rf -- -x", "-rfx y"),
        ("tar -x", "cf x.tar"),
        ("tar -x", "fc x.tar x"),
        ("chmod -R 777 /", "-R 777 x /y"),
        ("docker rm -f", "image rm -f x"),
        ("docker run --privileged", "container run x --privileged"),
        ("terraform destroy", "apply -auto-approve"),
        ("terraform destroy", "plan -destroy"),
        ("yarn install", "--version"),
        ("yarn install", "add x"),
        ("brew bundle install", "bundle dump"),
        ("psql -d prod", "-d x prod"),
        ("psql -U root", "root"),
    ],
)
def test_what_one_does_not_say_for_another(pattern: str, text: str) -> None:
    words = pattern.split()
    assert said(words[0], text).means(PrefixPattern.of(words)).certainty != SURELY
