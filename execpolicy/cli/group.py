"""The subcommands as a click group. Each is imported on demand: imports are most of the cost of a call.

``check`` and ``hook`` as click commands, for ``--help`` of the group and for completion.

They parse their arguments themselves, so that a decision need not wait for an argument parser. Their usage text is
the only list of their options; completion is derived from it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from keyword import iskeyword
from typing import Any, NamedTuple, TextIO

import click
from click.shell_completion import CompletionItem

from execpolicy.cli import all_errors, suspicious_args
from execpolicy.cli.argument_types import complete_command
from execpolicy.cli.check_options import FORMATS, GRANTS
from execpolicy.cli.output import PROBLEM, USAGE
from execpolicy.codex import PROFILES, VERSIONS
from execpolicy.diagnostics.render_text import visible
from execpolicy.errors import ExecPolicyError, RuleFileError, UsageError
from execpolicy.shell.script import SHELLS

SUBCOMMANDS = {
    "check": "Decide whether a command may run.",
    "hook": "Answer an agent's hook call.",
    "split": "Show the commands that a script would run.",
    "explain": "Say why: every rule and reason behind a decision.",
    "install": "Put the hook in front of agents.",
    "uninstall": "Take the hook away from agents.",
    "doctor": "Prove that the hook holds on this machine.",
    "list": "Show the rules in force, layer by layer.",
    "allow": "Save an allow rule for a command prefix.",
    "undo": "Remove a rule that `allow` saved.",
    "trust": "Let a project's rules allow commands.",
    "network": "Save a rule for connections to a host.",
    "config": "Show the settings in force, and where they come from.",
    "lint": "Report problems in rule files.",
    "fmt": "Bring rule files into canonical layout.",
    "lsp": "Serve editors: findings, formatting, fixes, hover, completion.",
    "init": "Set up a project.",
    "import": "Turn an agent's permissions into rules, and say what gets lost.",
    "export": "Write the rules in an agent's format, and say what gets lost.",
    "test": "Run the examples in rule files and case files.",
    "diff": "Show what a change of rules changes.",
    "log": "Show what the hook decided.",
    "replay": "Decide recorded commands again, and suggest rules.",
    "ui": "Open the page: answer questions, try commands, look at the policy.",
    "inbox": "List, show and answer the questions that wait for a person.",
    "run": "Ask if needed, then run a command in a sandbox.",
    "arbiter": "Run an agent and decide on its tool requests.",
    "serve": "Decide on tool requests over standard input and output.",
    "protocol-test": "Test whether a program follows the policy protocol.",
    "completion": "Print the completion script of a shell.",
    "help": "Explain a command or a topic.",
}

_HOMES = {
    "hook": "check",
    **dict.fromkeys(("uninstall", "doctor"), "install"),
    **dict.fromkeys(("undo", "network"), "allow"),
    "export": "import",
    **dict.fromkeys(("serve", "protocol-test"), "arbiter"),
    "completion": "help",
}
"""The commands that are in the module of another one."""


class _LazyGroup(click.Group):
    """A group whose subcommands are in modules of their own."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in SUBCOMMANDS:
            return None
        home = _HOMES.get(cmd_name, cmd_name)
        module = import_module(f"execpolicy.cli.commands.{home}{'_' * iskeyword(home)}")
        own = "command" if home == cmd_name else f"{cmd_name.replace('-', '_')}_command"
        command: click.Command = getattr(module, own)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The matching names, without importing their commands."""
        names = [CompletionItem(name, help=text) for name, text in SUBCOMMANDS.items() if name.startswith(incomplete)]
        return names + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(SUBCOMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in SUBCOMMANDS and not ctx.resilient_parsing:
            ctx.fail(f"no such command `{name}`{suspicious_args.did_you_mean(name, SUBCOMMANDS)}")
        return super().resolve_command(ctx, args)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="execpolicy", message="%(prog)s %(version)s")
def cli() -> None:
    """Decide whether a coding agent may run a command: allow, prompt or forbidden, and say why.

    \b
    Examples:
      $ execpolicy check -- git push --force origin main
      $ execpolicy check --script 'cd src && grep -rn main . | head -5'
    """


def run_group(arguments: Sequence[str]) -> int:
    """Run a subcommand and return its exit status."""
    try:
        result: Any = cli.main(list(arguments), prog_name="execpolicy", standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("aborted", err=True)
        return 130
    except click.ClickException as error:
        click.echo(_in_one_line(error), err=True)
        return error.exit_code
    except RuleFileError as error:
        all_errors.write_faults(sys.stderr, error.diagnostics)
        return PROBLEM
    except ExecPolicyError as error:
        click.echo(f"error: {error}", err=True)
        return USAGE if isinstance(error, UsageError) else PROBLEM
    return result if isinstance(result, int) else 0


def _in_one_line(error: click.ClickException) -> str:
    """``error`` as one line with advice; the help text itself if the call was only a name."""
    message = error.format_message()
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return message
    message = visible(" ".join((message[:1].lower() + message[1:].rstrip(".")).split()))
    message += _near_choice(error)
    path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx is not None else None
    return f"error: {message}" + (f" (see `{path} --help`)" if path else "")


def _near_choice(error: click.ClickException) -> str:
    """`, did you mean …?` if a value is close to a valid choice."""
    kind = error.param.type if isinstance(error, click.BadParameter) and error.param is not None else None
    given, found, _ = error.message.partition("' is not one of ")
    if not isinstance(kind, click.Choice) or not found:
        return ""
    return suspicious_args.did_you_mean(given.removeprefix("'"), tuple(map(str, kind.choices)))


Run = Callable[[Sequence[str], TextIO, TextIO, TextIO], int]

_OPTION = re.compile(r"^  (?:(-\w), )?(--[a-z-]+)(?: (\S+))?(?:  +(.*))?$", re.MULTILINE)
_VALUES = {
    "--shell": SHELLS,
    "--profile": PROFILES,
    "--grants": GRANTS,
    "--format": FORMATS,
    "--compat": VERSIONS,
    "--on-prompt": ("ask", "deny", "inbox"),
}


class WrittenOption(NamedTuple):
    """An option in a usage text; ``value`` is empty for a flag."""

    names: tuple[str, ...]
    value: str
    help: str


def options_in(usage: str) -> list[WrittenOption]:
    """The options of a usage text, in its order."""
    return [
        WrittenOption(tuple([name for name in (short, long) if name]), value, help)
        for short, long, value, help in _OPTION.findall(usage.partition("\nOptions:\n")[2])
    ]


class UnparsedCommand(click.Command):
    """A command that passes its arguments unparsed to ``run``.

    Args:
        usage: the text of its ``--help``.
        words: the choices of its first operand; empty if that is a command.
    """

    def __init__(self, name: str, run: Run, *, usage: str, help: str, words: tuple[str, ...] = ()) -> None:
        super().__init__(
            name,
            context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
            add_help_option=False,
            help=help,
            params=[
                click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED, shell_complete=self._complete_operand)
            ],
            callback=lambda arguments: run(arguments, sys.stdin, sys.stdout, sys.stderr),
        )
        self.options = options_in(usage)
        self._words = words

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        return [
            CompletionItem(name, help=option.help)
            for option in self.options
            for name in option.names
            if name.startswith(incomplete)
        ]

    def _complete_operand(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        before: list[str] = list(ctx.params.get("arguments") or ())
        if before[-1:] == ["="]:  # bash splits `--shell=sh`
            before.pop()
        valued = {name: option.value for option in self.options if option.value for name in option.names}
        at = 0
        while at < len(before) and before[at] != "--" and before[at].startswith("-"):
            name = before[at]
            at += 1
            if name in valued:
                if at == len(before):
                    if valued[name] in ("FILE", "DIR"):
                        return [CompletionItem(incomplete, type=valued[name].lower())]
                    return [CompletionItem(value) for value in _VALUES.get(name, ()) if value.startswith(incomplete)]
                at += 1
        operands = tuple([word for word in before[at:] if word != "--"])
        if self._words:
            return [CompletionItem(word) for word in self._words if word.startswith(incomplete) and not operands]
        return complete_command(operands, incomplete)
