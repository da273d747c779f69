"""``execpolicy hook AGENT``: reads a hook call from standard input and answers in the agent's format.

It fails closed: on any error it gives an answer that does not allow, before the agent's timeout.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` only wraps it in enums, which takes 3 ms
import os
from io import StringIO

from execpolicy.cli import hook_inbox, permission_file
from execpolicy.cli.hook_options import HookOptions, parse_hook_options, usage
from execpolicy.cli.judgement import Judging, situation_at
from execpolicy.cli.output import OK, dumps, encode, loads
from execpolicy.cli.output import USAGE as USAGE_STATUS
from execpolicy.cli.signals import FATAL, refuse_when_signalled
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import home_of
from execpolicy.errors import ExecPolicyError, RuleFileError, UsageError
from execpolicy.fd_io import blocks_of, read_to_end, write_all
from execpolicy.hooks import other_tools
from execpolicy.hooks.answer_forms import HookAnswer
from execpolicy.judge import file_write
from execpolicy.layers import problems
from execpolicy.layers.hook_setting import hook_setting_of_process
from execpolicy.permissions import audit
from execpolicy.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType
    from typing import Any, NoReturn, TextIO

    from execpolicy.cli.hook_options import HookOptions
    from execpolicy.cli.permission_file import HookPermissions
    from execpolicy.hooks.answer_forms import AnswerForm, AskedCall
    from execpolicy.hooks.hook_call import HookCall, Shell
    from execpolicy.judge.situation import Situation
    from execpolicy.layers.hook_setting import Unknown

_LARGEST_CALL = 64 << 20
"""Maximum size of a call in bytes."""


def run_hook(arguments: Sequence[str], stdin: TextIO | None, stdout: TextIO | None, stderr: TextIO | None) -> int:
    """Run the subcommand and return its exit status."""
    if stdout is None or stderr is None:  # closed: the answer would be lost, and the next file would get the number
        _end()
    try:
        options = parse_hook_options(arguments)
    except UsageError as error:
        wrong = f"error: {error} (see `execpolicy hook --help`)\n"
        return _give(HookAnswer(None, USAGE_STATUS, wrong), stdout, stderr)
    if options is None:
        stdout.write(usage())
        return OK
    hook = _Hook(options)
    hook.answer_whatever_comes(stdout, stderr)
    try:
        answer = hook.answer(stdin)
    except RuleFileError as error:
        answer = hook.closed_answer(f"execpolicy could not decide: {problems.first_fault(error.diagnostics)}")
    except ExecPolicyError as error:
        answer = hook.closed_answer(f"execpolicy could not decide: {error}")
    except Exception as error:  # a bug here must not run a command: agents treat a crash as consent
        answer = hook.closed_answer(f"execpolicy failed ({type(error).__name__}: {error}); please report it")
    refuse_when_signalled()
    if answer.body is None and options.no_silence and answer.status == OK:
        answer = HookAnswer(options.agent.silence)
    status = _give(answer, stdout, stderr)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return status


def _give(answer: HookAnswer, stdout: TextIO, stderr: TextIO) -> int:
    """Print ``answer`` and return its exit status, which denies if printing fails."""
    try:
        if answer.body is not None:
            _write(stdout, encode(dumps(answer.body) + "\n"))
        if answer.message:
            _write(stderr, encode(answer.message))
    except (OSError, ValueError):  # closed, full, or without a reader
        _end()
    return answer.status


def _write(stream: TextIO, data: bytes) -> None:
    try:
        fd = stream.fileno()
    except (OSError, ValueError):  # an in-memory stream
        stream.write(data.decode())
        stream.flush()
    else:
        write_all(fd, data)


def _end() -> NoReturn:
    """Exit at once with a status that denies: flushing unwritable output would change the status."""
    try:
        os.write(2, b"execpolicy: the answer could not be written\n")
    finally:
        os._exit(USAGE_STATUS)


class _Hook:
    """One call of an agent. Its event is known as soon as the call is read."""

    def __init__(self, options: HookOptions) -> None:
        self._options = options
        self._asked: AskedCall | None = None
        self._decided: HookAnswer | None = None

    def answer(self, stdin: TextIO | None) -> HookAnswer:
        """The answer to the call on ``stdin``.

        Raises:
            ExecPolicyError: the input is not a call, or the named rules have a problem.
        """
        agent = self._options.agent
        envelope = _envelope(stdin)
        asked = self._asked = agent.read(envelope)
        if asked.form is None:
            return HookAnswer(None)
        options = self._options
        setting = hook_setting_of_process()
        named = (*setting.permissions, *options.permissions)
        if not (named or asked.call.has_actions):
            return HookAnswer(None)
        permissions = None
        if named:
            permissions = permission_file.HookPermissions(agent.name, named, home=home_of(os.environ))
        ruling = HookJudgement(options, permissions).ruling(asked.call)
        if ruling.decision is None:
            return HookAnswer(None)
        agreed = ruling.decision is Decision.ALLOW
        if self._options.inbox and ruling.decision is Decision.PROMPT:
            answer, agreed = self._ask_inbox(asked, ruling, envelope)
        else:
            answer = self._answer_of(asked, asked.form, ruling, setting.unknown)
        if not agreed:
            self._decided = answer  # nothing from here on makes the decision more permissive
        if self._options.audit is not None:
            audit.AuditLog(self._options.audit).write(self._entry(asked, ruling, answer))
        if self._options.log:
            audit.log_hook(self._entry(asked, ruling, answer), os.environ)
        return answer

    def _answer_of(self, asked: AskedCall, form: AnswerForm, ruling: HookRuling, unknown: Unknown) -> HookAnswer:
        """The answer without the inbox; none to an unknown prompt that the setting leaves to an agent that decides."""
        assert ruling.decision is not None
        agent = self._options.agent
        reason, on_prompt = f"execpolicy: {ruling.reason}", self._options.on_prompt
        if ruling.unknown and on_prompt != "deny":
            if unknown == "deny":
                reason, on_prompt = f'{reason} (the setting is `hook.unknown = "deny"`)', "deny"
            elif unknown == "agent" and form.leaves_to_agent(asked.call, agent.place.programs or (agent.name,)):
                return HookAnswer(None)
            elif unknown == "agent":
                reason += f" (nothing objects to it, but {agent.title} may not ask by itself here)"
        return form.write(ruling.decision, reason, asked.call, on_prompt)

    def _ask_inbox(self, asked: AskedCall, ruling: HookRuling, envelope: dict[str, Any]) -> tuple[HookAnswer, bool]:
        """The person's answer in the inbox, and true if it is a yes; the closed answer if there is none."""
        signal.setitimer(signal.ITIMER_REAL, self._options.wait + self._options.deadline)
        said = hook_inbox.ask_about(asked.call, ruling.reason, envelope, self._options)
        answer = hook_inbox.answer_of_person(asked, said)
        if answer is None:
            return self.closed_answer(f"execpolicy: {ruling.reason} (inbox: {said.feedback})"), False
        return answer, said.approves

    def closed_answer(self, reason: str) -> HookAnswer:
        """The answer if there is no decision, or no permissible allow: the decision made so far if it restricts."""
        if self._decided is not None:
            return self._decided
        return self._options.agent.closed_answer(self._asked, reason, self._options.on_prompt)

    def answer_whatever_comes(self, stdout: TextIO, stderr: TextIO) -> None:
        """Answer before the deadline and on a signal: an agent runs the command if its hook is killed."""

        def give_up(number: int, frame: FrameType | None) -> None:
            refuse_when_signalled()
            why = f"did not decide within {self._options.deadline:g} s" if number == alarm else "was ended by a signal"
            os._exit(_give(self.closed_answer(f"execpolicy {why}"), stdout, stderr))

        alarm = signal.SIGALRM
        for name in FATAL:
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), give_up)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, self._options.deadline)

    def _entry(self, asked: AskedCall, ruling: HookRuling, answer: HookAnswer) -> dict[str, Any]:
        """The line of a log."""
        call = asked.call
        return {
            "event": "hook",
            "agent": self._options.agent.name,
            "session": call.session,
            "mode": call.mode,
            "hook": call.event,
            "tool": call.tool,
            "commands": list(call.commands),
            "writes": list(call.writes),
            "cwd": call.cwd,
            "decision": None if ruling.decision is None else ruling.decision.word,
            **({"kind": "unknown" if ruling.unknown else "objected"} if ruling.decision is Decision.PROMPT else {}),
            "reason": ruling.reason,
            "grounds": list(ruling.codes),
            "answer": answer.body,
            "status": answer.status,
            "pid": os.getpid(),
        }


