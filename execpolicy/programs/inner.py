"""A command that a wrapper, a shell or another carrier would run itself."""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy.shell import read
from execpolicy.shell.script import Assignment, Command, Redirect, Script
from execpolicy.shell.words import Word
from execpolicy.source import Span
from execpolicy.value import KW_ONLY, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict, Unpack

    class InnerMarks(TypedDict, total=False):
        """Properties of an ``Inner``."""

        transparent: bool
        appended: bool
        evidence: bool
        only_writes: bool
        moved: bool
        bare: bool


UNKNOWN_INPUT = "runs text that is only known at run time"


@value
class Inner:
    """One thing that a command would run. Exactly one of ``command``, ``script`` and ``reason`` is set.

    Attributes:
        name: the wrapper's base name (``sudo``, ``xargs``, ``git``), for reports.
        span: the span of the command that carries it.
        command: the inner command. Its words are the outer command's own words where possible; standard input
            (``body``, ``piped_from``) is inherited where the wrapper passes it on.
        script: shell text that was read with the reader. Its spans count in its own text.
        reason: what it runs that is only known at run time; it is ``opaque``.
        transparent: the wrapper adds no effect of its own and was understood option by option, so that a grant for the
            inner command is a grant for the whole. Never set on evidence.
        evidence: for restricting only; it says nothing about a grant (beside it is the entry that does). An entry
            that is neither ``transparent`` nor ``evidence`` is in the way of a grant.
        only_writes: it is evidence of what the command writes, not of what it reads.
        appended: unknown words follow at the end; the last word of ``command`` (dynamic, ``many``) means them.
        moved: the command runs in another folder than the outer one.
        bare: the wrapper takes variables of the environment away.
    """

    name: str
    span: Span
    _: KW_ONLY
    command: Command | None = None
    script: Script | None = None
    reason: str | None = None
    transparent: bool = False
    appended: bool = False
    evidence: bool = False
    only_writes: bool = False
    moved: bool = False
    bare: bool = False

    @property
    def opaque(self) -> bool:
        return self.reason is not None

    @property
    def words(self) -> tuple[Word, ...]:
        """The words of the inner command; empty for a script and for something opaque."""
        return self.command.words if self.command is not None else ()

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        """The assignments that the wrapper makes for the inner command (``env A=1 X``)."""
        return self.command.assignments if self.command is not None else ()

    def __repr__(self) -> str:
        what = self.command if self.command is not None else self.script.text if self.script else self.reason
        return f"Inner({self.name!r}, {what!r}{', transparent' if self.transparent else ''})"


def run_command(
    name: str,
    outer: Command,
    words: tuple[Word, ...],
    *,
    assignments: tuple[Assignment, ...] = (),
    stdin: bool = True,
    opens: tuple[Redirect, ...] = (),
    **marks: Unpack[InnerMarks],
) -> Inner:
    """An :class:`Inner` that runs ``words`` in the place of ``outer``.

    Args:
        stdin: the inner command reads what the outer one reads.
        opens: files that are read for it, where it does not.
        marks: of the ``Inner``.
    """
    command = Command(
        words,
        outer.span,
        assignments=assignments,
        redirects=outer.redirects if stdin else opens,
        context=(*outer.context, "wrapper:" + name),
        piped_from=outer.piped_from if stdin else (),
        body=outer.body if stdin else None,
    )
    return Inner(name, outer.span, command=command, **marks)


def run_argv(
    name: str,
    outer: Command,
    argv: Sequence[str],
    rest: Sequence[Word] = (),
    *,
    stdin: bool = True,
    **marks: Unpack[InnerMarks],
) -> Inner:
    """An :class:`Inner` that runs ``argv`` with the words ``rest`` behind it."""
    return run_command(name, outer, (*literal_words(argv, outer.span), *rest), stdin=stdin, **marks)


def literal_words(argv: Sequence[str], span: Span) -> tuple[Word, ...]:
    """Literal words that stand at ``span``."""
    return tuple([Word(text, span) for text in argv])


def run_text(
    name: str, outer: Command, text: str, *, shell: str = "sh", transparent: bool = False, evidence: bool = False
) -> Inner:
    """An :class:`Inner` for shell text, read by the reader."""
    return Inner(
        name, outer.span, script=read.read_script(text, shell=shell), transparent=transparent, evidence=evidence
    )


def run_unknown(name: str, outer: Command, reason: str) -> Inner:
    """An :class:`Inner` for something that only the run will tell."""
    return Inner(name, outer.span, reason=reason)
