"""The results of the reader: commands, redirects, assignments, effects and the other findings in one script.

All of these are values: they are immutable.
"""

from __future__ import annotations

from execpolicy.value import KW_ONLY, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, TypeVar

    from execpolicy.shell.pieces import Piece
    from execpolicy.shell.words import Word
    from execpolicy.source import Span

    Status = Literal["plain", "structured", "opaque"]
    Value = TypeVar("Value")

SHELLS = ("bash", "sh", "dash", "ksh", "zsh")
"""Shells whose scripts are read, the default first; scripts of any other are opaque."""

ALIAS = "alias"
"""A name gets another meaning on the lines after it."""
ARITHMETIC = "arithmetic"
"""Text is evaluated as arithmetic and is not proven to be harmless: arithmetic evaluates names and subscripts again,
and a subscript may contain ``$(…)``. Detected in ``execpolicy.flow.effects``.
"""
ASSIGNMENT = "assignment"
"""A loop, ``{name}<file`` or a builtin gives a value to a variable that may change which code runs."""
EXPORTED = "exported"
SOURCE = "source"
"""A file is run in this shell."""
CUT_OFF = "cut-off"
"""The text ends in a backslash, as if it were cut off."""
ASSIGN_DEFAULT = "assign-default"
"""``${x:=word}`` and ``${x=word}`` assign."""
DYNAMIC_PROGRAM = "dynamic-program"
"""The program is only known at run time."""
DYNAMIC_REDIRECT = "dynamic-redirect"
"""The target of a redirect that reads is only known at run time (possibly ``/dev/tcp/…``, a pipe or a terminal)."""
INDIRECT = "indirect"
"""``${!x}``: the value of ``x`` is evaluated as a name."""
NETWORK_REDIRECT = "network-redirect"
"""``/dev/tcp/…`` or ``/dev/udp/…`` opens a connection."""
PROMPT_EXPANSION = "prompt-expansion"
"""``${x@P}`` expands the value of ``x``, including substitutions."""
RECURSION = "recursion"
"""A function that calls itself (fork bombs). Detected in ``execpolicy.flow.effects``."""
REDEFINITION = "redefinition"
"""A function is defined; its name is the detail."""
SHELL_OPTION = "shell-option"
"""``set`` or ``shopt`` changes how the rest of the script is read or run."""
# Source of the kinds: the bash 5.2 manual, each one tried with bash 5.2.15.


def replace(value: Value, /, **fields: object) -> Value:
    """A copy of ``value`` with other ``fields``, which are arguments of its class."""
    kind: Callable[..., Value] = type(value)
    slots: tuple[str, ...] = type(value).__slots__  # type: ignore[attr-defined]  # every value of the reader has them
    return kind(**{name: getattr(value, name) for name in slots if name[0] != "_"} | fields)


@value
class Redirect:
    """One redirect.

    Attributes:
        operator: as written: ``< > >> >| <> >& <& &> &>> << <<- <<<``.
        fd: the number or ``{name}`` in front of the operator, or ``None``.
        target: the word after it; for here-documents the delimiter, for here-strings the text.
        body: for ``<< <<- <<<``: the text that the command reads (literal, or dynamic if it has expansions).
        writes: it can create or change ``target`` (``> >> >| <> &> &>>``, and ``>&`` with a name). Duplicating or
            closing a descriptor (``2>&1``, ``>&-``) writes nothing.
    """

    operator: str
    fd: str | None
    target: Word
    span: Span
    _: KW_ONLY
    writes: bool
    body: Word | None = None


@value
class Assignment:
    """``name=value``, ``name+=value``, ``name[sub]=value`` or ``name=(…)``.

    Attributes:
        value: the word assigned; ``None`` for an array, whose words are then in ``items``.
        subscript: it assigns to an element (``a[i]=x``).
    """

    name: str
    value: Word | None
    span: Span
    _: KW_ONLY
    append: bool = False
    subscript: bool = False
    items: tuple[Word, ...] = ()


@value
class Command:
    """One simple command that the script can run, or a bare group of redirects or assignments.

    Attributes:
        words: the program and its arguments; empty for ``x=1``, ``> f`` and for the redirects of a compound command.
        context: the constructs around it, outermost first, for instance ``("loop", "substitution")``. Names:
            ``pipeline background subshell group loop condition case function:NAME substitution process arithmetic
            errors-piped heredoc negated timed select trap eval wrapper:NAME``.
        piped_from: indices into ``Script.commands`` of the commands whose output this one reads through a pipe; for the
            redirects of a compound command, which have no words, the commands whose output they redirect.
        body: the literal or dynamic text of the here-document or here-string on its standard input (the last one),
            also if it belongs to the compound command around it; ``None`` if there is none.
        span: from the first to the last character of the command in the script.
    """

    words: tuple[Word, ...]
    span: Span
    _: KW_ONLY
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    context: tuple[str, ...] = ()
    piped_from: tuple[int, ...] = ()
    body: Word | None = None
    _plain: tuple[str, ...] | Literal[False] | None = False

    @property
    def input_redirect(self) -> Redirect | None:
        """The redirection that standard input ends up with."""
        for redirect in reversed(self.redirects):
            if redirect.fd in (None, "0") and redirect.operator.startswith("<"):
                return redirect
        return None

    @property
    def plain_argv(self) -> tuple[str, ...] | None:
        """The words, if each of them is a text that the script itself contains; ``None`` if one is computed."""
        if self._plain is False:
            found: tuple[Any, ...] = tuple([word.literal for word in self.words])
            self._plain = None if None in found else found  # type: ignore[misc]  # computed once
        return self._plain

    def argv(self) -> tuple[str | None, ...]:
        """The words, ``None`` for a dynamic one."""
        return tuple([word.literal for word in self.words])

    def __repr__(self) -> str:
        return f"Command({list(self.argv())!r}, {self.span!r})"


