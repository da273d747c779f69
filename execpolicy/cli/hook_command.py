"""``execpolicy hook AGENT``: read a hook call from standard input, answer in the agent's own form.

It fails closed: whatever goes wrong, and before the agent's patience ends, there is an answer that does not allow.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` only wraps it in enums, which takes 3 ms
import os

from execpolicy.cli.output import OK, dumps, encode, loads, write_line
from execpolicy.cli.output import USAGE as USAGE_STATUS
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.hooks.agents import AGENTS
from execpolicy.hooks.answer_forms import HookAnswer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import Any, NoReturn, TextIO

    from execpolicy.cli.hook_judgement import HookRuling
    from execpolicy.hooks.agents import Agent, AskedCall
    from execpolicy.hooks.answer_forms import OnPrompt

_USAGE = """\
Usage: execpolicy hook [OPTIONS] AGENT

Answer an agent's hook call: read one JSON object from standard input, print the answer that the agent understands.
AGENT is one of these, which read their hooks from

{agents}

Whatever goes wrong, the answer does not allow: agents take a hook that crashes or is killed for consent.

Options:
  --on-prompt HOW      what becomes of a command that needs a person: ask (the agent asks, where it can at all)
                       or deny; without it, whichever is dependable in that agent
  --audit FILE         append what was decided to FILE, a JSON object a line; what cannot be noted is not allowed
  --no-silence         print `{{}}` where there is nothing to say, so that no output is always a failure
  --deadline SECONDS   answer "ask" (or "deny") by then, whatever happens (default: 5)
  --grants HOW         which grounds an allow may rest on: none, plain or flow (default: flow);
                       settings can only narrow it
  -r, --rules FILE     use exactly these rule files above the built-in layer (repeatable);
                       without it, all layers of the folder that the call names are used
  -h, --help           show this text

Exit status: 0 for an answer (no output leaves the question to the agent), 2 for wrong usage and where no answer
could be given, which agents take for a denial.

Example, in front of an agent:
  $ execpolicy install claude

Example, by hand:
  $ echo '{{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {{"command": "ls"}}}}' \\
      | execpolicy hook claude
