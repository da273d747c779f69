"""``execpolicy lsp``: the language server for editors."""

from __future__ import annotations

import sys
from typing import BinaryIO, cast

import click

from execpolicy.cli.argument_types import FILE
from execpolicy.cli.lsp.hover import RunCounts
from execpolicy.cli.output import OK
from execpolicy.errors import ExecPolicyError, UsageError


@click.command(name="lsp")
@click.option("--history", type=FILE, help="Commands, one a line or as JSON with `argv`: hover counts matches.")
def command(history: str | None) -> int:
    """Serve editors over standard input and output: diagnostics, formatting, quick fixes, hover, completion,
    outline, references, rename, hints, folding and colours.

    Needs the extra: pip install 'execpolicy[lsp]'. How to set up VS Code, Neovim and Helix: docs/lint.md.

    \b
    Example:
      $ execpolicy lsp --history ~/.local/state/commands.jsonl
    """
    try:
        from execpolicy.cli.lsp.navigation import create_server
    except ModuleNotFoundError as error:
        raise UsageError(f"the language server needs `{error.name}`: pip install 'execpolicy[lsp]'") from error
    answers = _Answers(sys.stdout.buffer)
    server = create_server(RunCounts.read(history) if history is not None else None)
    server.start_io(stdout=cast("BinaryIO", answers))
    if answers.failed is not None:
        raise answers.failed
    if server.failure is not None:
        raise ExecPolicyError(f"not everything that the editor asked was done: {server.failure}") from server.failure
    return OK


class _Answers:
    """Standard output that records a failed write.

    The server would report the failure over the same stream, and then that failure again, until Python gives up.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.failed: OSError | None = None

    def write(self, data: bytes) -> int:
        """Write and flush at once."""
        try:
            self._stream.write(data)
            self._stream.flush()
        except OSError as error:
            self.failed = error
        return len(data)

    def flush(self) -> None:
        """Does nothing: ``write`` flushes."""

    def close(self) -> None:
        """Does nothing: the stream is closed with the process."""
