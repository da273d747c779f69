"""The shared state of one reading, and the commands under construction."""

from __future__ import annotations

from execpolicy.shell.script import GivenValue, ShellEffect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    from execpolicy.shell.limits import Budget
    from execpolicy.shell.pieces import Piece
    from execpolicy.shell.script import ArithmeticUse, Assignment, Redirect, Script
    from execpolicy.shell.words import Word
    from execpolicy.source import Span

    class GivenMarks(TypedDict, total=False):
        """The optional arguments of a ``GivenValue``."""

        array: bool
        append: bool
        number: bool
        certain: bool
        loop: bool
        element: int | None


class Unreadable(Exception):
    """The script has unreadable text at ``position``; it becomes opaque."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position


class Pending:
    """A here-document whose body is read at the end of its line: a ``Redirect`` until then.

    Attributes:
        plain: its delimiter is quoted, so nothing is expanded in the body.
        tabs: tabs in front of its lines are removed.
        context: the context of its command.
        body: the text, once it has been read.
    """

    __slots__ = ("body", "context", "delimiter", "fd", "operator", "plain", "span", "tabs", "target")

    def __init__(
        self, operator: str, fd: str | None, target: Word, span: Span, context: tuple[str, ...], *, plain: bool
    ) -> None:
        self.operator = operator
        self.fd = fd
        self.target = target
        self.span = span
        self.delimiter = target.literal or ""
        self.plain = plain
        self.tabs = operator == "<<-"
        self.context = context
        self.body: Word | None = None

    def fill(self, body: Word) -> None:
        self.body = body


class Draft:
    """A partially read command; its attributes are those of the ``Command`` that it becomes."""

    __slots__ = ("assignments", "context", "piped_from", "redirects", "span", "words")

    def __init__(
        self,
        span: Span,
        context: tuple[str, ...],
        words: list[Word],
        assignments: list[Assignment],
        redirects: list[Redirect | Pending],
    ) -> None:
        self.span = span
        self.context = context
        self.words = words
        self.assignments = assignments
        self.redirects = redirects
        self.piped_from: tuple[int, ...] = ()

    def mark(self, depth: int, name: str) -> None:
        """Inserts ``name`` into the context, after the first ``depth`` constructs."""
        self.context = self.context[:depth] + (name,) + self.context[depth:]

    def read_from(self, sources: tuple[int, ...]) -> None:
        """Connects the command to a pipe."""
        self.piped_from = sources


_FAR = 1_000_000
"""A number that exceeds the number of lists in any script."""


class State:
    """The results collected while one script is read.

    Attributes:
        commands: in source order; ``None`` for one whose words are still being read.
        rich: the script has a construct that a plain script does not have.
        bare_redirects: some redirects have no command.
        opened: the descriptors that redirects of the current command open.
        given, uses, conditions, texts: as in ``ParseFacts``.
        line: the number of the current line.
        failing: the last line on which an expansion may fail.
        freezes: some variable may be made read-only, so that every assignment may fail.
        splits: some word is split by the value of ``IFS``.
        fed: for each compound command with input of its own: the commands in it, and that input.
        aliases: the aliases that ``alias`` defines, as names and values.
        parts: words and parts of words that were read.
        full: reading stopped at a limit.
        ambiguities: the reasons why the shells that may run the script do not all read it like this.
    """

    def __init__(self, shell: str, budget: Budget, *, behind: Script | None = None) -> None:
        """``behind`` is the partly read script that this reading continues."""
        self.shell = shell
        self.budget = budget
        self.limits = budget.limits
        self.commands: list[Draft | None] = [None] * (0 if behind is None else len(behind.commands))
        self.effects: list[ShellEffect] = []
        self.functions: set[str] = set()
        self.parts = 0
        self.full = False
        self.depth = 0
        self.rich = False
        self.bare_redirects = False
        self.opened: list[str] = []
        self.blocks = 0 if behind is None else _FAR
        self.compounds = 0
        self.pipelines = 0
        self.heredocs = 0
        self.ambiguities: list[str] = []
        self.given: list[GivenValue] = [] if behind is None else [*behind.seen.given]
        self.line = 1
        self.failing = 0
        self.freezes = False
        self.uses: list[ArithmeticUse] = []
        self.conditions: list[Span] = []
        self.splits = False
        self.fed: list[tuple[range, Redirect | Pending]] = []
        self.aliases: list[tuple[str, str]] = []
        self.texts: list[tuple[str, Span]] = []

    def give(
        self,
        name: str,
        values: tuple[tuple[Piece, ...], ...],
        position: int,
        blocks: tuple[int, ...],
        **marks: Unpack[GivenMarks],
    ) -> None:
        """Records a value that the script gives to a variable; the arguments are those of ``GivenValue``."""
        if self.freezes:
            self.failing = self.line
        doubted = self.failing == self.line
        self.given.append(GivenValue(name, values, position, blocks, self.line, doubted=doubted, **marks))

    def new_block(self) -> int:
        """The number of a new list of commands."""
        self.blocks += 1
        return self.blocks

    def next_line(self, nested: bool) -> None:
        """Begins a line; a compound command is one line to the shell (``nested``)."""
        self.line += 1
        if nested and self.failing == self.line - 1:
            self.failing = self.line

    def may_fail(self) -> None:
        """Records that the current text may fail when it is expanded, which drops the rest of the line."""
        self.failing = self.line

    def reserve(self, position: int) -> int:
        """Reserves a place in source order for a command whose words are read next."""
        if len(self.commands) >= self.limits.commands:
            self.full = True
            raise Unreadable("too many commands", position)
        self.commands.append(None)
        return len(self.commands) - 1

    def count(self, parts: int = 1) -> None:
        """Counts words, or parts of words, that were read."""
        self.parts += parts
        if self.parts > self.limits.parts:
            self.full = True
            raise Unreadable("too many words", 0)

    def draft(self, index: int) -> Draft:
        """The command at ``index``, which has been read."""
        found = self.commands[index]
        assert found is not None
        return found

    def effect(self, kind: str, span: Span, detail: str) -> None:
        self.effects.append(ShellEffect(kind, span, detail))

    def mark_ambiguous(self, reason: str) -> None:
        """Records that the shells that may run this script disagree here: no grant, but reading continues."""
        if reason not in self.ambiguities:
            self.ambiguities.append(reason)
