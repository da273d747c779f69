"""``execpolicy hook AGENT``: read a hook call from standard input, answer in the agent's own form.

It fails closed: whatever goes wrong, and before the agent's patience ends, there is an answer that does not allow.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` only wraps it in enums, which takes 3 ms
import os
import sys

from execpolicy.cli.exits import OK
from execpolicy.cli.exits import USAGE as USAGE_STATUS
from execpolicy.cli.jsontext import dumps, encode, loads
from execpolicy.cli.output import write_line
from execpolicy.core.decision import Decision
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.hooks.agents import AGENTS, HookAnswer, HookCall, fail_closed, read_call, write_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import TextIO

    from execpolicy.judge.verdict import Verdict

USAGE = f"""\
Usage: execpolicy hook [OPTIONS] AGENT

Answer an agent's hook call: read one JSON object from standard input, print the answer that the agent understands.
AGENT is one of: {", ".join(AGENTS)}.

Whatever goes wrong, the answer does not allow: agents take a hook that crashes or is killed for consent.

Options:
  --deadline SECONDS   answer "ask" (or "deny") by then, whatever happens (default: 5)
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


def run_hook(arguments: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
    """Run the subcommand and return its exit status."""
    try:
        agent, files, deadline = _parse(arguments)
    except UsageError as error:
        stderr.write(f"error: {error} (see `execpolicy hook --help`)\n")
        return USAGE_STATUS
    if agent == "help":
        stdout.write(USAGE)
        return OK
    _answer_by(agent, deadline)
    event = "PreToolUse"
    try:
        call = _read(agent, stdin)
        event = call.event
        answer = _decide(agent, call, files, stderr)
    except ExecPolicyError as error:
        answer = fail_closed(agent, event, f"execpolicy could not decide: {error}")
    except Exception as error:  # a bug here must not run a command: the agent takes a crash for consent
        answer = fail_closed(agent, event, f"execpolicy failed ({type(error).__name__}: {error}); please report it")
    signal.setitimer(signal.ITIMER_REAL, 0)
    if answer.body is not None:
        write_line(stdout, dumps(answer.body))
    stderr.write(answer.message)
    return answer.status


def _parse(arguments: Sequence[str]) -> tuple[str, list[str], float]:
    files: list[str] = []
    deadline = _DEADLINE
    agent: str | None = None
    words = iter(arguments)
    for word in words:
        if word in ("-h", "--help"):
            return "help", [], deadline
        if word in ("-r", "--rules", "--deadline"):
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
            else:
                files.append(value)
        elif agent is None and not word.startswith("-"):
            agent = word
        else:
            raise UsageError(f"unexpected argument `{word}`")
    if agent not in AGENTS:
        raise UsageError(f"name the agent: one of {', '.join(AGENTS)}")
    return agent, files, deadline


def _answer_by(agent: str, deadline: float) -> None:
    """Answer in time even if the decision hangs: an agent that kills its hook runs the command."""

    def give_up(number: int, frame: FrameType | None) -> None:
        del number, frame
        answer = fail_closed(agent, "PreToolUse", f"execpolicy did not decide within {deadline:g} s")
        if answer.body is not None:
            os.write(sys.stdout.fileno(), encode(dumps(answer.body) + "\n"))
        os._exit(answer.status)

    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, deadline)


def _read(agent: str, stdin: TextIO) -> HookCall:
    buffer = getattr(stdin, "buffer", None)
    raw = buffer.read() if buffer is not None else stdin.read().encode()
    try:
        envelope = loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        raise UsageError("standard input is not a JSON object") from None
    if not isinstance(envelope, dict):
        raise UsageError("standard input is not a JSON object")
    return read_call(agent, envelope)


def _decide(agent: str, call: HookCall, files: Sequence[str], stderr: TextIO) -> HookAnswer:
    if call.command is None:
        return write_answer(agent, call.event, None, "")
    from execpolicy.cli.deciding import situation_at
    from execpolicy.cli.loading import load_rulebook
    from execpolicy.judge.judge import judge_script
    from execpolicy.judge.reading import read_command

    situation = situation_at(call.cwd)
    rulebook = load_rulebook(stderr, files=files, cwd=situation.cwd)
    verdict = judge_script(read_command(call.command), rulebook, situation)
    return write_answer(agent, call.event, verdict.decision, reason_for(verdict))


def reason_for(verdict: Verdict) -> str:
    """One paragraph for the agent and its user: what decided, and about which part of the command."""
    from execpolicy.judge.reasons import short_reason

    if verdict.decision is Decision.ALLOW:
        return "execpolicy: allowed by rule or proven read-only"
    return f"execpolicy: {short_reason(verdict)}"
