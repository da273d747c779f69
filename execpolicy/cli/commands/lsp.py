"""``execpolicy lsp``: the language server for editors."""

from __future__ import annotations

import click

from execpolicy.cli.argument_types import FILE
from execpolicy.cli.output import OK
from execpolicy.errors import UsageError


@click.command(name="lsp")
@click.option("--history", type=FILE, help="Commands, one a line or as JSON with `argv`: hover counts matches.")
def command(history: str | None) -> int:
    """Serve editors over standard input and output: diagnostics, formatting, quick fixes, hover, completion.

    Needs the extra: pip install 'execpolicy[lsp]'. How to set up VS Code, Neovim and Helix: docs/lsp.md.

    \b
    Example:
      $ execpolicy lsp --history ~/.local/state/commands.jsonl
    """
    try:
        from execpolicy.cli.lsp.server import create_server
    except ModuleNotFoundError as error:
        raise UsageError(f"the language server needs `{error.name}`: pip install 'execpolicy[lsp]'") from error
    from execpolicy.cli.lsp.run_counts import RunCounts

    create_server(RunCounts.read(history) if history is not None else None).start_io()
    return OK
