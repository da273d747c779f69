"""``execpolicy completion``: the script that makes a shell complete the arguments of execpolicy."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

NAME = "execpolicy"


@click.command(name="completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    """Print the script that makes SHELL complete the arguments of execpolicy.

    \b
    Examples:
      $ echo 'eval "$(execpolicy completion bash)"' >> ~/.bashrc
      $ echo 'eval "$(execpolicy completion zsh)"' >> ~/.zshrc   # behind compinit
      $ execpolicy completion fish > ~/.config/fish/completions/execpolicy.fish

    bash must be 4.4 or newer. The script asks the program that is found as `execpolicy` on the path.
    """
    found = get_completion_class(shell)
    assert found is not None  # click supports all three
    click.echo(found(ctx.find_root().command, {}, NAME, f"_{NAME.upper()}_COMPLETE").source(), nl=False)
    return 0
