"""``execpolicy diff``: the decisions that a change of rules changes, for files or git revisions."""

from __future__ import annotations

import os
import subprocess
import sys

import click

from execpolicy.cli.argument_types import FILE
from execpolicy.cli.layer_arguments import FORMAT
from execpolicy.cli.output import OK, PROBLEM, dumps, wants_color, write_line
from execpolicy.core.quoting import join
from execpolicy.diagnostics.render_text import visible
from execpolicy.errors import UsageError
from execpolicy.insight.diff import Change, other_changes, policy_diff
from execpolicy.judge.rulebook import Rulebook
from execpolicy.layers.folders import collect_rule_files
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers
from execpolicy.source import Source

FOLDER = ".codex/rules"
"""Folder of the rule files that a revision without a path names."""
_TIMEOUT = 30.0
_FILE = b"100"
"""First characters of a regular file's mode in git; the modes of links and folders begin differently."""


def folder_of(revision: str) -> str:
    """The path that ``REVISION:PATH`` names, below the working directory."""
    return revision.partition(":")[2] or FOLDER


def rules_at(revision: str) -> list[Source] | None:
    """The rule files that ``REVISION[:PATH]`` names, a folder or a file; ``None`` if git knows no such revision.

    Raises:
        UsageError: there is no rule file.
    """
    name = revision.partition(":")[0]
    if not name or _git("rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{tree}") is None:
        return None
    path = folder_of(revision)
    wanted = path if path.endswith(".rules") else path.rstrip("/") + "/"
    found: list[Source] = []
    for entry in (_git("ls-tree", "-z", name, "--", wanted) or b"").split(b"\0")[:-1]:
        about, _, file = entry.partition(b"\t")
        text = _git("cat-file", "blob", about.split()[2].decode()) if about.startswith(_FILE) else None
        if text is not None and file.endswith(b".rules"):
            found.append(Source(f"{name}:{os.fsdecode(file)}", text.decode("utf-8", "replace")))
    if not found:
        raise UsageError(f"`{name}` holds no rule file (*.rules) in `{path}`; name a folder or file: `{name}:rules`")
    return found


def _git(*arguments: str) -> bytes | None:
    """The output of git; ``None`` if git fails or is not installed. Never fetches."""
    try:
        done = subprocess.run(
            ["git", "--no-pager", *arguments],
            env={**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_LITERAL_PATHSPECS": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


_COLORS = {"stricter": "\x1b[33m", "laxer": "\x1b[31m"}


@click.command(name="diff")
@FORMAT
@click.option("--exit-code", is_flag=True, help="Exit with 1 if anything differs.")
@click.argument("before", type=FILE, metavar="A")
@click.argument("after", type=FILE, metavar="[B]", required=False)
def command(output: str, exit_code: bool, before: str, after: str | None) -> int:
    """Show every kind of command that the rules of A and B decide differently, with a shortest example.

    A and B are rule files or folders of them, or revisions of git with such a path: HEAD~1:rules. Without a path a
    revision means .codex/rules; without B it is compared with the same path in the working directory. Rules that ask
    or forbid count with what they mean. Exits with 0 for an answer, unless --exit-code is given.

    \b
    Examples:
      $ execpolicy diff rules/git.rules rules/files.rules
      $ execpolicy diff HEAD~1
    """
    if after is None:
        if os.path.exists(before) or rules_at(before) is None:
            raise UsageError(f"`{before}` is no revision of git: give B, the rules to compare with")
        after = folder_of(before)
    old, new = _rulebook(before), _rulebook(after)
    changes = policy_diff(old.policy, new.policy)
    others = other_changes(old, new)
    if output == "json":
        write_line(
            sys.stdout, dumps({"changes": [change.to_json() for change in changes], "other": others}, pretty=True)
        )
    else:
        for change in changes:
            click.echo(_line(change))
        for other in others:
            click.echo(visible(other))
        stricter = sum(1 for change in changes if change.direction == "stricter")
        click.echo(f"{stricter} stricter, {len(changes) - stricter} laxer, {len(others)} other changes")
    return PROBLEM if exit_code and (changes or others) else OK


def _rulebook(path: str) -> Rulebook:
    texts = None if os.path.exists(path) else rules_at(path)
    files = files_at(path) if texts is None else None
    options = LayerOptions(cwd=os.getcwd(), project=False, mode="strict", files=files, texts=texts)
    return Rulebook(load_layers(options).statements)


def files_at(path: str) -> list[str]:
    """The rule file at ``path``, or those in the folder.

    Raises:
        UsageError: there is none.
    """
    files = list(collect_rule_files(path)[0]) if os.path.isdir(path) else [path]
    if not files:
        raise UsageError(f"`{path}` holds no rule file (*.rules)")
    return files


def _line(change: Change) -> str:
    direction = change.direction
    if wants_color(sys.stdout):
        direction = f"{_COLORS[direction]}{direction}\x1b[0m"
    because = change.rules_after or change.rules_before
    places = ", ".join(str(rule.place) for rule in because if rule.place is not None)
    return f"{direction}  {change.words()}  {visible(join(change.example))}  ({visible(places)})"
