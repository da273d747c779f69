"""The options that ``arbiter`` and ``serve`` share, the arbiter that they describe, and its handling of signals."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import click

from execpolicy.cli import permission_file
from execpolicy.cli.argument_types import FILE, choice
from execpolicy.cli.layer_arguments import PERMISSIONS, PROFILE, RULES, layer_options
from execpolicy.cli.loading import report_problems
from execpolicy.codex import decide
from execpolicy.codex.decide import decide_as_codex
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import home_of
from execpolicy.errors import UsageError
from execpolicy.inbox.inbox_reviewer import InboxAsker
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import PolicyManager
from execpolicy.permissions.audit import AuditLog
from execpolicy.protocol.arbiter import Arbiter
from execpolicy.protocol.decisions import Decider, LoopWatch, Ruling
from execpolicy.protocol.messages import ArbiterOptions
from execpolicy.protocol.policy_decider import PolicyDecider, RulebookShellJudge, ShellJudge
from execpolicy.protocol.questions import Asker, PolicyKeeper, TerminalAsker
from execpolicy.protocol.shell_calls import SHELL_TOOLS, ShellCall

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def handle_signals(handle: Callable[[int], None], numbers: Collection[signal.Signals] = ENDING) -> None:
    """Handle signals (those that end a program) with ``handle``, except ignored ones (``nohup``)."""
    loop = asyncio.get_running_loop()
    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, handle, number)


Decorated = TypeVar("Decorated", bound=Callable[..., Any])
_OPTIONS = (
    RULES,
    layer_options,
    PROFILE,
    PERMISSIONS,
    click.option(
        "--shell-tool",
        multiple=True,
        metavar="NAME",
        help="A tool that runs commands (repeatable), in place of the usual.",
    ),
    choice(
        "--default-action",
        ("deny", "allow"),
        "What a question gets when no one can be asked. Dangerous calls are denied all the same.",
    ),
    click.option(
        "--timeout", default=300.0, show_default=True, metavar="SECONDS", help="How long a question may stay open."
    ),
    click.option(
        "--expires", type=click.IntRange(0), metavar="MS", help="How long an `allow` holds (default: for ever)."
    ),
    click.option(
        "--max-parse-errors",
        type=click.IntRange(0),
        default=100,
        show_default=True,
        metavar="N",
        help="So many broken event lines end the session; 0 for no limit.",
    ),
    click.option("--audit", type=FILE, help="Write every request, decision and result there, as JSON lines."),
    click.option(
        "--run-id", metavar="NAME", help="Name of the session in messages and audit trail (default: made up)."
    ),
)


def arbitration_options(command: Decorated) -> Decorated:
    """Add the options that ``arbiter`` and ``serve`` share."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Parts:
    """An arbiter except its two ends, and what it decides with.

    Attributes:
        arbiter: makes the arbiter; it takes ``send``, ``abort``, ``warn`` and ``asker``.
        keeps: an answer may save a rule.
    """

    arbiter: partial[Arbiter]
    keeps: bool
    timeout_s: float
    cwd: str
    manager: PolicyManager
    shell_tools: frozenset[str]

    def asker(self, source: str, ask: str, show: Callable[[str], None]) -> Asker | None:
        """The asker for ``ask``: the ``terminal`` or the ``inbox``; ``None`` for any other word."""
        if ask == "terminal":
            return TerminalAsker(show=show, keeps=self.keeps, shell_tools=self.shell_tools, cwd=self.cwd)
        if ask != "inbox":
            return None
        return InboxAsker(
            source=source, cwd=self.cwd, keeps=self.keeps, wait_s=self.timeout_s, shell_tools=self.shell_tools
        )


def build_parts(given: Mapping[str, Any], *, unwaited: str = "warn", ask_host: bool = False) -> Parts:
    """The parts that the options describe.

    Raises:
        UsageError: an option is invalid.
        RuleFileError: a rule file that was named has a problem.
    """
    if not 0 < given["timeout"] < 10**7:
        raise UsageError("--timeout needs a number of seconds above 0")
    layers: LayerOptions = given["layers"]
    os.getcwd()  # an error if it is gone: nothing is decided or run in its place
    cwd = layers.cwd
    manager = PolicyManager(layers)
    report_problems(manager.current().layers, sys.stderr)

    def rulebook() -> Rulebook:
        return manager.current().rulebook

    home = home_of(os.environ)
    judge: ShellJudge = RulebookShellJudge(rulebook, home=home)
    if given["profile"] != "default":
        judge = CodexShellJudge(rulebook, home=home, login=decide.allows_login_shell(layers))
    shell_tools = frozenset(given["shell_tool"] or SHELL_TOOLS)
    target = os.path.abspath(layers.files[-1]) if layers.files else layers.default_rules
    keeper = None
    if target is not None:
        keeper = PolicyKeeper(manager, target, cwd=cwd, home=home, shell_tools=shell_tools)
    ruleset = permission_file.read_permissions(given["permissions"], home)
    decider: Decider = PolicyDecider(judge, cwd=cwd, ruleset=ruleset, rulebook=rulebook, shell_tools=shell_tools)
    if given["permissions"]:
        decider = LoopWatch(decider, ruleset=ruleset)
    options = ArbiterOptions(
        timeout_s=given["timeout"],
        default_action=given["default_action"],
        unwaited="abort" if unwaited == "abort" else "warn",
        max_parse_errors=given["max_parse_errors"],
        expires_in_ms=given["expires"],
        ask_host=ask_host,
        run_id=given["run_id"] or f"r-{secrets.token_hex(6)}",
    )
    audit = AuditLog(given["audit"]) if given["audit"] else None
    arbiter = partial(Arbiter, decider, keeper=keeper, audit=audit, options=options)
    return Parts(arbiter, keeper is not None, options.timeout_s, cwd, manager, shell_tools)


class CodexShellJudge:
    """Judges commands as Codex does: its splitter, rules only; unmatched commands prompt.

    Our own parser rates how grave a question is, which decides if a default may answer it. Codex's parser sees less,
    and Codex has no such defaults.
    """

    def __init__(self, rulebook: Callable[[], Rulebook], *, home: str | None, login: bool = True) -> None:
        self._rulebook = rulebook
        self._login = login
        self._home = home
        self._own = RulebookShellJudge(rulebook, home=home)

    def judge(self, call: ShellCall, /) -> Ruling:
        """The ruling on a command."""
        situation = Situation(call.cwd, home=self._home)
        body, decision = decide_as_codex(call.command, self._rulebook(), situation, shell=call.shell, login=self._login)
        reason, rule_id = "no rule mentions it", None
        for match in body["matchedRules"]:
            rule = match.get("prefixRuleMatch")
            if rule is not None and rule["decision"] == decision.word:
                rule_id = "prefix:" + " ".join(rule["matchedPrefix"])
                reason = rule.get("justification") or f"`{' '.join(rule['matchedPrefix'])}` is matched by a rule"
        if decision is Decision.ALLOW and call.doubts:
            return Ruling(decision=Decision.PROMPT, reason=call.doubts[0], rule_id=rule_id, grave=True)
        if decision is not Decision.PROMPT:
            return Ruling(decision=decision, reason=reason, rule_id=rule_id)
        return replace(self._own.judge(call), decision=decision, reason=reason, rule_id=rule_id, grounds=())
