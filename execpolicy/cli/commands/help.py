"""``execpolicy help`` and ``completion``: the help of a command, pages about other topics, completion of a shell."""

from __future__ import annotations

import os
import sys

import click
from click.shell_completion import CompletionItem, get_completion_class

from execpolicy.cli import suspicious_args
from execpolicy.cli.output import OK
from execpolicy.errors import UsageError
from execpolicy.lint.lint_run import explain_code
from execpolicy.resources import rules_folder

TOPICS = (
    *("start", "fewer-prompts", "when-you-are-asked", "files", "guarantees", "language", "layers"),
    *("settings", "packs", "team", "hooks", "shell", "embed", "heuristics", "approvals", "other-agents"),
)
"""Documentation pages about using the program that are not about one command."""


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    group = ctx.find_root().command
    assert isinstance(group, click.Group)
    names = () if ctx.params.get("words") else (*group.list_commands(ctx), *TOPICS)
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


@click.command(name="help")
@click.argument("words", nargs=-1, metavar="[COMMAND | TOPIC]", shell_complete=_complete)
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...]) -> int:
    """Print the help of a command, or a page about a topic; without either, what there is.

    A code of lint (EP203) prints its page.

    \b
    Examples:
      $ execpolicy help check
      $ execpolicy help language
      $ execpolicy help EP203
    """
    group = ctx.find_root().command
    assert isinstance(group, click.Group)
    if not words:
        click.echo(group.get_help(ctx.find_root()))
        click.echo(
            "\nTopics of `execpolicy help`:\n" + "".join(f"  {name:<18} {_title(name)}\n" for name in TOPICS), nl=False
        )
        return OK
    topic = words[0]
    commands = group.list_commands(ctx)
    if topic in commands:
        result = group.main([*words, "--help"], prog_name="execpolicy", standalone_mode=False)
        return result if isinstance(result, int) else OK
    if topic in TOPICS:
        _show(_page(topic))
        return OK
    if topic.upper().startswith("EP"):
        _show(explain_code(topic))
        return OK
    near = suspicious_args.did_you_mean(topic, [*commands, *TOPICS])
    raise UsageError(f"there is no help about `{topic}`{near or ': `execpolicy help` lists what there is'}")


def _page(topic: str) -> str:
    with open(os.path.join(os.path.dirname(rules_folder()), "docs", f"{topic}.md"), encoding="utf-8") as file:
        return file.read()


def _title(topic: str) -> str:
    return _page(topic).partition("\n")[0].lstrip("# ").replace("`", "")


def _show(text: str) -> None:
    if sys.stdout.isatty():
        click.echo_via_pager(text)
    else:
        click.echo(text, nl=False)


NAME = "execpolicy"


@click.command(name="completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> int:
    """Print the script that makes SHELL complete the arguments of execpolicy.

    \b
    Examples:
      $ echo 'eval "$(execpolicy completion bash)"' >> ~/.bashrc
      $ echo 'eval "$(execpolicy completion zsh)"' >> ~/.zshrc   # after compinit
      $ execpolicy completion fish > ~/.config/fish/completions/execpolicy.fish

    bash must be 4.4 or newer. The script asks the program that is found as `execpolicy` on the path.
    """
    found = get_completion_class(shell)
    assert found is not None  # click supports all three
    click.echo(found(ctx.find_root().command, {}, NAME, f"_{NAME.upper()}_COMPLETE").source(), nl=False)
    return 0
