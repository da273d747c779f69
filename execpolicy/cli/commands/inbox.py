"""``execpolicy inbox``: the waiting questions, for terminals and scripts."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from execpolicy.cli.layer_arguments import FORMAT
from execpolicy.cli.output import OK, dumps, write_line
from execpolicy.diagnostics.render_text import visible
from execpolicy.errors import UsageError
from execpolicy.inbox.inbox_call import call_inbox
from execpolicy.inbox.inbox_question import ANSWERS
from execpolicy.inbox.waiting import InboxClosedError

_WIDEST = 100


@click.group(name="inbox")
def command() -> None:
    """List, show and answer the questions of all agents that wait for a person.

    They wait as long as `execpolicy ui` runs, which shows them in a browser. Answering needs a terminal of your own: an
    agent's process is refused, and an agent that runs `execpolicy inbox answer` causes a question.

    \b
    Examples:
      $ execpolicy inbox list
      $ execpolicy inbox answer k7vwz2q once
    """


@command.command(name="list")
@FORMAT
def list_command(output: str) -> int:
    """List the questions that wait, oldest first.

    \b
    Example:
      $ execpolicy inbox list --format json | jq -r '.[].id'
    """
    try:
        found: list[dict[str, Any]] = call_inbox({"do": "list"})["questions"]
    except InboxClosedError as error:
        if output == "json":
            write_line(sys.stdout, "[]")
        click.echo(f"no question waits: {error}", err=True)
        return OK
    if output == "json":
        write_line(sys.stdout, dumps(found, pretty=True))
        return OK
    for one in found:
        line = one["command"].replace("\n", "⏎")
        shown = line if len(line) <= _WIDEST else line[: _WIDEST - 1] + "…"
        who = " ".join([part for part in (one["agent"] or one["source"], one["session"]) if part])
        write_line(sys.stdout, visible(f"{one['id']}  {who}  {one['seconds_left']:.0f} s left  {one['cwd']}"))
        write_line(sys.stdout, visible(f"    {shown}"))
    if not found:
        click.echo("no question waits", err=True)
    return OK


@command.command(name="show")
@FORMAT
@click.argument("id")
def show_command(output: str, id: str) -> int:
    """Show one question: the whole command, the reason for each part, the possible answers.

    \b
    Example:
      $ execpolicy inbox show k7vwz2q
    """
    found = call_inbox({"do": "show", "id": id})
    if output == "json":
        write_line(sys.stdout, dumps(found, pretty=True))
        return OK
    question = found["question"]
    for name in ("agent", "session", "cwd", "tool"):
        if question[name]:
            write_line(sys.stdout, visible(f"{name}: {question[name]}"))
    for each in question["commands"] or [found["command"]]:
        _show_text(each if isinstance(each, str) else " ".join(each))
    for path, change in question["changes"].items():
        write_line(sys.stdout, visible(f"{change.get('kind')} {path}"))
        _show_text(change.get("unified_diff") or change.get("content") or "")
    write_line(sys.stdout, visible(f"asked because: {question['reason']}"))
    for explanation in found["explanations"]:
        for part in explanation["commands"]:
            write_line(sys.stdout, visible(f"  {part['decision']}  {part['command']}: {part['reason']}"))
    if found["network_rule"] is not None:
        write_line(sys.stdout, visible(f"`always` would save: {found['network_rule']}  (in {found['target']})"))
    for each in found["proposals"]:
        rule = each["rule"] or f"nothing without `--prefix N`, N at most {len(each['words'])}"
        write_line(sys.stdout, visible(f"`always` would save: {rule}  (in {found['target']})"))
    if "always" not in found["choices"] and found["obstacles"]:
        write_line(sys.stdout, visible(f"no rule can let this pass: {'; '.join(found['obstacles'])}"))
    write_line(sys.stdout, f"answers: {', '.join(found['choices'])}; {found['seconds_left']:.0f} s left")
    return OK


def _show_text(text: str) -> None:
    for line in text.split("\n"):
        write_line(sys.stdout, visible(f"  │ {line}"))


@command.command(name="answer", context_settings={"allow_interspersed_args": True})
@click.option("-m", "--message", default="", metavar="TEXT", help="Words for the agent, with `deny`.")
@click.option(
    "--prefix",
    type=click.IntRange(min=1),
    metavar="N",
    help="With `always`: allow every command that starts with the first N words, as Codex saves it.",
)
@click.argument("id")
@click.argument("word", type=click.Choice(tuple(ANSWERS)), metavar="once|session|always|deny")
def answer_command(message: str, prefix: int | None, id: str, word: str) -> int:
    """Answer one question: yes once, yes for the session, yes always (saves a rule), or no.

    \b
    Examples:
      $ execpolicy inbox answer k7vwz2q once
      $ execpolicy inbox answer k7vwz2q always --prefix 2
      $ execpolicy inbox answer k7vwz2q deny -m 'use the test database'
    """
    if not sys.stdin.isatty() or os.tcgetpgrp(0) != os.getpgrp():
        raise UsageError(
            "answering is for a person: do it at a terminal of your own, or on the page of `execpolicy ui`"
        )
    prefixes: list[list[str]] = []
    if prefix is not None:
        if word != "always":
            raise UsageError("--prefix goes with `always`")
        proposed = call_inbox({"do": "show", "id": id})["proposals"]
        prefixes = [each["words"][:prefix] for each in proposed]
    done = call_inbox({"do": "answer", "id": id, "answer": word, "message": message, "prefixes": prefixes})
    write_line(sys.stdout, visible(done["done"]))
    return OK