"""
_DEADLINE = 5.0
_FATAL = ("SIGALRM", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGXCPU", "SIGXFSZ", "SIGUSR1", "SIGUSR2", "SIGPIPE")
"""Signals that would end the process without an answer."""


def usage() -> str:
    """What ``--help`` prints."""
    return _USAGE.format(
        agents="\n".join([f"  {each.name:<8} {', '.join(each.place.files)}" for each in AGENTS.values()])
    )


def run_hook(arguments: Sequence[str], stdin: TextIO | None, stdout: TextIO | None, stderr: TextIO | None) -> int:
    """Run the subcommand and return its exit status."""
    if stdout is None or stderr is None:  # closed: nobody would see the answer, and the next file would get its place
        _end(USAGE_STATUS, "execpolicy: the answer could not be written\n")
    try:
        options = _parse(arguments)
    except UsageError as error:
        stderr.write(f"error: {error} (see `execpolicy hook --help`)\n")
        return USAGE_STATUS
    if options is None:
        stdout.write(usage())
        return OK
    hook = _Hook(options)
    hook.answer_whatever_comes()
    try:
        answer = hook.answer(stdin)
    except ExecPolicyError as error:
        answer = hook.closed_answer(f"execpolicy could not decide: {error}")
    except Exception as error:  # a bug here must not run a command: the agent takes a crash for consent
        answer = hook.closed_answer(f"execpolicy failed ({type(error).__name__}: {error}); please report it")
    signal.setitimer(signal.ITIMER_REAL, 0)
    if answer.body is None and options.no_silence and answer.status == OK:
        answer = HookAnswer({})
    return _give(answer, stdout, stderr)


def _give(answer: HookAnswer, stdout: TextIO, stderr: TextIO) -> int:
    """Print ``answer``; the exit status denies where that cannot be done."""
    try:
        if answer.body is not None:
            write_line(stdout, dumps(answer.body))
        if answer.message:
            stderr.write(answer.message)
            stderr.flush()
    except (OSError, ValueError):  # closed, full, or nobody reads it
        _end(USAGE_STATUS, "execpolicy: the answer could not be written\n")
    return answer.status


def _end(status: int, message: str) -> NoReturn:
    """Leave at once: flushing what could not be written would change the status."""
    try:
        os.write(2, message.encode())
    finally:
        os._exit(status)


class _Options:
    """What the command line says."""

    __slots__ = ("agent", "audit", "deadline", "files", "grants", "no_silence", "on_prompt")

    def __init__(self) -> None:
        self.agent: Agent = AGENTS["claude"]
        self.files: list[str] = []
        self.deadline = _DEADLINE
        self.grants: str | None = None
        self.on_prompt: OnPrompt = None
        self.audit: str | None = None
        self.no_silence = False

    def take(self, option: str, value: str) -> None:
        """Take the value of an option.

        Raises:
            UsageError: it is none of its values.
        """
        if option == "--deadline":
            try:
                self.deadline = float(value)
            except ValueError:
                raise UsageError(f"`{value}` is not a number of seconds") from None
            if not 0 < self.deadline < 3600:
                raise UsageError("--deadline must be between 0 and 3600 seconds")
        elif option == "--on-prompt":
            if value not in ("ask", "deny"):
                raise UsageError(f"--on-prompt is `ask` or `deny`, not `{value}`")
            self.on_prompt = value  # type: ignore[assignment]  # one of the two
        elif option == "--audit":
            self.audit = value
        elif option == "--grants":
            self.grants = value
        else:
            self.files.append(value)


def _parse(arguments: Sequence[str]) -> _Options | None:
    """What the arguments say; ``None``: the help is asked for."""
    options = _Options()
    name: str | None = None
    words = iter(arguments)
    for word in words:
        if word in ("-h", "--help"):
            return None
        if word in ("-r", "--rules", "--deadline", "--grants", "--on-prompt", "--audit"):
            value = next(words, None)
            if value is None:
                raise UsageError(f"a value is required for `{word}`")
            options.take(word, value)
        elif word == "--no-silence":
            options.no_silence = True
        elif name is None and not word.startswith("-"):
            name = word
        else:
            raise UsageError(f"unexpected argument `{word}`")
    if name not in AGENTS:
        raise UsageError(f"name the agent: one of {', '.join(AGENTS)}")
    options.agent = AGENTS[name]
    return options


class _Hook:
    """One call of an agent, of which the event is known as soon as it is read."""

    def __init__(self, options: _Options) -> None:
        self._options = options
        self._asked: AskedCall | None = None

    def answer(self, stdin: TextIO | None) -> HookAnswer:
        """The answer to the call on ``stdin``.

        Raises:
            ExecPolicyError: it is no call, or the rules that were named have a problem.
        """
        agent = self._options.agent
        asked = self._asked = agent.read(_envelope(stdin))
        if asked.form is None or not asked.call.concerns_us:
            return HookAnswer(None)
        from execpolicy.cli.hook_judgement import HookJudgement

        judgement = HookJudgement(agent, self._options.files, self._options.grants)
        ruling = judgement.ruling(asked.call)
        if ruling.decision is None:
            return HookAnswer(None)
        answer = asked.form.write(ruling.decision, f"execpolicy: {ruling.reason}", asked.call, self._options.on_prompt)
        if self._options.audit is not None:
            self._note(self._options.audit, asked, ruling, answer)
        return answer

    def closed_answer(self, reason: str) -> HookAnswer:
        """The answer where there is no decision."""
        return self._options.agent.closed_answer(self._asked, reason, self._options.on_prompt)

    def answer_whatever_comes(self) -> None:
        """Answer before the deadline and when a signal comes: an agent that sees its hook killed runs the command."""

        def give_up(number: int, frame: FrameType | None) -> None:
            why = f"did not decide within {self._options.deadline:g} s" if number == alarm else "was ended by a signal"
            answer = self.closed_answer(f"execpolicy {why}")
            try:
                if answer.body is not None:
                    os.write(1, encode(dumps(answer.body) + "\n"))
                os.write(2, answer.message.encode())
            except OSError:
                _end(USAGE_STATUS, "execpolicy: the answer could not be written\n")
            os._exit(answer.status)

        alarm = signal.SIGALRM
        for name in _FATAL:
            signal.signal(getattr(signal, name), give_up if name != "SIGPIPE" else signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, self._options.deadline)

    def _note(self, path: str, asked: AskedCall, ruling: HookRuling, answer: HookAnswer) -> None:
        from execpolicy.permissions.audit import AuditLog

        call = asked.call
        AuditLog(path).write(
            {
                "event": "hook",
                "agent": self._options.agent.name,
                "hook": call.event,
                "tool": call.tool,
                "commands": list(call.commands),
                "writes": list(call.writes),
                "cwd": call.cwd,
                "decision": None if ruling.decision is None else ruling.decision.word,
                "reason": ruling.reason,
                "grounds": list(ruling.codes),
                "answer": answer.body,
                "status": answer.status,
                "pid": os.getpid(),
            }
        )


def _envelope(stdin: TextIO | None) -> dict[str, Any]:
    """The JSON object on standard input.

    Raises:
        UsageError: it is none, or not whole.
    """
    if stdin is None:
        raise UsageError("standard input is closed: it should hold a JSON object")
    buffer = getattr(stdin, "buffer", None)
    try:
        raw = buffer.read() if buffer is not None else stdin.read().encode()
    except (OSError, ValueError) as error:
        raise UsageError(f"standard input cannot be read: {error}") from None
    if not raw:
        raise UsageError("standard input is empty: it should hold a JSON object")
    try:
        envelope = loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        at = getattr(error, "pos", None)
        cut = (
            " (it ends in the middle)" if at is not None and at >= len(raw.decode("utf-8", "replace").rstrip()) else ""
        )
        raise UsageError(f"standard input is not a JSON object{cut}") from None
    if not isinstance(envelope, dict):
        raise UsageError("standard input is not a JSON object")
    return envelope
