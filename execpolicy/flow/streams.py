"""The input and output that the script itself shows: here-documents, its files, pipes of pure filters.

The texts are evidence: they are what arrives if the producers run as they are written. They are used to restrict; a
shell that reads its script from standard input is never granted.

What the scripts of a judgement visibly write to files, one behind the other, by every name that a file has.

It is evidence: what is in the file if the commands run as they are written.
"""

from __future__ import annotations

from execpolicy.core.text import to_bytes, to_text
from execpolicy.flow.look_ups import LookUps, added_lines, descriptor_name, path_key, places, plain_path, stdin_redirect
from execpolicy.flow.program_outputs import likely_output, printed_by_program
from execpolicy.shell.limits import COMMAND, STEP
from execpolicy.shell.script import replace
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.flow.program_outputs import Printed, TextSources
    from execpolicy.shell.limits import Limits
    from execpolicy.shell.script import Command, Redirect
    from execpolicy.shell.words import Word

    Piece = tuple[list[int], list[bytes]]
    """Where a command is, and the texts of which it may write one."""

_NOTHING: Printed = ([], False)


def fed_texts(command: Command, facts: Facts) -> tuple[list[str], bool]:
    """The texts that may be on standard input, and whether they are all that can be.

    A text that holds expansions is given with the expansions as written: read as a script, it shows the commands whose
    names do not come from them.
    """
    texts, exact = facts.once(VisibleStreams, True).input(command)
    return list(map(to_text, texts)), exact


def output_texts(producers: Sequence[int], facts: Facts) -> tuple[list[str], bool]:
    """Returns what the commands with these indices print together, and whether that is exact."""
    texts, exact = facts.once(VisibleStreams, True).together(producers)
    return list(map(to_text, texts)), exact


def values_printed(producers: tuple[int, ...], facts: Facts) -> list[str]:
    """Returns what a substitution of these commands may become if unknown variables are empty; none if that cannot
    be seen.
    """
    texts, exact = facts.asked(facts.once(VisibleStreams, False).together, producers, otherwise=_NOTHING)
    found = list(dict.fromkeys([to_text(text).rstrip("\n") for text in texts]))
    return found[:1] if exact else [text for text in found if text.strip()]


def written_texts(path: str, facts: Facts) -> list[str]:
    """Returns what the script itself visibly writes to the file ``path`` with a redirection or ``tee``. Evidence."""
    return list(map(to_text, facts.once(VisibleStreams, True).files.written(path)))


def texts_of_file(word: Word, facts: Facts) -> list[str]:
    """The same for the file that ``word`` names; a variable names the file that it named when that was written."""
    return list(map(to_text, facts.once(VisibleStreams, True).files.of_file(word)))


def fillers(facts: Facts, name: str) -> list[Command]:
    """The commands that fill the variable ``name``: those that name it, and assignments of substitutions."""
    return facts.once(LookUps).fillers.get(name, [])


def body_of(facts: Facts, name: str) -> list[int]:
    """The indices of the commands in the body of the function ``name``."""
    return facts.once(LookUps).bodies.get(name, [])