def _is_cut_short(text: str, error: Exception) -> bool:
    """True if ``text``, whose parse error is ``error``, could be a prefix of valid JSON."""
    at, said = getattr(error, "pos", None), getattr(error, "msg", "")
    if at is None:
        return False
    rest = text[at:].rstrip()
    return said.startswith("Unterminated string") or any(
        word.startswith(rest) for word in ("true", "false", "null", "-")
    )


def _envelope(stdin: TextIO | None) -> dict[str, Any]:
    """The JSON object on standard input.

    Raises:
        UsageError: it is no JSON object, or is incomplete.
    """
    try:
        raw = read_to_end(blocks_of(stdin), _LARGEST_CALL)
    except OSError as error:
        raise UsageError(f"standard input cannot be read: {error.strerror}") from None
    if not raw:
        raise UsageError("standard input is empty: it should hold a JSON object")
    try:
        envelope = loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        cut = " (it ends in the middle)" if _is_cut_short(raw.decode("utf-8", "replace"), error) else ""
        raise UsageError(f"standard input is not a JSON object{cut}") from None
    if not isinstance(envelope, dict):
        raise UsageError("standard input is not a JSON object")
    return envelope


_LONGEST_PROBLEM = 300


@value
class HookRuling:
    """A decision on a call, and its reason.

    Attributes:
        decision: ``None`` if there is none, which leaves the call to the agent.
        reason: for the agent and its user, one paragraph.
        codes: the codes of the grounds of an allow.
        unknown: an unknown prompt, see :class:`~execpolicy.judge.verdict.Verdict`.
    """

    decision: Decision | None
    reason: str
    codes: tuple[str, ...] = ()
    unknown: bool = False

    def __post_init__(self) -> None:
        if (self.decision is Decision.ALLOW) is not bool(self.codes):
            raise ValueError("an allow needs the grounds that it rests on, and nothing else has any")


