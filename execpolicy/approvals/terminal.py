"""The question at a terminal, and the reviewer that asks a person there.

Everything that is shown is escaped: nothing in it can move the cursor, be invisible or reverse the text direction.
Standard input is not used, since it belongs to the command.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import shutil
import termios
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from textwrap import wrap

from execpolicy.amend.preview import why_not_savable
from execpolicy.approvals.events import ApprovalRequest, ExecApprovalRequestEvent, ToolApprovalRequestEvent
from execpolicy.approvals.requirement import ExecPolicyAmendment
from execpolicy.approvals.review import (
    Abort,
    Approved,
    ApprovedExecpolicyAmendment,
    ApprovedForSession,
    Denied,
    NetworkAmendment,
    ReviewDecision,
)
from execpolicy.core.answer import Answer, AnswerKind
from execpolicy.core.quoting import join
from execpolicy.permissions.audit import redact
from execpolicy.programs.launcher import launched_script
from execpolicy.validators import flag, function, optional, text

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "Mn", "Me"})
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\e"}
_BLANK_LOOKALIKES = frozenset({"\u115f", "\u1160", "\u3164", "\uffa0", "\u2800"})


def visible(text: str) -> str:
    """``text`` on one line, with control, format and invisible characters and odd blanks as escapes (``\\u{202e}``)."""
    return "".join([_escaped(char) for char in text])


def visible_lines(text: str, width: int) -> list[str]:
    """``text`` line by line, each escaped and folded to at most ``width`` characters."""
    folded: list[str] = []
    for line in text.split("\n"):
        shown = visible(line)
        folded += [shown[at : at + width] for at in range(0, len(shown), width)] or [""]
    return folded


def wrapped_lines(text: str, width: int) -> list[str]:
    """``text`` line by line, each escaped and folded between words where possible."""
    lines: list[str] = []
    for line in text.split("\n"):
        lines += wrap(visible(line), width, break_on_hyphens=False) or [""]
    return lines


def _escaped(char: str) -> str:
    if " " <= char <= "~":
        return char
    if char in _SHORT:
        return _SHORT[char]
    if unicodedata.category(char) in _HIDDEN or char in _BLANK_LOOKALIKES:
        return f"\\u{{{ord(char):x}}}"
    return char


PROMPT = "answer: "
SESSION = "the same again in this session"
_AGAIN = "please answer with one of the letters above"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to a person.

    Every text in it may come from an agent. Each is escaped, and each of its lines starts with a mark that the lines of
    the answers do not have.

    Attributes:
        what: the command, script or change; it may have many lines.
        facts: facts about it, one line each.
        session: the scope of a yes for the session; ``None`` if that answer is not offered.
        prefix: the first words of commands that a saved rule would allow; empty if none is offered.
        host: the host that a rule may be saved for; ``None`` if the question is not about a host.
    """

    asks: str
    what: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    session: str | None = SESSION
    prefix: tuple[str, ...] = ()
    host: str | None = None

    def text(self, width: int) -> str:
        """The question in lines of at most about ``width`` characters, with every answer that it accepts."""
        room = max(width - 6, 20)
        lines = ["", f"execpolicy: {self.asks}"]
        lines += [f"  │ {line}" for text in self.what for line in visible_lines(text, room)]
        lines += [f"  · {line}" for fact in self.facts for line in visible_lines(visible(fact), room)]
        lines += [f"  ? {line}" for reason in self.reasons for line in wrapped_lines(reason, room)]
        lines.append("  y  yes, once")
        if self.session is not None:
            lines.append(f"  s  yes, and {visible(self.session)}")
        if self.prefix:
            lines.append(
                f"  p  yes, and save a rule that allows every command starting with: {visible(join(self.prefix))}"
            )
            if len(self.prefix) > 1:
                lines.append("     (p N saves only the first N words)")
        if self.host is not None:
            lines.append(f"  p  yes, and save a rule that allows {visible(self.host)}")
            lines.append(f"  d  no, and save a rule that forbids {visible(self.host)}")
        return "\n".join([*lines, "  n  no (n MESSAGE says why)", "  q  no, and stop", PROMPT])

    def read(self, line: str) -> ReviewDecision | str:
        """Parse ``line`` into a decision, or return a message for the person if it is invalid. An empty line is no."""
        word, _, rest = line.strip().partition(" ")
        word, rest = word.lower(), rest.strip()
        if word in ("", "n", "no"):
            return Denied(rest or None)
        if word in ("q", "quit", "a", "abort"):
            return Abort()
        if word in ("y", "yes") and not rest:
            return Approved()
        if word in ("s", "session") and not rest and self.session is not None:
            return ApprovedForSession()
        if word in ("p", "prefix") and self.prefix:
            return self._saving(rest)
        if self.host is not None and not rest and word in ("p", "d"):
            return NetworkAmendment(self.host, "allow" if word == "p" else "deny")
        return _AGAIN

    def _saving(self, words: str) -> ReviewDecision | str:
        """An answer that saves the first ``words`` words of the prefix (all by default), or an error message."""
        count = len(self.prefix)
        if words and not (words.isascii() and words.isdigit() and 1 <= int(words) <= count):
            return f"write `p`, or `p N` with N from 1 to {count} for the first N words"
        chosen = self.prefix[: int(words)] if words else self.prefix
        problem = why_not_savable(chosen)
        if problem is not None:
            return f"this cannot be saved: {visible(problem)}"
        return ApprovedExecpolicyAmendment(ExecPolicyAmendment(chosen))


