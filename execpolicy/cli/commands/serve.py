"""``execpolicy serve``: decide on tool requests over standard input and output, for hosts that embed it."""

from __future__ import annotations

import asyncio
import sys

import click

from execpolicy.cli.arbitration import arbitration_options, build_parts, handle_signals
from execpolicy.cli.argument_types import choice
from execpolicy.errors import UsageError
from execpolicy.protocol.outgoing import Notices
from execpolicy.protocol.serve import HostSession


@click.command(name="serve")
@arbitration_options
@choice(
    "--ask",
    ("nobody", "host", "terminal", "inbox"),
    "Who answers: the default action, the host (it gets `ask`, says `policy.answer`), the terminal, the page.",
)
def command(ask: str, **common: object) -> int:
    """Read tool requests, one JSON object a line, from standard input; write decisions to standard output.

    For hosts that embed execpolicy; the messages are described in docs/protocol. Ends with standard input, with status
    0; 125 if the session was aborted.

    \b
    Example:
      $ echo '{"v":1,"type":"tool.request","ts":0,"id":"1","tool":"shell","args":{"command":"ls"},\\
        "requires_policy":true}' | execpolicy serve
    """
    if sys.stdin is None:
        raise UsageError("standard input is closed")
    notices = Notices()
    parts = build_parts(common, ask_host=ask == "host")
    asker = parts.asker("serve", ask, notices.show)
    session = HostSession(lambda send, abort: parts.arbiter(send=send, abort=abort, warn=notices.warn, asker=asker))

    async def run() -> int:
        handle_signals(session.signal)
        return await session.run()

    try:
        with parts.manager.watching():
            return asyncio.run(run())
    finally:
        notices.close()
