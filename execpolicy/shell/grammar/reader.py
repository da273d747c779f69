"""The reader: the position in one text, and the operations that every part of the grammar uses; odd characters."""

from __future__ import annotations

from execpolicy.shell.grammar.state import Unreadable
from execpolicy.shell.script import ArithmeticUse
from execpolicy.shell.variables import NAME_START
from execpolicy.source import Span
from execpolicy.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import NoReturn, Protocol

    from execpolicy.shell.grammar.state import Pending, State
    from execpolicy.shell.pieces import Piece

    class ReadList(Protocol):
        def __call__(self, reader: Reader, stop: tuple[str, ...], *, empty: bool = False) -> None: ...


_ALONE = "\ufffd"
"""The replacement for an invalid character. No rule contains it: rules are UTF-8, as is every name that they can match.
"""


def oddness(text: str) -> str | None:
    """The reason why a shell may read ``text`` as a different text, or ``None``."""
    if "\0" in text:
        return "a NUL character"
    if "\x01" in text or "\x7f" in text:
        return "a control character that shells use internally"
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return "text that is not valid UTF-8"
    return None


def as_evidence(text: str) -> tuple[str, list[int] | None]:
    """The text that a shell reads for ``text`` from a file, and the offset in ``text`` of each of its characters.

    bash, dash, mksh and busybox drop every NUL. A lone surrogate represents a byte and may be part of a name.
    """
    places = None
    if "\0" in text:
        places = [at for at, char in enumerate(text) if char != "\0"]
        places.append(len(text))
        text = text.replace("\0", "")
    return "".join([_ALONE if "\ud800" <= char <= "\udfff" else char for char in text]), places


DIGITS = frozenset("0123456789")
META = frozenset(" \t\n;&|<>()")
"""Characters that end an unquoted word (bash manual, "metacharacter")."""
_PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:+%@"
"""Characters without a meaning in any part of the grammar."""
_SKIPPED = frozenset(" \t\\#")
_STRETCH = 64
"""The number of characters that are examined at once."""


@value
class GrammarHooks:
    """The recursive entry points of the grammar: an expansion contains a list, and a list contains expansions.

    Attributes:
        read_list: reads commands up to ``)``, the end, or one of the words passed to it.
        read_dollar: reads an expansion that begins with ``$``.
    """

    read_list: ReadList
    read_dollar: Callable[[Reader, str], Piece]


_MODIFYING = NAME_START | {"&", "\\"}
"""Characters that may follow the colon of a zsh modifier: a letter, ``&``, or a line continuation."""


class Reader:
    """A text with a position in it, which the functions of this package advance.

    Attributes:
        pos: the position of the next character; ``end``: the end of the text.
        state: the collected results, shared by the readers of all texts of one script.
        context: the constructs around the position, as in ``Command.context``.
        blocks: the numbers of the lists of commands around it.
        offsets: for a text derived from another one (backquotes, here-document bodies) the offset in the script of each
            of its characters.
        pending: here-documents whose bodies begin after this line.
        element: the array, if the last word assigns to an element of it.
        octals: true if a variable may be a number like ``08``; computed on demand.
    """

    def __init__(
        self,
        text: str,
        state: State,
        hooks: GrammarHooks,
        *,
        context: tuple[str, ...] = (),
        blocks: tuple[int, ...] = (),
        offsets: list[int] | None = None,
    ) -> None:
        self.text = text
        self.end = len(text)
        self.pos = 0
        self.state = state
        self.hooks = hooks
        self.context = context
        self.blocks = blocks
        self.offsets = offsets
        self.pending: list[Pending] = []
        self.element: str | None = None
        self.octals: bool | None = None

    def derived(self, text: str, offsets: list[int], context: tuple[str, ...]) -> Reader:
        """A reader of a text that was derived from this one."""
        return Reader(text, self.state, self.hooks, context=context, blocks=self.blocks, offsets=offsets)

    def fail(self, reason: str, at: int | None = None) -> NoReturn:
        """Raises ``Unreadable``: the script becomes opaque."""
        raise Unreadable(reason, self.where(self.pos if at is None else at))

    def where(self, position: int) -> int:
        """A position of this text as an offset into the script."""
        offsets = self.offsets
        if offsets is None:
            return position
        return offsets[position] if position < len(offsets) else offsets[-1] if offsets else 0

    def span(self, start: int, end: int) -> Span:
        if self.offsets is None:
            return Span(start, end)
        return Span(self.where(start), self.where(end - 1) + 1 if end > start else self.where(start))

    def use(self, start: int, names: Iterable[str] = (), inner: Iterable[int] = (), *, unknown: bool = True) -> None:
        """Records that the text from ``start`` to the position is evaluated as arithmetic; see ``ArithmeticUse``."""
        state = self.state
        span = self.span(start, self.pos)
        state.uses.append(ArithmeticUse(frozenset(names), unknown, span, tuple(inner), self.blocks, state.line))

    def reparsed(self) -> bool:
        """True if bash 5.2 prints and parses this text again before it runs it (``$(…)`` and ``<(…)``).

        The printed text may differ from the written one, so some constructs are errors there.
        """
        return "substitution" in self.context or "process" in self.context

    def enter(self) -> None:
        """Increases the nesting depth by one; ``leave`` decreases it."""
        self.state.depth += 1
        if self.state.depth > self.state.limits.depth:
            self.fail("nested too deeply")

    def leave(self) -> None:
        self.state.depth -= 1

    def after(self, position: int) -> int:
        """``position`` moved past any line continuations (backslash, newline) at it."""
        while self.text.startswith("\\\n", position):
            self.state.rich = True
            position += 2
        return position

    def char(self, position: int) -> str:
        """The character at ``position``, ``""`` at the end."""
        return self.text[position] if position < self.end else ""

    def plain_end(self, position: int) -> int:
        """The end of the run of plain characters at ``position``; a long run is returned in parts."""
        stretch = self.text[position : min(position + _STRETCH, self.end)]
        return position + len(stretch) - len(stretch.lstrip(_PLAIN))

    def skip_blanks(self) -> str:
        """Moves to the next token: over spaces, tabs, continuations and a comment; returns the character there."""
        text, end, pos = self.text, self.end, self.pos
        while pos < end:
            char = text[pos]
            if char not in _SKIPPED:
                self.pos = pos
                return char
            if char == " " or char == "\t":
                pos += 1
            elif char == "#":
                self.state.rich = True
                newline = text.find("\n", pos)
                pos = end if newline < 0 else newline
            elif text.startswith("\n", pos + 1):
                self.state.rich = True
                pos += 2
            else:
                self.pos = pos
                return char
        self.pos = pos
        return ""

    def bash_only(self, what: str) -> None:
        """Records a construct that dash reads differently or not at all."""
        if self.state.shell not in ("bash", "zsh"):
            self.state.mark_ambiguous(f"{what} is not read by every sh")

    def mark_ambiguous_in_zsh(self, position: int, letters: str) -> None:
        """Marks the script ambiguous if zsh continues the expansion: with one of ``letters``, or with a modifier."""
        char = self.char(position) if self.state.shell == "zsh" else ""
        if char and char in letters and (char != ":" or self.char(position + 1) in _MODIFYING):
            self.state.mark_ambiguous("zsh reads more into this expansion")
