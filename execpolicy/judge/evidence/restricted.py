"""What rules restrict, word by word, whatever the order."""

from __future__ import annotations

from execpolicy.core.decision import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set

    from execpolicy.judge.rulebook import Rulebook


def restricted(rulebook: Rulebook, *said: Set[str]) -> Iterator[tuple[str, ...]]:
    """The prefixes that rules restrict and of which all words are ``said``, in small letters, in one set or another."""
    for program in sorted(rulebook.restricting):
        if not is_said(program, said):
            continue
        for rule in rulebook.policy.rules_for(program):
            if rule.decision is not Decision.ALLOW:
                named = [
                    [each for each in position if is_said(each.strip("-"), said)] for position in rule.pattern.rest
                ]
                if all(named):
                    yield (program, *[each[0] for each in named])


def is_said(word: str, said: Sequence[Set[str]]) -> bool:
    """Whether ``word`` is in one of the sets of words in small letters."""
    small = word.lower()
    return any(small in each for each in said)
