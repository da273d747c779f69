"""Reads a whole script that is more than plain words, from its text to a ``Script``."""

from __future__ import annotations

from itertools import takewhile

from execpolicy.shell import recovery
from execpolicy.shell.dialects import aliased, zsh_ambiguity
from execpolicy.shell.grammar.lists import read_all, reader_of
from execpolicy.shell.grammar.quotes import read_quoted_text
from execpolicy.shell.grammar.reader import as_evidence, oddness
from execpolicy.shell.grammar.state import State, Unreadable
from execpolicy.shell.limits import LIMITS, Budget, Limits
from execpolicy.shell.script import SHELLS, Command, ParseFacts, Redirect, Script, replace
from execpolicy.shell.variables import ModifiedVariables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from execpolicy.shell.grammar.state import Pending
    from execpolicy.shell.pieces import Piece
    from execpolicy.shell.script import Assignment, Status
    from execpolicy.shell.words import Word
    from execpolicy.source import Span


def read_whole(
    text: str, shell: str, limits: Limits | None = None, positional: tuple[str, ...] | None = None
) -> Script:
    """As ``read_script``, without the fast path for plain scripts. Never raises."""
    limits = limits or LIMITS
    reason = f"longer than {limits.characters} characters" if len(text) > limits.characters else None
    if shell not in SHELLS:
        reason = f"scripts for `{shell}` are not read"
    state = State(shell, Budget(limits))
    whole = False
    if reason is None:
        try:
            odd = oddness(text)
            handed_on, offsets = as_evidence(text) if odd else (text, None)
            read_all(reader_of(handed_on, state, offsets=offsets))
            whole, reason = True, odd
        except Unreadable as unreadable:
            reason = unreadable.reason
        except RecursionError:
            reason = "nested too deeply"
        if reason is None and state.ambiguities:
            reason = "; ".join(state.ambiguities)
        if reason is None and state.aliases:  # bash expands them once an option is set, whose name may be computed
            reason = "aliases change what the script runs"
        if reason is None and shell == "zsh":
            reason = zsh_ambiguity(state)
    seen = _seen(state, whole)
    found: list[Command | int] = [at for at, draft in enumerate(state.commands) if draft is not None]
    if state.aliases:
        found += aliased(text, state, shell)
    if reason is not None:
        found, rest = _with_recovered(text, state, found)
        if rest is not None:
            seen = replace(seen, rest=rest)
    final = _Final(state, found, seen.resplit)
    commands = tuple([final.command(one) if isinstance(one, int) else one for one in found])
    status: Status = "opaque" if reason else "structured" if state.rich or state.effects else "plain"
    return Script(
        text,
        shell,
        status,
        commands,
        reason=reason,
        effects=tuple(state.effects),
        functions=frozenset(state.functions),
        seen=final.seen(seen),
        positional=positional,
    )


def read_evaluated(script: Script, texts: Iterable[tuple[str, Span]], budget: Budget) -> Script:
    """``script`` with the commands in ``texts``, which some command expands once more although they are quoted."""
    state = State(script.shell, budget, behind=script)
    first = len(script.commands)
    recovered: dict[int, Command] = {}
    for text, span in texts:
        before = len(state.commands)
        state.depth = 0
        reader = reader_of(text, state, context=("arithmetic",), offsets=[span.start] * (len(text) + 1))
        try:
            read_quoted_text(reader, "", "here")
        except Unreadable:
            del state.commands[before:]
            for one in recovery.recover(text, script.shell, budget.limits.evaluated):
                made = Command(one.words, span, redirects=one.redirects, context=("arithmetic",))
                recovered[len(state.commands)] = made
                state.commands.append(None)
    found: list[Command | int] = [*script.commands]
    found += [recovered.get(at, at) for at in range(first, len(state.commands))]
    final = _Final(state, found, script.seen.resplit)
    commands = tuple([final.command(one) if isinstance(one, int) else one for one in found])
    return replace(script, commands=commands, seen=replace(script.seen, given=tuple(state.given)))


def _seen(state: State, whole: bool) -> ParseFacts:
    """The other findings of the reading; if it did not reach the end, without those that require it."""
    given, uses, texts = tuple(state.given), tuple(state.uses), tuple(state.texts)
    if not whole:
        return ParseFacts(given=given, whole=False)
    if state.freezes:  # a loop may return to an assignment whose variable is read-only by then
        given = tuple([replace(one, doubted=True) for one in given])
    conditions = tuple(state.conditions)
    resplit = state.splits and _is_resplit(state)
    return ParseFacts(given=given, uses=uses, conditions=conditions, texts=texts, resplit=resplit)


def _is_resplit(state: State) -> bool:
    """True if ``IFS`` may have another value than its default. An assignment in front of ``read`` does not count."""
    drafts = [draft for draft in state.commands if draft is not None]
    if ModifiedVariables(drafts).may_modify("IFS"):
        return True
    given = sum([1 for one in state.given if one.name == "IFS"])
    for draft in drafts if given else ():
        if draft.words and draft.words[0].literal == "read":
            given -= sum([1 for assignment in draft.assignments if assignment.name == "IFS"])
    return given > 0


