"""The effects of a script beside running commands, once all of it is known."""

from __future__ import annotations

from execpolicy.flow.functions import are_settled
from execpolicy.flow.must import modified_variables
from execpolicy.shell.pieces import is_home
from execpolicy.shell.script import ARITHMETIC, DYNAMIC_REDIRECT, RECURSION, REDEFINITION, ShellEffect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import ArithmeticUse, Command, GivenValue, Redirect
    from execpolicy.shell.words import Word


def effects_of(facts: Facts) -> tuple[ShellEffect, ...]:
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
    """True if the one word is the name of a file that cannot be in ``/dev``."""
    if len(case) != 1:
        return False
    word = case[0]
    if word.literal is not None:
        return word.literal != "" and (word.literal == "/dev/null" or not word.literal.startswith("/dev/"))
    if word.pieces[0].kind == "glob":
        return True  # a name that a relative pattern finds
    if is_home(word.pieces[0]):
        return True
    return word.prefix != "" and not word.prefix.startswith("/dev/") and not "/dev/".startswith(word.prefix)


def _recursion(facts: Facts) -> Iterator[ShellEffect]:
    functions = facts.script.functions
    for command in facts.script.commands if functions else ():
        name = command.words[0].literal if command.words else None
        if name in functions and f"function:{name}" in command.context:
            yield ShellEffect(RECURSION, command.span, f"{name} calls itself")


def _arithmetic(facts: Facts) -> Iterator[ShellEffect]:
    """The texts evaluated as arithmetic that are not proven to be harmless."""
    integers = _Integers(facts)
    for use in facts.script.seen.uses:
        harmless = not use.unknown and all(integers.proven(name, use) for name in use.names)
        substitutions = [use.inner, *[each for name in sorted(use.names) for each in integers.printed.get(name, ())]]
        outputs = printing(facts, substitutions) if harmless else None
        if outputs is None:
            detail = "text is evaluated as arithmetic, which may run what a value holds"
            yield ShellEffect(ARITHMETIC, use.span, detail)
        elif outputs:
            detail = "the output of a command is evaluated as arithmetic"
            yield ShellEffect(ARITHMETIC, use.span, detail, inner=outputs)


def printing(facts: Facts, substitutions: Iterable[Sequence[int]]) -> tuple[int, ...] | None:
    """The commands whose output some substitutions become; ``None`` where more than that is printed.

    What is printed as an error, or by a command beside it, would be evaluated as well.

    Args:
        substitutions: of each the commands in it, among them those of substitutions inside it.
    """
    commands = facts.script.commands
    found: list[int] = []
    for indices in substitutions:
        inside = [commands[index] for index in indices if index < len(commands)]
        if len(inside) < len(indices) or not all(is_quiet(one) and (one.words or not one.redirects) for one in inside):
            return None  # `$(< file)` prints a file
        depth = min([len(one.context) for one in inside], default=0)
        piped = {source for one in inside if one.words for source in one.piped_from}
        last = [
            index
            for index, one in zip(indices, inside, strict=True)
            if one.words and index not in piped and not {"substitution", "process"}.intersection(one.context[depth:])
        ]
        if indices and not last:
            return None
        found += last
    return tuple(found)


class _Integers:
    """Which variables hold an integer wherever they are used, or what is printed by the commands in ``printed``."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.always: dict[str, bool] = {}
        self.printed: dict[str, list[Sequence[int]]] = {}
        self.given: dict[str, list[GivenValue]] = {}
        for one in facts.script.seen.given:
            self.given.setdefault(one.name, []).append(one)

    def proven(self, name: str, use: ArithmeticUse) -> bool:
        """True if ``name`` is an integer at ``use``: every assignment gives one and one of them surely came before."""
        given = self.given.get(name, [])
        if name not in self.always:
            integers = bool(given) and all(_integer_given(one) or _output_given(one) for one in given)
            self.printed[name] = [inner for one in given if (inner := _output_given(one))]
            self.always[name] = integers and not self.facts.once(modified_variables).may_modify(name)
        if not self.always[name]:
            return False
        for one in given:
            if one.position >= use.span.start or not self.facts.budget.spend():
                return False
            if one.reaches(use.line) and use.blocks[: len(one.blocks)] == one.blocks:
                return True
        return False


def _output_given(one: GivenValue) -> Sequence[int]:
    """The commands of ``n=$(…)``, where what they print is the whole value."""
    if (
        one.array
        or one.append
        or one.loop
        or one.element is not None
        or len(one.values) != 1
        or len(one.values[0]) != 1
    ):
        return ()
    piece = one.values[0][0]
    return piece.inner if piece.kind == "substitution" else ()


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


_HANDING_ON = frozenset([f"wrapper:{name}" for name in ("timeout", "nice", "ionice", "stdbuf", "command", "env")])
"""Programs whose command prints where they print themselves."""


def is_quiet(command: Command) -> bool:
    """True if nothing of it but its own standard output can reach the substitution around it.

    Its errors stay apart or are thrown away, and nothing beside it writes there (``>(…)``, ``|&``).
    """
    if "process" in command.context or "errors-piped" in command.context:
        return False
    for redirect in command.redirects:
        if redirect.operator.startswith("<") and redirect.operator not in ("<&", "<>") and redirect.fd in (None, "0"):
            continue
        if redirect.operator != ">" or redirect.fd != "2" or redirect.target.literal != "/dev/null":
            return False
    return not any(word.kind == "process" for word in command.words)


_PRINTING = frozenset(("pipeline", "background", "subshell", "group", "loop", "condition", "case", "negated", "timed"))
"""Constructs that print what the commands in them print."""


def is_only_printed(command: Command, facts: Facts) -> bool:
    """True if nothing in the script reads what ``command``, which is in no other script, prints."""
    at = facts.script.commands.index(command)
    return (
        _PRINTING.issuperset(command.context)
        and not any(_moves_output(one) for one in command.redirects)
        and not any(at in each.piped_from for each in facts.script.commands)
    )


def is_captured(command: Command, facts: Facts) -> bool:
    """True if standard output of ``command`` is surely no terminal: a pipe, a substitution or ``/dev/null``.

    What a function prints depends on who calls it, and ``>(…)`` prints where the script does.
    """
    if not facts.outermost.terminal:
        return _HANDING_ON.issuperset([place for place in command.context if place.startswith("wrapper:")])
    if any(
        (place.startswith(("function:", "wrapper:")) and place not in _HANDING_ON) or place in ("process", "trap")
        for place in command.context
    ):
        return False
    if any(_moves_output(one) for one in command.redirects):
        return all(one.target.literal == "/dev/null" for one in command.redirects if _moves_output(one))
    script = facts.script
    here = {at for at, each in enumerate(script.commands) if each.span == command.span}
    piped = "substitution" in command.context
    for each in script.commands:
        if here.intersection(each.piped_from):
            if not each.words and any(_moves_output(one) for one in each.redirects):
                return False
            piped = piped or bool(each.words)
    return piped


def _moves_output(redirect: Redirect) -> bool:
    """True if it may say where standard output goes."""
    return not redirect.operator.startswith("<<") and (
        redirect.fd not in (None, "0", "2") or (redirect.fd is None and not redirect.operator.startswith("<"))
    )
