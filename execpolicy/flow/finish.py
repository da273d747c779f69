"""The last steps of a reading: what can only be said once the whole script is known."""

from __future__ import annotations

from _bisect import bisect_left

from execpolicy.flow.descriptors import is_quiet
from execpolicy.flow.touched import Touched
from execpolicy.shell import effects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.grammar.state import Given, State, Use
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word


def finish(state: State) -> None:
    """Fill in bodies, arithmetic effects, recursion and splitting by a changed ``IFS``."""
    if state.freezes:
        for one in state.given:  # a loop may come back to what is read-only by then
            one.doubted = True
    commands = [command for command in state.commands if command is not None]
    _bodies(state, commands)
    touched = Touched(commands)
    if state.uses:
        _arithmetic(state, touched)
    if state.functions:
        _recursion(state, commands)
        from execpolicy.flow.functions import settle_functions

        settle_functions(state, commands)
    splitting = _splitting_changed(state, commands, touched)
    if splitting:
        for word in state.dynamic:
            if word.split and any(piece.kind != "literal" and not piece.quoted for piece in word.pieces):
                word.many = True
                word.number = word.absolute = False
                word.prefix = word.suffix = ""
    elif state.given and state.shell in ("bash", "sh", "dash") and len(commands) == len(state.commands):
        from execpolicy.flow.must import Settler

        Settler(state, touched.touches).fill()
        if any(effect.kind == effects.DYNAMIC_REDIRECT for effect in state.effects):
            _settled_redirects(state, commands)


def _splitting_changed(state: State, commands: list[Command], touched: Touched) -> bool:
    """Whether ``IFS`` may have another value than its usual one. In front of ``read`` it holds for that alone."""
    if touched.touches("IFS"):
        return True
    given = sum([1 for one in state.given if one.name == "IFS"])
    for command in commands:
        if given and command.words and command.words[0].literal == "read":
            given -= sum([1 for assignment in command.assignments if assignment.name == "IFS"])
    return given > 0


def _settled_redirects(state: State, commands: list[Command]) -> None:
    """Take back the effect of a redirection that reads where every file that it may read is known well enough."""
    settled = {
        id(redirect.span)
        for command in commands
        for redirect in command.redirects
        if redirect.operator == "<"
        and redirect.target.cases
        and all(_plain_file(case) for case in redirect.target.cases)
    }
    state.effects[:] = [
        effect for effect in state.effects if effect.kind != effects.DYNAMIC_REDIRECT or id(effect.span) not in settled
    ]


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


def _bodies(state: State, commands: list[Command]) -> None:
    for command in commands:
        for redirect in command.redirects:
            if redirect.body is not None and command.words and redirect.fd in (None, "0"):
                command.body = redirect.body
    for inside, redirect in state.fed:
        if redirect.body is None:
            continue
        for index in inside:
            fed = state.commands[index]
            if fed is None or fed.body is not None or fed.piped_from:
                continue
            if not any(own.operator[:1] == "<" and own.fd in (None, "0") for own in fed.redirects):
                fed.body = redirect.body


def _recursion(state: State, commands: list[Command]) -> None:
    for command in commands:
        if command.words and command.words[0].literal in state.functions:
            name = command.words[0].literal
            if f"function:{name}" in command.context:
                state.effect(effects.RECURSION, command.span, f"{name} calls itself")


def _arithmetic(state: State, touched: Touched) -> None:
    integers = _Integers(state, touched)
    gaps = [index for index, command in enumerate(state.commands) if command is None]
    for use in state.uses:
        inner = _outputs(state, use.inner, gaps)
        harmful = use.unknown or not all(integers.proven(name, use) for name in use.names)
        # what is printed as an error, or by a command beside it, is evaluated as well
        running = [state.commands[index] for index in use.inner]
        harmful = harmful or not all(command is None or is_quiet(command) for command in running)
        if harmful:
            detail = "text is evaluated as arithmetic, which may run what a value holds"
            state.effect(effects.ARITHMETIC, use.span, detail)
        elif inner or use.inner:
            state.effect(effects.ARITHMETIC, use.span, "the output of a command is evaluated as arithmetic", inner)


def _outputs(state: State, indices: tuple[int, ...], gaps: list[int]) -> tuple[int, ...]:
    """Of the commands in a substitution those whose output it is made of."""
    inside = set(indices)
    depth = 0
    contexts = [command.context for index in indices if (command := state.commands[index]) is not None]
    if contexts:
        depth = min(len(context) for context in contexts)
    piped: set[int] = set()
    for index in indices:
        command = state.commands[index]
        if command is not None:
            piped.update(source for source in command.piped_from if source in inside)
    chosen = []
    for index in indices:
        command = state.commands[index]
        if command is None or not command.words or index in piped:
            continue
        if "substitution" in command.context[depth:] or "process" in command.context[depth:]:
            continue
        chosen.append(index)
    return _published(tuple(chosen), gaps)


def _published(indices: tuple[int, ...], gaps: list[int]) -> tuple[int, ...]:
    """Indices without the places that no command filled."""
    return tuple([index - bisect_left(gaps, index) for index in indices])


class _Integers:
    """Which variables hold an integer wherever they are used."""

    def __init__(self, state: State, touched: Touched) -> None:
        self.state = state
        self.touched = touched
        self.always: dict[str, bool] = {}
        self.given: dict[str, list[Given]] = {}
        for one in state.given:
            self.given.setdefault(one.name, []).append(one)

    def proven(self, name: str, use: Use) -> bool:
        """Whether ``name`` is an integer at ``use``: every assignment gives one and one of them surely came before."""
        given = self.given.get(name, [])
        if name not in self.always:
            integers = bool(given) and all(_integer_given(one) for one in given)
            self.always[name] = integers and not self.touched.touches(name)
        if not self.always[name]:
            return False
        for one in given:
            self.state.steps += 1
            if one.position >= use.span.start or self.state.steps > self.state.limits.steps:
                return False
            if one.reaches(use.line) and use.blocks[: len(one.blocks)] == one.blocks:
                return True
        return False


def _integer_given(one: Given) -> bool:
    if one.number:
        return True
    if not one.array or one.append:
        return False
    return bool(one.values) and all(
        all(piece.number or (piece.kind == "literal" and (piece.text or "").isdigit()) for piece in value)
        and bool(value)
        for value in one.values
    )
