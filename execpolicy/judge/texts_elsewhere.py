"""The texts of a script that a rule which restricts may see a command in, and the files that nobody can vouch for.

A program that is not modelled may put what it is told anywhere (``git commit -m 'git push'``, ``redis-cli set a …``),
and read it from there. That is not followed: whatever it is told counts. But a command that is known to be safe and
that nothing listens to puts it nowhere, and ``echo`` or ``cat`` with a file for their output put it there alone.
"""

from __future__ import annotations

from bisect import bisect_left
from re import ASCII, findall

from execpolicy.core.decision import Decision
from execpolicy.core.text import names
from execpolicy.programs.said_commands import decoded
from execpolicy.shell.limits import COMMAND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_PRINTING = names("echo printf cat tee")
"""Programs that write what they are given where their output goes, and nothing else."""
_LEAVING = names("chmod chown chgrp touch mkdir rmdir cd pushd popd test [ [[ exit set export")
"""Programs that may be given the name of a file, and leave what is in it alone."""
_REPEATED = ("loop", "function:")
LONGEST = 4_000
"""Characters of a text that is looked at: a longer one is no command that somebody hides in an argument."""
_QUOTES = ('"', "'", "`")
_UNQUOTED = str.maketrans("", "", "'\"\\")
_MOST_PARTS = 32


class TextsElsewhere:
    """What the commands of one script say, in order.

    Attributes:
        texts: what may be a command, with the offset and the length of the command that says it.
    """

    __slots__ = ("_given", "_handed", "_starts", "_touched", "facts", "rulebook", "texts")

    def __init__(self, facts: Facts, rulebook: Rulebook) -> None:
        self.facts = facts
        self.rulebook = rulebook
        self.texts: list[tuple[int, int, str]] = []
        self._touched: dict[str, list[int]] = {}
        self._given: dict[str, int] = {}
        self._handed: dict[object, list[str]] = {}
        named = [command for command in facts.script.commands if self._is_about_rules(command)]
        if named:
            self._collect(named)
        self._starts = [start for start, _, _ in self.texts]

    def before(self, command: Command, way: str, *, within: bool) -> list[str]:
        """The texts that may reach ``command``, those left out that another command got, to be read the same ``way``.

        Args:
            within: it is a command of another script, which runs somewhere in this one.
        """
        key = (way, command.span.start, command.span.end, command.argv(), within)
        found = self._handed.get(key)
        if found is None:
            start, end = command.span.start, command.span.end
            anytime = within or any(each.startswith(_REPEATED) for each in command.context)
            last = len(self.texts) if anytime else bisect_left(self._starts, start)
            found = [text for _, _, text in self.texts[self._given.get(way, 0) : last]]
            self._given[way] = max(last, self._given.get(way, 0))
            inside = self.texts[last : bisect_left(self._starts, end)]
            found += [text for at, length, text in inside if (at, length) != (start, end - start)]
            self._handed[key] = found
        return found

    def touches(self, files: Iterable[str], command: Command, *, within: bool) -> bool:
        """Whether something that nobody follows is told the name of one of ``files`` before ``command`` runs.

        Args:
            files: paths as words and options hold them; a folder that they are in counts as well.
        """
        anytime = within or any(each.startswith(_REPEATED) for each in command.context)
        start = command.span.start
        for path in [path for text in files for path in _paths_in(text)]:
            for name in (path, *path.split("/")):
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
        listeners = _listeners(commands)
        followed = {at: target for at in range(len(commands)) if (target := _plainly_written(commands[at])) is not None}
        kept: dict[int, bool] = {}
        used: dict[str, None] = {}
        for at in sorted(range(len(commands)), key=lambda each: commands[each].span.start):
            command = commands[at]
            if not self.facts.budget.spend(COMMAND):
                break
            program = command.words[0].literal if command.words else None
            if program in _LEAVING or at in followed or not self._reaches(at, listeners, kept):
                continue
            for path in _paths_of(command, self.facts):
                for name in (path, path.rpartition("/")[2]):
                    starts = self._touched.setdefault(name, [])
                    if starts[-1:] != [command.span.start]:
                        starts.append(command.span.start)
                    used[name] = None
        about = set(map(id, named))
        for at, command in enumerate(commands):
            if id(command) not in about or (at in followed and followed[at] not in used):
                continue
            if self._reaches(at, listeners, kept):
                start, end = command.span.start, command.span.end
                said = dict.fromkeys([text for text in self._said(command) if self._names_one(text)])
                self.texts += [(start, end - start, text) for text in said]
        self.texts.sort(key=lambda each: each[0])

    def _reaches(self, at: int, listeners: dict[int, list[int]], kept: dict[int, bool]) -> bool:
        """Whether the command at ``at``, or one that listens to it, is not known to keep everything to itself."""
        if at not in kept:
            kept[at] = False
            command = self.facts.script.commands[at]
            writes = any(one.writes and one.target.literal != "/dev/null" for one in command.redirects)
            quiet = not writes and not command.assignments
            safe = quiet and (
                not command.words or self.rulebook.heuristics.opinion(command, self.facts).verdict == "safe"
            )
            kept[at] = not safe or any(self._reaches(each, listeners, kept) for each in listeners.get(at, ()))
        return kept[at]

    def _said(self, command: Command) -> Iterator[str]:
        """The texts that ``command`` holds, whole and in parts."""
        words = command.words
        for text in _texts(command, self.facts):
            yield from parts_of(text)
        if words and words[0].literal is not None:
            yield from self.facts.knowledge.constants(words[0].literal.rpartition("/")[2], command)
        known = [word.literal for word in words]
        for at in range(1, min(len(known), _MOST_PARTS)):
            if known[at] in self.rulebook.restricting:
                argv = tuple([text for text in known[at : at + _MOST_PARTS] if text is not None])
                matches = self.rulebook.policy.matches(argv)
                if any(match.decision is not Decision.ALLOW and len(match.prefix) > 1 for match in matches):
                    yield " ".join(argv)