@value
class ShellEffect:
    """A side effect of a script besides running commands, which prevents a grant.

    Attributes:
        kind: a stable word, one of those above or of ``execpolicy.programs.builtin_forms``.
        detail: the explanation for people, one line.
        inner: for ``arithmetic``: the commands whose output is evaluated. The effect is harmless if each of them can
            only print a number; it is harmful if this is empty.
    """

    kind: str
    span: Span
    detail: str
    _: KW_ONLY
    inner: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return f"ShellEffect({self.kind!r}, {self.span!r}, {self.detail!r})"


@value
class GivenValue:
    """A value that the script visibly gives to a variable: an assignment, a loop, ``${x:=word}``.

    Attributes:
        name: the variable, or a function with ``()`` after its name.
        values: for a scalar one list of pieces; for an array or a loop one list for each word.
        position: its offset in the script.
        line: the number of its line.
        blocks: the lists of commands around it, as numbers; it holds for the text after it in the same list.
        array: the words are elements.
        append: it is added to the existing value (``+=``).
        loop: the words are the successive values of a loop variable.
        number: it is always an integer (an arithmetic result).
        certain: it happens whenever the text after it in the same list runs.
        doubted: it, or something in front of it on its line, may fail: an error in an expansion drops the rest of the
            line, and the next line still runs (bash 5.2, tried).
        element: its index in an array; -1 if that is not a plain number, ``None`` if there is no subscript.
    """

    name: str
    values: tuple[tuple[Piece, ...], ...]
    position: int
    blocks: tuple[int, ...] = ()
    line: int = 0
    _: KW_ONLY
    array: bool = False
    append: bool = False
    number: bool = False
    certain: bool = True
    doubted: bool = False
    loop: bool = False
    element: int | None = None

    def reaches(self, line: int) -> bool:
        """True if it certainly happened when ``line``, later in the same list, is reached."""
        return self.certain and (not self.doubted or self.line == line)


@value
class ArithmeticUse:
    """Text that the shell evaluates as arithmetic.

    Attributes:
        names: the variables in it.
        unknown: it contains more than numbers, operators and variables, which may be harmful.
        inner: the commands of the substitutions in it.
        blocks: the lists of commands around it, as for ``GivenValue``.
        line: the number of its line.
    """

    names: frozenset[str]
    unknown: bool
    span: Span
    inner: tuple[int, ...]
    blocks: tuple[int, ...]
    line: int


@value
class ParseFacts:
    """The findings of a reading besides commands and effects, for the analysis of values (``execpolicy.flow``).

    Attributes:
        given: every value that is visibly given to a variable, in the order of reading.
        uses: every text that is evaluated as arithmetic.
        conditions: every ``[[ … ]]`` and ``(( … ))``.
        texts: quoted texts that are evaluated nevertheless, with their places.
        resplit: ``IFS`` may have another value than its default, so that words are split differently.
        whole: the reading reached the end of the script; otherwise nothing is proven by these findings.
        rest: the offset after which commands were not even recovered, because too many came before it.
    """

    _: KW_ONLY
    given: tuple[GivenValue, ...] = ()
    uses: tuple[ArithmeticUse, ...] = ()
    conditions: tuple[Span, ...] = ()
    texts: tuple[tuple[str, Span], ...] = ()
    resplit: bool = False
    whole: bool = True
    rest: int | None = None


NO_FACTS = ParseFacts()
"""The findings in a plain script."""


@value
class Script:
    """A script as read.

    Attributes:
        text: the whole text; spans are offsets into it, in code points.
        shell: one of :data:`SHELLS`, or another one that is not read.
        status: ``plain`` (literal words joined by ``&&``, ``||``, ``;``, ``|`` and newline only), ``structured``
            (understood, but richer) or ``opaque`` (never allowed; ``commands`` then contains the recovered commands).
        reason: the reason why it is opaque; ``None`` otherwise.
        commands: every simple command in it, in source order, including those inside substitutions.
        effects: the side effects that prevent a grant and are visible to the reader; ``execpolicy.flow.facts`` has the
            rest.
        functions: names that it defines as functions.
        seen: the other findings of the reading.
        positional: ``$0 $1 …`` if the caller knows them; evidence for dynamic words.
    """

    text: str
    shell: str
    status: Status
    commands: tuple[Command, ...]
    _: KW_ONLY
    reason: str | None = None
    effects: tuple[ShellEffect, ...] = ()
    functions: frozenset[str] = frozenset()
    seen: ParseFacts = NO_FACTS
    positional: tuple[str, ...] | None = None

    def shown(self, word: Word) -> str:
        """``word`` for people: its text, or its spelling in the script if it is only known at run time."""
        if word.literal is not None:
            return word.literal
        return self.text[word.span.start : word.span.end] or word.written or "…"
