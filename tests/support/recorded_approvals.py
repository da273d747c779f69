"""The recorded approvals as requests and policies."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from execpolicy.approvals.requirement import AskForApproval, ExecRequest
from execpolicy.approvals.sandbox.sandboxing import SandboxPermissions, SandboxPolicy
from execpolicy.codex.shell_call import shell_argv
from execpolicy.core.policy import Policy
from execpolicy.errors import RuleFileError
from execpolicy.lang.compile import compile_sources
from execpolicy.source import Source

_FOLDER = Path(__file__).parents[1] / "data" / "peer"


@cache
def recorded(name: str = "codex_approvals.jsonl") -> tuple[dict[str, Any], ...]:
    """All cases, in the order of the file."""
    return tuple([json.loads(line) for line in (_FOLDER / name).read_text("utf-8").splitlines()])


def newest() -> tuple[dict[str, Any], ...]:
    """The cases that were recorded with the last version alone, each by itself."""
    return recorded("codex_0171.jsonl")


def allows_login_shell(case: dict[str, Any]) -> bool:
    """What ``config.toml`` said."""
    return bool(case.get("config", {}).get("allow_login_shell", True))


def sequences() -> dict[str, dict[int, dict[str, Any]]]:
    """The cases of group ``amend``: sequence name to step to case. A step sees the rules that earlier steps saved."""
    found: dict[str, dict[int, dict[str, Any]]] = {}
    for case in recorded():
        group, _, rest = case["id"].partition("/")
        if group == "amend":
            name, _, step = rest.rpartition("/")
            found.setdefault(name, {})[int(step)] = case
    return found


def single() -> tuple[dict[str, Any], ...]:
    """The cases that stand by themselves."""
    return tuple([case for case in recorded() if not case["id"].startswith("amend/")])


def files_of(case: dict[str, Any]) -> dict[str, str]:
    """The user's rule files at the start: name to text."""
    rules = case.get("rules", [])
    if isinstance(rules, dict):
        return {f"{name}.rules": text for name, text in rules.items()}
    names = ["default.rules"] if len(rules) == 1 else [f"{at}.rules" for at in range(len(rules))]
    return dict(zip(names, rules, strict=True))


@cache
def policy_of(*texts: str) -> Policy:
    """The rules in ``texts``; one bad file drops all of them, as Codex does."""
    try:
        return compile_sources([Source(f"{at}.rules", text) for at, text in enumerate(texts)]).policy()
    except RuleFileError:
        return Policy()


def policy_for(case: dict[str, Any]) -> Policy:
    """The rules in force: the user's files by name, then the project's."""
    files = files_of(case)
    return policy_of(*[files[name] for name in sorted(files)], *case.get("project_rules", []))


def request_of(case: dict[str, Any], *, cwd: str = "/workspace") -> ExecRequest:
    """The call that was made."""
    permissions = case.get("sandbox_permissions")
    return ExecRequest(
        command=shell_argv(
            case["script"], shell=case.get("shell"), login=case.get("login"), allow_login=allows_login_shell(case)
        ),
        approval_policy=AskForApproval.parse(case["approval_policy"]),
        sandbox_policy=SandboxPolicy.parse(case["sandbox_mode"]),
        cwd=cwd,
        home="/home/tester",
        sandbox_permissions=None if permissions is None else SandboxPermissions.read(permissions),
        justification=case.get("justification"),
        prefix_rule=tuple(case.get("prefix_rule", ())),
    )
