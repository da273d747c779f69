"""``execpolicy log``: the decisions that the hook recorded."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter, deque
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from execpolicy.cli.argument_types import FILE, choice
from execpolicy.cli.output import OK, write_line
from execpolicy.core.quoting import join
from execpolicy.diagnostics.render_text import visible
from execpolicy.errors import UsageError
from execpolicy.permissions.audit import hook_log
from execpolicy.safe_open import open_named

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_OLD_FILES = 5


class _Since(click.ParamType[str]):
    """A time, or an age such as ``2h``; the value is a time as the log writes it."""

    name = "when"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value[:-1].isdigit() and value[-1:] in _UNITS:
            found = datetime.now(UTC) - timedelta(**{_UNITS[value[-1]]: int(value[:-1])})
        else:
            try:
                found = datetime.fromisoformat(value).astimezone(UTC)
            except ValueError:
                self.fail(f"`{value}` is neither a time (2026-11-30T12:00) nor an age (15m, 2h, 7d)", param, ctx)
        return found.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@click.command(name="log")
@click.option("--decision", multiple=True, type=click.Choice(["allow", "prompt", "forbidden"]), help="Only these.")
@click.option("--agent", metavar="NAME", help="Only calls of this agent.")
@click.option("--session", metavar="NAME", help="Only calls of this session.")
@click.option("--since", type=_Since(), metavar="WHEN", help="Only later ones: a time, or an age (15m, 2h, 7d).")
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the last N.")
@click.option("--count", is_flag=True, help="Count decisions and reasons.")
@choice("--format", ("text", "jsonl"), "Output format.", destination="output")
@click.argument("path", type=FILE, required=False, metavar="[FILE]")
def command(
    decision: tuple[str, ...],
    agent: str | None,
    session: str | None,
    since: str | None,
    last: int | None,
    count: bool,
    output: str,
    path: str | None,
) -> int:
    """Show what the hook decided, oldest first: of FILE, or of the log that `execpolicy install AGENT --log` starts.

    `execpolicy replay FILE` decides the same commands by today's rules.

    \b
    Examples:
      $ execpolicy log --since 2h --decision prompt
      $ execpolicy log --count
    """
    named = path or hook_log(os.environ)
    if named is None or not os.path.exists(named):
        raise UsageError(f"there is no log `{named}`: `execpolicy install AGENT --log` starts one")
    found = (
        entry
        for entry in _entries(named)
        if (not decision or entry.get("decision") in decision)
        and (agent is None or entry.get("agent") == agent)
        and (session is None or entry.get("session") == session)
        and (since is None or str(entry.get("ts", "")) >= since)
    )
    entries = found if last is None else deque(found, maxlen=last)
    if count:
        _count(entries)
        return OK
    for entry in entries:
        for line in [json.dumps(entry)] if output == "jsonl" else _shown(entry):
            write_line(sys.stdout, visible(line))
    return OK


def _entries(path: str) -> Iterator[dict[str, Any]]:
    """The decisions in ``path`` and the older files that it replaced; other lines are counted and reported."""
    unreadable = 0
    for file in [f"{path}.{number}" for number in range(_OLD_FILES, 0, -1)] + [path]:
        if not os.path.exists(file):
            continue
        try:
            with open_named(file) as stream:
                for line in stream:
                    try:
                        entry = json.loads(line)
                    except ValueError:
                        unreadable += 1
                        continue
                    if isinstance(entry, dict) and entry.get("event") == "hook":
                        yield entry
        except OSError as error:
            raise UsageError(f"cannot read `{file}`: {error.strerror}") from None
    if unreadable:
        click.echo(f"warning: {unreadable} lines of `{path}` are no JSON", err=True)


def _called(entry: dict[str, Any]) -> str:
    """The commands of a call, or the files that it writes, or its tool, as one line."""
    commands = [each if isinstance(each, str) else join(each) for each in entry.get("commands") or ()]
    text = "; ".join(commands or entry.get("writes") or ()) or str(entry.get("tool"))
    return text.replace("\n", "⏎")


def _shown(entry: dict[str, Any]) -> Iterator[str]:
    """The call in one line, and below it the reason that it was not allowed."""
    time = str(entry.get("ts", ""))[:19].replace("T", " ")
    yield f"{time}  {entry.get('agent')}  {entry.get('decision')}  {_called(entry)}"
    if entry.get("decision") != "allow":
        yield f"    {entry.get('reason')}"


def _count(entries: Iterator[dict[str, Any]] | deque[dict[str, Any]]) -> None:
    decisions: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for entry in entries:
        decisions[str(entry.get("decision"))] += 1
        if entry.get("decision") != "allow":
            reasons[f"{entry.get('decision')}: {entry.get('reason')}"] += 1
    for word in ("allow", "prompt", "forbidden"):
        click.echo(f"{word:<9} {decisions[word]:>7,}")
    for reason, times in reasons.most_common(_MOST_REASONS):
        click.echo(visible(f"{times:>7,}  {reason}"))


_MOST_REASONS = 20
