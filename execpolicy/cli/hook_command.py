"""``execpolicy hook AGENT``: read a hook call from standard input, answer in the agent's own form.

It fails closed: whatever goes wrong, and before the agent's patience ends, there is an answer that does not allow.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` only wraps it in enums, which takes 3 ms
import os
import sys

from execpolicy.cli.exits import OK
from execpolicy.cli.exits import USAGE as USAGE_STATUS
from execpolicy.cli.output import dumps, encode, loads, write_line
from execpolicy.core.decision import Decision
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.hooks.agents import AGENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import TextIO

    from execpolicy.hooks.agents import Agent, HookAnswer
    from execpolicy.judge.verdict import Verdict

_USAGE = """\
Usage: execpolicy hook [OPTIONS] AGENT

Answer an agent's hook call: read one JSON object from standard input, print the answer that the agent understands.
AGENT is one of these, which read their hooks from

{agents}

Whatever goes wrong, the answer does not allow: agents take a hook that crashes or is killed for consent.

Options:
  --deadline SECONDS   answer "ask" (or "deny") by then, whatever happens (default: 5)
  --grants HOW         which grounds an allow may rest on: none, plain or flow (default: flow);
                       settings can only narrow it
  -r, --rules FILE     use exactly these rule files above the built-in layer (repeatable);
                       without it, all layers of the folder that the call names are used
  -h, --help           show this text

Exit status: 0 for an answer (no output leaves the question to the agent), 2 for wrong usage.

Example, in the settings of an agent:
  {{"hooks": {{"PreToolUse": [{{"matcher": "Bash", "hooks": [{{"type": "command",
    "command": "execpolicy hook claude"}}]}}]}}}}

Example, by hand:
  $ echo '{{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {{"command": "ls"}}}}' \\
      | execpolicy hook claude
"""
_DEADLINE = 5.0


def usage() -> str:
    """What ``--help`` prints."""
    return _USAGE.format(agents="\n".join([f"  {each.name:<8} {', '.join(each.settings)}" for each in AGENTS.values()]))


def run_hook(arguments: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
    """Run the subcommand and return its exit status."""
    try:
        agent, files, deadline, grants = _parse(arguments)
    except UsageError as error:
        stderr.write(f"error: {error} (see `execpolicy hook --help`)\n")
        return USAGE_STATUS
    if agent is None:
        stdout.write(usage())
        return OK
    hook = _Hook(agent, files, grants, stderr)
    hook.answer_by(deadline)
    try:
        answer = hook.answer(stdin)
    except ExecPolicyError as error:
        answer = hook.closed_answer(f"execpolicy could not decide: {error}")
    except Exception as error:  # a bug here must not run a command: the agent takes a crash for consent
        answer = hook.closed_answer(f"execpolicy failed ({type(error).__name__}: {error}); please report it")
    signal.setitimer(signal.ITIMER_REAL, 0)
    if answer.body is not None:
        write_line(stdout, dumps(answer.body))
    stderr.write(answer.message)
    return answer.status


def _parse(arguments: Sequence[str]) -> tuple[Agent | None, list[str], float, str | None]:
    """The agent (``None``: the help is asked for), rule files, seconds, and how far grants may go."""
    files: list[str] = []
    deadline = _DEADLINE
    name: str | None = None
    grants: str | None = None
    words = iter(arguments)
    for word in words:
        if word in ("-h", "--help"):
            return None, [], deadline, None
        if word in ("-r", "--rules", "--deadline", "--grants"):
            value = next(words, None)
            if value is None:
                raise UsageError(f"a value is required for `{word}`")
            if word == "--deadline":
                try:
                    deadline = float(value)
                except ValueError:
                    raise UsageError(f"`{value}` is not a number of seconds") from None
                if not 0 < deadline < 3600:
                    raise UsageError("--deadline must be between 0 and 3600 seconds")
            elif word == "--grants":
                grants = value
            else:
                files.append(value)
        elif name is None and not word.startswith("-"):
            name = word
        else:
            raise UsageError(f"unexpected argument `{word}`")
    if name not in AGENTS:
        raise UsageError(f"name the agent: one of {', '.join(AGENTS)}")
    return AGENTS[name], files, deadline, grants


class _Hook:
    """One call of an agent, of which the event is known as soon as it is read."""

    def __init__(self, agent: Agent, files: Sequence[str], grants: str | None, stderr: TextIO) -> None:
        self._agent = agent
        self._files = files
        self._grants = grants
        self._stderr = stderr
        self._event = ""

    def answer(self, stdin: TextIO) -> HookAnswer:
        """The answer to the call on ``stdin``.

        Raises:
            ExecPolicyError: it is no call, or the rules that were named have a problem.
        """
        buffer = getattr(stdin, "buffer", None)
        raw = buffer.read() if buffer is not None else stdin.read().encode()
        try:
            envelope = loads(raw.decode("utf-8"))
        except (ValueError, RecursionError):
            raise UsageError("standard input is not a JSON object") from None
        if not isinstance(envelope, dict):
            raise UsageError("standard input is not a JSON object")
        call = self._agent.read(envelope)
        self._event = call.event
        if call.command is None:
            return self._agent.answer(call.event, None, "")
        from execpolicy.cli.judgement import Judging, situation_at

        judging = Judging(self._stderr, files=self._files, grants=self._grants)
        verdict = judging.verdict(call.command, situation_at(call.cwd))
        return self._agent.answer(call.event, verdict.decision, _reason_for(verdict))

    def closed_answer(self, reason: str) -> HookAnswer:
        """The answer where there is no decision."""
        return self._agent.closed_answer(self._event, reason)

    def answer_by(self, deadline: float) -> None:
        """Answer within ``deadline`` seconds even if deciding hangs: an agent that kills its hook runs the command."""

        def give_up(number: int, frame: FrameType | None) -> None:
            del number, frame
            answer = self.closed_answer(f"execpolicy did not decide within {deadline:g} s")
            if answer.body is not None:
                os.write(sys.stdout.fileno(), encode(dumps(answer.body) + "\n"))
            os._exit(answer.status)

        signal.signal(signal.SIGALRM, give_up)
        signal.setitimer(signal.ITIMER_REAL, deadline)


def _reason_for(verdict: Verdict) -> str:
    """One paragraph for the agent and its user: what decided, and about which part of the command."""
    from execpolicy.judge.reasons import short_reason

    if verdict.decision is Decision.ALLOW:
        return "execpolicy: allowed by rule or proven read-only"
    return f"execpolicy: {short_reason(verdict)}"