class HookJudgement:
    """Judges the calls of one agent by the rules of each call's folder, or by the files that ``options`` name.

    Args:
        permissions: additional permission rules.
    """

    def __init__(self, options: HookOptions, permissions: HookPermissions | None) -> None:
        self._agent = options.agent
        self._permissions = permissions
        self._problems = StringIO()
        self._by_trusted, self._by_all = [
            Judging(options, self._problems, untrusted=untrusted) for untrusted in (False, True)
        ]

    def ruling(self, call: HookCall) -> HookRuling:
        """The strictest decision among the parts of the call.

        The rules of an untrusted project can only tighten. They are read last, so that no file of the project
        delays a refusal.

        Raises:
            UsageError: it names a folder that does not exist.
            RuleFileError: a named rule file has a problem.
        """
        situation = situation_at(call.cwd, call.root, terminal=call.terminal)
        if self._by_all.holds_untrusted(situation):
            ruling = self._ruling(self._by_trusted, call, situation)
            if ruling.decision is Decision.FORBIDDEN:
                return ruling
        return self._ruling(self._by_all, call, situation)

    def _ruling(self, judging: Judging, call: HookCall, situation: Situation) -> HookRuling:
        called: Sequence[Shell] = call.commands
        if call.skill is not None:
            called = other_tools.commands_of_skill(call.skill, call.cwd, situation.home) or ()
        commands = [(command, shell) for command in called for shell in self._shells(call, command)]
        parts = [self._of_command(judging, command, shell, situation) for command, shell in commands]
        parts += self._of_writes(judging, call, situation)
        if call.doubts and not any(part.decision is Decision.FORBIDDEN for part in parts):
            parts.append(HookRuling(Decision.PROMPT, f"the call needs approval: {call.doubts[0]}"))
        if self._permissions is not None:
            parts += self._of_permissions(self._permissions, call, commands, situation)
        decided = [part for part in parts if part.decision is not None]
        if not decided or (len(decided) < len(parts) and all(part.decision is Decision.ALLOW for part in decided)):
            return HookRuling(None, "no rule mentions it")
        strictest = max(decided, key=lambda part: (part.decision or Decision.ALLOW, not part.unknown))
        reason = strictest.reason
        problems = self._problems.getvalue()
        if strictest.decision is Decision.PROMPT and problems and not judging.rulebook(situation).fail_closed:
            first = " ".join(problems.partition("\n\n")[0].split())[:_LONGEST_PROBLEM]
            reason += f" (and there is a problem in the rules: {first})"
        codes = dict.fromkeys([code for part in decided for code in part.codes])
        unknown = strictest.unknown and call.skill is None  # no permission of an agent is about what a skill runs
        return HookRuling(
            strictest.decision, reason, tuple(codes) if strictest.decision is Decision.ALLOW else (), unknown
        )

    def _shells(self, call: HookCall, command: Shell) -> tuple[str, ...]:
        """The shells that may read ``command``: the one that the call names, or bash and the user's own."""
        if call.shell is not None:
            return (call.shell,)
        own = os.environ.get("SHELL", "").rpartition("/")[2]
        if own in self._agent.shells and own != "bash" and isinstance(command, str):
            return ("bash", own)
        return ("bash",)

    @staticmethod
    def _of_command(judging: Judging, command: Shell, shell: str, situation: Situation) -> HookRuling:
        verdict = judging.verdict(command, situation, shell=shell)
        if verdict.decision is Decision.ALLOW:
            codes = tuple(dict.fromkeys([ground.code for ground in verdict.grounds]))
            return HookRuling(Decision.ALLOW, verdict.reason, codes)
        return HookRuling(verdict.decision, verdict.reason, unknown=verdict.kind == "unknown")

    @staticmethod
    def _of_permissions(
        permissions: HookPermissions, call: HookCall, commands: Sequence[tuple[Shell, str]], situation: Situation
    ) -> Iterator[HookRuling]:
        ruling = permissions.ruling(call, commands, situation.cwd)
        if ruling.decision is Decision.FORBIDDEN:
            yield HookRuling(Decision.FORBIDDEN, f"`{call.tool}` is forbidden: {ruling.reason}")
        elif ruling.decision is Decision.PROMPT:
            yield HookRuling(Decision.PROMPT, f"`{call.tool}` needs approval: {ruling.reason}")

    @staticmethod
    def _of_writes(judging: Judging, call: HookCall, situation: Situation) -> Iterator[HookRuling]:
        if not call.writes:
            return
        rulebook = judging.rulebook(situation)
        for path in call.writes:
            plain = path.removeprefix("file://")
            if plain.startswith("~/") and situation.home is not None:
                plain = situation.home + plain[1:]
            write = file_write.FileWrite(plain, rulebook, situation)
            decision = write.decision()
            if decision is Decision.ALLOW and call.foreign:
                decision = None  # the other effects of the tool on the file are unknown
            yield HookRuling(decision, write.reason(), write.grounds if decision is Decision.ALLOW else ())
