"""Variables whose every value is visible: what dynamic words become, as proof.

A variable is *settled* where a word uses it if three things hold:

* Every assignment to it in the whole script is seen. No builtin, arithmetic or evaluated text may assign it.
* Each assignment gives a value that can be followed.
* One of them surely came before the word, so that nothing is inherited from the environment.
"""

from __future__ import annotations

from execpolicy.core.hosts import temporary_folder
from execpolicy.shell.dialects import FOLLOWED
from execpolicy.shell.limits import COMMAND
from execpolicy.shell.pieces import GLOB, HOME, Piece, around_pattern, has_brace, without_tilde
from execpolicy.shell.script import replace
from execpolicy.shell.variables import ModifiedVariables, ordinary_variable
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command, GivenValue
    from execpolicy.shell.words import ProgramPoint
    from execpolicy.source import Span

    Part = str | bool | tuple[int, ...] | Piece
    """A part of a value: a text, ``True`` for an integer, the commands that print it, ``HOME``, or a name found."""
    Parts = tuple[Part, ...]
    Fields = tuple[Parts, ...]
    """A list of words, each as its parts."""

SPLITTING = frozenset(" \t\n*?[\\")
"""Characters at which an unquoted value is split, and those that make a pattern of it."""


class _Unsettled(Exception):
    """The value cannot be followed."""


def proven_cases(facts: Facts, word: Word) -> tuple[tuple[Word, ...], ...]:
    """Every list of words that ``word`` can become; empty where that is not known."""
    return facts.once(_Settler).cases(word, ())


def cases_with(word: Word, facts: Facts, arguments: Sequence[Word]) -> tuple[tuple[Word, ...], ...]:
    """The same for a word in a function that is called with ``arguments``, each of them one word."""
    return facts.once(_Settler).cases(word, arguments)


def modified_variables(facts: Facts) -> ModifiedVariables:
    """Returns what the builtins of the script may set."""
    return ModifiedVariables(facts.script.commands)