def _with_recovered(text: str, state: State, found: list[Command | int]) -> tuple[list[Command | int], int | None]:
    """All read and recovered commands in source order; the offset where recovery stopped, or ``None``."""

    def start(one: Command | int) -> int:
        return (state.draft(one) if isinstance(one, int) else one).span.start

    known = set()
    for one in found:
        words = state.draft(one).words if isinstance(one, int) else one.words
        known.add((tuple([word.literal for word in words]), start(one)))
    begin, limit = 0, state.limits.commands
    if state.full:  # the commands before the limit are reliable
        read = takewhile(lambda draft: draft is not None, state.commands)
        begin = max([draft.span.end for draft in read if draft is not None], default=0)
        limit = state.limits.behind
    seen, reached = recovery.recover_from(begin, text, state.shell, limit)
    found = found + [command for command in seen if (command.argv(), command.span.start) not in known]
    return sorted(found, key=start), reached if reached < len(text) else None


class _Final:
    """Builds the final values from the collected results: all facts about the whole script are known now."""

    def __init__(self, state: State, found: Sequence[Command | int], resplit: bool) -> None:
        self.state = state
        self.resplit = resplit
        places = {one: at for at, one in enumerate(found) if isinstance(one, int)}
        moved = len(found) != len(state.commands) or any(at != place for at, place in places.items())
        self.places = places if moved else None
        self.bodies = _bodies(state)
        self.words: dict[int, Word] = {}

    def command(self, index: int) -> Command:
        draft = self.state.draft(index)
        body = self.bodies.get(index)
        return Command(
            tuple(map(self.word, draft.words)),
            draft.span,
            assignments=tuple(map(self.assignment, draft.assignments)),
            redirects=tuple(map(self.redirect, draft.redirects)),
            context=draft.context,
            piped_from=self.moved(draft.piped_from),
            body=None if body is None else self.word(body),
        )

    def moved(self, indices: tuple[int, ...]) -> tuple[int, ...]:
        places = self.places
        return indices if places is None else tuple([places[index] for index in indices if index in places])

    def word(self, word: Word) -> Word:
        """The final word; a here-document may share it with others."""
        resplit = self.resplit and word.split and any(one.kind != "literal" and not one.quoted for one in word.pieces)
        if not resplit and (self.places is None or not word.pieces):
            return word
        made = self.words.get(id(word))
        if made is None:
            made = replace(word, inner=self.moved(word.inner), pieces=self.pieces(word.pieces))
            if resplit:
                made = replace(made, prefix="", suffix="", many=True, absolute=False, number=False)
            self.words[id(word)] = made
        return made

    def pieces(self, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
        return pieces if self.places is None else _renumbered(pieces, self.places)

    def assignment(self, one: Assignment) -> Assignment:
        if self.places is None and not self.resplit:
            return one
        value = None if one.value is None else self.word(one.value)
        items = tuple(map(self.word, one.items))
        return replace(one, value=value, items=items)

    def redirect(self, one: Redirect | Pending) -> Redirect:
        if isinstance(one, Redirect) and self.places is None and not self.resplit:
            return one
        writes = isinstance(one, Redirect) and one.writes
        body = None if one.body is None else self.word(one.body)
        return Redirect(one.operator, one.fd, self.word(one.target), one.span, writes=writes, body=body)

    def seen(self, seen: ParseFacts) -> ParseFacts:
        if self.places is None:
            return seen
        given = tuple([replace(one, values=tuple(map(self.pieces, one.values))) for one in seen.given])
        uses = tuple([replace(one, inner=self.moved(one.inner)) for one in seen.uses])
        return replace(seen, given=given, uses=uses)


def _bodies(state: State) -> dict[int, Word]:
    """The text on the standard input of each command that has one, by the command's index."""
    found: dict[int, Word] = {}
    for at, draft in enumerate(state.commands):
        for redirect in draft.redirects if draft is not None and draft.words else ():
            if redirect.body is not None and redirect.fd in (None, "0"):
                found[at] = redirect.body
    for inside, redirect in state.fed:
        for index in inside if redirect.body is not None else ():
            fed = state.commands[index]
            if fed is None or index in found or fed.piped_from or redirect.body is None:
                continue
            if not any(own.operator[:1] == "<" and own.fd in (None, "0") for own in fed.redirects):
                found[index] = redirect.body
    return found


def _renumbered(pieces: tuple[Piece, ...], new: Mapping[int, int]) -> tuple[Piece, ...]:
    """``pieces`` with new indices of commands from ``new``; commands that are not in ``new`` are left out."""
    found: list[Piece] = []
    for piece in pieces:
        if piece.inner or piece.word:
            inner = tuple([new[index] for index in piece.inner if index in new])
            piece = replace(piece, word=_renumbered(piece.word, new), inner=inner)
        found.append(piece)
    return tuple(found)
