"""The command that an agent starts as its hook, and its answer if the hook cannot be started."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from execpolicy.hooks.agents import Agent
from execpolicy.hooks.answer_forms import INBOX_WAIT_S

AGENT_PATIENCE = 30
"""Seconds that the agent waits for its hook if the hook does not ask a person."""
_START = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli", "hook_start.py")
_FAILED = "execpolicy failed, so this call is refused: run execpolicy doctor"
_WHOLE = 'case $o in "{"*"}") printf "%s\\n" "$o";; *) false;; esac'
_OR_REFUSE = f'o=$("$0" "$@") && {_WHOLE} || {{ echo "{_FAILED}" >&2; exit 2; }}'


@dataclass(frozen=True, slots=True, kw_only=True)
class HookProgram:
    """``execpolicy hook`` for one agent, started so that it depends on neither environment nor working directory.

    Attributes:
        agent: the agent that starts it.
        pinned: variables with the folders of rules and settings, as they were at installation; without ``HOME`` the
            user's entry in the account database applies.
        options: the options of ``execpolicy hook``.
    """

    agent: Agent
    pinned: Mapping[str, str]
    options: tuple[str, ...] = ()

    @property
    def patience(self) -> int:
        """Seconds that the agent waits for its hook.

        After that it runs the command, so the hook must end before.
        """
        return AGENT_PATIENCE + (int(INBOX_WAIT_S) if "inbox" in self.options else 0)

    @property
    def argv(self) -> list[str]:
        """The argv that is started; every path is absolute."""
        pins = [f"{name}={value}" for name, value in self.pinned.items()]
        return [sys.executable, "-I", "-S", _START, *pins, self.agent.name, *self.options]

    @property
    def shell(self) -> str:
        """A command for any shell that the agent uses: one word of it is a script for ``/bin/sh``.

        It rejects the call with status 2 and a message if the program is missing, crashes, prints nothing, or its
        output is lost.
        """
        return shlex.join(["/bin/sh", "-c", _OR_REFUSE, *self.argv])

    @property
    def script(self) -> str:
        """An executable file that is the hook, for agents that take no command line.

        One of these agents reads the exit status: a status that is not ours rejects the call, or asks a person. The
        other reads only the output.
        """
        line = f'o=$("$@") && {_WHOLE}'
        if self.agent.place.form == "script":
            line += " || echo " + shlex.quote(json.dumps({"cancel": True, "errorMessage": _FAILED}))
        start = shlex.join(["set", "--", *self.argv])
        return f"#!/bin/sh\n# written by `execpolicy install {self.agent.name}`\n{start}\n{line}\n"