class _Settler:
    """Finds the cases of the dynamic words of one script."""

    def __init__(self, facts: Facts) -> None:
        script = facts.script
        self.facts = facts
        self.limits = facts.limits
        self.shell = script.shell
        self.names: dict[str, list[tuple[int, GivenValue]]] = {}
        for at, one in enumerate(script.seen.given):
            self.names.setdefault(one.name, []).append((at, one))
        self.follows = script.seen.whole and not script.seen.resplit and script.shell in FOLLOWED
        self.computed = frozenset([name for use in script.seen.uses for name in use.names])
        self.open: dict[str, bool] = {}

    def cases(self, word: Word, arguments: Sequence[Word]) -> tuple[tuple[Word, ...], ...]:
        """Every list of words that ``word`` can become.

        Args:
            arguments: what ``$1`` and its like are in this word, each known to be one word; what variables were given
                in other calls is not looked for.
        """
        if (
            word.place is None
            or not self.follows
            or not any(
                piece.kind == "arithmetic"
                or piece.name in self.names
                or piece.name == "TMPDIR"
                or (arguments and piece.name.isdigit())
                for piece in word.pieces
            )
        ):
            return ()
        try:
            found = self.fields(word.pieces, word.split, word.place, 0, arguments)
        except _Unsettled:
            return ()
        many = word.split and any(piece.kind != "literal" and not piece.quoted for piece in word.pieces)
        return tuple([tuple([_word(parts, word.span, many) for parts in fields]) for fields in found])

    def fields(
        self, pieces: Sequence[Piece], split: bool, place: ProgramPoint, depth: int, arguments: Sequence[Word] = ()
    ) -> list[Fields]:
        """The lists of words that ``pieces`` can become.

        Raises:
            _Unsettled: they are not known.
        """
        if depth > self.limits.followed or not self.facts.budget.spend(COMMAND):
            raise _Unsettled
        if len(pieces) == 1 and pieces[0].kind == "variable" and pieces[0].subscript == "@":
            return self.elements(pieces[0], split, place, depth)
        found: list[Parts] = [()]
        for piece in without_tilde(pieces):
            joined: list[Parts] = []
            for more in self.piece(piece, split, place, depth, arguments):
                joined += [_joined(before, more) for before in found]
            if len(joined) > self.limits.cases:
                raise _Unsettled
            found = joined
        return [(parts,) for parts in dict.fromkeys(found)]

    def piece(
        self, piece: Piece, split: bool, place: ProgramPoint, depth: int, arguments: Sequence[Word]
    ) -> list[Parts]:
        """Returns what one piece of a word becomes: parts of that word."""
        if piece.kind == "literal":
            text = piece.text or ""
            if not piece.quoted and ("~" in text or (split and not GLOB.isdisjoint(text))):
                raise _Unsettled
            return [(text,)]
        if piece.kind == "arithmetic" or (piece.number and piece.kind == "variable"):
            return [(True,)]
        if piece.kind == "substitution":
            return [(tuple(piece.inner),)]
        if piece.kind != "variable" or piece.operator or piece.subscript is not None or piece.many:
            raise _Unsettled
        if piece.name == "HOME" and "HOME" not in self.names:
            if self.facts.once(modified_variables).may_modify("HOME"):
                raise _Unsettled
            return [(HOME,)]
        folders = temporary_folder() if piece.name == "TMPDIR" and "TMPDIR" not in self.facts.assigned else ()
        if folders and not self.facts.once(modified_variables).may_modify("TMPDIR"):
            values: list[Parts] = [(folders[0],)]
        elif piece.name.isdigit():
            values = [self.argument(piece.name, arguments)]
        else:
            values = self.variable(piece.name, place, depth)
        if split and not piece.quoted:
            for parts in values:
                for part in parts:
                    if isinstance(part, str) and not SPLITTING.isdisjoint(part):
                        raise _Unsettled
                if not any(parts):
                    raise _Unsettled  # it is no word
        return values

    def argument(self, name: str, arguments: Sequence[Word]) -> Parts:
        """Returns what one argument of a call is made of."""
        at = int(name) - 1 if len(name) < 4 else -1
        if at < 0 or not arguments:
            raise _Unsettled
        if at >= len(arguments):
            return ("",)
        word = arguments[at]
        if word.literal is not None:
            return (word.literal,)
        return tuple(map(_part, word.pieces))

    def given(self, name: str, place: ProgramPoint) -> list[tuple[int, GivenValue]]:
        """Every assignment to ``name``, if one of them surely came before ``place`` and no other way to set it is seen.

        Raises:
            _Unsettled: otherwise.
        """
        blocks, before, line = place
        found = self.names.get(name, [])
        if not any(
            at < before
            and (one.loop or one.reaches(line))
            and not one.append
            and blocks[: len(one.blocks)] == one.blocks
            for at, one in found
        ):
            raise _Unsettled
        if name not in self.open:
            self.open[name] = (
                name == "REPLY"
                or not ordinary_variable(name, self.shell)
                or self.facts.once(modified_variables).may_modify(name)
            )
        if self.open[name]:
            raise _Unsettled
        return found

    def variable(self, name: str, place: ProgramPoint, depth: int) -> list[Parts]:
        """The values of a plain variable."""
        values: list[Parts] = []
        for at, one in self.given(name, place):
            if one.append or one.element is not None or (one.array and not one.loop):
                raise _Unsettled
            where = (one.blocks[:-1] if one.loop else one.blocks, at, one.line)
            for value in one.values:
                values += self.looped(value, where, depth) if one.loop else self.assigned(value, where, depth)
                if len(values) > self.limits.cases:
                    raise _Unsettled
        if name in self.computed:
            if not all(_integer(parts) for parts in values):
                raise _Unsettled
            return [(True,)]
        return values

    def assigned(self, value: Sequence[Piece], place: ProgramPoint, depth: int) -> list[Parts]:
        found = self.fields(value, False, place, depth + 1)
        if any(len(fields) != 1 for fields in found):
            raise _Unsettled
        return [fields[0] for fields in found]

    def looped(self, value: Sequence[Piece], place: ProgramPoint, depth: int) -> list[Parts]:
        """Returns what one word behind ``for x in`` gives to the variable, one value after the other."""
        found: list[Parts] = []
        for pieces in self.braces(value):
            if len(pieces) == 1 and pieces[0].kind == "substitution":
                found.append((tuple(pieces[0].inner),))  # each field of it
                continue
            if all(piece.kind == "literal" for piece in pieces) and any(
                not piece.quoted and not GLOB.isdisjoint(piece.text or "") for piece in pieces
            ):
                found.append(_globbed(pieces))
                continue
            for fields in self.whole_fields(pieces, place, depth):
                found += fields
        return found

    def whole_fields(self, pieces: Sequence[Piece], place: ProgramPoint, depth: int) -> list[Fields]:
        """The words that a word of a list becomes: what it splits into where only the run knows is not followed.

        ``./$(cat f)`` may become ``./a`` and ``-b``.
        """
        found = self.fields(pieces, True, place, depth + 1)
        if any(piece.kind in ("substitution", "variable") and not piece.quoted for piece in pieces):
            for part in (part for fields in found for parts in fields for part in parts):
                if part is not True and part is not HOME and not (part and isinstance(part, str)):
                    raise _Unsettled
        return found

    def braces(self, value: Sequence[Piece]) -> Sequence[Sequence[Piece]]:
        if not has_brace(value):
            return [value]
        if self.shell not in ("bash", "zsh"):
            raise _Unsettled
        from execpolicy.shell.grammar.braces import UnclearBraces, expand_braces

        try:
            return expand_braces(list(value), self.limits.cases)
        except UnclearBraces:
            raise _Unsettled from None

    def elements(self, piece: Piece, split: bool, place: ProgramPoint, depth: int) -> list[Fields]:
        """``"${array[@]}"``."""
        if piece.operator or (split and not piece.quoted):
            raise _Unsettled
        if piece.name in self.computed:
            raise _Unsettled
        found: list[Fields] = []
        for at, one in self.given(piece.name, place):
            if one.append or not one.array or one.loop:
                raise _Unsettled
            whole: list[Fields] = [()]
            for value in one.values:
                for pieces in self.braces(value):
                    more = self.whole_fields(pieces, (one.blocks, at, one.line), depth)
                    whole = [before + fields for before in whole for fields in more]
                    if len(whole) > self.limits.cases:
                        raise _Unsettled
            found += whole
        return found


