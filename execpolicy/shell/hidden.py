"""Commands in text that was quoted and is evaluated all the same: ``[[ 'a[$(c)]' -eq 0 ]]``, ``x='$(c)'; ${x@P}``.

What evaluates such a text stands in the way of every grant; the commands are read so that rules that restrict see them.
"""

from __future__ import annotations

from execpolicy.shell import effects
from execpolicy.shell.lists import ScriptReader
from execpolicy.shell.script import Command
from execpolicy.shell.state import Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.state import State
    from execpolicy.source import Span

_EVALUATING = frozenset((effects.ARITHMETIC, effects.PROMPT_EXPANSION, effects.INDIRECT))
_BUILTINS = frozenset(
    (
        *("let", "declare", "typeset", "local", "export", "readonly", "printf", "read", "unset", "test", "["),
        *("mapfile", "readarray", "getopts", "wait"),
    )
)
_MOST = 100
"""Texts of one script that are read."""


def read_hidden(state: State) -> None:
    """Add the commands that quoted texts hold to ``state``, where something evaluates the texts."""
    texts: dict[str, Span] = {}
    for text, span in state.texts:
        _note(texts, text, span)
    for command in state.commands:
        if command is not None and command.words and command.words[0].literal in _BUILTINS:
            for word in command.words[1:]:
                if word.literal is not None and "[" in word.literal:
                    _note(texts, word.literal.partition("[")[2], word.span)
    if any(effect.kind in _EVALUATING for effect in state.effects):
        for one in state.given:
            for value in one.values:
                for piece in value:
                    if piece.kind == "literal" and piece.text is not None:
                        _note(texts, piece.text, state.span_at(one.position))
    for text, span in list(texts.items())[:_MOST]:
        _read(state, text, span)


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