class VisibleStreams:
    """Input and output of the commands of one script.

    Args:
        as_written: an expansion that nothing is known of stays as it is written; otherwise it is taken to be empty.
    """

    __slots__ = ("as_written", "facts", "files", "index")

    def __init__(self, facts: Facts, as_written: bool) -> None:
        self.facts = facts
        self.as_written = as_written
        self.index = facts.once(LookUps)
        self.files = VisibleFiles(self, self._files_of)

    def _files_of(self, facts: Facts) -> VisibleFiles:
        return facts.once(VisibleStreams, self.as_written).files

    @property
    def limits(self) -> Limits:
        return self.facts.limits

    def input(self, command: Command) -> Printed:
        """Returns what may be on the standard input of ``command``."""
        redirect = stdin_redirect(command)
        if redirect is not None:
            target = redirect.target
            if redirect.operator == "<" and target.kind == "process":
                return self.together(target.inner)
            if target.literal == "/dev/null":
                return [b""], True
            if redirect.operator in ("<", "<>"):
                return self.files.of_file(target), False
            if redirect.operator == "<&":
                return self.read_from(descriptor_name(path_key(target))), False
        body = command.body
        if redirect is not None and redirect.body is not None:
            body = redirect.body
        if body is not None:
            if body.literal is not None:
                # The shell ends a here-string with a newline; the text of a here-document has its own.
                here_string = redirect.operator == "<<<" if redirect is not None else not body.literal.endswith("\n")
                ended = here_string and (redirect is not None or body.literal != "")
                return [to_bytes(body.literal + "\n" if ended else body.literal)], True
            return self._body_texts(body), False
        if command.piped_from:
            return self.together(command.piped_from)
        if "process" in command.context:
            return self._substituted_input(command), False
        if command.context and self.index.compounds:  # while read x; do …; done < f
            around = [each for each in self.index.compounds if each.span.start > command.span.start and command.words]
            return [text for each in around[:4] for text in self.fed(each)], False
        before = [each for each in self.index.inputs if each.span.start < command.span.start][-4:]
        if self.facts.script.functions:
            before += self._calls_around(command)
        return [text for each in before for text in self.fed(each)][: self.limits.texts], False

    def _calls_around(self, command: Command) -> list[Command]:
        """The calls of the function in whose body ``command`` is, and reads what they do."""
        names = [part[9:] for part in command.context if part.startswith("function:")][-1:]
        calls = [each for each in self.facts.script.commands if each.words and each.words[0].literal in names]
        return [each for each in calls if each.body is not None or each.piped_from or each.redirects][:4]

    def fed(self, command: Command) -> list[bytes]:
        """The texts on standard input, where that may lead back to the question."""
        return self.facts.asked(self.input, command, otherwise=_NOTHING)[0]

    def _substituted_input(self, command: Command) -> list[bytes]:
        """Returns what a command in ``>(…)`` reads: the output of the command that writes there, or what ``tee``
        passes on.
        """
        commands = self.facts.script.commands
        for writer in self.index.feeding[: self.limits.writers]:
            for word in (*writer.words, *[redirect.target for redirect in writer.redirects if redirect.writes]):
                if not any(piece.kind == "process" and piece.source[:1] == ">" for piece in word.pieces):
                    continue
                if not any(commands[at].span == command.span for at in word.inner if at < len(commands)):
                    continue
                targeted = [redirect for redirect in writer.redirects if redirect.target is word]
                if not targeted:
                    return self.fed(writer)
                printing = self.files.printing_to(writer, targeted[0])[: self.limits.writers]
                return [text for each, moved in printing for text in self.output_without(each, moved)]
        return []

    def read_from(self, descriptor: str) -> list[bytes]:
        """Returns what can be read from a descriptor that the script opened: ``exec 3< f``, ``3<<< x``."""
        found: list[bytes] = []
        for command, redirect in self.index.opened.get(descriptor, [])[: self.limits.writers]:
            moved = replace(redirect, fd="0")
            found += self.fed(replace(command, redirects=(moved,), piped_from=()))
        return found[: self.limits.texts]

    def output_without(self, command: Command, moved: Sequence[Redirect]) -> list[bytes]:
        """Returns what ``command`` prints, or what comes behind an ``exec``, where ``moved`` move it."""
        if len(command.words) == 1 and command.words[0].literal == "exec":
            commands = self.facts.script.commands
            behind = [at for at, each in enumerate(commands) if each.span.start > command.span.start]
            return self.together(behind[: self.limits.writers])[0]
        others = [each for each in command.redirects if not any(each is one for one in moved)]
        return self.output(replace(command, redirects=tuple(others)))[0]

    def _body_texts(self, body: Word) -> list[bytes]:
        texts = [to_bytes("\n".join(value)) for value in self.facts.values(body)[: self.limits.texts]]
        if self.as_written and body.written:
            texts.append(to_bytes(body.written))
        elif body.prefix:
            texts.append(to_bytes(body.prefix))
        return texts

    def together(self, producers: Sequence[int]) -> Printed:
        """Returns what these commands print together, those left out that another of them reads through a pipe."""
        commands = self.facts.script.commands
        reading = [commands[at] for at in producers if at < len(commands) and commands[at].words]
        read = {index for command in reading for index in command.piped_from}
        return self.outputs([at for at in producers if at not in read])

    def outputs(self, producers: Sequence[int]) -> Printed:
        """Returns what several commands print, one after the other."""
        texts: list[bytes] = [b""]
        exact = bool(producers)
        for index in producers:
            if index >= len(self.facts.script.commands):
                return [], False
            printed, certain = self._output_at(index)
            exact = exact and certain
            if printed:
                if len(texts) * len(printed) > self.limits.texts:
                    printed = printed[:1]
                texts = [before + after for before in texts for after in printed]
                if sum(map(len, texts)) > self.limits.output:
                    return [], False
        return ([] if not exact and texts == [b""] else texts), exact

    def _output_at(self, index: int) -> Printed:
        """Returns what the command at ``index`` prints. Goes back along its pipe and forward again, without
        recursion.
        """
        commands = self.facts.script.commands
        pending = [index]
        while True:
            command = commands[pending[-1]]
            source = command.piped_from
            if len(source) != 1 or source[0] >= pending[-1] or command.body is not None or stdin_redirect(command):
                break
            if self.facts.is_known(self.output, commands[source[0]]):
                break
            pending.append(source[0])
        found: Printed = [], False
        for at in reversed(pending):
            found = self.facts.asked(self.output, commands[at], otherwise=_NOTHING)
        return found

    def output(self, command: Command) -> Printed:
        """Returns what ``command`` prints."""
        # A row of exceptions before the usual case, each of which ends the question.
        budget, knowledge = self.facts.budget, self.facts.knowledge
        if not budget.spend(COMMAND):
            return [], False
        for redirect in command.redirects:
            if redirect.fd in (None, "1") and not redirect.operator.startswith("<"):
                return [], False
        words = command.words
        while len(words) > 1 and words[0].literal in knowledge.running_next:
            while len(words) > 2 and _assigns(words[1].literal):  # env X=1 sh
                words = words[1:]
            following = words[1].literal
            if following is None or following.startswith("-") or "=" in following:
                break
            words = words[1:]
        if not words and command.piped_from:  # { echo x; } > f
            return self.together(command.piped_from)
        if not words:  # $(<file)
            source = stdin_redirect(command)
            return (self.files.of_file(source.target), False) if source is not None else ([], False)
        if words[0].literal is None:
            shown = self.facts.values(words[0])
            named = [Word(text, words[0].span) for text in (shown[0] if shown else ())]
            return (self.output(replace(command, words=(*named, *words[1:])))[0] if named else []), False
        name = words[0].literal.rpartition("/")[2]
        return printed_by_program(name, words, command, self)


def _assigns(text: str | None) -> bool:
    """``NAME=value``."""
    name, equals, _ = (text or "").partition("=")
    return bool(equals) and name.isidentifier()


_DESCRIPTORS = ("/dev/fd", "/proc/self/fd")
_NO_PIECES: list[Piece] = []
_CHOICES = 8
"""Texts that are tried of what a program may write: ``open("f", "w").write("x")`` has three."""


class VisibleFiles:
    """The content of the files that one script may read, as far as it, or another inside or around it, writes them."""

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