_LONGEST_ANSWER = 8192


class ControllingTerminal:
    """An open terminal that does not block the event loop. Use as a context manager.

    Args:
        path: its device.

    Raises:
        OSError: there is no terminal.
    """

    def __init__(self, path: str = "/dev/tty") -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)

    def __enter__(self) -> ControllingTerminal:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._descriptor)

    def in_background(self) -> bool:
        """True if reading would stop this process, since the terminal belongs to another job or to none."""
        try:
            return os.tcgetpgrp(self._descriptor) != os.getpgrp()
        except OSError:
            return True

    async def put(self, question: Question, *, show: Callable[[str], None] | None = None) -> ReviewDecision | None:
        """Show ``question`` and return the answer; ``None`` if the terminal is gone.

        Args:
            show: writes the question, for instance to standard error; by default to the terminal.
        """
        show = self.write if show is None else show
        with contextlib.suppress(termios.error):  # keys typed before the question do not answer it
            termios.tcflush(self._descriptor, termios.TCIFLUSH)
        show(question.text(shutil.get_terminal_size().columns))
        try:
            while True:
                line = await self._line()
                if line is None:
                    show("\n")
                    return None
                answer = question.read(line)
                if not isinstance(answer, str):
                    return answer
                show(f"{answer}\n{PROMPT}")
        except asyncio.CancelledError:
            show("\n(the question is withdrawn)\n")
            raise

    def write(self, text: str) -> None:
        """Write ``text``. If the terminal is gone, the text is discarded."""
        data = text.encode("utf-8", "replace")
        with contextlib.suppress(OSError):
            while data:
                select.select([], [self._descriptor], [])
                with contextlib.suppress(BlockingIOError):
                    data = data[os.write(self._descriptor, data) :]

    async def _line(self) -> str | None:
        """The next line; ``None`` at the end of input, or if the terminal is gone."""
        loop = asyncio.get_running_loop()
        line = bytearray()
        while not line.endswith(b"\n"):
            readable = asyncio.Event()
            loop.add_reader(self._descriptor, readable.set)
            try:
                await readable.wait()
            finally:
                loop.remove_reader(self._descriptor)
            try:
                block = os.read(self._descriptor, 4096)
            except BlockingIOError:
                continue
            except OSError:
                return None
            if not block or len(line) > _LONGEST_ANSWER:
                return None
            line += block
        return line.decode("utf-8", "replace")


NO_TERMINAL = "approval is needed, and there is no terminal to ask on"