def cases_of(command: Command, facts: Facts) -> list[Command]:
    """Every command that ``command`` can be, by the values of its words; empty if that is not known or too much.

    The program is not replaced: one that is only known at run time is never granted.
    """
    if facts.cases(command.words[0]):
        return []
    found: list[tuple[Word, ...]] = [()]
    for word in command.words:
        fields = facts.cases(word) or ((word,),)
        if len(found) * len(fields) > facts.limits.cases:
            return []
        found = [(*before, *more) for before in found for more in fields]
    return [replace(command, words=words) for words in found]


def _joined(before: Parts, more: Parts) -> Parts:
    if before and more and isinstance(before[-1], str) and isinstance(more[0], str):
        return (*before[:-1], before[-1] + more[0], *more[1:])
    return before + more


def _splits(part: Part) -> bool:
    return isinstance(part, tuple) or (isinstance(part, Piece) and part.kind == "glob")


def _integer(parts: Parts) -> bool:
    return len(parts) == 1 and _is_number(parts[0])


def _is_number(part: Part) -> bool:
    return part is True or (isinstance(part, str) and part.isascii() and part.isdigit())


def _globbed(pieces: Sequence[Piece]) -> Parts:
    """The text in front of the first pattern character, something, and the text behind the last one."""
    if any(not piece.quoted and "~" in (piece.text or "") for piece in pieces):
        raise _Unsettled
    before, behind = around_pattern(pieces)
    whole = "".join([piece.text or "" for piece in pieces])
    return (before, Piece("glob", None, True, source=whole[len(before) : len(whole) - len(behind)]), behind)


def _part(piece: Piece) -> Part:
    """A piece of an argument, which is one word, as a part of a value.

    Raises:
        _Unsettled: it is not known well enough.
    """
    if piece.kind == "literal" and (piece.quoted or "~" not in (piece.text or "")):
        return piece.text or ""
    if piece.number:
        return True
    if piece.kind == "substitution":
        return tuple(piece.inner)
    raise _Unsettled


def _piece(part: Part) -> Piece:
    """A part of a proven value as a piece of a word."""
    if isinstance(part, Piece):
        return part
    if isinstance(part, str):
        return Piece("literal", part, True)
    if isinstance(part, tuple):
        return Piece("substitution", None, True, inner=part)
    return Piece("arithmetic", None, True, number=True)


def _word(parts: Parts, span: Span, split: bool) -> Word:
    """One word of a case. ``split``: what is unknown in it is divided into words, or none."""
    kept = tuple([part for part in parts if part != ""])
    if not kept or (len(kept) == 1 and isinstance(kept[0], str)):
        text = str(kept[0]) if kept else ""
        return Word(text, span, quoted=True)
    first, last = kept[0], kept[-1]
    many = split and any(_splits(part) for part in kept)  # then no text is that of each word
    prefix = first if isinstance(first, str) and not many else ""
    return Word(
        None,
        span,
        prefix=prefix,
        many=many,
        suffix=last if isinstance(last, str) and not many else "",
        kind="variable",
        absolute=prefix.startswith("/") or first is HOME,
        number=all(map(_is_number, kept)),
        quoted=True,
        inner=tuple([index for part in kept if isinstance(part, tuple) for index in part]),
        pieces=tuple([_piece(part) for part in kept]),
    )
