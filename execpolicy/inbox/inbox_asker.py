"""The inbox as the person behind an arbiter: ``serve --ask inbox`` and ``arbiter --ask inbox``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from execpolicy.inbox.inbox_call import ask_inbox_async
from execpolicy.inbox.inbox_question import InboxQuestion
from execpolicy.permissions.redaction import redact
from execpolicy.protocol.asking import PersonAnswer
from execpolicy.protocol.decisions import Ruling
from execpolicy.protocol.messages import Choice, ToolRequest
from execpolicy.protocol.shell_calls import SHELL_TOOLS, NotAShellCall, shell_call
from execpolicy.validators import flag, folder, one_of, seconds, texts

_CHOICES = {"once": Choice.ONCE, "session": Choice.SESSION, "always": Choice.KEEP, "deny": Choice.DENY}


class InboxAsker:
    """Puts questions to the page of ``execpolicy ui``.

    Args:
        source: ``serve`` or ``arbiter``.
        cwd: the folder that the agent works in.
        keeps: an answer may allow the proposed prefix for good.
        wait_s: how long a question waits.
    """

    at_once = 1_000

    def __init__(
        self,
        *,
        source: str,
        cwd: str,
        keeps: bool = False,
        wait_s: float = 300.0,
        shell_tools: Collection[str] = SHELL_TOOLS,
    ) -> None:
        self._source = one_of("serve", "arbiter")(source, "source")
        self._cwd = folder(cwd, "cwd")
        self._keeps = flag(keeps, "keeps")
        self._wait_s = seconds(wait_s, "wait_s")
        self._shell_tools = frozenset(texts(shell_tools, "shell_tools"))

    async def ask(self, request: ToolRequest, ruling: Ruling, /) -> PersonAnswer:
        """The person's answer; :attr:`Choice.UNAVAILABLE` if nobody looks at the inbox."""
        keeps = self._keeps and bool(ruling.proposal) and not ruling.grave
        question = InboxQuestion(
            source=self._source,
            session=(request.run_id or "")[:200],
            tool=request.tool[:200],
            reason=ruling.reason,
            once=ruling.once,
            rules_help=False,
            own_saving=ruling.proposal if keeps else (),
            wait_s=self._wait_s,
            **self._what(request),
        )
        answer = await ask_inbox_async(question)
        if answer.word is None:
            return PersonAnswer(Choice.UNAVAILABLE, answer.message)
        return PersonAnswer(_CHOICES[answer.word], answer.message or None, answer.prefix)

    def _what(self, request: ToolRequest) -> dict[str, Any]:
        """What would happen: a command where there is one, otherwise the arguments."""
        if request.tool in self._shell_tools:
            try:
                call = shell_call(request.args, cwd=self._cwd)
            except NotAShellCall:
                pass
            else:
                return {"commands": (call.command,), "cwd": call.cwd, "shell": call.shell}
        return {"arguments": redact(request.args), "cwd": self._cwd}