def _texts(command: Command, facts: Facts) -> Iterator[str]:
    """What ``command`` is told: its words, what it reads from the script, what it assigns."""
    told: list[Word] = [*command.words[1:], *[one.body for one in command.redirects if one.body is not None]]
    if command.body is not None and command.body not in told:
        told.append(command.body)
    told += [one.value for one in command.assignments if one.value is not None]
    told += [item for one in command.assignments for item in one.items]
    for word in told:
        shown = [word.literal] if word.literal is not None else [" ".join(value) for value in facts.values(word)[:4]]
        for text in shown or [word.beginning if word.inner else word.written]:  # what is in it is judged itself
            if len(text) <= LONGEST:
                yield text


def parts_of(text: str, depth: int = 0) -> Iterator[str]:
    """``text``, and what in it may be a text of its own: a value, a constant of a program text, what it encodes."""
    yield text
    if "\\n" in text:
        yield text.replace("\\n", "\n")
    option, equals, value = text.partition("=")
    if equals and " " not in option:
        yield from parts_of(value, depth)
    key, colon, value = text.partition(": ")
    if colon and " " not in key:
        yield value
    if text[:1] == "-" != text[1:2]:
        yield text[2:]
    yield from decoded(text)
    if depth < 2 and any(quote in text for quote in _QUOTES):
        from execpolicy.flow.tokens import tokens

        found: dict[str, None] = {}
        for language in ("c", "lisp"):
            found.update(dict.fromkeys([token.value for token in tokens(text, language) if token.kind == "text"]))
        for each in [each for each in found if each != text][:_MOST_PARTS]:
            yield from parts_of(each, depth + 1)


def _listeners(commands: Sequence[Command]) -> dict[int, list[int]]:
    """Index of a command to those that read what it prints."""
    found: dict[int, list[int]] = {}
    for at, command in enumerate(commands):
        words = [*command.words, *[one.target for one in command.redirects]]
        words += [one.body for one in command.redirects if one.body is not None]
        words += [one.value for one in command.assignments if one.value is not None]
        for source in (*command.piped_from, *[each for word in words for each in word.inner]):
            found.setdefault(source, []).append(at)
    return found


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


def _paths_of(command: Command, facts: Facts) -> Iterator[str]:
    """What may be a path in the words of ``command``."""
    targets = [one.target for one in command.redirects]
    for text in (*_texts(command, facts), *[word.literal or word.written for word in targets]):
        yield from _paths_in(text)


def _paths_in(text: str) -> list[str]:
    """What may be a path in ``text``, ``./`` left out."""
    found = [each.removeprefix("./").rstrip("/.") for each in findall(r"[\w.+@~/-]+", text[:LONGEST])]
    return [each for each in found if each]
