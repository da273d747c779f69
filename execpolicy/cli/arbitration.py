"""What ``arbiter`` and ``serve`` have in common: options, and from them an arbiter."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import click

from execpolicy.cli.argument_types import FILE, FOLDER
from execpolicy.cli.check_options import PROFILES
from execpolicy.cli.layer_arguments import GRANTS_OPTION, RULES
from execpolicy.cli.loading import report_problems
from execpolicy.errors import InvalidRuleError, UsageError
from execpolicy.judge.rulebook import Rulebook
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager import PolicyManager
from execpolicy.permissions.audit import AuditLog
from execpolicy.permissions.ruleset import Ruleset, ruleset_from_config
from execpolicy.protocol.arbiter import Arbiter
from execpolicy.protocol.arbiter_options import ArbiterOptions
from execpolicy.protocol.asking import Asker
from execpolicy.protocol.keeping import PolicyKeeper
from execpolicy.protocol.messages import AbortCode, Control
from execpolicy.protocol.policy_decider import PolicyDecider, RulebookShellJudge, ShellJudge
from execpolicy.protocol.rulings import Keeper
from execpolicy.protocol.shell_calls import SHELL_TOOLS

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_OPTIONS = (
    RULES,
    click.option("--ignore-rules", is_flag=True, help="Leave out rule files of user and project."),
    click.option("--strict", is_flag=True, help="Any problem in a rule file is an error."),
    GRANTS_OPTION,
    click.option(
        "--profile",
        type=click.Choice(PROFILES),
        default="default",
        show_default=True,
        help="Whose semantics of the decision.",
    ),
    click.option(
        "--permissions",
        type=FILE,
        help="JSON file with permission rules for other tools (a `permission` section, or the section alone).",
    ),
    click.option(
        "--shell-tool",
        multiple=True,
        metavar="NAME",
        help="A tool that runs commands (repeatable), in place of the usual.",
    ),
    click.option(
        "--default-action",
        type=click.Choice(["deny", "allow"]),
        default="deny",
        show_default=True,
        help="What a question gets when nobody can be asked. Dangerous calls are denied all the same.",
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
    click.option("--run-id", metavar="NAME", help="Name of the session in messages and audit trail."),
    click.option("--cwd", type=FOLDER, help="Where the agent runs (default: here)."),
)


def arbitration_options(command: Decorated) -> Decorated:
    """Add the options that both commands have."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Parts:
    """What an arbiter is made of, but for its two ends."""

    decider: PolicyDecider
    options: ArbiterOptions
    audit: AuditLog | None
    keeper: Keeper | None
    cwd: str
    manager: PolicyManager

    def arbiter(
        self,
        send: Callable[[Control], None],
        abort: Callable[[AbortCode, str], None],
        *,
        warn: Callable[[str], None],
        asker: Asker | None,
    ) -> Arbiter:
        """The arbiter between these ends."""
        return Arbiter(
            self.decider,
            send=send,
            abort=abort,
            warn=warn,
            asker=asker,
            keeper=self.keeper,
            audit=self.audit,
            options=self.options,
        )


def build_parts(
    given: Mapping[str, Any], *, unwaited: str = "warn", ask_host: bool = False, answers_pings: bool = False
) -> Parts:
    """The parts that the options describe.

    Raises:
        UsageError: an option makes no sense.
        RuleFileError: a rule file that was named has a problem.
    """
    cwd = os.path.abspath(given["cwd"] or os.getcwd())
    if not os.path.isdir(cwd):
        raise UsageError(f"`{cwd}` is not a folder: give one that exists to --cwd")
    if not 0 < given["timeout"] < 10**7:
        raise UsageError("--timeout needs a number of seconds above 0")
    rules = given["rules"]
    layers = LayerOptions.of_process(
        cwd=cwd,
        ignore_rules=given["ignore_rules"],
        files=rules or None,
        mode="strict" if rules or given["strict"] else "isolated",
        grants=given["grants"],
    )
    manager = PolicyManager(layers)
    report_problems(manager.current().layers, sys.stderr)

    def rulebook() -> Rulebook:
        return manager.current().rulebook

    home = os.environ.get("HOME")
    judge: ShellJudge = RulebookShellJudge(rulebook, home=home)
    if given["profile"] != "default":
        from execpolicy.codex.shell_judge import CodexShellJudge

        judge = CodexShellJudge(rulebook, home=home)
    shell_tools = given["shell_tool"] or SHELL_TOOLS
    target = os.path.abspath(rules[-1]) if rules else layers.default_rules
    keeper = None
    if target is not None:
        keeper = PolicyKeeper(manager, target, cwd=cwd, home=home, shell_tools=shell_tools)
    decider = PolicyDecider(
        judge,
        cwd=cwd,
        ruleset=_permissions(given["permissions"], home),
        rulebook=rulebook,
        shell_tools=shell_tools,
    )
    default: Literal["allow", "deny"] = "allow" if given["default_action"] == "allow" else "deny"
    options = ArbiterOptions(
        timeout_s=given["timeout"],
        default_action=default,
        unwaited="abort" if unwaited == "abort" else "warn",
        max_parse_errors=given["max_parse_errors"],
        expires_in_ms=given["expires"],
        answers_pings=answers_pings,
        ask_host=ask_host,
        run_id=given["run_id"] or f"r-{secrets.token_hex(6)}",
    )
    audit = AuditLog(given["audit"]) if given["audit"] else None
    return Parts(decider, options, audit, keeper, cwd, manager)


ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def handle_signals(handle: Callable[[int], None], numbers: Collection[signal.Signals] = ENDING) -> None:
    """Give signals (those that end a program) to ``handle``, but for those that are ignored (``nohup``)."""
    loop = asyncio.get_running_loop()
    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, handle, number)


def _permissions(path: str | None, home: str | None) -> Ruleset:
    if path is None:
        return ()
    try:
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read the permissions in `{path}`: {error}") from None
    if isinstance(config, dict) and "permission" in config:
        config = config["permission"]
    try:
        return ruleset_from_config(config, home=home)
    except InvalidRuleError as error:
        raise UsageError(f"`{path}`: {error}" + (f" ({error.help})" if error.help else "")) from None
