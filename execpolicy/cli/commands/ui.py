"""``execpolicy ui``: the page."""

from __future__ import annotations

import asyncio
import sys

import click

from execpolicy.cli.output import OK, write_line
from execpolicy.errors import ExecPolicyError
from execpolicy.inbox.inbox_call import call_inbox
from execpolicy.inbox.waiting import InboxClosedError


@click.command(name="ui")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="The port of the loopback address (default: any that is free).",
)
@click.option("--no-browser", is_flag=True, help="Print the address and open no browser.")
def command(port: int, no_browser: bool) -> int:
    """Open the page: answer agents' questions, try commands, look at the policy and at recorded history.

    It serves this machine and this user only. The address that is printed opens it once, for one browser; where the
    page runs already, another address is printed. Needs `pip install 'execpolicy[ui]'`.

    \b
    Examples:
      $ execpolicy ui
      $ execpolicy ui --no-browser --port 8137
    """
    try:
        from execpolicy.cli.page.page_server import serve_page
    except ImportError as error:
        raise ExecPolicyError(f"the page needs more libraries ({error.name}): pip install 'execpolicy[ui]'") from None
    try:
        address = call_inbox({"do": "address"})["address"]
    except InboxClosedError:
        asyncio.run(serve_page(port, browser=not no_browser, say=_say))
        return OK
    _say(f"the page runs already: open {address}\n(it works once)")
    return OK


def _say(text: str) -> None:
    write_line(sys.stdout, text)
