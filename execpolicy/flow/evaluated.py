"""Commands in text that was quoted and is evaluated all the same: ``[[ 'a[$(c)]' -eq 0 ]]``, ``x='$(c)'; ${x@P}``.

What evaluates such a text stands in the way of every grant; the commands are read so that rules that restrict see them.
"""

from __future__ import annotations

from execpolicy.shell import effects
from execpolicy.shell.grammar.lists import ScriptReader
from execpolicy.shell.grammar.state import Unreadable
from execpolicy.shell.script import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.shell.grammar.state import State
    from execpolicy.shell.words import Word
    from execpolicy.source import Span

_EVALUATING = frozenset((effects.ARITHMETIC, effects.PROMPT_EXPANSION, effects.INDIRECT))
_BUILTINS = frozenset(
    (
        *("let", "declare", "typeset", "local", "export", "readonly", "printf", "read", "unset", "test", "["),
        *("mapfile", "readarray", "getopts", "wait", "integer", "float"),
    )
)
_DECLARES = frozenset(("declare", "typeset", "local", "export", "readonly"))
_MOST = 100
"""Texts of one script that are read."""


def read_hidden(state: State) -> None:
    """Add the commands that quoted texts hold to ``state``, where something evaluates the texts."""
    texts: dict[str, Span] = {}
    for text, span in state.texts:
        _note(texts, text, span)
    subscripts = False
    for command in state.commands:
        words = _builtin_words(command)
        if words and words[0].literal in _BUILTINS:
            subscripts = subscripts or _evaluates_values(words)
            for word in words[1:]:
                if word.literal is not None and "[" in word.literal:
                    _note(texts, word.literal.partition("[")[2], word.span)
    evaluating = any(effect.kind in _EVALUATING for effect in state.effects)
    if evaluating or subscripts:
        for one in state.given:
            for value in one.values:
                for piece in value:
                    if piece.kind == "literal" and piece.text is not None:
                        text = piece.text if evaluating else piece.text.partition("[")[2]
                        _note(texts, text, state.span_at(one.position))
    for text, span in list(texts.items())[:_MOST]:
        _read(state, text, span)


def _builtin_words(command: Command | None) -> Sequence[Word]:
    """The words of ``command`` from its program on, without ``builtin`` and ``command`` before it."""
    words = command.words if command is not None else ()
    at = 0
    while at < len(words) and words[at].literal in ("builtin", "command", "-p", "--"):
        at += 1
    return words[at:]


def _evaluates_values(words: Sequence[Word]) -> bool:
    """Whether a builtin evaluates subscripts in values of variables, which it does not hold itself.

    ``let x`` and every assignment to ``n`` after ``declare -i n`` evaluate those in the value; ``unset "$x"``,
    ``test -v "$x"`` and their like those in the name that they are given.
    """
    name = words[0].literal
    if name in ("let", "integer", "float"):
        return True
    flags = [word.literal for word in words[1:] if word.literal is not None and word.literal[:1] == "-"]
    if name in _DECLARES and any("i" in flag for flag in flags):
        return True
    named = name not in ("printf", "test", "[") or any(flag[:2] in ("-v", "-R") for flag in flags)
    return named and any(word.literal is None for word in words[1:])


def _note(texts: dict[str, Span], text: str, span: Span) -> None:
    if "$(" in text or "`" in text:
        texts.setdefault(text, span)


def _read(state: State, text: str, span: Span) -> None:
    offsets = [span.start] * (len(text) + 1)
    depth, doubts, noted = state.depth, len(state.doubts), len(state.effects)
    commands, dynamic = len(state.commands), len(state.dynamic)
    state.depth = 0
    try:
        ScriptReader(text, state, context=("arithmetic",), offsets=offsets).read_quoted_text("", "here")
    except Unreadable:
        # What evaluates the text is an effect already.
        from execpolicy.shell.salvage import salvage

        del state.commands[commands:], state.dynamic[dynamic:]
        for seen in salvage(text, state.shell, _MOST):
            state.commands.append(Command(seen.words, span, redirects=seen.redirects, context=("arithmetic",)))
    state.depth = depth
    del state.doubts[doubts:], state.effects[noted:]
