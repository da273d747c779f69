"""Which options real programs say they take: `python -m tests.support.help_options` records them with their version.

Programs that are not installed keep what was recorded before. Behind the names of programs only those are asked anew.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.running import run_captured

LISTED = Path(__file__).parents[1] / "data" / "meaning" / "options.json"
GIT = (
    "add am apply branch checkout cherry-pick clean clone commit fetch gc init merge mv pull push rebase reset restore "
    "revert rm stash status switch tag"
)
GNU = "rm cp mv chmod chown chgrp ln mkdir rmdir tar sed wget make psql systemctl rsync shred grep"
PODMAN = "run|exec|rm|rmi|stop|build|push|pull|system prune|image prune|volume rm|kill|create|start|logs"
GH = (
    "api|pr merge|pr close|pr create|repo delete|repo create|repo edit|release delete|release create|secret set|"
    "secret delete|workflow run|auth token|auth login|gist create|issue create|alias set"
)
TERRAFORM = "apply|plan|state rm|state mv|state push|workspace delete|init|import"
AWS = "s3 rm|s3 rb|s3 cp|s3 mv|s3 sync|ec2 terminate-instances|iam delete-user|lambda delete-function"
GCLOUD = "compute instances delete|projects delete|storage rm|container clusters delete|sql instances delete|run deploy"
AZ = "group delete|vm delete|storage blob delete"
POETRY = "publish|add|remove|config|install"
DOCKER = "run|exec|rm|stop|build|push|pull|system prune|image prune|volume rm"
UV = "pip install|pip uninstall|add|remove|run|publish|tool install"
ASKED = {
    **{name: [[name, "--help"]] for name in GNU.split()},
    "curl": [["curl", "--help", "all"]],
    "pip": [["pip", sub, "--help"] for sub in ("install", "uninstall", "download", "wheel", "list", "freeze")],
    "git": [["git", sub, "-h"] for sub in GIT.split()],
    "docker": [["docker", *sub.split(), "--help"] for sub in DOCKER.split("|")],
    "kubectl": [["kubectl", sub, "--help"] for sub in ("delete", "apply", "create", "exec", "scale", "drain", "logs")],
    "uv": [["uv", *sub.split(), "--help"] for sub in UV.split("|")],
    "cargo": [["cargo", sub, "--help"] for sub in ("build", "run", "test", "publish", "install", "add")],
    "podman": [["podman", "--help"], *[["podman", *sub.split(), "--help"] for sub in PODMAN.split("|")]],
    "gh": [["gh", *sub.split(), "--help"] for sub in GH.split("|")],
    "terraform": [["terraform", *sub.split(), "-help"] for sub in TERRAFORM.split("|")],
    "npm": [["npm", sub, "--help"] for sub in ("install", "publish", "uninstall", "run", "exec", "ci", "unpublish")],
    "pnpm": [["pnpm", sub, "--help"] for sub in ("install", "add", "publish", "remove", "run", "update")],
    "yarnpkg": [["yarnpkg", "help", sub] for sub in ("add", "install", "remove", "publish", "upgrade", "global")],
    "yarn": [["yarn", *sub.split(), "--help"] for sub in ("add", "install", "npm publish", "up")],
    "poetry": [["poetry", sub, "--help"] for sub in POETRY.split("|")],
    "aws": [["aws", *sub.split(), "help"] for sub in AWS.split("|")],
    "az": [["az", *sub.split(), "--help"] for sub in AZ.split("|")],
    "gcloud": [["gcloud", *sub.split(), "--help"] for sub in GCLOUD.split("|")],
    "ssh": [["ssh", "--help"]],
    "scp": [["scp", "--help"]],
    "apt-get": [["man", "apt-get"]],
    "go": [["go", "help", sub] for sub in ("build", "testflag")],
}
SUBCOMMANDS = {("go", "testflag"): "test", ("apt-get", "apt-get"): ""}
"""What a question is about where its words do not say so."""
VERSIONS = {
    "kubectl": ["kubectl", "version", "--client"],
    "ssh": ["ssh", "-V"],
    "scp": ["ssh", "-V"],
    "go": ["go", "version"],
    "terraform": ["terraform", "version"],
}
PIP = """
import json, sys
from pip._internal.commands import create_command
options = create_command(sys.argv[1]).parser.option_list_all
print(json.dumps([[":" if one.takes_value() else "", *one._short_opts, *one._long_opts] for one in options]))
"""
"""Asks pip's own parser, which knows more names of its options than its help."""
COMPLETIONS = "data/cli/gcloud_completions.py"
"""Under the folder of the Google Cloud SDK: all of its sub-commands and options."""
_OPTION = r"--?[A-Za-z0-9][\w-]*"
_VALUE = r"(?: \[[a-z]+\]|\[?(?:[= ]?<[^>]+>|=[\w\[\].,:|/-]+|[= ][A-Za-z][\w.:/-]+)(?:\.\.\.)?\]?(?:\[:\w+\])?)"
_LINE = re.compile(rf"^\s{{1,8}}((?:{_OPTION}(?:{_VALUE})?(?:(?:,\s{{0,2}}|\s{{1,2}})(?=-))?)+)(?:\s{{2,}}|$)")
_KUBERNETES = re.compile(r"^    (?:(-\w), )?(?:    )?(--[\w-]+)=(.*):$", re.MULTILINE)
_USAGE = re.compile(r"\[(-[A-Za-z0-9]|--[a-z][\w-]*)(?: <?[\w@\[\]:<>|-]+>?)?(?: (?:\[[^\]]*\]|<[^>]*>)*)?\]")
_BLOCK = re.compile(r"^\s+\[-([A-Za-z0-9]{2,})\]|usage: \w+ \[-([A-Za-z0-9]{2,})\]", re.MULTILINE)
_GO = re.compile(r"^\t(-\w+)(?:(?: |=)(['\w].*))?$", re.MULTILINE)
_AZURE = re.compile(r"^    ((?:--?[\w-]+ ?)+)(?: \[[\w ]+\])* *:", re.MULTILINE)
_TYPED = re.compile(r"\x1b\[[0-9;]*m|.\x08")
_VERSION = re.compile(r"\d+(?:\.\d+)+(?:p\d+)?")
_ONE = re.compile(rf"({_OPTION})({_VALUE})?")


