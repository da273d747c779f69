"""Examines the gate of one agent: the installation, the ways around it, and the answers of the hook."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import signal
import stat
import subprocess
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from execpolicy.core.decision import Decision
from execpolicy.errors import ExecPolicyError, os_reason
from execpolicy.gate.codex_trust import CodexServer
from execpolicy.gate.installing import SCOPES, Scope, Site, delegated, other_hooks, plan_install, program_of
from execpolicy.gate.settings_edit import (
    AGENT_PATIENCE,
    DELEGATION,
    SettingsEdit,
    hook_names,
    is_ours,
    settings_in,
    value_at,
)
from execpolicy.hooks.agents import Agent
from execpolicy.hooks.answer_forms import HookShape
from execpolicy.hooks.hook_call import HookCall
from execpolicy.layers.hook_setting import hook_setting_of_process
from execpolicy.safe_open import out_of_reach, read_named
from execpolicy.system import why_not

Health = Literal["ok", "warning", "problem"]
_DEADLINE = 5.0
"""Seconds within which the hook answers in every case."""
_SLOW = 2.0
"""Seconds above which an answer is reported as slow."""
_COMMAND_LINE = re.compile(r"^const COMMAND = (\[.*\])$", re.MULTILINE)
_ON_PROMPT = re.compile(r"(--on-prompt)\W+(ask|deny|inbox)\b")
_LOG = re.compile(r"hook_start\.py.*\W(--log)\b")
_VERSION = re.compile(r"\d+(?:\.\d+)+")
_STARTING = ("PATH", "HOME", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "BASH_ENV", "ENV", "SHELL")


class Finding(NamedTuple):
    """The result of one check.

    Attributes:
        check: a stable name of the check.
        text: the result, and the remedy for a problem.
    """

    check: str
    health: Health
    text: str


class Examination:
    """The examination of one agent."""

    def __init__(self, site: Site, agent: Agent) -> None:
        self._site = site
        self._agent = agent
        self._here: dict[Scope, str] = {}
        self._names: set[str] = set()
        self._others: list[str] = []

    def findings(self) -> Iterator[Finding]:
        """The findings, in the order in which a call passes through the parts of the gate."""
        yield self._version()
        elsewhere = why_not("the inbox")
        if elsewhere is not None:
            yield Finding("system", "warning", f"{elsewhere}: `--on-prompt inbox` denies, and `run` has no sandbox")
        yield from self._settings()
        if not self._here:
            return
        if self._agent.name == "codex" and "machine" not in self._here:
            yield self._trust()
        yield from self._switches()
        yield from self._rewriters()
        yield from self._environment()
        yield self._unknown_prompts()
        yield from self._answers()

    def _version(self) -> Finding:
        agent = self._agent
        program = program_of(self._site, agent)
        if program is None:
            return Finding("version", "warning", f"{agent.title} is not found on PATH")
        known = agent.place.versions
        try:
            done = subprocess.run(
                [program, "--version"], capture_output=True, stdin=subprocess.DEVNULL, timeout=30, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return Finding("version", "warning", f"{program} does not say its version")
        found = _VERSION.search(done.stdout.decode("utf-8", "replace"))
        version = found[0] if found is not None else "unknown"
        since = agent.place.obeyed_since
        if not known:
            text = "its hooks are known from its documentation only"
        elif found is not None and since and _numbers(version) < _numbers(since):
            text = f"it passes over some of what `execpolicy install` writes: update to {since} or later"
        elif version not in known.split(", "):
            text = f"the hook was tried with {known}"
        else:
            return Finding("version", "ok", f"{version}, with which the hook was tried")
        return Finding("version", "warning", f"{version}: {text}")

    def _settings(self) -> Iterator[Finding]:
        """Findings about the place of the hook, and its differences from the one that ``install`` would write."""
        unread = False
        for scope in SCOPES:
            if not self._site.has_settings(self._agent, scope):
                continue
            path = self._site.settings_file(self._agent, scope)
            if not os.path.exists(path) and out_of_reach(path) is None:
                continue
            try:
                yield from self._installed(scope, path)
            except OSError as error:
                unread = True
                yield Finding("settings", "problem", f"cannot read `{path}`: {os_reason(error)}")
            except ExecPolicyError as error:
                yield Finding("settings", "problem", str(error))
        if not self._here and not unread:
            text = f"no settings start the hook: run `execpolicy install {self._agent.name}`"
            yield Finding("settings", "problem", text)
        elif "user" not in self._here and "machine" not in self._here:
            yield Finding(
                "settings", "warning", "only this project starts the hook, and anyone who writes there can end that"
            )

    def _installed(self, scope: Scope, path: str) -> Iterator[Finding]:
        text = read_named(path).decode("utf-8", "replace")
        if not is_ours(text):
            return
        command = self._command(path, text)
        if command is None:
            yield Finding("settings", "problem", f"{path}: the hook is not where the agent looks for it")
            return
        self._here[scope] = command
        self._names.update(hook_names(text))
        if plan_install(self._site, self._agent, scope, _options(path, text)).changed():
            flags = f" --scope {scope}" if scope != "user" else ""
            todo = f"run `execpolicy install {self._agent.name}{flags}`"
            yield Finding(
                "settings",
                "problem",
                f"{path}: the hook is not as it is written now (every tool, every event, "
                f"isolated, {AGENT_PATIENCE} s): {todo}",
            )
        else:
            yield Finding("settings", "ok", f"{path} starts the hook for every tool")
        if scope == "machine":
            yield from _changeable(command)

    def _command(self, path: str, text: str) -> str | None:
        """The hook that the agent starts: a command for a shell, or an executable."""
        form = self._agent.place.form
        if form == "module":
            found = _COMMAND_LINE.search(text)
            return shlex.join(json.loads(found[1])) if found is not None else None
        if form == "script":
            return shlex.quote(path) if os.access(path, os.X_OK) else None
        value = tomllib.loads(text) if path.endswith(".toml") else SettingsEdit(path, text).value
        found_commands = [command for command in _commands(value) if is_ours(command)]
        return found_commands[0] if found_commands else None

    def _trust(self) -> Finding:
        codex = program_of(self._site, self._agent)
        if codex is None:
            return Finding("trust", "warning", "Codex is not here to be asked whether it trusts the hook")
        try:
            with CodexServer(codex, self._site.cwd, self._site.environ) as server:
                ours, untrusted, self._others = server.ours(), server.untrusted(), server.others()
        except ExecPolicyError as error:
            return Finding("trust", "problem", str(error))
        if not ours:
            return Finding("trust", "problem", "Codex does not see the hook here")
        if untrusted:
            return Finding(
                "trust",
                "problem",
                "Codex passes the hook over, not trusted or switched off: run `execpolicy install codex`",
            )
        return Finding("trust", "ok", "Codex trusts the hook")

    def _switches(self) -> Iterator[Finding]:
        """Findings about settings that switch hooks off."""
        place = self._agent.place
        if not place.switch:
            return
        files = [self._site.file(self._agent, path) for path in (place.user, *place.switched_in)]
        found = False
        for path in files:
            settings = settings_in(path)
            value, unnamed = (value_at(settings, key.split(".")) for key in (place.switch, place.unnamed))
            if isinstance(unnamed, list) and not self._names.isdisjoint(map(str, unnamed)):
                found = True
                yield Finding("switch", "problem", f"{path} switches this hook off (`{place.unnamed}`): take that out")
            if value is not None and ("execpolicy" in value if isinstance(value, list) else value is not place.on):
                found = True
                survives = "machine" in self._here
                text = f"{path} switches hooks off (`{place.switch}`)"
                text += "; those of the machine stay on" if survives else ": take that out, or install for the machine"
                yield Finding("switch", "warning" if survives else "problem", text)
        if not found:
            yield Finding("switch", "ok", "no settings here switch hooks off")
        if "machine" not in self._here and place.machine:
            text = f"a project can switch off hooks (`{place.switch}`), except those of `--scope machine`"
            yield Finding("switch", "warning", text)

    def _rewriters(self) -> Iterator[Finding]:
        """Findings about other hooks at the same events, which may change a command after it was judged."""
        others = [*other_hooks(self._site, self._agent), *self._others]
        if others:
            text = f"hooks of others may change a command after it was judged: {', '.join(dict.fromkeys(others))}"
            yield Finding("others", "warning", text)
        else:
            yield Finding("others", "ok", "no other hook is asked at the same time")

    def _environment(self) -> Iterator[Finding]:
        """Findings about variables that a project sets for its agent, and so for the hook."""
        for path in self._agent.place.switched_in:
            variables = settings_in(self._site.file(self._agent, path)).get("env")
            names = [
                name
                for name in (variables if isinstance(variables, dict) else ())
                if name in _STARTING or name.startswith(("LD_", "BASH_FUNC_"))
            ]
            if names:
                yield Finding(
                    "environment", "problem", f"{path} sets {', '.join(names)} for everything that the agent starts"
                )

    def _unknown_prompts(self) -> Finding:
        try:
            setting = hook_setting_of_process().unknown
        except ExecPolicyError as error:
            return Finding("unknown prompts", "problem", str(error))
        return Finding("unknown prompts", "ok", self._agent.unknown_prompts(setting))

    def _answers(self) -> Iterator[Finding]:
        """Findings about the answers of the hook to calls with known answers."""
        for scope, command in self._here.items():
            probes = probe(self._agent, ["/bin/sh", "-c", command], self._site.environ)
            for each in probes:
                took = f"{each.seconds * 1000:.0f} ms"
                text = f"a {each.name} call: {each.decision or 'no decision'} ({took}, settings of the {scope})"
                if all(each.decision is not one for one in each.expected):
                    yield Finding(each.name, "problem", f"{text}: {each.detail[:300]}")
                elif each.seconds > _SLOW + (_DEADLINE if each.name == "slow" else 0):
                    yield Finding(each.name, "warning", f"{text}: that is slow")
                else:
                    yield Finding(each.name, "ok", text)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _options(path: str, text: str) -> tuple[str, ...]:
    """The options of the installed hook in a settings file, or in the program next to it."""
    with contextlib.suppress(OSError):
        text += read_named(delegated(path)).decode("utf-8", "replace")
    return tuple([word for found in (_ON_PROMPT.search(text), _LOG.search(text)) if found for word in found.groups()])


def _changeable(command: str) -> Iterator[Finding]:
    """The finding about files that ``command`` starts and that users other than the administrator may change."""
    found = []
    for word in shlex.split(command):
        for path in (word, os.path.dirname(word)) if os.path.isabs(word) and os.path.exists(word) else ():
            status = os.stat(path)
            if status.st_uid != 0 or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                found.append(path)
    if found:
        text = f"others than the administrator may change {', '.join(dict.fromkeys(found))}: install execpolicy as root"
        yield Finding("files", "warning", text)
    else:
        yield Finding("files", "ok", "only the administrator may change what the settings of the machine start")


def _commands(value: Any) -> Iterator[str]:
    """The commands in hook settings."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, str) and key in ("command", "bash", "to"):
                yield shlex.quote(inner) if key == "to" else inner
            elif key in ("hooks", DELEGATION) or isinstance(inner, list):
                yield from _commands(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _commands(inner)


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
        decision: the agent's interpretation of the answer; ``None`` if its own rules decide.
        expected: the decisions of a working gate, which is closed or open as the call requires.
        seconds: from the start of the hook to its end.
        detail: the output of the hook.
    """

    name: str
    decision: Decision | None
    expected: tuple[Decision | None, ...]
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
        return Probe(name, None, expected, 0.0, f"it cannot be started: {error.strerror}")
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
        return Probe(name, None, expected, patience, "it gave no answer before the agent's patience ends")
    seconds = time.monotonic() - started
    said = (out + err).decode("utf-8", "replace").strip()
    return Probe(name, _decision(agent, event, out, child.returncode, command), expected, seconds, said)


def _expected(agent: Agent, name: str) -> tuple[Decision | None, ...]:
    if name == "harmless":
        form = next(iter(_shape(agent).answers.values()))
        return (None if form.words[Decision.ALLOW] is None or form.statuses else Decision.ALLOW,)
    return (Decision.FORBIDDEN,) if name == "forbidden" else (Decision.FORBIDDEN, Decision.PROMPT)


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


def _decision(agent: Agent, event: str, out: bytes, status: int, command: str) -> Decision | None:
    """The agent's interpretation of an answer. A status other than 0 denies only if agents honour it."""
    form = _shape(agent).answers[event]
    if form.statuses:
        word = next((word for word, number in form.statuses.items() if number == status), "")
        closed = bool(word) or (status > 1 and agent.place.form == "delegate")
        return (
            Decision.PROMPT if word and word == form.words[Decision.PROMPT] else Decision.FORBIDDEN if closed else None
        )
    if status == 2 and agent.place.form != "script":
        return Decision.FORBIDDEN
    try:
        answer = json.loads(out)
    except ValueError:
        answer = None
    if status == 0 and isinstance(answer, dict):
        if answer == agent.silence:
            return None
        for call in (HookCall(event, agent.tools[0], commands=(command,)), HookCall("", "")):
            for decision in [decision for decision, word in form.words.items() if word is not None]:
                expected = form.write(decision, _ANY, call, "ask").body
                if expected is not None and _fits(answer, expected):
                    return decision
    return Decision.FORBIDDEN if agent.place.blocks_failures else None


def _fits(answer: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        return isinstance(answer, dict) and all(_fits(answer.get(key), value) for key, value in expected.items())
    if isinstance(expected, list):
        return isinstance(answer, list) and len(answer) == len(expected) and all(map(_fits, answer, expected))
    if isinstance(expected, str) and _ANY in expected:
        return answer is None or isinstance(answer, str)
    return bool(answer == expected)
