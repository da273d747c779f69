"""The command that an agent starts as its hook, and what it says when that cannot be started."""

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
"""Seconds that the agent waits for its hook when that asks nobody."""
_START = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli", "hook_start.py")
_FAILED = "execpolicy failed, so this call is refused: run execpolicy doctor"
_WHOLE = 'case $o in "{"*"}") printf "%s\\n" "$o";; *) false;; esac'
_OR_REFUSE = f'o=$("$0" "$@") && {_WHOLE} || {{ echo "{_FAILED}" >&2; exit 2; }}'


@dataclass(frozen=True, slots=True, kw_only=True)
class HookProgram:
    """``execpolicy hook`` for one agent, started so that neither environment nor working folder have a say in it.

    Attributes:
        agent: the agent that starts it.
        pinned: variables that say where rules and settings are, as they are for whoever installs; without ``HOME``
            the user's entry in the list of accounts decides.
        options: of ``execpolicy hook``.
    """

    agent: Agent
    pinned: Mapping[str, str]
    options: tuple[str, ...] = ()

    @property
    def patience(self) -> int:
        """Seconds that the agent waits for its hook: it runs the command then, so the hook must have ended before."""
        return AGENT_PATIENCE + (int(INBOX_WAIT_S) if "inbox" in self.options else 0)

    @property
    def argv(self) -> list[str]:
        """What is started: absolute paths throughout."""
        pins = [f"{name}={value}" for name, value in self.pinned.items()]
        return [sys.executable, "-I", "-S", _START, *pins, self.agent.name, *self.options]

    @property
    def shell(self) -> str:
        """A command for whichever shell the agent uses: one word of it is a script for ``/bin/sh``.

        Status 2 and a message refuse the call where the program is missing, dies, says nothing, or is not heard.
        """
        return shlex.join(["/bin/sh", "-c", _OR_REFUSE, *self.argv])

    @property
    def script(self) -> str:
        """An executable file that is the hook, for agents that take no command line.

        One of them reads a status: what is none of ours rejects the call, or asks a person. The other reads nothing but
        what is printed.
        """
        line = f'o=$("$@") && {_WHOLE}'
        if self.agent.place.form == "script":
            line += " || echo " + shlex.quote(json.dumps({"cancel": True, "errorMessage": _FAILED}))
        start = shlex.join(["set", "--", *self.argv])
        return f"#!/bin/sh\n# written by `execpolicy install {self.agent.name}`\n{start}\n{line}\n"
