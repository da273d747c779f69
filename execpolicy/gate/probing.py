"""Starts an installed hook as its agent does, with calls whose answers are known."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from execpolicy.core.decision import Decision
from execpolicy.gate.hook_program import AGENT_PATIENCE
from execpolicy.hooks.agents import Agent
from execpolicy.hooks.answer_forms import AnswerForm, HookShape
from execpolicy.hooks.hook_call import HookCall

Meaning: TypeAlias = Literal["allow", "ask", "deny", "nothing"]
PROBES = ("harmless", "forbidden", "prompting", "malformed", "slow")
_COMMANDS = {"harmless": "pwd", "forbidden": "execpolicy-doctor forbidden", "prompting": "execpolicy-doctor prompting"}
_RULES = """\
prefix_rule(pattern=["execpolicy-doctor", "forbidden"], decision="forbidden", justification="it only tries the gate")
prefix_rule(pattern=["execpolicy-doctor", "prompting"], decision="prompt", justification="it only tries the gate")
"""
_ANY = "any text"


class Probe(NamedTuple):
    """The result of one call.

    Attributes:
        name: the kind of call; for a forbidden call at another event than the usual one, that event.
        meaning: the agent's interpretation of the answer.
        expected: the meanings of a working gate, which is closed or open as the call requires.
        seconds: from the start of the hook to its end.
        detail: the output of the hook.
    """

    name: str
    meaning: Meaning
    expected: tuple[Meaning, ...]
    seconds: float
    detail: str


def probe(agent: Agent, argv: Sequence[str], environ: Mapping[str, str]) -> list[Probe]:
    """The answers of the hook that ``argv`` starts, for one call of each kind, in a temporary project."""
    with tempfile.TemporaryDirectory(prefix="execpolicy-doctor-") as folder:
        rules = os.path.join(folder, ".codex", "rules")
        os.makedirs(rules)
        with open(os.path.join(rules, "doctor.rules"), "w", encoding="utf-8") as file:
            file.write(_RULES)
        cwd = os.path.realpath(folder)
        _ask(agent, argv, environ, PROBES[0], cwd)  # the first call after a change of rules fills a cache
        found = [_ask(agent, argv, environ, name, cwd) for name in PROBES]
        for event in further_events(agent):
            found.append(_ask(agent, argv, environ, "forbidden", cwd, event)._replace(name=event))
        return found


def further_events(agent: Agent) -> list[str]:
    """The events, other than the usual one, at which the agent calls the hook for commands."""
    return [event for event in list(_shape(agent).answers)[1:] if event in agent.place.events]


def _ask(
    agent: Agent, argv: Sequence[str], environ: Mapping[str, str], name: str, cwd: str, event: str | None = None
) -> Probe:
    """The result of a call of the kind ``name``, at ``event`` or at the usual event."""
    event = event or next(iter(_shape(agent).answers))
    command = _COMMANDS.get(name, "pwd")
    expected = _expected(agent, name)
    call = json.dumps(_envelope(agent, event, command, cwd))
    if name in ("malformed", "slow"):
        call = call[: len(call) // 2]
    started = time.monotonic()
    try:
        child = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={**environ, "AGENT_TOOL_NAME": agent.tools[0]},
            start_new_session=True,
        )
    except OSError as error:
        return Probe(name, "nothing", expected, 0.0, f"it cannot be started: {error.strerror}")
    out = err = b""
    try:
        if name == "slow":  # the rest of the call is never sent
            assert child.stdin is not None
            with contextlib.suppress(OSError):  # the child has already ended
                child.stdin.write(call.encode())
                child.stdin.flush()
            child.wait(AGENT_PATIENCE)
        out, err = child.communicate(None if name == "slow" else call.encode(), AGENT_PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)  # the hook that was started above, and its child processes
        child.communicate()
        patience = time.monotonic() - started
        return Probe(name, "nothing", expected, patience, "it gave no answer before the agent's patience ends")
    seconds = time.monotonic() - started
    said = (out + err).decode("utf-8", "replace").strip()
    return Probe(name, _meaning(agent, event, out, child.returncode, command), expected, seconds, said)


def _expected(agent: Agent, name: str) -> tuple[Meaning, ...]:
    if name == "harmless":
        form = next(iter(_shape(agent).answers.values()))
        return ("nothing",) if form.words[Decision.ALLOW] is None or form.statuses else ("allow",)
    return ("deny",) if name == "forbidden" else ("deny", "ask")


def _shape(agent: Agent) -> HookShape:
    """The form of the agent's call for a command."""
    return next((shape for shape in agent.shapes if shape.call.only in agent.tools), agent.shapes[0])


def _envelope(agent: Agent, event: str, command: str, cwd: str) -> dict[str, Any]:
    """The message that ``agent`` sends at ``event`` before ``command`` runs."""
    shape = _shape(agent)
    form = shape.call
    envelope: dict[str, Any] = {"cwd": cwd, "workspaceRoots": [cwd]}
    _put(envelope, form.event, event)
    if form.tool is not None:
        _put(envelope, form.tool, agent.tools[0])
        key, value = ("commands", [command]) if agent.tools[0] == "run_commands" else ("command", command)
        _put(envelope, f"{form.arguments[0]}.{key}", value)
    else:
        _put(envelope, form.sign, command)
    return envelope


def _put(envelope: dict[str, Any], key: str, value: Any) -> None:
    *outer, last = key.split(".")
    for part in outer:
        envelope = envelope.setdefault(part, {})
    envelope[last] = value


def _meaning(agent: Agent, event: str, out: bytes, status: int, command: str) -> Meaning:
    """The agent's interpretation of an answer. A status other than 0 denies only if agents honour it."""
    shape = _shape(agent)
    form = shape.answers[event]
    if form.statuses:
        words = {number: word for word, number in form.statuses.items()}
        word = words.get(status, "reject" if status > 1 and agent.place.form == "delegate" else "")
        return "nothing" if not word else "ask" if word == form.words[Decision.PROMPT] else "deny"
    if status == 2 and agent.place.form != "script":
        return "deny"
    failed: Meaning = "deny" if agent.place.blocks_failures else "nothing"
    try:
        answer = json.loads(out)
    except ValueError:
        return failed
    if status != 0 or not isinstance(answer, dict):
        return failed
    call = HookCall(event, agent.tools[0], commands=(command,))
    if answer == agent.silence:
        return "nothing"
    return _word(form, answer, call) or _word(form, answer, HookCall("", "")) or failed


def _word(form: AnswerForm, answer: dict[str, Any], call: HookCall) -> Meaning | None:
    meanings: dict[Decision, Meaning] = {Decision.ALLOW: "allow", Decision.PROMPT: "ask", Decision.FORBIDDEN: "deny"}
    for decision, meaning in meanings.items():
        if form.words[decision] is None:
            continue
        expected = form.write(decision, _ANY, call, "ask").body
        if expected is not None and _fits(answer, expected):
            return meaning
    return None


def _fits(answer: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        return isinstance(answer, dict) and all(_fits(answer.get(key), value) for key, value in expected.items())
    if isinstance(expected, list):
        return isinstance(answer, list) and len(answer) == len(expected) and all(map(_fits, answer, expected))
    if isinstance(expected, str) and _ANY in expected:
        return answer is None or isinstance(answer, str)
    return bool(answer == expected)
