"""The answer of ``check`` for people: the decision, its reason, the part that decided, and where the rule stands."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator

from execpolicy.core.decision import Decision
from execpolicy.core.matches import PrefixMatch
from execpolicy.diagnostics.painting import painter
from execpolicy.diagnostics.render_text import visible
from execpolicy.judge.reasons import in_short, shown_command, worst_of
from execpolicy.judge.verdict import CommandVerdict, Verdict, WriteMatch
from execpolicy.resources import builtin_rules_folder
from execpolicy.source import Place

_MOST_SHOWN = 8
"""Commands of a script that is allowed, each with what covers it; more are only counted."""
_HINT = "`execpolicy explain` says what was tried, and what would allow it"


def answer_text(
    verdict: Verdict, restricted: tuple[Decision, str] | None = None, *, color: bool = False, width: int = 80
) -> str:
    """The verdict in a few lines, the last one ended.

    Args:
        restricted: the decision and the reason of permission rules that are stricter.
        width: columns of the terminal.
    """
    paint = painter(color)
    word = (verdict.decision if restricted is None else restricted[0]).word
    rows: list[tuple[str, str]] = []
    if restricted is not None:
        reason = restricted[1]
    elif verdict.decision is Decision.ALLOW:
        reason, rows = _allowed(verdict)
    else:
        reason, rows = verdict.reason, [*_deciding(verdict), ("more", _HINT)]
    lines = _wrapped(f"{word}: {visible(reason)}", "", width)
    lines[0] = paint(word, word) + lines[0][len(word) :]
    column = min(max([len(visible(name)) for name, _ in rows], default=0), width // 2)
    for name, text in rows:
        shown = f"{visible(name):<{column}}"
        first, *rest = _wrapped(f"{shown}  {visible(text)}", " " * column, width - 2)
        lines.append(f"  {shown}{paint(first[len(shown) :], 'dim')}" if first.startswith(shown) else f"  {first}")
        lines += [f"  {paint(line, 'dim')}" for line in rest]
    return "\n".join(lines) + "\n"


def _allowed(verdict: Verdict) -> tuple[str, list[tuple[str, str]]]:
    """Why everything is allowed, and what covers each command."""
    rows = [(_shown(command), _cover(command)) for command in verdict.commands]
    if not rows:
        return "nothing runs", []
    if len(rows) > _MOST_SHOWN:
        rows[_MOST_SHOWN:] = [(f"and {len(rows) - _MOST_SHOWN} more", "")]
    if len(verdict.commands) > 1:
        return f"each of {len(verdict.commands)} commands is covered", rows
    (command,) = verdict.commands
    if any(isinstance(match, PrefixMatch) for match in command.matches):
        return "a rule says so", rows
    known = command.opinion is not None and command.opinion.entry is not None
    return "it is known to be safe" if known else rows[0][1], rows


def _deciding(verdict: Verdict) -> Iterator[tuple[str, str]]:
    """What made the verdict as strict as it is: the part, and the rule or entry with its place."""
    chain: list[CommandVerdict] = []
    commands = verdict.commands
    while found := worst_of(commands, verdict.decision):
        chain.append(found)
        commands = found.inner
    if not chain:
        return
    if len(verdict.commands) > 1 or len(chain) > 1:
        yield "part", " → ".join(dict.fromkeys([_shown(each) for each in chain]))
    for match in chain[-1].matches:
        if isinstance(match, PrefixMatch | WriteMatch) and match.decision is verdict.decision:
            pattern = match.rule.pattern if isinstance(match, PrefixMatch) else " ".join(match.rule.paths)
            yield "rule", f"{_place(match.rule.place)}  {pattern}"
            return
    opinion = chain[-1].opinion
    if opinion is not None and opinion.entry is not None and opinion.verdict == "dangerous":
        yield "rule", f"{_place(opinion.entry.place)}  dangerous_command {opinion.entry.name}"


def _cover(command: CommandVerdict) -> str:
    """What covers a command that is allowed."""
    for match in command.matches:
        if isinstance(match, PrefixMatch):
            return _place(match.rule.place)
    entry = command.opinion.entry if command.opinion is not None else None
    if entry is not None:
        return f"{_place(entry.place)}  {entry.name}"
    return "what it runs is allowed" if command.inner else "runs no program"


def _shown(command: CommandVerdict) -> str:
    return in_short(shown_command(command)) or "(no program)"


def _place(place: Place | None) -> str:
    """Where a rule stands; of the package's own, whose entries have names, the file alone."""
    if place is None:
        return "a rule in memory"
    folder, name = os.path.split(place.path)
    return f"built-in {name}" if folder == builtin_rules_folder() else str(place)


def _wrapped(text: str, indent: str, width: int) -> list[str]:
    return textwrap.wrap(
        text, max(width, 40), subsequent_indent=f"{indent}  ", break_long_words=False, break_on_hyphens=False
    )
