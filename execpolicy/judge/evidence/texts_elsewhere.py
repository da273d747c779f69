"""The texts of a script that a rule which restricts may see a command in, and the files that nobody can vouch for.

A program that is not modelled may put what it is told anywhere (``git commit -m 'git push'``, ``redis-cli set a …``),
and read it from there. That is not followed: whatever it is told counts. But a command that is known to be safe and
that nothing listens to puts it nowhere, and ``echo`` or ``cat`` with a file for their output put it there alone.
"""

from __future__ import annotations

from bisect import bisect_left
from re import ASCII, findall

from execpolicy.core.decision import Decision
from execpolicy.core.text import glob_matches, names
from execpolicy.programs.decoding import decoded
from execpolicy.shell.limits import COMMAND, READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.evidence.handed_out import HandedOut
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.safety.heuristics import Heuristics
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_SAYING = ("echo ", "printf ", "print ")
"""What stands in front of a text that is only printed first: ``script -c 'echo rm x' f``."""
_PRINTING = names("echo printf cat tee")
"""Programs that write what they are given where their output goes, and nothing else."""
_LEAVING = names("chmod chown chgrp touch mkdir rmdir cd pushd popd test [ [[ exit set export")
"""Programs that may be given the name of a file, and leave what is in it alone."""
_EVERYWHERE = names("usr bin sbin lib etc opt var home tmp src")
"""Folders that are named everywhere."""
_REPEATED = ("loop", "function:")
_QUOTES = ('"', "'", "`")
_UNQUOTED = str.maketrans("", "", "'\"\\")
_MOST_PARTS = 1_000
_LONGEST_ARGV = 32
_DEEPEST = 2
"""Texts inside texts."""


