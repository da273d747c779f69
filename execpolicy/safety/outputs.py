"""Words made of what commands print: integers, or names that are no options (`git show "$(git rev-parse HEAD)"`)."""

from __future__ import annotations

from _collections_abc import Callable, Sequence

from execpolicy.flow.effects import is_captured, is_quiet
from execpolicy.flow.facts import Facts
from execpolicy.safety.entries import SafeCommand
from execpolicy.safety.opinion import Opinion
from execpolicy.safety.values import NAMED
from execpolicy.shell.pieces import Piece
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    Judge = Callable[[Sequence[Word], Facts], Opinion]
    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command

_PASSING = frozenset(("head", "tail", "sort", "uniq", "tac", "cat"))
"""Programs that print some of the lines that they read, whole, when they have no operands."""
_LINES = frozenset(("-n", "-r", "-u", "-rn", "-nr", "--lines", "--reverse", "--numeric-sort", "--unique"))
"""Their options that keep it so (``-n`` of ``head`` and ``tail`` has a number behind it)."""
_DEPTH = 8


class Undashed(Word):
    """A word that is only known at run time, of which no field starts with ``-``. Its ``kind`` is ``names``."""

    __slots__ = ()

    def __init__(self, word: Word) -> None:
        super().__init__(
            None,
            word.span,
            prefix=word.prefix,
            suffix=word.suffix,
            many=word.many,
            kind="names",
            absolute=word.absolute,
            number=word.number,
            pattern=word.pattern,
            quoted=word.quoted,
            inner=word.inner,
            pieces=word.pieces,
        )

    def may_start_with_dash(self) -> bool:
        """Never."""
        return False


def marked(words: Sequence[Word], facts: Facts, judge: Judge) -> Sequence[Word]:
    """``words``, those of them marked that can only be integers or that cannot start with ``-``.

    Args:
        judge: the opinion on the words of a command of ``script``.
    """
    return [_marked(word, facts, judge) if word.literal is None else word for word in words]


def _marked(word: Word, facts: Facts, judge: Judge) -> Word:
    if not word.inner:
        return word
    pieces = tuple(
        [
            Piece("arithmetic", None, True, number=True, source=piece.source)
            if piece.kind == "substitution" and prints(piece.inner, facts, judge, "number")
            else piece
            for piece in word.pieces
        ]
    )
    if pieces and all(piece.number or (piece.text or "").isdecimal() for piece in pieces):
        return _remade(word, pieces, number=True)
    if pieces != word.pieces:
        word = _remade(word, pieces, number=False)
    return Undashed(word) if _is_undashed(word, facts, judge) else word


def _remade(word: Word, pieces: tuple[Piece, ...], *, number: bool) -> Word:
    """``word`` made of ``pieces``."""
    return Word(
        None,
        word.span,
        prefix=word.prefix,
        suffix=word.suffix,
        many=word.many,
        kind=word.kind,
        absolute=word.absolute and not number,
        number=number,
        inner=word.inner,
        pieces=pieces,
    )


def _is_undashed(word: Word, facts: Facts, judge: Judge) -> bool:
    """True if no field that the word becomes begins with a dash.

    A substitution can print nothing, and then what follows it is the beginning. Where the word is split, each field of
    what is printed is one of its own; and what a pattern finds may be called anything.
    """
    if word.pattern is not None:
        return False
    begun = False
    for piece in word.pieces:
        if piece.kind == "literal":
            if not begun and (piece.text or "").startswith("-"):
                return False
            begun = begun or bool(piece.text)
        elif piece.kind == "substitution" and any(
            prints(piece.inner, facts, judge, output) for output in (("hash",) if word.many else ("hash", "path"))
        ):
            continue
        elif not begun or (word.many and not piece.number):
            return False
    return True


def prints(indices: Sequence[int], facts: Facts, judge: Judge, output: str) -> bool:
    """True if the commands ``indices`` of ``script``, which run in one substitution, print nothing but ``output``."""
    if not indices or any(index >= len(facts.script.commands) for index in indices):
        return False
    reading = [facts.script.commands[index] for index in indices if facts.script.commands[index].words]
    feeding = {source for command in reading for source in command.piped_from}
    last = [index for index in indices if index not in feeding]
    return all(_prints(index, facts, judge, output, 0) for index in last) and all(
        is_quiet(facts.script.commands[index]) for index in indices
    )


def _prints(index: int, facts: Facts, judge: Judge, output: str, depth: int) -> bool:
    command = facts.script.commands[index]
    if command.assignments or not command.words or depth > _DEPTH:
        return False
    if facts.script.shell == "zsh" and command.words[0].literal == "which":
        return False  # there it is a builtin, which prints aliases and functions
    opinion = facts.once(_opinion_on, judge, index)
    if opinion.verdict != "safe":
        return False
    if opinion.output == output:
        return True
    if any(redirect.operator.startswith("<") for redirect in command.redirects):
        return False  # it does not read the pipe
    if not command.piped_from or command.words[0].literal not in _PASSING or not _passes(command.words):
        return False
    return all(_prints(source, facts, judge, output, depth + 1) for source in command.piped_from)


def _opinion_on(facts: Facts, judge: Judge, index: int) -> Opinion:
    return judge(facts.script.commands[index].words, facts)


def _passes(words: Sequence[Word]) -> bool:
    """True if a program of ``_PASSING`` is called with nothing but options that choose or order lines."""
    for at, word in enumerate(words[1:], 1):
        text = word.literal
        if text is None:
            return False
        if text in _LINES or (text[:1] == "-" and text[1:].isdigit()):
            continue
        if words[0].literal in ("head", "tail"):
            number = text[2:] if text[:2] == "-n" else text if words[at - 1].literal in ("-n", "--lines") else ""
            if number.lstrip("+-").isdigit():
                continue
        return False
    return True


def by_streams(opinion: Opinion, command: Command, facts: Facts) -> Opinion:
    """``opinion``, which is safe by the words of ``command``, unless its input or its output makes a difference."""
    entry = opinion.entry
    unpaged = not opinion.piped or (isinstance(entry, SafeCommand) and entry.opens_no_pager(command))
    if not unpaged and not is_captured(command, facts):
        why = "on a terminal it opens a pager, in which programs can be started; in front of `| cat` it does not"
        return Opinion("unknown", "pager", why, entry=entry)
    return _by_input(opinion, command) if opinion.input else opinion


def _by_input(opinion: Opinion, command: Command) -> Opinion:
    """The same for an entry that accepts a here-document of one form as the only input."""
    form = NAMED[opinion.input]
    text = command.body.literal if command.body is not None else None
    reading = [one.operator for one in command.redirects if one.operator[:1] == "<" and one.fd in (None, "0")]
    if text is None or command.piped_from or any(not operator.startswith("<<") for operator in reading):
        why = f"its input is only known at run time and must be {form.name}"
    else:
        problem = form.check(text)
        if problem is None:
            return opinion.with_locations(form.locations(text))
        why = f"its input {problem}"
    return Opinion("unknown", "value", why, entry=opinion.entry)
