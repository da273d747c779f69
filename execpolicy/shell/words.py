"""Words as the shell hands them to a program: literal (known byte for byte) or dynamic."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from execpolicy.source import Span

    Part: TypeAlias = str | bool | tuple[int, ...] | None


class Word:
    """One word of a command after quote removal and brace expansion.

    Attributes:
        literal: exactly the text that the program will get; ``None`` when it is only known at run time (*dynamic*).
        prefix: text that every possible value starts with; equal to ``literal`` for a literal word, ``""`` if unknown.
        suffix: text that every possible value ends with; equal to ``literal`` for a literal word, ``""`` if unknown.
        many: a dynamic word that may become several words, or none (an unquoted variable, a glob, ``"$@"`` …).
        kind: ``literal``, ``glob``, ``tilde``, ``variable``, ``substitution``, ``arithmetic``, ``process``
            (``<(…)``: a ``/dev/fd`` path) or ``mixed``.
        absolute: every possible value starts with ``/`` (a literal path, ``~``, ``$PWD/…``, ``$HOME``, ``<(…)``).
        number: every possible value is a decimal integer (``$((1+2))``, ``$#``, ``$?``, ``$$`` …), maybe negative.
        values: the lists of words that this word becomes if the assignments, arrays and static substitutions that are
            visible in the script are what it sees. **Evidence for restricting, never proof for granting.**
        cases: every list of words that this word can become, where that is **proven**: each assignment of its variables
            is seen and one of them surely came before. Empty where it is not.
        parts: in a word of ``cases``: what it is made of, in order. A string is that text, ``True`` an integer, a tuple
            the whole output of the commands with these indices; ``None`` anything.
        pattern: for ``glob``: the shell pattern with quoted characters escaped. Evidence for restricting only.
        shape: of a dynamic word: its text as a shell pattern, with ``*`` for every part that is only known at run time.
        quoted: some part of the word was quoted or escaped in the script.
        inner: indices into ``Script.commands`` of the commands that substitutions inside this word run.
        span: where it stands in the script, in code points.
    """

    __slots__ = (
        "absolute",
        "cases",
        "inner",
        "kind",
        "literal",
        "many",
        "number",
        "parts",
        "pattern",
        "prefix",
        "quoted",
        "shape",
        "span",
        "suffix",
        "values",
    )

    def __init__(
        self,
        literal: str | None,
        span: Span,
        *,
        prefix: str = "",
        suffix: str = "",
        many: bool = False,
        kind: str = "literal",
        absolute: bool = False,
        number: bool = False,
        values: tuple[tuple[str, ...], ...] = (),
        pattern: str | None = None,
        quoted: bool = False,
        inner: tuple[int, ...] = (),
    ) -> None:
        self.literal = literal
        self.span = span
        self.prefix = prefix if literal is None else literal
        self.suffix = suffix if literal is None else literal
        self.many = many
        self.kind = kind
        self.absolute = absolute
        self.number = number
        self.values = values
        self.pattern = pattern
        self.quoted = quoted
        self.inner = inner
        self.cases: tuple[tuple[Word, ...], ...] = ()
        self.parts: tuple[Part, ...] = ()
        self.shape = ""

    def may_start_with_dash(self) -> bool:
        """Whether some possible value starts with ``-`` and could be taken for an option."""
        return self.prefix.startswith("-") if self.prefix else self.literal is None and not self.absolute

    def __repr__(self) -> str:
        return f"Word({self.literal!r})" if self.literal is not None else f"Word(<{self.kind}> {self.prefix!r}…)"