class TextsElsewhere:
    """What the commands of one script say, in order.

    Attributes:
        texts: what may be a command, with the offset and the length of the command that says it.
    """

    __slots__ = ("_all", "_first", "_kept", "_starts", "_touched", "facts", "rulebook", "texts")

    def __init__(self, facts: Facts, rulebook: Rulebook) -> None:
        self.facts = facts
        self.rulebook = rulebook
        self.texts: list[tuple[int, int, str]] = []
        self._touched: dict[str, list[int]] = {}
        self._kept: set[int] | None = None
        self._all: list[tuple[int, str]] | None = None
        self._first: dict[str, int] = {}
        named = [command for command in facts.script.commands if self._is_about_rules(command)]
        if named:
            self._collect(named)
        self._starts = [start for start, _, _ in self.texts]

    def before(self, command: Command, way: str, handed: HandedOut) -> list[str]:
        """The texts that may reach ``command`` and that no other command got, to be read the same ``way``."""
        start, end = command.span.start, command.span.end
        last = len(self.texts) if _runs_anytime(command) else bisect_left(self._starts, start)
        found = [self.texts[at][2] for at in handed.fresh(self.facts.script.text, way, command, last)]
        inside = self.texts[last : bisect_left(self._starts, end)]
        return found + [text for at, length, text in inside if (at, length) != (start, end - start)]

    def told(self, command: Command, first: Command, way: str, handed: HandedOut) -> list[str]:
        """Every text that something was told which may keep it, and that no other command got, to be read ``way``.

        Args:
            first: the beginning of the pipe in front of ``command``, which is told nothing but what it gets.
        """
        if self._all is None:
            commands = [self.facts.script.commands[at] for at in sorted(self._reaching())]
            self._all = [(each.span.start, text) for each in commands for text in _texts(each, self.facts)]
            self._all.sort(key=lambda each: each[0])
            for each in commands:
                for path in _paths_of(each, self.facts):
                    self._first.setdefault(path, each.span.start)
        last = len(self._all) if _runs_anytime(command) else bisect_left(self._all, (first.span.start, ""))
        return [self._all[at][1] for at in handed.fresh(self.facts.script.text, way, command, last)]

    def kept(self, path: str, command: Command, first: Command) -> bool:
        """Whether something that may have written ``path`` was told its name before ``first``, where a pipe begins."""
        start = self._first.get(path)
        return start is not None and (start < first.span.start or _runs_anytime(command))

    def touches(self, files: Iterable[str], command: Command) -> bool:
        """Whether something that nobody follows is told the name of one of ``files`` before ``command`` runs.

        Args:
            files: paths as words and options hold them; a folder that they are in counts as well.
        """
        anytime = _runs_anytime(command)
        start = command.span.start
        for pattern in [text for text in files if "*" in text and self.facts.budget.spend(len(self._touched))]:
            if any(glob_matches("*/" + pattern, "/" + path) for path in self._touched):
                return True
        for path in [path for text in files for path in _paths_in(text)]:
            for name in {path, *path.split("/")} - _EVERYWHERE:
                for at in self._touched.get(name, ())[:2]:
                    if at != start and (anytime or at < start):
                        return True
        return False

    def _is_about_rules(self, command: Command) -> bool:
        """Whether a text of ``command`` names a program that a rule restricts."""
        texts = list(_texts(command, self.facts))
        if not self.facts.budget.spend(sum(map(len, texts))):
            return False
        return any(self._names_one(text) for text in texts)

    def _names_one(self, text: str) -> bool:
        """Whether a program that a rule restricts is named in ``text``, or in what it encodes."""
        restricting = self.rulebook.restricting
        said = findall(r"[\w.+-]+", text, ASCII)
        glued = text[:1] == "-" != text[1:2] and text[2:].partition(" ")[0] in restricting
        if glued or not restricting.isdisjoint(said):
            return True
        bare = text.translate(_UNQUOTED) if any(each in text for each in "'\"\\") else text
        if bare != text and not restricting.isdisjoint(findall(r"[\w.+-]+", bare, ASCII)):
            return True
        return any(self._names_one(each) for each in decoded(text) if " " in each)

    def _collect(self, named: Sequence[Command]) -> None:
        """The texts of the commands ``named``, as far as they may reach something."""
        commands = self.facts.script.commands
        reaching = [commands[at] for at in self._reaching()]
        used: set[str] = set()
        for command in sorted(reaching, key=lambda each: each.span.start):
            program = command.words[0].literal if command.words else None
            if program in _LEAVING or _plainly_written(command) is not None:
                continue
            for path in _paths_of(command, self.facts):
                for name in (path, path.rpartition("/")[2]):
                    starts = self._touched.setdefault(name, [])
                    if starts[-1:] != [command.span.start]:
                        starts.append(command.span.start)
                    used.add(name)
        about = set(map(id, named)).intersection(map(id, reaching))
        for command in named:
            target = _plainly_written(command)
            if id(command) in about and (target is None or target in used):
                start, end = command.span.start, command.span.end
                said = dict.fromkeys([text for text in self._said(command) if self._names_one(text)])
                self.texts += [(start, end - start, text) for text in said]
        self.texts.sort(key=lambda each: each[0])

    def _reaching(self) -> set[int]:
        """The commands that, or whose listeners, are not known to keep to themselves what they are told."""
        if self._kept is None:
            self._kept = self._reach()
        return self._kept

    def _reach(self) -> set[int]:
        commands = self.facts.script.commands
        pending = [at for at, command in enumerate(commands) if not self._is_quiet(command)]
        found = set(pending)
        while pending:
            sources = [each for each in _sources(commands[pending.pop()]) if each < len(commands) and each not in found]
            found.update(sources)
            pending += sources
        return found

    def _is_quiet(self, command: Command) -> bool:
        """Whether ``command`` writes nothing but its output, as an entry knows."""
        if not self.facts.budget.spend(COMMAND) or command.assignments:
            return False
        if any(one.writes and one.target.literal != "/dev/null" for one in command.redirects):
            return False
        return not command.words or self.facts.once(_is_safe_one, self.rulebook.heuristics, command)

    def _said(self, command: Command) -> Iterator[str]:
        """The texts that ``command`` holds, whole and in parts."""
        words = command.words
        for text in _texts(command, self.facts):
            if self.facts.budget.spend(READ * len(text)):
                yield from parts_of(text)
        if words and words[0].literal is not None:
            yield from self.facts.knowledge.constants(words[0].literal.rpartition("/")[2], command)
        known = [word.literal for word in words]
        for at in range(1, len(known)):
            if known[at] in self.rulebook.restricting:
                argv = tuple([text for text in known[at : at + _LONGEST_ARGV] if text is not None])
                matches = self.rulebook.policy.matches(argv)
                if any(match.decision is not Decision.ALLOW and len(match.prefix) > 1 for match in matches):
                    yield " ".join(argv)


