"""The position in one text, and what every part of the reader asks of it."""

from __future__ import annotations

from execpolicy.shell.grammar.state import Unreadable
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from execpolicy.shell.grammar.state import Pending, State
    from execpolicy.shell.pieces import Piece

DIGITS = frozenset("0123456789")
META = frozenset(" \t\n;&|<>()")
"""Characters that end an unquoted word (bash manual, "metacharacter")."""


class Cursor:
    """A text with a position.

    ``offsets`` maps positions of a derived text (backquotes, here-document bodies) to the script; ``base`` shifts
    them when the mapping is that simple.
    """

    def __init__(
        self,
        text: str,
        state: State,
        *,
        context: tuple[str, ...] = (),
        blocks: tuple[int, ...] = (),
        offsets: list[int] | None = None,
    ) -> None:
        self.text = text
        self.end = len(text)
        self.pos = 0
        self.state = state
        self.context = context
        self.blocks = blocks
        self.offsets = offsets
        self.pending: list[Pending] = []
        self.element: str | None = None

    def fail(self, reason: str, at: int | None = None) -> NoReturn:
        """Give up on the script: it is opaque."""
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

    def reparsed(self) -> bool:
        """Whether bash 5.2 prints and parses this text again before it runs it (``$(…)`` and ``<(…)``).

        What it prints is not always what was written, so some constructs are refused there.
        """
        return "substitution" in self.context or "process" in self.context

    def enter(self) -> None:
        """Go one level deeper; ``leave`` goes back."""
        self.state.depth += 1
        if self.state.depth > self.state.limits.depth:
            self.fail("nested too deeply")

    def leave(self) -> None:
        self.state.depth -= 1

    def after(self, position: int) -> int:
        """``position`` behind any line continuations (backslash, newline) that stand there."""
        while self.text.startswith("\\\n", position):
            self.state.rich = True
            position += 2
        return position

    def char(self, position: int) -> str:
        """The character at ``position``, ``""`` at the end."""
        return self.text[position] if position < self.end else ""

    def skip_blanks(self) -> str:
        """Go to the next token: over spaces, tabs, continuations and a comment. Return the character there."""
        text, end, pos = self.text, self.end, self.pos
        while pos < end:
            char = text[pos]
            if char == " " or char == "\t":
                pos += 1
            elif char == "\\" and text.startswith("\n", pos + 1):
                self.state.rich = True
                pos += 2
            elif char == "#":
                self.state.rich = True
                newline = text.find("\n", pos)
                pos = end if newline < 0 else newline
            else:
                self.pos = pos
                return char
        self.pos = pos
        return ""

    def bash_only(self, what: str) -> None:
        """Note a construct that dash reads as something else or not at all."""
        if self.state.shell not in ("bash", "zsh"):
            self.state.doubt(f"{what} is not read by every sh")

    def zsh_doubt(self, position: int, letters: str) -> None:
        """zsh continues an expansion where bash ends it when one of ``letters`` follows."""
        if self.state.shell == "zsh" and self.char(position) and self.char(position) in letters:
            self.state.doubt("zsh reads more into this expansion")

    # What the other parts provide.

    def read_list(self, stop: tuple[str, ...], *, empty: bool = False) -> None:
        raise NotImplementedError

    def derived(self, text: str, offsets: list[int], context: tuple[str, ...]) -> Cursor:
        """A cursor of the same class over a text that was made from this one."""
        raise NotImplementedError

    def read_dollar(self, mode: str) -> Piece:
        raise NotImplementedError

    def read_backquote(self, mode: str) -> Piece:
        raise NotImplementedError

    def read_double(self, mode: str) -> list[Piece]:
        raise NotImplementedError

    def read_quoted_text(self, close: str, mode: str) -> list[Piece]:
        raise NotImplementedError
