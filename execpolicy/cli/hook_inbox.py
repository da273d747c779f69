"""A hook's question in the inbox, and the person's answer in the agent's format."""

from __future__ import annotations

import os
from difflib import unified_diff
from typing import Any

from execpolicy.cli.hook_options import HookOptions
from execpolicy.core.answer import Answer, AnswerKind
from execpolicy.core.decision import Decision
from execpolicy.errors import ExecPolicyError
from execpolicy.hooks.answer_forms import AskedCall, HookAnswer
from execpolicy.hooks.hook_call import HookCall
from execpolicy.inbox.inbox_call import ask_inbox
from execpolicy.inbox.inbox_question import InboxQuestion, no_answer

_ARGUMENTS = ("tool_input", "toolArgs", "toolInput", "args", "arguments")
_PATHS = ("file_path", "filePath", "path", "absolute_path")
_CONTENTS = ("content", "file_text", "contents")
_REPLACED = (("old_string", "old_str", "oldString"), ("new_string", "new_str", "newString"))
_TRIAL = ("execpolicy-doctor prompting",)
"""The command that :mod:`execpolicy.gate.doctor` sends to the hook; no such program exists."""


def _changes(envelope: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The changes of a file tool as its arguments give them: a text to write, or texts to replace."""
    given: dict[str, Any] = next((envelope[name] for name in _ARGUMENTS if isinstance(envelope.get(name), dict)), {})
    path = next((given[name] for name in _PATHS if isinstance(given.get(name), str)), None)
    if path is None:
        return {}
    content = next((given[name] for name in _CONTENTS if isinstance(given.get(name), str)), None)
    if content is not None:
        return {path: {"kind": "add", "content": content}}
    edits = given["edits"] if isinstance(given.get("edits"), list) else [given]
    lines: list[str] = []
    for edit in edits:
        if not isinstance(edit, dict):
            continue
        texts = [next((edit[name] for name in names if isinstance(edit.get(name), str)), None) for names in _REPLACED]
        if None not in texts:
            old, new = ((text or "").splitlines() for text in texts)
            lines += list(unified_diff(old, new, lineterm="", n=2))[2:]
    return {path: {"kind": "update", "unified_diff": "\n".join(lines)}} if lines else {}


def ask_about(call: HookCall, reason: str, envelope: dict[str, Any], options: HookOptions) -> Answer:
    """The person's answer; ``unavailable`` if there is none in time."""
    agent = options.agent
    if not agent.place.waits:
        return no_answer(f"{agent.title} cannot be told to wait for a person, and may run it meanwhile")
    if call.commands == _TRIAL:
        return no_answer("a trial of `execpolicy doctor` asks no one")
    question = InboxQuestion(
        source="hook",
        agent=agent.name,
        session=call.session[:200],
        commands=call.commands,
        cwd=call.cwd or os.getcwd(),
        root=call.root,
        shell=call.shell or "bash",
        tool=call.tool[:200],
        writes=call.writes,
        changes={} if call.commands else _changes(envelope),
        reason=reason,
        rules=tuple([os.path.abspath(path) for path in options.rules]),
        rules_help=not call.doubts and call.skill is None,
        wait_s=options.wait,
    )
    try:
        return ask_inbox(question)
    except (ExecPolicyError, OSError) as error:
        return no_answer(str(error))


def answer_of_person(asked: AskedCall, said: Answer) -> HookAnswer | None:
    """The person's answer in the agent's format; ``None`` if there is none."""
    call = asked.call
    if said.kind is AnswerKind.UNAVAILABLE or asked.form is None:
        return None
    if said.approves:
        return asked.form.write(Decision.ALLOW, "execpolicy: a person agreed in the inbox", call)
    words = f": {said.feedback}" if said.feedback else ""
    return asked.form.write(Decision.FORBIDDEN, f"execpolicy: denied by the user{words}", call)