class TerminalReviewer:
    """A reviewer that asks a person at the terminal ``path``, and offers to save rules if it ``can_save``.

    Args:
        show: writes to standard error, which shows the question if it is a terminal; by default the terminal does.
    """

    def __init__(
        self, path: str = "/dev/tty", *, can_save: bool = True, show: Callable[[str], None] | None = None
    ) -> None:
        self._path = text(path, "TerminalReviewer: `path`")
        self._can_save = flag(can_save, "TerminalReviewer: `can_save`")
        self._show = optional(function)(show, "TerminalReviewer: `show`")
        self._turn = asyncio.Lock()

    async def review(self, event: ApprovalRequest) -> Answer | ReviewDecision:
        """The person's answer; one question at a time. Without a terminal it is ``unavailable``, with the reason."""
        async with self._turn:
            try:
                terminal = ControllingTerminal(self._path)
            except OSError:
                why = [f" ({visible(reason)})" for reason in event.reasons[:1]]
                return Answer(AnswerKind.UNAVAILABLE, "".join([NO_TERMINAL, *why]))
            with terminal:
                if terminal.in_background():
                    return Answer(AnswerKind.UNAVAILABLE, f"{NO_TERMINAL}: this process runs in the background")
                question = question_about(event, can_save=self._can_save)
                answer = await terminal.put(question, show=self._show if os.isatty(2) else None)
                if answer is None and isinstance(event, ToolApprovalRequestEvent):
                    return Answer(AnswerKind.UNAVAILABLE, NO_TERMINAL)
                return Abort() if answer is None else answer


MAX_SHOWN = 3_000
"""The maximum number of characters of an argument that are shown; a longer one loses its middle, with a note."""
_MAX_READ = 200_000


def question_about(event: ApprovalRequest, *, can_save: bool = True) -> Question:
    """The question for ``event``."""
    if isinstance(event, ToolApprovalRequestEvent):
        return _about_tool(event, can_save=can_save)
    if isinstance(event, ExecApprovalRequestEvent):
        return _about_command(event, can_save=can_save)
    changes: list[str] = []
    for path, change in event.changes.items():
        changes.append(f"{change.kind} {path}")
        changes.append((change.unified_diff if change.kind == "update" else change.content) or "")
    session = "the same files again in this session"
    if event.grant_root is not None:
        session = f"let this session write everything in {event.grant_root}"
    return Question(asks="may this be written?", what=tuple(changes), reasons=event.reasons, session=session)


def _about_command(event: ExecApprovalRequestEvent, *, can_save: bool) -> Question:
    launched = launched_script(event.command)
    if launched is None or launched.positional:
        what, facts = join(event.command), []
    else:
        what, facts = launched.script, [join(event.command[: launched.index])]
    facts.append(f"in {event.cwd}")
    if event.network is not None:
        to = event.network
        where = f"{to.protocol} to {to.host}, port {to.port}"
        return Question(
            asks="may this connect?",
            what=(where,),
            facts=(what, *facts),
            reasons=event.reasons,
            session="other connections to it in this session",
            host=to.host if can_save else None,
        )
    if event.sandbox is not None:
        facts.append(event.sandbox)
    offered = event.proposed_execpolicy_amendment
    return Question(
        asks="may this run?",
        what=(what,),
        facts=tuple(facts),
        reasons=event.reasons,
        session=None if event.human_only else SESSION,
        prefix=offered.prefix if can_save and offered is not None else (),
    )


def _about_tool(event: ToolApprovalRequestEvent, *, can_save: bool) -> Question:
    """The question about a tool call, without probable secrets."""
    facts = [event.tool, *[f"{name}: {_shown(value)}" for name, value in event.arguments.items()]]
    if event.cwd is not None and event.command is not None:
        facts.append(f"in {event.cwd}")
    offered = event.proposed_execpolicy_amendment
    return Question(
        asks="may this run?",
        what=() if event.command is None else (_shown(event.command),),
        facts=tuple(facts),
        reasons=tuple([str(redact(line)) for line in event.reasons]),
        session=None if event.human_only else SESSION,
        prefix=offered.prefix if can_save and offered is not None else (),
    )


def _shown(value: object) -> str:
    value = redact(value, limit=_MAX_READ)
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        value = join(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= MAX_SHOWN:
        return text
    half = MAX_SHOWN // 2
    return f"{text[:half]} ⟪{len(text) - 2 * half} characters are not shown here⟫ {text[-half:]}"
