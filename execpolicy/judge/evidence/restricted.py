"""What rules restrict, word by word, whatever the order."""

from __future__ import annotations

from execpolicy.core.decision import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from execpolicy.judge.rulebook import Rulebook


def restricted(said: Set[str], rulebook: Rulebook) -> Iterator[tuple[str, ...]]:
    """The prefixes that rules restrict and of which all words are ``said``, in small letters."""
    for program in sorted(rulebook.restricting):
        if program.lower() not in said:
            continue
        for rule in rulebook.policy.rules_for(program):
            if rule.decision is not Decision.ALLOW:
                named = [
                    [each for each in position if each.lower().strip("-") in said] for position in rule.pattern.rest
                ]
                if all(named):
                    yield (program, *[each[0] for each in named])
