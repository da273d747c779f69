"""Reasons in words: one line per verdict, fit to be shown to a person and handed back to a model."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.matches import HeuristicsMatch, PrefixMatch
from execpolicy.core.quoting import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from execpolicy.core.matches import RuleMatch
    from execpolicy.judge.command_verdict import Block, CommandVerdict, EffectMatch

_MOST_SHOWN = 800
"""Characters of a command in a reason: an agent hands it to a model, and a person has a terminal."""
_VERBS = {Decision.PROMPT: "needs approval", Decision.FORBIDDEN: "is forbidden"}

_FORBIDDEN, _DANGEROUS, _PERSON, _RULE, _SECRET, _HIDDEN, _SENDS, _OUTSIDE, _WRITES, _UNKNOWN = range(10)
"""Faults of a part, worst first: the order in which parts are named."""
_RANKS = {
    "secret": _SECRET,
    "dynamic-program": _HIDDEN,
    "hidden-command": _HIDDEN,
    "opaque": _HIDDEN,
    "connection": _SENDS,
    "sends": _SENDS,
    "write-outside": _OUTSIDE,
    "write-unsure": _WRITES,
    "write": _WRITES,
    "writes": _WRITES,
}
"""By the code of a block or an opinion."""


def short_reason(commands: Iterable[CommandVerdict], blocks: Sequence[Block]) -> str:
    """Returns why a verdict of them is not ``allow``: its worst part, and how many others are not allowed.

    Commands that only something else in the script holds up are one part.
    """
    parts: dict[str, tuple[tuple[bool, int], str]] = {}
    shared = {block.detail for block in blocks}
    for command in commands:
        if command.decision is not Decision.ALLOW:
            reason = command_reason(command)
            detail = command.blocks[0].detail if command.blocks else reason
            held_up = detail in shared and reason.endswith(detail)
            parts.setdefault(detail if held_up else reason, (_severity(command), reason))
    for block in blocks:
        parts.setdefault(block.detail, ((block.unknown, _rank_of(block)), f"needs approval: {block.detail}"))
    if not parts:
        return "needs approval: there is nothing to decide on"
    worst = min(parts.values(), key=lambda part: part[0])[1]
    return (
        worst
        if len(parts) == 1
        else f"{worst} (and {len(parts) - 1} more {'reason' if len(parts) == 2 else 'reasons'})"
    )


def worst_of(commands: Iterable[CommandVerdict], decision: Decision) -> CommandVerdict | None:
    """The command that a reason names first, of those with ``decision``; ``None`` if there is none."""
    return min([each for each in commands if each.decision is decision], key=_severity, default=None)


def _severity(command: CommandVerdict) -> tuple[bool, int]:
    """The order in which commands are named: those that something objects to come first."""
    return command.kind == "unknown", _rank(command)


def _rank(command: CommandVerdict) -> int:
    """Returns what is worst about a command that is not allowed."""
    if command.decision is Decision.FORBIDDEN:
        return _FORBIDDEN
    opinion = command.opinion
    if opinion is not None and opinion.verdict == "dangerous":
        return _DANGEROUS
    if command.restrictions:
        by_person = any(isinstance(match, PrefixMatch) and match.rule.human_only for match in command.restrictions)
        return _PERSON if by_person else _RULE
    found = [_UNKNOWN, *map(_rank, [inner for inner in command.inner if inner.decision is not Decision.ALLOW])]
    found += [_rank_of(block) for block in command.blocks if block.code != "hidden-command" or not command.inner]
    if opinion is not None:
        found.append(_RANKS.get(opinion.code, _UNKNOWN))
    return min(found)


def _rank_of(block: Block) -> int:
    return _OUTSIDE if block.outside else _RANKS.get(block.code, _UNKNOWN)


def command_reason(command: CommandVerdict) -> str:
    """Returns why one command got its decision, in one line."""
    shown = f"`{in_short(shown_command(command)) or 'a redirection or assignment'}`"
    if command.decision is Decision.ALLOW:
        return f"{shown} is allowed"
    match = next((each for each in command.restrictions if each.decision is command.decision), None)
    if match is not None and not isinstance(match, PrefixMatch | HeuristicsMatch):
        shown = f"{match.doing} `{match.path}`".lstrip()
    return f"{shown} {_VERBS[command.decision]}: {_cause(command, match)}"


def _cause(command: CommandVerdict, match: RuleMatch | EffectMatch | None) -> str:
    """The cause of a decision that is not *allow*: the rule ``match``, what it runs, or what is in the way."""
    if isinstance(match, PrefixMatch):
        place = f" ({match.rule.place})" if match.rule.place is not None else ""
        reason = match.rule.justification
        if match.possible:
            return _possible_meaning(match, command) + place
        if match.is_meant:
            return f"{_meaning(match)}{f': {reason}' if reason else ', which a rule covers'}{place}"
        return (reason or f"a rule covers commands starting with `{join(match.prefix)}`") + place
    if match is not None and not isinstance(match, HeuristicsMatch):
        return match.rule.justification or f"a {match.key[:-9]} rule covers it"
    inner = worst_of(command.inner, command.decision)
    runs = "" if inner is None else f"it runs `{in_short(shown_command(inner))}`"
    if command.source == "wrapper" and inner is not None:
        return f"{runs}: {command_reason(inner).partition(f' {_VERBS[inner.decision]}: ')[2]}"
    opinion = command.opinion
    if opinion is not None and opinion.verdict == "dangerous":
        further = [f"; {block.detail}" for block in command.blocks if block.code == "untrusted"]
        other = None if inner is None else inner.opinion
        if other is not None and other.verdict == "dangerous" and other.why != opinion.why:
            further.append(f"; {runs}, which {other.why}")
        return opinion.why + "".join(further)
    if command.blocks:
        return command.blocks[0].detail
    if opinion is not None and opinion.code in ("write", "write-outside", "write-unsure", "connection"):
        return opinion.why
    why = opinion.why if opinion is not None else "no rule mentions it"
    return f"no rule mentions it and it is not known to be safe ({why})"


def in_short(text: str) -> str:
    """``text`` as people read it: of a long one its beginning and its end."""
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 200]} … {text[-200:]}"


def shown_command(command: CommandVerdict) -> str:
    """The words of a command: quoted where they are known, as the script writes them where they are not."""
    known = command.command.argv()
    if None not in known or len(known) != len(command.argv):
        return join(command.argv) if command.argv else ""
    return " ".join([text if word is None else join((word,)) for word, text in zip(known, command.argv, strict=True)])


def _possible_meaning(match: PrefixMatch, command: CommandVerdict) -> str:
    """Which rule the command may mean, and what of it only the run knows."""
    wanted, said, _ = _compared(match)
    dynamic = [word.written for word in command.command.words if word.literal is None]
    unknown = [text for text in dynamic if text in match.prefix] or dynamic
    meant = f"`{' '.join(wanted)}`"
    if unknown:
        why = f"`{unknown[0]}` is only known at run time" + (f" and may be {meant}" if wanted else "")
    elif wanted:
        shown = [word for word in said if word]  # a word that is fed has no text
        why = "only the run shows whether " + (f"`{join(shown)}` is {meant}" if shown else f"{meant} applies")
    else:
        why = "other words stand between these"
    return f"it may mean `{match.rule.pattern}`, which {_VERBS[match.rule.decision]}: {why}"


def _meaning(match: PrefixMatch) -> str:
    """Which words of a command mean which of the pattern of a rule that matched by meaning."""
    wanted, said, same = _compared(match)
    if not (wanted and said and same[:1] == list(match.prefix[:1])):
        return f"it means `{match.rule.pattern}`"
    return f"`{join(said)}` is `{' '.join(wanted)}` of `{join(same)}`"


def _compared(match: PrefixMatch) -> tuple[list[str], list[str], list[str]]:
    """The words of the pattern that are not in the match, and those of the match that the pattern has not, and has."""
    positions = match.rule.pattern.positions()
    wanted = ["|".join(tokens) for tokens in positions if not any(token in match.prefix for token in tokens)]
    same = [word for word in match.prefix if any(word in tokens for tokens in positions)]
    return wanted, [word for word in match.prefix if word not in same], same
