"""The verdict on a command that could not be judged: rules may restrict it, and it is never allowed."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.matches import HeuristicsMatch
from execpolicy.judge.restrictions import literal_start, stricter_matches
from execpolicy.judge.verdict import Block, CommandVerdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.core.matches import RuleMatch
    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation
    from execpolicy.judge.verdict import EffectMatch
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

_MOST_NAMED = 100_000
"""Characters of inner ones that are not opened, all together, that are searched for names of what rules restrict."""
_LEAST_NAMED = 60
"""Characters of each of these; what is forbidden has its name in front."""
_MOST_INNER = 5_000
"""Inner ones of which as much is looked at; the words of the command itself are, however many there are."""
TOO_DEEP = "commands are nested or chained too deep to be looked through"


def failure(error: Exception, *commands: Command) -> Block:
    """Returns why judging stopped. Whatever it was, a mistake of ours included, it grants nothing and hides no
    restriction.
    """
    kind = "too-deep" if isinstance(error, RecursionError) else "internal-error"
    detail = TOO_DEEP if kind == "too-deep" else f"judging it failed ({type(error).__name__}: {error})"
    return Block(kind, detail, commands[0].span if commands else None)


def still_seen(
    command: Command,
    facts: Facts,
    rulebook: Rulebook,
    situation: Situation,
    failed: Block,
    inner: Sequence[CommandVerdict] = (),
) -> CommandVerdict:
    """Returns what rules that restrict say of a command that could not be judged; it is a prompt at least."""
    found: list[RuleMatch | EffectMatch] = [match for verdict in inner for match in verdict.restrictions]
    try:
        found += stricter_matches(command, facts, rulebook, situation)
    except Exception:
        matches = rulebook.policy.matches(literal_start(command.words) or ("",))
        found += [match for match in matches if match.decision is not Decision.ALLOW]
    decision = max([Decision.PROMPT, *[match.decision for match in found]])
    argv = tuple([word.literal if word.literal is not None else "…" for word in command.words])
    if found:
        return CommandVerdict(command, argv, decision, tuple(found), "rule", blocks=(failed,))
    match = HeuristicsMatch(argv, decision)
    return CommandVerdict(command, argv, decision, (match,), "heuristics", blocks=(failed,))


def still_named(
    command: Command, inner: Sequence[Inner], facts: Facts, rulebook: Rulebook, situation: Situation, failed: Block
) -> list[CommandVerdict]:
    """Returns what rules restrict among the words of a command, and in the ``inner`` that is not opened any more.

    Padding hides nothing: of each of many inner ones the beginning is looked at.
    """
    if not rulebook.restricting:
        return []
    from execpolicy.judge.unread import named_in

    share = max(_LEAST_NAMED, _MOST_NAMED // (len(inner) + 1))
    texts = [" ".join([word.literal or "" for word in command.words[1:]])]
    for one in inner[:_MOST_INNER]:
        if one.script is not None:
            texts.append(one.script.text[:share])
        elif one.command is not None:
            texts.append(_words_of(one.command, share))
    found = named_in("\n".join(texts), command.span, rulebook)
    return [still_seen(each, facts, rulebook, situation, failed) for each in found]


def _words_of(command: Command, most: int) -> str:
    """The first words of ``command``, about ``most`` characters."""
    words: list[str] = []
    for word in command.words:
        if most <= 0:
            break
        text = (word.literal or "")[:most]
        words.append(text)
        most -= len(text) + 1
    return " ".join(words)
