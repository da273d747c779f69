"""What the reader returns: commands, redirections, assignments and effects of one script."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from execpolicy.shell.words import Word
    from execpolicy.source import Span

    Status = Literal["plain", "structured", "opaque"]


class Redirect:
    """One redirection.

    Attributes:
        operator: as written: ``< > >> >| <> >& <& &> &>> << <<- <<<``.
        fd: the number or ``{name}`` in front of the operator, or ``None``.
        target: the word behind it; for here-documents the delimiter, for here-strings the text.
        body: for ``<< <<- <<<``: the text that the command reads (literal, or dynamic when it has expansions).
        writes: it can create or change ``target`` (``> >> >| <> &> &>>``, and ``>&`` with a name). Duplicating or
            closing a descriptor (``2>&1``, ``>&-``) writes nothing.
    """

    __slots__ = ("body", "fd", "operator", "span", "target", "writes")

    def __init__(
        self, operator: str, fd: str | None, target: Word, span: Span, *, writes: bool, body: Word | None = None
    ) -> None:
        self.operator = operator
        self.fd = fd
        self.target = target
        self.span = span
        self.writes = writes
        self.body = body


class Assignment:
    """``name=value``, ``name+=value``, ``name[sub]=value`` or ``name=(…)``.

    Attributes:
        value: the word assigned; ``None`` for an array, whose words are then in ``items``.
        subscript: whether it assigns to an element (``a[i]=x``).
    """

    __slots__ = ("append", "items", "name", "span", "subscript", "value")

    def __init__(
        self,
        name: str,
        value: Word | None,
        span: Span,
        *,
        append: bool = False,
        subscript: bool = False,
        items: tuple[Word, ...] = (),
    ) -> None:
        self.name = name
        self.value = value
        self.span = span
        self.append = append
        self.subscript = subscript
        self.items = items


class Command:
    """One simple command that the script can run, or a bare group of redirections or assignments.

    Attributes:
        words: the program and its arguments; empty for ``x=1``, ``> f`` and for the redirections of a compound command.
        context: the constructs around it, outermost first, for instance ``("loop", "substitution")``. Names:
            ``pipeline background subshell group loop condition case function:NAME substitution process arithmetic
            errors-piped heredoc negated timed coproc select trap eval wrapper:NAME``.
        piped_from: indices into ``Script.commands`` of the commands whose output this one reads through a pipe.
        body: the literal or dynamic text of the here-document or here-string on its standard input (the last one),
            also when it stands on the compound command around it; ``None`` if there is none.
        span: from the first to the last character of the command in the script.
    """

    __slots__ = ("_plain", "assignments", "body", "context", "piped_from", "redirects", "span", "words")

    def __init__(
        self,
        words: tuple[Word, ...],
        span: Span,
        *,
        assignments: tuple[Assignment, ...] = (),
        redirects: tuple[Redirect, ...] = (),
        context: tuple[str, ...] = (),
        piped_from: tuple[int, ...] = (),
        body: Word | None = None,
    ) -> None:
        self.words = words
        self.span = span
        self.assignments = assignments
        self.redirects = redirects
        self.context = context
        self.piped_from = piped_from
        self.body = body
        self._plain: tuple[str, ...] | Literal[False] | None = False

    @property
    def plain_argv(self) -> tuple[str, ...] | None:
        """The words, if each of them is a text that the script itself holds; ``None`` if one is computed."""
        if self._plain is False:
            found: list[str] = []
            for word in self.words:
                if word.literal is None:
                    self._plain = None
                    return None
                found.append(word.literal)
            self._plain = tuple(found)
        return self._plain

    def with_words(self, words: tuple[Word, ...], *, assigns: bool) -> Command:
        """The same command with other words, and without its assignments unless ``assigns``."""
        return Command(
            words,
            self.span,
            assignments=self.assignments if assigns else (),
            redirects=self.redirects,
            context=self.context,
            piped_from=self.piped_from,
            body=self.body,
        )

    def argv(self) -> tuple[str | None, ...]:
        """The words, ``None`` for a dynamic one."""
        return tuple([word.literal for word in self.words])

    def __repr__(self) -> str:
        return f"Command({list(self.argv())!r}, {self.span!r})"


class Effect:
    """Something a script does beside running commands, which stands in the way of a grant.

    Attributes:
        kind: a stable word, see ``execpolicy.shell.effects``.
        detail: what a person should know, one line.
        inner: for ``arithmetic``: the commands whose output is evaluated. The effect is harmless if each of them can
            only print a number; it is harmful when this is empty.
    """

    __slots__ = ("detail", "inner", "kind", "span")

    def __init__(self, kind: str, span: Span, detail: str, *, inner: tuple[int, ...] = ()) -> None:
        self.kind = kind
        self.span = span
        self.detail = detail
        self.inner = inner

    def __repr__(self) -> str:
        return f"Effect({self.kind!r}, {self.span!r}, {self.detail!r})"


class Script:
    """A script as read.

    Attributes:
        text: the whole text; spans are offsets into it, in code points.
        shell: ``bash``, ``sh``, ``dash``, ``ksh`` or ``zsh``.
        status: ``plain`` (literal words joined by ``&&``, ``||``, ``;``, ``|`` and newline only), ``structured``
            (understood, but richer) or ``opaque`` (never allowed; ``commands`` then holds whatever could be seen).
        reason: why it is opaque; ``None`` otherwise.
        commands: every simple command anywhere in it, in source order, those inside substitutions included.
        effects: what blocks a grant.
        functions: names that it defines as functions.
        assigned: variable name to the values that the script visibly gives it. Evidence, not proof.
    """

    __slots__ = (
        "assigned",
        "commands",
        "effects",
        "functions",
        "reason",
        "shell",
        "status",
        "text",
    )

    def __init__(
        self,
        text: str,
        shell: str,
        status: Status,
        commands: tuple[Command, ...],
        *,
        reason: str | None = None,
        effects: tuple[Effect, ...] = (),
        functions: frozenset[str] = frozenset(),
        assigned: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self.text = text
        self.shell = shell
        self.status: Status = status
        self.commands = commands
        self.reason = reason
        self.effects = effects
        self.functions = functions
        self.assigned: Mapping[str, tuple[str, ...]] = assigned if assigned is not None else {}

    def shown(self, word: Word) -> str:
        """``word`` for people: what it is, or how the script writes it where that is only known at run time."""
        if word.literal is not None:
            return word.literal
        return self.text[word.span.start : word.span.end] or word.written or "…"
