"""What the parts of one reading share."""

from __future__ import annotations

from execpolicy.shell.script import Command, Effect
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.limits import Limits
    from execpolicy.shell.pieces import Piece
    from execpolicy.shell.script import Redirect
    from execpolicy.shell.words import Word


class Unreadable(Exception):
    """The script has something at ``position`` that is not read; it becomes opaque."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position


class Use:
    """Text that the shell evaluates as arithmetic, to be proven harmless once the whole script is known."""

    __slots__ = ("blocks", "inner", "line", "names", "span", "unknown")

    def __init__(
        self,
        names: frozenset[str],
        unknown: bool,
        span: Span,
        inner: tuple[int, ...],
        blocks: tuple[int, ...],
        line: int,
    ) -> None:
        self.line = line
        self.names = names
        self.unknown = unknown
        self.span = span
        self.inner = inner
        self.blocks = blocks


class Given:
    """A value that the script visibly gives to a variable.

    Attributes:
        values: for a scalar one list of pieces; for an array or a loop one list for each word.
        array: whether the words are elements.
        loop: whether the words are the values of a loop variable, one after the other.
        number: it is an integer whatever happens (an arithmetic result).
        blocks: the lists of commands around it, as numbers; it holds for what stands behind it in the same list.
        certain: it happens whenever what stands behind it in the same list happens.
        line: the number of the line that it stands on.
        doubted: something in front of it on its line may fail, or it itself: an error in an expansion drops the rest of
            the line, and the next line runs all the same (bash 5.2, tried).
        element: where in an array it goes; -1 where that is not a plain number, ``None`` where there is no subscript.
    """

    __slots__ = (
        "append",
        "array",
        "blocks",
        "certain",
        "doubted",
        "element",
        "line",
        "loop",
        "name",
        "number",
        "position",
        "values",
    )

    def __init__(
        self,
        name: str,
        values: list[list[Piece]],
        position: int,
        blocks: tuple[int, ...],
        *,
        array: bool = False,
        append: bool = False,
        number: bool = False,
        certain: bool = True,
        loop: bool = False,
        element: int | None = None,
    ) -> None:
        self.name = name
        self.values = values
        self.position = position
        self.blocks = blocks
        self.array = array
        self.append = append
        self.number = number
        self.certain = certain
        self.loop = loop
        self.element = element
        self.line = 0
        self.doubted = False

    def reaches(self, line: int) -> bool:
        """Whether it surely happened where ``line``, further down in the same list, is reached."""
        return self.certain and (not self.doubted or self.line == line)


class State:
    """Everything that is collected while one script is read."""

    def __init__(self, shell: str, limits: Limits) -> None:
        self.shell = shell
        self.limits = limits
        self.commands: list[Command | None] = []
        self.effects: list[Effect] = []
        self.functions: set[str] = set()
        self.words = 0
        self.depth = 0
        self.steps = 0
        self.rich = False
        self.bare_redirects = False
        self.blocks = 0
        self.compounds = 0
        self.pipelines = 0
        self.heredocs = 0
        self.doubts: list[str] = []
        self.given: list[Given] = []
        self.line = 1
        self.failing = 0
        """The last line on which something may fail."""
        self.freezes = False
        """Some variable may be made read-only, so that every assignment may fail."""
        self.uses: list[Use] = []
        self.dynamic: list[Word] = []
        self.fed: list[tuple[range, Redirect]] = []
        self.aliases: list[tuple[str, str]] = []
        self.calls: list[tuple[str, list[list[Piece]], int, tuple[int, ...]]] = []
        """Commands with arguments: the program, the arguments, the position and the blocks."""
        self.references: set[str] = set()
        """Variables that stand for another (``declare -n``)."""
        self.texts: list[tuple[str, Span]] = []
        """Texts that are evaluated as arithmetic although they were quoted."""

    def give(self, one: Given) -> None:
        """Keep a value that the script gives."""
        if self.freezes:
            self.failing = self.line
        one.line = self.line
        one.doubted = self.failing == self.line
        self.given.append(one)

    def may_fail(self) -> None:
        """What is read now may fail when it is expanded, which drops the rest of the line."""
        self.failing = self.line

    def reserve(self, position: int) -> int:
        """Keep a place in source order for a command whose words are read next."""
        if len(self.commands) >= self.limits.commands:
            raise Unreadable("too many commands", position)
        self.commands.append(None)
        return len(self.commands) - 1

    def span_at(self, position: int) -> Span:
        """The span of what begins at ``position``, if only that is known."""
        return Span(position, position)

    def effect(self, kind: str, span: Span, detail: str, inner: tuple[int, ...] = ()) -> None:
        self.effects.append(Effect(kind, span, detail, inner=inner))

    def doubt(self, reason: str) -> None:
        """The shells that this script may be run by disagree here: no grant, but reading goes on."""
        if reason not in self.doubts:
            self.doubts.append(reason)
