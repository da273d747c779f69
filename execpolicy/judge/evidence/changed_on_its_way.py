"""Texts that filters change on their way from where nobody follows them to what runs them.

``redis-cli set a 'hsup tig'; redis-cli get a | rev | sh``: the text stands in the script, and what ``rev`` makes of it
is known. Each text that the script told anybody is put in front of the filters, or into the file that the first of
them reads, as if it had come from there. It is evidence: nothing found here ever helps a grant.
"""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.quoting import quote
from execpolicy.programs.inner import told_text
from execpolicy.shell.limits import COMMAND, READ, STEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.evidence.handed_out import HandedOut
    from execpolicy.judge.evidence.texts_elsewhere import TextsElsewhere
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command


def changed_texts(
    command: Command, facts: Facts, places: Sequence[tuple[TextsElsewhere, Command]], handed: HandedOut
) -> Iterator[Inner]:
    """What ``command``, which runs a text of unknown origin as a shell does, may get through its filters.

    Args:
        places: the texts of each script around ``command``, with the command there that it stands in.
        handed: which texts other commands got.
    """
    inside = [at for word in (*command.words, *[one.target for one in command.redirects]) for at in word.inner]
    chain = _chain(command.piped_from or tuple(inside[-1:]), facts)
    if chain:
        for written, made in _made(chain, facts, places, handed):
            yield told_text(command.words[0].literal or "", command, f"{written}{made} | sh")


def arguments(
    command: Command,
    facts: Facts,
    places: Sequence[tuple[TextsElsewhere, Command]],
    handed: HandedOut,
    rulebook: Rulebook,
) -> Iterator[Inner]:
    """The same of a program that a rule restricts, and that gets words of unknown origin: ``git $(tool get a)``."""
    program = (command.words[0].literal or "").rpartition("/")[2]
    rules = [rule for rule in rulebook.policy.rules_for(program) if rule.decision is not Decision.ALLOW]
    tokens = frozenset([token for rule in rules for tokens in rule.pattern.positions()[1:] for token in tokens])
    for at, word in enumerate(command.words):
        chain = _chain(word.inner[-1:], facts) if word.literal is None and word.inner else []
        if not chain:
            continue
        said = [each.literal if each.literal is not None else each.written for each in command.words]
        before, behind = (" ".join(map(quote, part)) for part in (said[:at], said[at + 1 :]))
        for written, made in _made(chain, facts, places, handed, before, tokens if len(chain) < 2 else None):
            yield told_text(program, command, f"{written}{before} $({made}) {behind}")


def _made(
    chain: Sequence[Command],
    facts: Facts,
    places: Sequence[tuple[TextsElsewhere, Command]],
    handed: HandedOut,
    before: str = "",
    tokens: frozenset[str] | None = None,
) -> Iterator[tuple[str, str]]:
    """The pipe ``chain`` with each text in the place of what its first command prints, or in a file that it reads.

    What is written in front of it, and the pipe.

    Args:
        before: of an argument the words in front of it; a text is one even if nothing changes it.
        tokens: words of which a text must have one.
    """
    source, *filters = [facts.script.text[each.span.start : each.span.end] for each in chain]
    names = [word.literal for word in chain[0].words[1:] if word.literal]
    names += [one.target.literal for one in chain[0].redirects if not one.writes and one.target.literal]
    for depth, (elsewhere, here) in enumerate(places):
        first = here if depth else chain[0]
        way = "\0".join([source, *filters, before])
        texts = elsewhere.told(here, first, way, handed)
        read = [name for name in names if elsewhere.kept(name, here, first)]
        for text in dict.fromkeys(texts):
            if tokens is not None and tokens.isdisjoint(text.split()):
                continue
            if not facts.budget.spend(5 * COMMAND + READ * len(text)):
                return
            printed = f"printf '%s\\n' {quote(text)}"
            if filters or before:
                yield "", " | ".join([printed, *filters])
            for file in read:
                yield f"{printed} > {quote(file)}; ", " | ".join([source, *filters])


def _chain(pending: tuple[int, ...], facts: Facts) -> list[Command]:
    """The commands of the pipe that ends with ``pending``, the first one first."""
    commands = facts.script.commands
    found: list[Command] = []
    while len(pending) == 1 and pending[0] < len(commands) and facts.budget.spend(STEP):
        found.append(commands[pending[0]])
        pending = found[-1].piped_from
    return found[::-1]
