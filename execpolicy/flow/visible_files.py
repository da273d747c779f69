"""What the scripts of a judgement visibly write to files, one behind the other, by every name that a file has.

It is evidence: what is in the file if the commands run as they are written.
"""

from __future__ import annotations

from execpolicy.core.text import to_bytes
from execpolicy.flow.look_ups import LookUps, added_lines, descriptor_name, path_key, places, plain_path
from execpolicy.flow.program_outputs import likely_output
from execpolicy.shell.limits import COMMAND, STEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.flow.program_outputs import TextSources
    from execpolicy.shell.limits import Limits
    from execpolicy.shell.script import Command, Redirect
    from execpolicy.shell.words import Word

    Piece = tuple[list[int], list[bytes]]
    """Where a command is, and the texts of which it may write one."""

_DESCRIPTORS = ("/dev/fd", "/proc/self/fd")
_NO_PIECES: list[Piece] = []
_CHOICES = 8
"""Texts that are tried of what a program may write: ``open("f", "w").write("x")`` has three."""


class VisibleFiles:
    """What is in the files that one script may read, as far as it, or another inside or around it, writes them."""

    __slots__ = ("facts", "files_of", "index", "streams")

    def __init__(self, streams: TextSources, files_of: Callable[[Facts], VisibleFiles]) -> None:
        """``files_of``: gives the same of another script."""
        self.streams = streams
        self.files_of = files_of
        self.facts = streams.facts
        self.index = streams.index

    @property
    def limits(self) -> Limits:
        return self.facts.limits

    def written(self, path: str) -> list[bytes]:
        """Returns what the script writes to the file that is known by ``path``."""
        self._elsewhere()  # found first: a script that is read from this file would not be, while that is asked
        return self.facts.asked(self._anywhere, plain_path(path), otherwise=[])

    def of_file(self, word: Word) -> list[bytes]:
        """Returns what the script writes to the file that ``word`` names, by that variable or by one of its values."""
        values = [" ".join(value) for value in self.facts.values(word)]
        paths = dict.fromkeys((path_key(word), *values))
        return [text for path in paths for text in self.written(path)][: self.limits.texts]

    def _pieces(self, path: str) -> list[Piece]:
        """Returns what each command of this script may write there, with its place, in order.

        Another reading of a command, in a script that is opaque, has no place.
        """
        again = self.facts.once(_read_again)
        found: dict[int, Piece] = {}
        for command, moved in self._writers(path):
            if id(command) not in found and (len(found) < self.limits.writers or self.facts.budget.spend(COMMAND)):
                place = [] if id(command) in again else self._place(command)
                texts = self.streams.output_without(command, moved) if moved else self.streams.fed(command)
                found[id(command)] = place, texts
        programs = dict.fromkeys((*self.index.edited.get(path, ()), *self.index.naming(path)))
        for command in list(programs)[: self.limits.writers]:
            name = (command.words[0].literal or "").rpartition("/")[2]
            printed = likely_output(name, command.words, command, self.streams)
            # `sed 'w f' g`: what it reads, as it is
            read = [
                word for word in command.words[1:] if word.literal and " " not in word.literal and self.is_made(word)
            ]
            printed += [text for word in read if plain_path(path_key(word)) != path for text in self.of_file(word)]
            found.setdefault(id(command), (self._place(command), [b"", *printed]))
        return sorted(found.values(), key=lambda piece: piece[0])

    def _writers(self, path: str) -> Iterator[tuple[Command, tuple[Redirect, ...]]]:
        """The commands of this script that write there, each with the redirections by which it does."""
        for command, redirect in self.index.writers.get(path, ()):
            yield from self.printing_to(command, redirect) if redirect is not None else [(command, ())]

    def printing_to(self, command: Command, redirect: Redirect) -> list[tuple[Command, tuple[Redirect, ...]]]:
        """The commands whose output goes where ``redirect`` says: ``command``, or those that print to what it opens."""
        if redirect.fd is None or redirect.fd in "012":
            return [(command, (redirect,))]
        return [(each, (sent, redirect)) for each, sent in self.index.sent.get(descriptor_name(redirect.fd), ())]

    def _written(self, path: str) -> list[bytes]:
        if not self.facts.budget.spend(COMMAND):
            return []
        folder, _, descriptor = path.rpartition("/")
        found = self.streams.read_from(descriptor) if folder in _DESCRIPTORS else []
        pieces = self.facts.asked(self._pieces, path, otherwise=_NO_PIECES)
        found += [text for _, texts in pieces[: self.limits.writers] for text in texts if text]
        if len(pieces) > self.limits.writers:  # however many there are, what they write is one text
            found[:0] = _joined(pieces)[:1]
        elif len(pieces) > 1:
            found += _joined(pieces)
        for command in self.index.patches[: self.limits.writers]:
            operands = [text for word in command.words[1:] for text in self.written(path_key(word))]
            named = any(word.literal and path.startswith(plain_path(word.literal)) for word in command.words[1:])
            texts = [text for text in (*self.streams.fed(command), *operands) if named or to_bytes(path) in text]
            found.extend(map(added_lines, texts))
        copies = [
            source for place in places(path, self.index.copies, self.facts) for source in self.index.copies[place]
        ]
        found.extend([text for source in copies[: self.limits.writers] for text in self.of_file(source)])
        others = [each for each in places(path, self.index.writers, self.facts) if each != path]
        found.extend([text for other in others[: self.limits.writers] for text in self.written(other)])
        return found[: self.limits.texts]

    def _anywhere(self, path: str) -> list[bytes]:
        """Returns what this script writes there, and others: inside it, around it, and inside those around it."""
        nothing: list[bytes] = []
        found = self.facts.asked(self._written, path, otherwise=nothing)
        others = [self.files_of(each) for each in self._elsewhere()]
        if not others:
            return found
        if self.facts is not self.facts.outermost:
            return list(dict.fromkeys((*found, *others[0].written(path))))[: self.limits.texts]
        inside = [text for each in others for text in each.facts.asked(each._written, path, otherwise=nothing)]
        joined = self._in_order(path, (self, *others)) if inside else []
        return list(dict.fromkeys((*joined, *found, *inside)))[: self.limits.texts]

    def _in_order(self, path: str, scripts: Sequence[VisibleFiles]) -> list[bytes]:
        """Returns what these scripts write there one behind the other, if it is more than one of them."""
        pieces = []
        for each in scripts:
            for place in dict.fromkeys((path, *places(path, each.index.writers, each.facts))):
                pieces += each.facts.asked(each._pieces, place, otherwise=_NO_PIECES)
        return _joined(sorted(pieces, key=lambda piece: piece[0])) if len(pieces) > 1 else []

    def _place(self, command: Command) -> list[int]:
        """Where ``command`` is in the outermost script, in the script that is there, and so on."""
        place, around = [command.span.start], self.facts.around
        while around is not None:
            place.insert(0, around[1].span.start)
            around = around[0].around
        return place

    def _elsewhere(self) -> list[Facts]:
        """The facts about the other scripts whose files this one may read."""
        facts = self.facts
        scripts: Sequence[Facts] = (facts.outermost,)
        if facts is facts.outermost:
            scripts = facts.asked(facts.finds_within, facts, otherwise=()) if facts.finds_within is not None else ()
        return [each for each in scripts if each is not facts]

    def is_made(self, word: Word) -> bool:
        """True if a script writes or copies a file that ``word`` may name: a program takes other operands, too."""
        nothing: list[tuple[Collection[str], Facts]] = []
        making = self.facts.asked(self._making, otherwise=nothing)
        if not making or not self.facts.budget.spend(STEP * len(making)):
            return bool(making)
        paths = [path_key(word), *[" ".join(value) for value in self.facts.values(word)]]
        return any(places(plain_path(path), known, facts) for path in paths for known, facts in making)

    def _making(self) -> list[tuple[Collection[str], Facts]]:
        """The paths that this script and the others write and copy, and the facts about each."""
        scripts = (self.facts, *self._elsewhere())
        found = [(known, each) for each in scripts for known in (each.once(LookUps).writers, each.once(LookUps).copies)]
        return [(known, each) for known, each in found if known]


def _read_again(facts: Facts) -> frozenset[int]:
    """The identities of the commands that are other readings of one before them."""
    first: dict[object, int] = {}
    return frozenset([id(one) for one in facts.script.commands if first.setdefault(one.span, id(one)) != id(one)])


def _joined(pieces: Sequence[Piece]) -> list[bytes]:
    """One behind the other: the first text of each, the second of those that may write several, and so on."""
    pieces = [piece for piece in pieces if piece[0]]
    rows = range(min(_CHOICES, max([len(texts) for _, texts in pieces], default=0)))
    joined = [b"".join([text for _, texts in pieces for text in (texts[row : row + 1] or texts[:1])]) for row in rows]
    firsts = [texts[0] for _, texts in pieces if texts and texts[0]]
    over = firsts[-1] + firsts[0][len(firsts[-1]) :] if len(firsts) > 1 else b""  # `printf g 1<> f`, `dd conv=notrunc`
    return [*joined, over] if over else joined
