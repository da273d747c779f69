"""Options that commands share. They are declared once, in the usage text of ``check``, and click reads them there.

Also the common options of ``arbiter`` and ``serve``, and the arbiter that is built from them.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import click

from execpolicy.cli.argument_types import FILE, FOLDER, SHELL
from execpolicy.cli.check_options import GRANTS, MODES, USAGE
from execpolicy.cli.judgement import no_folder
from execpolicy.cli.loading import report_problems
from execpolicy.cli.permission_file import read_permissions
from execpolicy.cli.unparsed_command import options_in
from execpolicy.codex import PROFILES
from execpolicy.codex.decide import allows_login_shell
from execpolicy.codex.shell_judge import CodexShellJudge
from execpolicy.core.hosts import home_of
from execpolicy.errors import UsageError
from execpolicy.inbox.inbox_reviewer import InboxAsker
from execpolicy.judge.rulebook import Rulebook
from execpolicy.layers.layer_options import LayerOptions, Mode
from execpolicy.manager.policy_manager import PolicyManager
from execpolicy.permissions.audit import AuditLog
from execpolicy.protocol.arbiter import Arbiter
from execpolicy.protocol.consult import PolicyKeeper
from execpolicy.protocol.decisions import Decider, Keeper
from execpolicy.protocol.loop_watch import LoopWatch
from execpolicy.protocol.messages import AbortCode, Control
from execpolicy.protocol.policy_decider import PolicyDecider, RulebookShellJudge, ShellJudge
from execpolicy.protocol.questions import Asker, TerminalAsker
from execpolicy.protocol.session_options import ArbiterOptions
from execpolicy.protocol.shell_calls import SHELL_TOOLS

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


_F = TypeVar("_F", bound=Callable[..., Any])
_DECLARED = {option.names[-1]: option for option in options_in(USAGE)}


def shared(name: str, *destination: str, **how: Any) -> Callable[[_F], _F]:
    """The option ``name`` of ``check`` for click, with the same spellings and help.

    Args:
        how: further arguments for click, such as ``type``.
    """
    declared = _DECLARED[name]
    help = declared.help[:1].upper() + declared.help[1:].rstrip(";") + "."
    return click.option(*declared.names, *destination, help=help, **how)


FORMAT = click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print the answer.",
)
REPORT = click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json", "html"]),
    default="text",
    show_default=True,
    help="How to print the answer; html is a file of its own.",
)
RULES = shared("--rules", multiple=True, type=FILE)
PERMISSIONS = shared("--permissions", type=FILE)
GRANTS_OPTION = shared("--grants", type=click.Choice(GRANTS))
SCRIPT = click.option("--script", metavar="TEXT", help="A shell script instead of an argv.")
SHELL_OPTION = click.option(
    "--shell", type=SHELL, default="bash", show_default=True, help="The shell that reads the script."
)
SCRIPT_FILE = click.option(
    "--file", type=FILE, help="The shell script in FILE; `-` instead of a command reads standard input."
)
SCRIPTS_SHELL = shared("--shell", type=SHELL)
CWD = shared("--cwd", type=FOLDER)
PROFILE = shared("--profile", type=click.Choice(PROFILES), default="default", show_default=True)
RULE_FILE = click.option(
    "--file",
    "path",
    type=click.Path(dir_okay=False, resolve_path=False),
    callback=lambda _context, _parameter, path: None if path is None else os.path.abspath(path),
    metavar="FILE",
    help="The rule file, instead of default.rules.",
)


def layer_options(function: _F) -> _F:
    """Add ``--cwd``, ``--config-profile``, ``--ignore-rules``, ``--strict``, ``--lenient`` and ``--grants``."""
    for option in (
        GRANTS_OPTION,
        *[shared(name, "mode", flag_value=mode) for name, mode in reversed(MODES.items())],
        shared("--ignore-rules", is_flag=True),
        shared("--config-profile", metavar="NAME"),
        CWD,
    ):
        function = option(function)
    return function


def options_of(
    *,
    cwd: str | None,
    config_profile: str | None,
    ignore_rules: bool,
    mode: Mode | None,
    files: tuple[str, ...] = (),
    grants: str | None = None,
) -> LayerOptions:
    """The layer options for these values. Files that were named one by one must load: a problem in them is an error.

    Raises:
        UsageError: ``cwd`` is no folder.
    """
    if cwd is not None and not os.path.isdir(cwd):
        raise no_folder(cwd)
    chosen: Mode = mode or ("strict" if files else "isolated")
    return LayerOptions.of_process(
        cwd=cwd, profile=config_profile, ignore_rules=ignore_rules, mode=chosen, files=files or None, grants=grants
    )


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
    """The parts of an arbiter, except its two ends."""

    decider: Decider
    options: ArbiterOptions
    audit: AuditLog | None
    keeper: Keeper | None
    cwd: str
    manager: PolicyManager
    shell_tools: frozenset[str]

    def asker(self, source: str, ask: str, show: Callable[[str], None]) -> Asker | None:
        """The asker for ``ask``: the ``terminal`` or the ``inbox``; ``None`` for any other word."""
        keeps = self.keeper is not None
        if ask == "terminal":
            return TerminalAsker(show=show, keeps=keeps, shell_tools=self.shell_tools, cwd=self.cwd)
        if ask != "inbox":
            return None
        return InboxAsker(
            source=source, cwd=self.cwd, keeps=keeps, wait_s=self.options.timeout_s, shell_tools=self.shell_tools
        )

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


def build_parts(given: Mapping[str, Any], *, unwaited: str = "warn", ask_host: bool = False) -> Parts:
    """The parts that the options describe.

    Raises:
        UsageError: an option is invalid.
        RuleFileError: a rule file that was named has a problem.
    """
    cwd = os.path.abspath(given["cwd"] or os.getcwd())
    if not os.path.isdir(cwd):
        raise no_folder(cwd)
    if not 0 < given["timeout"] < 10**7:
        raise UsageError("--timeout needs a number of seconds above 0")
    rules = given["rules"]
    layers = options_of(
        cwd=cwd,
        config_profile=given["config_profile"],
        ignore_rules=given["ignore_rules"],
        mode=given["mode"],
        files=rules,
        grants=given["grants"],
    )
    manager = PolicyManager(layers)
    report_problems(manager.current().layers, sys.stderr)

    def rulebook() -> Rulebook:
        return manager.current().rulebook

    home = home_of(os.environ)
    judge: ShellJudge = RulebookShellJudge(rulebook, home=home)
    if given["profile"] != "default":
        judge = CodexShellJudge(rulebook, home=home, login=allows_login_shell(layers))
    shell_tools = frozenset(given["shell_tool"] or SHELL_TOOLS)
    target = os.path.abspath(rules[-1]) if rules else layers.default_rules
    keeper = None
    if target is not None:
        keeper = PolicyKeeper(manager, target, cwd=cwd, home=home, shell_tools=shell_tools)
    ruleset = read_permissions(given["permissions"], home)
    decider: Decider = PolicyDecider(judge, cwd=cwd, ruleset=ruleset, rulebook=rulebook, shell_tools=shell_tools)
    if given["permissions"]:
        decider = LoopWatch(decider, ruleset=ruleset)
    default: Literal["allow", "deny"] = "allow" if given["default_action"] == "allow" else "deny"
    options = ArbiterOptions(
        timeout_s=given["timeout"],
        default_action=default,
        unwaited="abort" if unwaited == "abort" else "warn",
        max_parse_errors=given["max_parse_errors"],
        expires_in_ms=given["expires"],
        ask_host=ask_host,
        run_id=given["run_id"] or f"r-{secrets.token_hex(6)}",
    )
    audit = AuditLog(given["audit"]) if given["audit"] else None
    return Parts(decider, options, audit, keeper, cwd, manager, shell_tools)