def _runs_anytime(command: Command) -> bool:
    """Whether ``command`` may run behind what stands behind it."""
    return any(each.startswith(_REPEATED) for each in command.context)


def _texts(command: Command, facts: Facts) -> Iterator[str]:
    """What ``command`` is told: its words, what it reads from the script, what it assigns."""
    told: list[Word] = [*command.words[1:], *[one.body for one in command.redirects if one.body is not None]]
    if command.body is not None and command.body not in told:
        told.append(command.body)
    told += [one.value for one in command.assignments if one.value is not None]
    told += [item for one in command.assignments for item in one.items]
    for word in told:
        shown = [word.literal] if word.literal is not None else [" ".join(value) for value in facts.values(word)[:4]]
        yield from shown or [word.beginning if word.inner else word.written]  # what is in it is judged itself


def parts_of(text: str, depth: int = 0) -> Iterator[str]:
    """``text``, and what in it may be a text of its own: a value, a constant of a program text, what it encodes."""
    yield text
    if "\\n" in text:
        yield text.replace("\\n", "\n")
    if text.startswith(_SAYING):
        yield text.partition(" ")[2]
    option, equals, value = text.partition("=")
    if equals and " " not in option:
        yield value
        if depth < _DEEPEST:
            yield from parts_of(value, depth + 1)
    key, colon, value = text.partition(": ")
    if colon and " " not in key:
        yield value
    if "<" in text and ">" in text:
        yield from [part.partition(">")[2] for part in text.split("<")[1:_MOST_PARTS]]
    if text[:1] == "-" != text[1:2]:
        yield text[2:]
    yield from decoded(text)
    if depth < _DEEPEST and any(quote in text for quote in _QUOTES):
        from execpolicy.flow.tokens import tokens

        found: dict[str, None] = {}
        for language in ("c", "lisp"):
            found.update(dict.fromkeys([token.value for token in tokens(text, language) if token.kind == "text"]))
        for each in [each for each in found if each != text][:_MOST_PARTS]:
            yield from parts_of(each, depth + 1)


def _sources(command: Command) -> list[int]:
    """The indices of the commands whose output ``command`` gets."""
    words = [*command.words, *[one.target for one in command.redirects]]
    words += [one.body for one in command.redirects if one.body is not None]
    words += [one.value for one in command.assignments if one.value is not None]
    return [*command.piped_from, *[at for word in words for at in word.inner]]


def _plainly_written(command: Command) -> str | None:
    """The name of the one file that a command of ``_PRINTING`` visibly writes, and that its text goes to alone."""
    if not command.words or command.words[0].literal not in _PRINTING:
        return None
    if command.plain_argv is None or command.piped_from:
        return None
    targets = [one.target.literal for one in command.redirects if one.writes]
    if command.words[0].literal == "tee":
        targets += [word.literal for word in command.words[1:] if word.literal != "-a"]
    if len(targets) != 1 or targets[0] is None or targets[0].startswith("/dev/"):
        return None
    return targets[0].rpartition("/")[2]


def _is_safe_one(facts: Facts, heuristics: Heuristics, command: Command) -> bool:
    return heuristics.opinion(command, facts).verdict == "safe"


def _paths_of(command: Command, facts: Facts) -> Iterator[str]:
    """What may be a path in the words of ``command``."""
    targets = [one.target for one in command.redirects]
    for text in (*_texts(command, facts), *[word.literal or word.written for word in targets]):
        yield from _paths_in(text)


def _paths_in(text: str) -> list[str]:
    """What may be a path in ``text``, ``./`` left out."""
    found = [each.removeprefix("./").rstrip("/.") for each in findall(r"[\w.+@~/-]+", text)]
    return [each for each in found if each]
