"""What a script does beside running commands, once all of it is known: more than reading alone shows, or less."""

from __future__ import annotations

from execpolicy.flow.descriptors import is_quiet
from execpolicy.flow.functions import are_settled
from execpolicy.flow.must import touched_names
from execpolicy.shell.script import ARITHMETIC, DYNAMIC_REDIRECT, RECURSION, REDEFINITION, Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import GivenValue, Use
    from execpolicy.shell.words import Word


def effects_of(facts: Facts) -> tuple[Effect, ...]:
    """The effects that stand in the way of a grant."""
    script = facts.script
    found = [*script.effects, *(_arithmetic(facts) if script.seen.uses else ()), *_recursion(facts)]
    if script.functions and are_settled(facts):
        found = [effect for effect in found if effect.kind != REDEFINITION]
    if any(effect.kind == DYNAMIC_REDIRECT for effect in found):
        settled = _settled_redirects(facts)
        found = [effect for effect in found if effect.kind != DYNAMIC_REDIRECT or id(effect.span) not in settled]
    return tuple(found)


def _settled_redirects(facts: Facts) -> set[int]:
    """The spans of the redirections that read, where every file that each of them may read is known well enough."""
    return {
        id(redirect.span)
        for command in facts.script.commands
        for redirect in command.redirects
        if redirect.operator == "<"
        and facts.cases(redirect.target)
        and all(_plain_file(case) for case in facts.cases(redirect.target))
    }


def _plain_file(case: tuple[Word, ...]) -> bool:
    """Whether the one word is the name of a file that cannot be in ``/dev``."""
    if len(case) != 1:
        return False
    word = case[0]
    if word.literal is not None:
        return word.literal != "" and (word.literal == "/dev/null" or not word.literal.startswith("/dev/"))
    if word.pieces[0].kind == "glob":
        return True  # a name that a relative pattern finds
    return word.prefix != "" and not word.prefix.startswith("/dev/") and not "/dev/".startswith(word.prefix)


def _recursion(facts: Facts) -> Iterator[Effect]:
    functions = facts.script.functions
    for command in facts.script.commands if functions else ():
        name = command.words[0].literal if command.words else None
        if name in functions and f"function:{name}" in command.context:
            yield Effect(RECURSION, command.span, f"{name} calls itself")


def _arithmetic(facts: Facts) -> Iterator[Effect]:
    """The texts evaluated as arithmetic that are not proven to be harmless."""
    integers = _Integers(facts)
    for use in facts.script.seen.uses:
        harmless = not use.unknown and all(integers.proven(name, use) for name in use.names)
        # what is printed as an error, or by a command beside it, is evaluated as well
        if not harmless or not all(is_quiet(facts.script.commands[index]) for index in use.inner):
            detail = "text is evaluated as arithmetic, which may run what a value holds"
            yield Effect(ARITHMETIC, use.span, detail)
        elif use.inner:
            detail = "the output of a command is evaluated as arithmetic"
            yield Effect(ARITHMETIC, use.span, detail, inner=_outputs(facts, use.inner))


def _outputs(facts: Facts, indices: tuple[int, ...]) -> tuple[int, ...]:
    """Of the commands in a substitution those whose output it is made of."""
    commands = facts.script.commands
    depth = min([len(commands[index].context) for index in indices], default=0)
    piped = {source for index in indices if commands[index].words for source in commands[index].piped_from}
    return tuple(
        [
            index
            for index in indices
            if commands[index].words
            and index not in piped
            and "substitution" not in commands[index].context[depth:]
            and "process" not in commands[index].context[depth:]
        ]
    )


class _Integers:
    """Which variables hold an integer wherever they are used."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.always: dict[str, bool] = {}
        self.given: dict[str, list[GivenValue]] = {}
        for one in facts.script.seen.given:
            self.given.setdefault(one.name, []).append(one)

    def proven(self, name: str, use: Use) -> bool:
        """Whether ``name`` is an integer at ``use``: every assignment gives one and one of them surely came before."""
        given = self.given.get(name, [])
        if name not in self.always:
            integers = bool(given) and all(_integer_given(one) for one in given)
            self.always[name] = integers and not self.facts.once(touched_names).touches(name)
        if not self.always[name]:
            return False
        for one in given:
            if one.position >= use.span.start or not self.facts.budget.spend():
                return False
            if one.reaches(use.line) and use.blocks[: len(one.blocks)] == one.blocks:
                return True
        return False


def _integer_given(one: GivenValue) -> bool:
    if one.number:
        return True
    if not one.array or one.append:
        return False
    return bool(one.values) and all(
        bool(value)
        and all(piece.number or (piece.kind == "literal" and (piece.text or "").isdigit()) for piece in value)
        for value in one.values
    )
