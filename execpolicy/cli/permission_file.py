"""``--permissions FILE``: permission rules for decisions on commands and tools."""

from __future__ import annotations

import os
from collections.abc import Sequence

from execpolicy.approvals.approval_store import RememberedCalls, session_file
from execpolicy.core.decision import Decision
from execpolicy.errors import InvalidRuleError, UsageError, os_reason
from execpolicy.hooks.hook_call import HookCall, Shell
from execpolicy.judge.situation import Situation
from execpolicy.permissions.ruleset import Action, PermissionRule, Ruleset, permission_section, ruleset_from_config
from execpolicy.permissions.tool_names import section_of
from execpolicy.permissions.tool_use import DoomLoops
from execpolicy.protocol.decisions import Ruling, ruling_on_loop, stricter
from execpolicy.protocol.messages import ToolRequest
from execpolicy.protocol.policy_decider import UNLIMITED, CommandPermissions, PermissionLimits
from execpolicy.protocol.shell_calls import SHELL_TOOLS
from execpolicy.safe_open import read_named
from execpolicy.strict_json import read_json


def read_permissions(path: str | None, home: str | None) -> Ruleset:
    """The rules in the file at ``path``; empty without a path.

    Raises:
        UsageError: it cannot be read, or has other content.
    """
    if path is None:
        return ()
    try:
        config = read_json(read_named(path, pipes=True).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"cannot read the permissions in `{path}`: {os_reason(error)}") from None
    try:
        return ruleset_from_config(permission_section(config), home=home)
    except InvalidRuleError as error:
        raise UsageError(f"`{path}`: {error}" + (f" ({error.help})" if error.help else "")) from None


def restriction(
    ruleset: Ruleset, command: str | Sequence[str], situation: Situation, *, shell: str
) -> tuple[Decision, str] | None:
    """The most that permission rules let ``command`` do, and the rule; ``None`` if they do not restrict it."""
    limits = PermissionLimits(ruleset, cwd=situation.cwd)
    ruling = limits.of_command(command, cwd=situation.cwd, shell=shell)
    return None if ruling.decision is Decision.ALLOW else (ruling.decision, ruling.reason)


def command_rules(ruleset: Ruleset, cwd: str) -> CommandPermissions:
    """Permission rules in the form for decisions under an approval policy."""
    return CommandPermissions(ruleset, cwd=cwd)


class HookPermissions:
    """The permission rules for the calls of one agent. Each file restricts on its own, and none of them grants.

    Args:
        agent: its name, for the memory of its sessions.
        files: they are rules themselves: a call that writes one of them prompts.

    Raises:
        UsageError: a file cannot be read, or has other content.
    """

    def __init__(self, agent: str, files: Sequence[str], *, home: str | None) -> None:
        self._agent = agent
        self._rulesets: list[Ruleset] = [read_permissions(path, home) for path in files]
        places = {place for path in files for place in (os.path.abspath(path), os.path.realpath(path))}
        self._kept = tuple([PermissionRule("edit", place, Action.ASK) for place in sorted(places)])

    def ruling(self, call: HookCall, commands: Sequence[tuple[Shell, str]], folder: str) -> Ruling:
        """The ruling of the permission rules; *allow* if they do not restrict.

        Args:
            commands: the commands of the call, each with the shell that reads it.
            folder: the working directory if the call names none.
        """
        root = call.root or folder
        section = section_of(call.tool) or ("edit" if call.writes else None)
        names = {} if section is None else {call.tool: section}
        ruling = UNLIMITED
        for ruleset in (*self._rulesets, self._kept):
            if commands:
                shell = PermissionLimits(ruleset, cwd=root, shell_tools={*SHELL_TOOLS, call.tool})
                for command, reader in commands:
                    run = shell.of_command(command, cwd=call.cwd or folder, shell=reader, tool=call.tool)
                    ruling = stricter(ruling, run)
            if not commands or call.foreign:
                args = {"arguments": dict(call.arguments), "paths": list(call.writes)}
                other = PermissionLimits(ruleset, cwd=root, shell_tools=(), names=names)
                asked = ToolRequest(id="call", ts=0, tool=call.tool, args=args, requires_policy=True)
                ruling = stricter(ruling, other.decide(asked))
        return self._under_loops(ruling, call)

    def _under_loops(self, ruling: Ruling, call: HookCall) -> Ruling:
        """``ruling``, tightened if the call repeats earlier ones of its session."""
        path = session_file(f"hook {self._agent} {call.session}", os.environ) if call.session else None
        if path is None:
            return ruling
        loops: DoomLoops = RememberedCalls(f"{path}.calls")
        noted = loops.record if call.is_first else loops.recorded
        # without the agent's description of a command, so that equal calls are equal
        given = {"commands": call.commands, "cwd": call.cwd} if call.commands else dict(call.arguments)
        loop = noted("", call.tool, given)
        if loop is None:
            return ruling
        for ruleset in self._rulesets:
            ruling = stricter(ruling, ruling_on_loop(loop, ruleset))
        return ruling
