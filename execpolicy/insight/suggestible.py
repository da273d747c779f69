"""Which prefixes may be suggested as allow rules, and why others are not.

A suggestion is advice that people follow without reading it twice, so in doubt there is none: nothing that is refused
for saving, that the linter calls too broad, that also allows something known to be dangerous, that hands over to an
interpreter, that fetches code, that reaches other machines, or that names something hard to take back.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from execpolicy.amend.prefix import reusable_prefix
from execpolicy.amend.preview import preview
from execpolicy.amend.savable import why_not_savable
from execpolicy.core.banned import is_banned
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.quoting import join
from execpolicy.lint.checks.ep402_shell_allow import is_shell_rule
from execpolicy.programs.breadth import runs_program_text, why_broad
from execpolicy.programs.names import base_name
from execpolicy.programs.shelf import record_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.insight.missing_rules import Prefix
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation

_MODULES = frozenset(["black", "coverage", "flake8", "isort", "mypy", "pylint", "pytest", "ruff", "tox", "unittest"])
"""What `python -m` may be suggested for."""

_FETCHING = frozenset(
    ["add", "ci", "dlx", "download", "get", "i", "install", "require", "restore", "sync", "tool", "update", "upgrade"]
    + ["clone", "checkout", "x", "create", "init", "new", "autoupdate"]
)

_READING = frozenset(
    ["checks", "describe", "diff", "events", "fmt", "history", "images", "info", "inspect", "lint", "list", "logs"]
    + ["ls", "ps", "search", "show", "status", "top", "validate", "version", "view"]
)
"""The last word of a prefix of theirs that only looks."""

_GIT = frozenset(["add", "commit"])
"""What of git may be suggested beside reading: `fetch --upload-pack`, `grep -O`, `init --template` … run programs."""

_RUNNING = frozenset(["run", "exec", "run-script"])
_HARD_TO_TAKE_BACK = frozenset(
    [
        "abort",
        "activate",
        "generate",
        "admin",
        "alias",
        "allow",
        "apply",
        "approve",
        "auth",
        "call",
        "config",
        "console",
        "debug",
    ]
    + ["delete", "deploy", "destroy", "dist", "down", "drop", "edit", "emit", "enable", "erase", "eval", "exec"]
    + ["execute", "expire", "filter", "force", "foreach", "format-disk", "function", "gc", "hook", "hooks", "import"]
    + ["invoke", "kill", "link", "login", "logout", "merge", "migrate", "mv", "nuke", "owner", "plugin", "plugins"]
    + [
        "pop",
        "prod",
        "production",
        "promote",
        "prune",
        "publish",
        "purge",
        "push",
        "put",
        "rebase",
        "register",
        "release",
    ]
    + [
        "remove",
        "repl",
        "replace",
        "reset",
        "restart",
        "revert",
        "rewrite",
        "rm",
        "rollback",
        "root",
        "runner",
        "script",
    ]
    + ["secret", "secrets", "seed", "self", "send", "set", "shell", "ship", "ssh", "start", "stop", "sudo", "switch"]
    + ["terminate", "tinker", "token", "truncate", "undeploy", "uninstall", "unlink", "unpublish", "unset", "upload"]
    + ["use", "wipe", "yank", "env", "environment", "clear", "cp", "copy", "task"]
)
"""Parts of words; ``clean``, ``build``, ``test`` and the like are what suggestions are for."""


def why_not(prefix: Prefix, rulebook: Rulebook, situation: Situation) -> str | None:
    """Why an allow rule for ``prefix`` is not suggested, as a phrase; ``None`` if it may be."""
    why = why_not_savable(prefix) or _too_broad(prefix) or _reaches_far(prefix)
    if why is not None:
        return why
    dangerous = preview(prefix, rulebook, situation).dangerous
    return f"it would also allow `{dangerous[0]}`" if dangerous else None


def _too_broad(prefix: Prefix) -> str | None:
    """Whether it, or what it hands over to, can be told to do anything."""
    for start in range(len(prefix)):
        tail = prefix[start:]
        broad = why_broad(tail)
        if broad is not None:
            return broad
        if is_banned(tail) or is_shell_rule(PrefixPattern.of(tail)):
            return "it allows whatever that program can be told to do"
        if runs_program_text(tail[0]) and not _is_known_module(tail):
            return "it runs a program that can be rewritten between two runs"
    if prefix[-1] in _RUNNING:
        return "it runs whatever is named behind it"
    record = record_of(base_name(prefix[0]))
    wraps = record is not None and any(spec.subcommands for spec in record.wraps)
    if wraps and len(prefix) > 2 and prefix[1] in _RUNNING:
        inner = prefix[2:]
        if not _is_script_of_package(prefix) and reusable_prefix(inner) != inner:
            return f"nothing is known of `{join(inner)}`"
    return None


def _is_known_module(words: Sequence[str]) -> bool:
    return len(words) == 3 and words[1] == "-m" and words[2] in _MODULES and words[0].startswith("python")


def _is_script_of_package(prefix: Prefix) -> bool:
    """``npm run build``: the word behind names an entry of ``package.json`` and no program."""
    return base_name(prefix[0]) in ("npm", "pnpm", "yarn") and prefix[1] != "exec"


def _reaches_far(prefix: Prefix) -> str | None:
    """Whether it fetches code, acts elsewhere, or does what is hard to take back."""
    name = base_name(prefix[0])
    record = record_of(name)
    runs = record is not None and any(not spec.subcommands for spec in record.wraps)
    if record is not None and record.fetches and (runs or not _FETCHING.isdisjoint(prefix[1:])):
        return "it fetches code from elsewhere, and may run it"
    if record is not None and record.far and prefix[-1] not in _READING:
        return "it acts on other machines, containers or the whole system"
    if name == "git" and prefix[1] not in _GIT and prefix[-1] not in _READING:
        return "some of its options run programs, or it talks to other machines"
    for word in prefix[1:]:
        if not _HARD_TO_TAKE_BACK.isdisjoint(re.split("[^a-z]+", word.lower())):
            return f"what `{word}` does may be hard to take back, or let other programs run"
    return None
