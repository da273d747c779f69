"""``execpolicy arbiter``: run an agent and decide on its tool requests."""

from __future__ import annotations

import asyncio
import secrets
import signal

import click

from execpolicy.cli.arbitration import arbitration_options, build_parts, handle_signals
from execpolicy.cli.argument_types import COMMAND_WORD, CommandAboutWords, choice
from execpolicy.errors import UsageError
from execpolicy.protocol.outgoing import Notices
from execpolicy.protocol.session import RunnerSession
from execpolicy.protocol.session_options import SessionOptions


@click.command(name="arbiter", cls=CommandAboutWords, context_settings={"allow_interspersed_args": False})
@arbitration_options
@click.option("--prefix", default="", metavar="TEXT", help="Event lines start with TEXT; `auto` makes up a secret one.")
@click.option("--no-ask", is_flag=True, help="Ask no one: the default action decides.")
@choice("--ask", ("terminal", "inbox"), "Where questions are put: this terminal, or the page of `execpolicy ui`.")
@choice("--unwaited", ("warn", "abort"), "What a denied or dangerous request of an agent that does not wait leads to.")
@click.option("--no-ping", is_flag=True, help="Do not tell the agent that decisions will come.")
@click.option("--no-stderr-events", is_flag=True, help="Look for events on standard output only.")
@click.option("--grace", default=5.0, show_default=True, metavar="SECONDS", help="How long an aborted agent gets.")
@click.argument("child", nargs=-1, required=True, type=COMMAND_WORD, metavar="[--] CHILD...")
def command(
    prefix: str,
    no_ask: bool,
    ask: str,
    unwaited: str,
    no_ping: bool,
    no_stderr_events: bool,
    grace: float,
    child: tuple[str, ...],
    **common: object,
) -> int:
    """Run CHILD (an agent), pass its output on, and decide on the tool requests in it.

    Decisions go to its standard input; questions are put on standard error and answered at the terminal.

    The exit status is the agent's own; 128 + N if signal N ended it (or this program); 125 if the session was aborted,
    126 or 127 if the agent cannot be run.

    \b
    Example:
      $ execpolicy arbiter --audit audit.jsonl -- my-agent --task "fix the tests"
    """
    if grace < 0:
        raise UsageError("--grace needs a number of seconds from 0")
    if prefix == "auto":
        prefix = f"@{secrets.token_hex(8)} "
    if "\n" in prefix:
        raise UsageError("--prefix cannot hold a line break")
    notices = Notices()
    parts = build_parts(common, unwaited=unwaited)
    asker = parts.asker("arbiter", "nobody" if no_ask else ask, notices.show)
    options = SessionOptions(
        cwd=parts.cwd,
        prefix=prefix,
        stderr_events=not no_stderr_events,
        ping=not no_ping,
        grace_s=grace,
        own_process=True,
    )
    session = RunnerSession(
        child,
        lambda send, abort: parts.arbiter(send=send, abort=abort, warn=notices.warn, asker=asker),
        options=options,
        warn=notices.warn,
    )

    async def run() -> int:
        handle_signals(session.signal)
        handle_signals(session.forward, (signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH, signal.SIGCONT))
        handle_signals(lambda number: session.pause(), (signal.SIGTSTP,))
        return (await session.run()).status

    try:
        with parts.manager.watching():
            return asyncio.run(run())
    finally:
        notices.close()