def listed(text: str) -> list[list[str]]:
    """The options in a help text: the names of each, and in front ``:`` (a value), ``?`` (may have one,
    glued), ``~`` (may have one, also as the next word) or nothing.
    """
    text = _TYPED.sub("", text)
    found = []
    for short, name, value in _KUBERNETES.findall(text):
        found.append(["" if value in ("true", "false") else ":", *([short] if short else []), name])
    for line in text.replace("[no-]", "").replace("-v|vv|vvv", "-v").replace("|--", ", --").splitlines():
        match = None if _KUBERNETES.match(line) else _LINE.match(line.replace("\t", "    "))
        if match is None:
            continue
        parts = _ONE.findall(match.group(1))
        values = [value for _, value in parts if value]
        kind = "" if not values else ":"
        if any(value.lstrip().startswith("[") for value in values):
            kind = "~" if values[-1][0] == " " else "?"
        found.append([kind, *dict.fromkeys(name for name, _ in parts)])
    return found


def in_usage(text: str) -> list[list[str]]:
    """The options in a usage line: ``[-46A] [-B interface] [--quiet]``."""
    found = [["", f"-{letter}"] for letters in _BLOCK.findall(text) for letter in "".join(letters)]
    text = _BLOCK.sub("", _TYPED.sub("", text))
    for match in _USAGE.finditer(text.replace("[--version <value>]", "")):
        found.append([":" if match.group(0)[1:-1] != match.group(1) else "", match.group(1)])
    return found


def of_go(text: str) -> list[list[str]]:
    """The options that ``go help`` describes, each on a line of its own."""
    return [[":" if value else "", name] for name, value in _GO.findall(text)]


def of_azure(text: str) -> list[list[str]]:
    """The options of ``az``, whose help does not say which take values."""
    return [["", *names.split()] for names in _AZURE.findall(text)]


def at_the_margin(text: str) -> list[list[str]]:
    """The options of ``rsync``, which stand at the beginning of their lines."""
    return listed("\n".join([f" {line}" for line in text.splitlines()]))


READERS: dict[str, Callable[[str], list[list[str]]]] = {
    "ssh": in_usage,
    "scp": in_usage,
    "aws": in_usage,
    "rsync": at_the_margin,
    "go": of_go,
    "az": of_azure,
}
"""How the help of a program is read that is not written as most is."""


def of_google(words: list[str], program: str) -> list[list[str]]:
    """The options of a sub-command of ``gcloud``, out of its table of completions."""
    folder = next(each for each in Path(program).resolve().parents if (each / COMPLETIONS).exists())
    text = (folder / COMPLETIONS).read_text()
    tree = ast.literal_eval(text[text.index("{") :])
    flags = dict(tree["flags"])
    for word in words:
        tree = tree["commands"][word]
        flags |= tree["flags"]
    return [["" if kind == "bool" else ":", name] for name, kind in flags.items()]


def told(program: str, recorded: dict[str, Any]) -> str:
    """The row of ``docs/evidence/meaning.md`` about a program."""
    options = sum(len(options) for options in recorded["options"].values())
    return f"| {program} | {recorded['version']} | {len(recorded['options'])} | {options} | 0 |"


def _said(words: list[str]) -> str:
    run = run_captured(words)
    return run.stdout + run.stderr


def record(wanted: list[str]) -> None:
    """Ask every installed program; of those that are ``wanted``, if some are."""
    known = json.loads(LISTED.read_text()) if LISTED.exists() else {}
    for name, questions in ASKED.items():
        program = shutil.which(name)
        if program is None or (wanted and name not in wanted):
            continue
        version = _VERSION.search(_TYPED.sub("", _said(VERSIONS.get(name, [name, "--version"]))))
        known[name] = {"version": version.group() if version is not None else "", "options": {}}
        for words in questions:
            helped = words[1] == "help"
            sub = SUBCOMMANDS.get((name, words[-1]), " ".join(words[2:] if helped else words[1:-1]))
            sub = "" if name == "curl" else sub
            if name == "gcloud":
                found = of_google(words[1:-1], program)
            elif name == "pip":
                found = json.loads(_said([sys.executable, "-c", PIP, sub]))
            else:
                found = READERS.get(name, listed)(_said(words))
            known[name]["options"][sub] = found
    LISTED.write_text(json.dumps(known, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    record(sys.argv[1:])
