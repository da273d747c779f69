"""A question as it waits in the inbox, its commands as the judge takes them, and the form of the answer."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from execpolicy.amend.save_plan import Grant, outcome
from execpolicy.core.answer import Answer, AnswerKind
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import PROTOCOLS, home_of
from execpolicy.core.quoting import join
from execpolicy.errors import UsageError
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.shell.script import Script
from execpolicy.validators import Checked, argv, command, every, one_of, seconds, text

_LONGEST_COUNTED = 2_000
"""The maximum number of characters of a recent question that is counted."""
_COUNTING_S = 0.5
"""Seconds for counting the recent questions that rules would have saved."""


def scripts_of(question: InboxQuestion) -> list[Script]:
    """Parses the commands of ``question``."""
    return [read_command(each, shell=question.shell) for each in question.commands]


def situation_of(question: InboxQuestion) -> Situation:
    """The execution context of its commands."""
    return Situation(question.cwd, home=home_of(os.environ), root=question.root)


def saved_by(
    grant: Grant, recent: Sequence[InboxQuestion], rulebook: Rulebook, situation: Situation
) -> tuple[int, int]:
    """The number of ``recent`` questions that a rule would have saved, newest first, and the number that were examined.

    Questions are untrusted input: long ones are skipped, and so are all that remain when the time is over.
    """
    ends = time.monotonic() + _COUNTING_S
    saved = counted = 0
    for each in reversed(recent):
        if time.monotonic() > ends:
            break
        if not each.commands or len(each.text) > _LONGEST_COUNTED:
            continue
        counted += 1
        saved += all(
            judge_script(script, rulebook, situation).decision is not Decision.ALLOW
            and outcome(script, [grant], rulebook, situation).decision is Decision.ALLOW
            for script in scripts_of(each)
        )
    return saved, counted


ANSWERS = {
    "once": AnswerKind.APPROVE,
    "session": AnswerKind.APPROVE_SESSION,
    "always": AnswerKind.APPROVE_RULE,
    "deny": AnswerKind.DENY,
}
"""The answers by the words of the inbox."""
MAX_LINE = 8 << 20
"""The maximum size of one message in bytes. A longer question is refused, because no person could read it."""
LONGEST_WAIT = 24 * 3600.0
_LONGEST_NAME = 200


def _short(value: Any, what: str) -> str:
    if len(text(value, what)) <= _LONGEST_NAME:
        return str(value)
    raise UsageError(f"{what} must be text of at most {_LONGEST_NAME} characters")


def _commands(value: Any, what: str) -> tuple[str | tuple[str, ...], ...]:
    found: tuple[str | tuple[str, ...], ...] = every(command)(value, what)
    if () not in found:
        return found
    raise UsageError(f"{what} must not have a command without words")


def _connection(value: Any, what: str) -> tuple[str, ...]:
    found = argv(value, what)
    if not found or (len(found) == 3 and found[1] in PROTOCOLS):
        return found
    raise UsageError(f"{what} must be a host, a protocol and a port")


def _wait(value: Any, what: str) -> float:
    if 0 < seconds(value, what) <= LONGEST_WAIT:
        return float(value)
    raise UsageError(f"{what} must be a number of seconds from 0 to {LONGEST_WAIT:,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxQuestion(
    Checked,
    **dict.fromkeys(("source", "agent", "session", "shell", "tool"), _short),
    **dict.fromkeys(("writes", "rules", "own_saving"), argv),
    commands=_commands,
    network=_connection,
    wait_s=_wait,
):
    """A question that a person has to decide.

    Attributes:
        source: ``hook``, ``run``, ``serve``, ``arbiter`` or ``api``.
        agent: the name of the agent; empty if it is unknown.
        session: the agent's name for its session: an answer for the session applies to it.
        commands: scripts and argvs.
        cwd, root: their working directory, and the directory that ``./`` in write rules means.
        shell: the shell that reads the scripts.
        tool: the agent's word for its tool, where that is not a shell.
        arguments: of a tool that runs no command.
        writes: files that the call would write.
        changes: a patch: ``{path: {"kind", "content", "unified_diff", "move_path"}}``.
        network: host, protocol and port of the connection in question while ``commands`` run; or empty.
        reason: the reason of the question.
        rules: the rule files that it was judged by in place of the layers.
        once: an administrator wants a person to look at every single call.
        rules_help: a rule for its commands would let it pass the next time; there is no other obstacle.
        own_saving: the asker saves rules himself (``run``, ``arbiter``): the prefix that he would save.
        wait_s: the number of seconds that he waits.
    """

    source: str
    agent: str = ""
    session: str = ""
    commands: tuple[str | tuple[str, ...], ...] = ()
    cwd: str = "/"
    root: str | None = None
    shell: str = "bash"
    tool: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    writes: tuple[str, ...] = ()
    changes: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    network: tuple[str, ...] = ()
    reason: str = ""
    rules: tuple[str, ...] = ()
    once: bool = False
    rules_help: bool = True
    own_saving: tuple[str, ...] = ()
    wait_s: float = 300.0

    def to_json(self) -> dict[str, Any]:
        """All fields; tuples as lists."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def text(self) -> str:
        """The action as text for a person: the commands, or the tool and its arguments."""
        if self.network:
            host, protocol, port = self.network
            return f"{self._commands}\nconnects to {host}, port {port} ({protocol})"
        if self.commands:
            return self._commands
        if self.changes:
            return f"{self.tool or 'apply_patch'} {' '.join(self.changes)}"
        if self.arguments:
            return f"{self.tool} {json.dumps(self.arguments, ensure_ascii=False)}"
        return " ".join([self.tool or "write", *self.writes])

    @property
    def _commands(self) -> str:
        return "\n".join([each if isinstance(each, str) else join(each) for each in self.commands])

    @property
    def sameness(self) -> str:
        """The key of an answer for the session: it applies again to questions with an equal key."""
        same = {name: value for name, value in self.to_json().items() if name not in ("wait_s", "reason")}
        return json.dumps(same, sort_keys=True)


def answer_in_words(word: object, message: str = "", prefix: tuple[str, ...] = ()) -> Answer:
    """The answer that the inbox calls ``word``; ``prefix`` is the one that the asker saves.

    Raises:
        UsageError: there is no such answer.
    """
    return Answer(ANSWERS[one_of(*ANSWERS)(word, "an answer")], message, prefix)


def word_of(answer: Answer | None) -> str | None:
    """The word of the inbox for ``answer``; ``None`` without an answer."""
    return next((word for word, kind in ANSWERS.items() if answer is not None and answer.kind is kind), None)


def no_answer(why: str) -> Answer:
    """The answer if no person answers: the caller's closed answer applies."""
    return Answer(AnswerKind.UNAVAILABLE, why)


def question_from_json(value: object) -> InboxQuestion:
    """The question that :meth:`InboxQuestion.to_json` wrote.

    Raises:
        UsageError: it is malformed; the message names the field.
    """
    if not isinstance(value, dict):
        raise UsageError("a question is a JSON object")
    unknown = value.keys() - {each.name for each in fields(InboxQuestion)}
    if unknown:
        raise UsageError(f"a question has no `{min(unknown)}`")
    return InboxQuestion(**{"source": "", **value})
