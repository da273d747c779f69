"""Reasons in words: one line per verdict, fit to be shown to a person and handed back to a model."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.matches import PrefixMatch
from execpolicy.core.quoting import join
from execpolicy.judge.verdict import WriteMatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.judge.verdict import CommandVerdict, Verdict

_MOST_SHOWN = 800
"""Characters of a command in a reason: an agent hands it to a model, and a person has a terminal."""
_VERBS = {Decision.PROMPT: "needs approval", Decision.FORBIDDEN: "is forbidden"}


def short_reason(verdict: Verdict) -> str:
    """Why the verdict is not ``allow``: the first part of the input that made it as strict as it is."""
    for command in verdict.commands:
        if command.decision is verdict.decision:
            return command_reason(command)
    for block in verdict.blocks:
        return f"needs approval: {block.detail}"
    return "needs approval: there is nothing to decide on"


def command_reason(command: CommandVerdict) -> str:
    """Why one command got its decision, in one line."""
    shown = in_short(shown_command(command)) or "a redirection or assignment"
    for match in command.matches:
        if match.decision is not command.decision or match.decision is Decision.ALLOW:
            continue
        if isinstance(match, PrefixMatch):
            place = f" ({match.rule.place})" if match.rule.place is not None else ""
            why = match.rule.justification or f"a rule covers commands starting with `{join(match.prefix)}`"
            if match.is_meant:
                why = _meaning(match) + (
                    f": {match.rule.justification}" if match.rule.justification else ", which a rule covers"
                )
            return f"`{shown}` {_VERBS[command.decision]}: {why}{place}"
        if isinstance(match, WriteMatch):
            why = match.rule.justification or "a write rule covers it"
            return f"writing `{match.path}` {_VERBS[command.decision]}: {why}"
    if command.decision is Decision.ALLOW:
        return f"`{shown}` is allowed"
    if command.source == "wrapper":
        for inner in command.inner:
            if inner.decision is command.decision:
                claim = command_reason(inner).partition(f" {_VERBS[inner.decision]}: ")[2]
                return f"`{shown}` {_VERBS[command.decision]}: it runs `{in_short(shown_command(inner))}`: {claim}"
    if command.opinion is not None and command.opinion.verdict == "dangerous":
        withheld = [f"; {block.detail}" for block in command.blocks if block.code == "untrusted"]
        return f"`{shown}` {_VERBS[command.decision]}: {command.opinion.why}{''.join(withheld)}"
    if command.blocks:
        return f"`{shown}` {_VERBS[command.decision]}: {command.blocks[0].detail}"
    why = command.opinion.why if command.opinion is not None else "no rule mentions it"
    return f"`{shown}` {_VERBS[command.decision]}: no rule mentions it and it is not known to be safe ({why})"


def in_short(text: str) -> str:
    """``text`` as people read it: of a long one its beginning and its end."""
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 200]} … {text[-200:]}"


def shown_command(command: CommandVerdict) -> str:
    """The words of a command: quoted where they are known, as the script writes them where they are not."""
    known = command.command.argv()
    if None not in known or len(known) != len(command.argv):
        return join(command.argv) if command.argv else ""
    return " ".join([text if word is None else join((word,)) for word, text in zip(known, command.argv, strict=True)])


def _meaning(match: PrefixMatch) -> str:
    """Which words of a command mean which of the pattern of a rule that matched by meaning."""
    positions = match.rule.pattern.positions()
    wanted = ["|".join(tokens) for tokens in positions if not any(token in match.prefix for token in tokens)]
    same = [word for word in match.prefix if any(word in tokens for tokens in positions)]
    said = [word for word in match.prefix if word not in same]
    if not (wanted and said and same):
        return f"it means `{match.rule.pattern}`"
    return f"`{join(said)}` is `{' '.join(wanted)}` of `{join(same)}`"
