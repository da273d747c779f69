"""``check --jsonl``: one request per input line, one answer per output line, in order, each as soon as it is known.

A bad line is answered with an error, and the stream continues. Each request is decided by the rules that it names, or
by the layers of the folder that it names. Both are reloaded when they change.
"""

from __future__ import annotations

import gc
import os
from typing import Any, TextIO

from execpolicy.approvals.exec_command import requirement_json
from execpolicy.approvals.requirement import AskForApproval, ExecRequest, Forbidden, requirement_to_json
from execpolicy.approvals.sandbox.sandboxing import SandboxPermissions, SandboxPolicy
from execpolicy.cli.check_options import CheckOptions
from execpolicy.cli.json_requests import answer_lines
from execpolicy.cli.judgement import Judging, situation_at
from execpolicy.cli.output import OK
from execpolicy.codex.profiles import profile_named
from execpolicy.codex.shell_call import NO_LOGIN_SHELL
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import home_of
from execpolicy.errors import UsageError
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation

_FIELDS: dict[str, tuple[type, ...]] = {
    "argv": (list,),
    "script": (str,),
    "shell": (str,),
    "cwd": (str,),
    "rules": (list,),
    "approval_policy": (str, dict),
    "sandbox_mode": (str,),
    "sandbox_permissions": (str,),
    "prefix_rule": (list,),
    "justification": (str,),
    "login": (bool,),
    "grounds": (bool,),
    "effects": (bool,),
}
_WORDS = {list: "a list of strings", str: "a string", dict: "an object", bool: "true or false"}
_DECISIONS = {"skip": Decision.ALLOW, "needs_approval": Decision.PROMPT, "forbidden": Decision.FORBIDDEN}
"""The decision for each requirement.

The approval policy decides last: it allows commands that need no approval, and forbids those that need an approval it
does not permit.
"""
_COLLECT = 50_000
"""New objects between two garbage collections. There is hardly any garbage."""


def answer_requests(options: CheckOptions, stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
    """Answer every line of ``stdin`` except blank ones."""
    stream = _Stream(options, stderr)
    gc.freeze()  # excludes the objects loaded so far from garbage collections
    gc.set_threshold(_COLLECT)
    gc.enable()
    answer_lines(stream.decide, stdin, stdout)
    return OK


class _Stream:
    """Turns a request into its answer, with caches that last from one request to the next."""

    def __init__(self, options: CheckOptions, stderr: TextIO) -> None:
        self.options = options
        self.judging = Judging(options, stderr, permissions=options.permissions, rereads=True, thorough=stderr.isatty())
        self.here = situation_at(options.cwd, terminal=options.terminal == "yes")
        if options.rules:  # files named on the command line must load before the first answer
            self.judging.rulebook(self.here)

    def decide(self, request: dict[str, Any]) -> dict[str, Any]:
        """The decision on one request.

        Raises:
            ExecPolicyError: the request is incomplete or contradicts itself, or its rules have a problem.
        """
        _check_fields(request)
        script: str | None = request.get("script")
        command: str | tuple[str, ...] = script if script is not None else tuple(request["argv"])
        situation = self.situation(request.get("cwd"))
        texts = tuple(request["rules"]) if "rules" in request else None
        shell: str = request.get("shell", self.options.shell or "bash")
        grounds = request.get("grounds", False)
        login: bool | None = request.get("login")
        if login and script is not None and not self.judging.allows_login_shell(situation):
            if "approval_policy" not in request:  # without one, there is no requirement
                raise UsageError(NO_LOGIN_SHELL)
            requirement = requirement_to_json(Forbidden(reason=NO_LOGIN_SHELL))
            return {"decision": "forbidden", "matchedRules": [], "commands": [], "requirement": requirement}
        body, _ = self.judging.answer(command, situation, shell=shell, texts=texts, grounds=grounds, login=login)
        if request.get("effects"):
            verdict = self.judging.verdict(command, situation, shell=shell, texts=texts)
            body["effects"] = [each.to_json() for each in verdict.effects]
        if "approval_policy" in request:
            requirement = self.requirement(request, command, self.judging.rulebook(situation, texts), situation)
            decision = _DECISIONS[requirement["kind"]]
            if "reason" in body and decision != body["decision"]:
                body["reason"] = requirement["reason"]
                body.pop("kind", None)
                if decision is Decision.PROMPT:
                    body["kind"] = "objected"
            body["decision"] = decision.word
            body["requirement"] = requirement
        return body

    def requirement(
        self, request: dict[str, Any], command: str | tuple[str, ...], rulebook: Rulebook, situation: Situation
    ) -> dict[str, Any]:
        """The requirement for the command under the approval policy of the request."""
        allowed = self.judging.allows_login_shell(situation)
        profile = profile_named(self.options.profile, allow_login_shell=allowed)
        permissions = request.get("sandbox_permissions")
        shell: str = request.get("shell", self.options.shell or "bash")
        return requirement_json(
            ExecRequest(
                command=(
                    profile.argv_of(command, shell, request.get("login")) if isinstance(command, str) else command
                ),
                approval_policy=AskForApproval.parse(request["approval_policy"]),
                sandbox_policy=SandboxPolicy.parse(request.get("sandbox_mode", "read-only")),
                cwd=situation.cwd,
                home=situation.home,
                sandbox_permissions=None if permissions is None else SandboxPermissions.read(permissions),
                justification=request.get("justification"),
                prefix_rule=tuple(request.get("prefix_rule", ())),
            ),
            rulebook,
            profile=profile,
            permissions=self.judging.command_rules(situation),
        )

    def situation(self, cwd: str | None) -> Situation:
        """The situation with the working directory ``cwd``. A folder that a request names need not exist here."""
        if cwd is None:
            return self.here
        if not os.path.isabs(cwd):
            raise UsageError("`cwd` must be an absolute path")
        return Situation(cwd, home=home_of(os.environ), terminal=self.here.terminal)


def _check_fields(request: dict[str, Any]) -> None:
    """Raises for a missing or mistyped field, and for an unknown one: it may have been meant as a restriction."""
    for name, value in request.items():
        if name == "id":
            continue
        accepted = _FIELDS.get(name)
        if accepted is None:
            raise UsageError(f"unknown field `{name}`: known are id, {', '.join(_FIELDS)}")
        if not isinstance(value, accepted):
            raise UsageError(f"`{name}` must be {' or '.join([_WORDS[kind] for kind in accepted])}")
        if isinstance(value, list) and not all(isinstance(item, str) for item in value):
            raise UsageError(f"`{name}` must be a list of strings")
    if ("argv" in request) == ("script" in request):
        raise UsageError("a request needs exactly one of `argv` and `script`")
    if "argv" in request and not request["argv"]:
        raise UsageError("`argv` needs at least one word")
