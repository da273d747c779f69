"""``execpolicy arbiter``, ``serve`` and ``protocol-test``: the policy protocol with an agent or with a host."""

from __future__ import annotations

import asyncio
import json
import secrets
import signal
import sys

import click

from execpolicy.cli.arbitration import arbitration_options, build_parts, handle_signals
from execpolicy.cli.argument_types import COMMAND_WORD, CommandAboutWords, choice
from execpolicy.cli.output import PROBLEM
from execpolicy.errors import UsageError
from execpolicy.protocol.conformance import RULES, PeerReport, try_peer
from execpolicy.protocol.messages import SessionOptions
from execpolicy.protocol.outgoing import Notices
from execpolicy.protocol.serve import HostSession
from execpolicy.protocol.session import RunnerSession


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


@click.command(name="serve")
@arbitration_options
@choice(
    "--ask",
    ("nobody", "host", "terminal", "inbox"),
    "Who answers: the default action, the host (it gets `ask`, says `policy.answer`), the terminal, the page.",
)
def serve_command(ask: str, **common: object) -> int:
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


_WORDS = {True: "holds", False: "BROKEN", None: "-"}


@click.command(name="protocol-test", context_settings={"allow_interspersed_args": False})
@click.option("--host", is_flag=True, help="The program is a host that starts `execpolicy serve`, not an agent.")
@click.option(
    "--rule",
    "rules",
    multiple=True,
    type=click.Choice([rule.name for rule in RULES]),
    metavar="NAME",
    help="Only this rule (repeatable).",
)
@click.option(
    "--within",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long each step may take.",
)
@choice("--format", ("text", "json"), "How to report.", destination="form")
@click.argument("child", nargs=-1, required=True, type=COMMAND_WORD, metavar="[--] CHILD...")
def protocol_test_command(host: bool, rules: tuple[str, ...], within: float, form: str, child: tuple[str, ...]) -> int:
    """Run CHILD (an agent) once for each rule of the protocol, and report which it keeps.

    CHILD is to ask for one shell command and to run it if that is allowed: `touch FILE` follows its arguments, or
    FILE in the place of `{marker}`. A host finds the policy in place of `execpolicy` in PATH, and in $EXECPOLICY.

    The exit status is 0 if every rule holds, else 1.

    \b
    Example:
      $ execpolicy protocol-test -- python docs/protocol/examples/child.py
    """
    reports: list[PeerReport] = []
    try:
        for report in try_peer(child, "host" if host else "child", within=within, names=rules):
            reports.append(report)
            if form == "text":
                detail = f": {report.detail}" if report.detail else ""
                click.echo(f"{_WORDS[report.holds]:<7} {report.rule.name:<9} {report.rule.says}{detail}")
    except OSError as error:
        raise UsageError(f"cannot run `{child[0]}`: {error.strerror or error}") from None
    broken = sum(report.holds is False for report in reports)
    if form == "json":
        body = {"ok": broken == 0, "rules": [report.to_json() for report in reports]}
        click.echo(json.dumps(body, indent=2))
    else:
        click.echo(f"{broken} of {len(reports)} rules are broken" if broken else f"all {len(reports)} rules hold")
    return PROBLEM if broken else 0
