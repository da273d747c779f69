"""The input and output that the script itself shows: here-documents, the files it writes, pipes of pure filters.

The texts are evidence: they are what arrives if the producers run as they are written. They are used to restrict; a
shell that reads its script from standard input is never granted.
"""

from __future__ import annotations

from os.path import normpath

from execpolicy.core.text import to_bytes, to_text
from execpolicy.flow.filters import BLIND, FILTERS, RUNNING_NEXT, WRITING
from execpolicy.shell.limits import COMMAND, STEP
from execpolicy.shell.script import replace
from execpolicy.shell.variables import assignment_name
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal, TypeAlias

    from execpolicy.flow.facts import Facts
    from execpolicy.flow.filters import Filter
    from execpolicy.shell.script import Command, Redirect

    Printed = tuple[list[bytes], bool]
    """The texts that may come out, and whether they are all that can."""
    Mode: TypeAlias = Literal["written", "empty", "literal"]
    """How an expansion of unknown value is taken: as it is written, or as empty. ``literal``: no value is looked up."""

_NOTHING: Printed = ([], False)
_MOVING = frozenset(("cd", "pushd", "popd", "chdir"))


def fed_texts(command: Command, facts: Facts) -> tuple[list[str], bool]:
    """The texts that may be on standard input, and whether they are all that can be.

    A text that holds expansions is given with the expansions as written: read as a script, it shows the commands whose
    names do not come from them.
    """
    texts, exact = facts.once(VisibleStreams, "written").input(command)
    return list(map(to_text, texts)), exact


def literal_input(command: Command, facts: Facts) -> str | None:
    """The text on standard input, as far as it shows without the value of any variable."""
    texts = facts.once(VisibleStreams, "literal").fed(command)
    return to_text(texts[0]) if texts else None


def output_texts(producers: Sequence[int], facts: Facts) -> tuple[list[str], bool]:
    """Returns what the commands with these indices print together, and whether that is exact."""
    texts, exact = facts.once(VisibleStreams, "written").together(producers)
    return list(map(to_text, texts)), exact


def values_printed(producers: tuple[int, ...], facts: Facts) -> list[str]:
    """Returns what a substitution of these commands may become if unknown variables are empty; none if that cannot
    be seen.
    """
    texts, exact = facts.asked(facts.once(VisibleStreams, "empty").together, producers, otherwise=_NOTHING)
    found = list(dict.fromkeys([to_text(text).rstrip("\n") for text in texts]))
    return found[:1] if exact else [text for text in found if text.strip()]


def written_texts(path: str, facts: Facts) -> list[str]:
    """Returns what the script itself visibly writes to the file ``path`` with a redirection or ``tee``. Evidence."""
    return list(map(to_text, facts.once(VisibleStreams, "written").written(path)))


def texts_of_file(word: Word, facts: Facts) -> list[str]:
    """The same for the file that ``word`` names; a variable names the file that it named when that was written."""
    return list(map(to_text, facts.once(VisibleStreams, "written").of_file(word)))


class ScriptIndex:
    """Look-ups over the commands of one script, made in one pass.

    Attributes:
        writers: normalised path to the commands that write it, each with the redirection, or ``None`` for ``tee``.
        named_later: the same for the words that are only known at run time.
        bodies: function name to the indices of the commands in its body.
        compounds: the redirections of groups and loops that read a file, each as a command without words.
        inputs: ``exec`` commands that feed what comes behind them.
        moves: some command changes the folder.
    """

    __slots__ = ("bodies", "compounds", "inputs", "moves", "named_later", "writers")

    def __init__(self, facts: Facts) -> None:
        self.writers: dict[str, list[tuple[Command, Redirect | None]]] = {}
        self.named_later: list[tuple[Word, Command, Redirect | None]] = []
        self.bodies: dict[str, list[int]] = {}
        self.compounds: list[Command] = []
        self.inputs: list[Command] = []
        self.moves = False
        for at, command in enumerate(facts.script.commands):
            for redirect in command.redirects:
                if redirect.writes:
                    self._wrote(redirect.target, command, redirect)
            names = [word.literal for word in command.words[:4]]
            if not WRITING.isdisjoint(names):
                for word in command.words[1:]:
                    self._wrote(word, command, None)
            for part in command.context:
                if part.startswith("function:"):
                    self.bodies.setdefault(part[9:], []).append(at)
            if command.input_redirect is not None:
                if not names:
                    self.compounds.append(command)
                elif names == ["exec"]:
                    self.inputs.append(command)
            self.moves = self.moves or (bool(names) and names[0] in _MOVING)

    def _wrote(self, target: Word, command: Command, redirect: Redirect | None) -> None:
        self.writers.setdefault(path_key(target), []).append((command, redirect))
        if target.literal is None:
            self.named_later.append((target, command, redirect))


def path_key(word: Word) -> str:
    """Returns what a file is known by: its path, or what is written for a word that is only known at run time."""
    if word.literal is not None:
        return normpath(word.literal)
    made = [f"${piece.name}" if piece.plain else piece.source or piece.text or "" for piece in word.pieces]
    return normpath("\0" + "".join(made))


class VisibleStreams:
    """Input and output of the commands of one script, and what it writes to files."""

    __slots__ = ("facts", "index", "limit", "mode")

    def __init__(self, facts: Facts, mode: Mode) -> None:
        self.facts = facts
        self.mode = mode
        self.index = facts.once(ScriptIndex)
        self.limit = facts.limits.texts

    def input(self, command: Command) -> Printed:
        """Returns what may be on the standard input of ``command``."""
        redirect = command.input_redirect
        if redirect is not None:
            if redirect.operator == "<" and redirect.target.kind == "process":
                return self.together(redirect.target.inner)
            if redirect.target.literal == "/dev/null":
                return [b""], True
            if redirect.operator in ("<", "<>"):
                return self.of_file(redirect.target), False
            if redirect.operator == "<&":
                return _NOTHING
        body = command.body
        if redirect is not None and redirect.body is not None:
            body = redirect.body
        if body is not None:
            if body.literal is None:
                return self._body_texts(body), False
            # The shell ends a here-string with a newline; the text of a here-document has its own.
            here_string = redirect.operator == "<<<" if redirect is not None else not body.literal.endswith("\n")
            ended = here_string and (redirect is not None or body.literal != "")
            return [to_bytes(body.literal + "\n" if ended else body.literal)], True
        if command.piped_from:
            return self.together(command.piped_from)
        return [text for each in self._around(command) for text in self.fed(each)][: self.limit], False

    def _around(self, command: Command) -> Sequence[Command]:
        """The constructs that may feed a command: a loop, an ``exec`` in front, the calls of the function it is in."""
        start = command.span.start
        if command.context and self.index.compounds:  # while read x; do …; done < f
            return [each for each in self.index.compounds if each.span.start > start and command.words][:4]
        before = [each for each in self.index.inputs if each.span.start < start][-4:]
        names = [part[9:] for part in command.context if part.startswith("function:")][-1:]
        for each in self.facts.script.commands if names else ():
            calls = bool(each.words) and each.words[0].literal in names
            if calls and (each.body is not None or each.piped_from or each.redirects):
                before.append(each)
        return before[:8]

    def fed(self, command: Command) -> list[bytes]:
        """The texts on standard input, where that may lead back to the question."""
        return self.facts.asked(self.input, command, otherwise=_NOTHING)[0]

    def _values(self, word: Word) -> list[str]:
        return [] if self.mode == "literal" else [" ".join(value) for value in self.facts.values(word)]

    def _body_texts(self, body: Word) -> list[bytes]:
        if self.mode == "literal":
            return []
        texts = [to_bytes("\n".join(value)) for value in self.facts.values(body)[: self.limit]]
        more = body.written if self.mode == "written" else body.prefix
        return [*texts, to_bytes(more)] if more else texts

    def together(self, producers: Sequence[int]) -> Printed:
        """Returns what these commands print one after the other, those left out that another of them reads."""
        commands = self.facts.script.commands
        reading = [commands[at] for at in producers if at < len(commands) and commands[at].words]
        read = {index for command in reading for index in command.piped_from}
        texts: list[bytes] = [b""]
        exact = bool(producers)
        for index in producers:
            if index in read:
                continue
            if index >= len(commands):
                return _NOTHING
            printed, certain = self.facts.asked(self.output, commands[index], otherwise=_NOTHING)
            exact = exact and certain
            if printed:
                if len(texts) * len(printed) > self.limit:
                    printed = printed[:1]
                texts = [before + after for before in texts for after in printed]
                if sum(map(len, texts)) > self.facts.limits.output:
                    return _NOTHING
        return ([] if not exact and texts == [b""] else texts), exact

    def output(self, command: Command) -> Printed:
        """Returns what ``command`` prints."""
        words = command.words
        moved = any(one.fd in (None, "1") and not one.operator.startswith("<") for one in command.redirects)
        if moved or not self.facts.budget.spend(COMMAND):
            return _NOTHING
        while len(words) > 1 and words[0].literal in RUNNING_NEXT:
            while len(words) > 2 and assignment_name(words[1].literal or ""):  # env X=1 sh
                words = words[1:]
            following = words[1].literal
            if following is None or following.startswith("-") or "=" in following:
                break
            words = words[1:]
        if not words and command.piped_from:  # { echo x; } > f
            return self.together(command.piped_from)
        if not words:  # $(<file)
            source = command.input_redirect
            return (self.of_file(source.target), False) if source is not None else _NOTHING
        if words[0].literal is None:
            shown = self._values(words[0])[:1]
            named = [Word(text, words[0].span) for each in shown for text in each.split()]
            return (self.output(replace(command, words=(*named, *words[1:])))[0] if named else []), False
        name = words[0].literal.rpartition("/")[2]
        functions = self.facts.script.functions
        if name in functions:
            # Functions that call functions are not followed: they could call each other without end.
            body = [(at, self.facts.script.commands[at].words) for at in self.index.bodies.get(name, ())]
            plain = [at for at, own in body if own and own[0].literal not in functions]
            return self.together(plain[: self.facts.limits.writers])[0], False
        run = FILTERS.get(name)
        return _NOTHING if run is None else self._filtered(run, name in BLIND, words[1:], command)

    def _filtered(self, run: Filter, blind: bool, words: Sequence[Word], command: Command) -> Printed:
        """Returns what a modelled program prints of its input, or of files that the script writes."""
        read: list[list[bytes]] = []
        rest: list[Word] = []
        for word in words:
            found: list[bytes] = []
            if word.kind == "process":
                found = self.together(word.inner)[0]
            elif not blind and word.literal == "-" and len(words) > 1:
                found = self.input(command)[0]
            elif not blind:
                found = self.of_file(word)
            if found:
                read.append(found)
            else:
                rest.append(word)
        inputs, certain = ([b""], True) if blind else ([], False) if read else self.input(command)
        for each in read:
            inputs = [before + text for before in inputs or [b""] for text in each][: self.limit]
        argvs, exact = self._argvs(rest)
        texts: list[bytes] = []
        for argv in argvs:
            for text in inputs:
                try:
                    printed = run(argv, text, self.facts.script.shell)
                except (ValueError, IndexError, OverflowError):
                    printed = None
                if not self.facts.budget.spend(len(text) + len(printed or b"")):
                    return _NOTHING
                if printed is None:
                    exact = False
                elif len(texts) < self.limit:
                    texts.append(printed)
        return texts, exact and certain and len(texts) == 1

    def _argvs(self, words: Sequence[Word]) -> tuple[list[list[str]], bool]:
        """The argument lists that are evident."""
        argvs: list[list[str]] = [[]]
        exact = True
        for word in words:
            if word.literal is not None:
                choices = [[word.literal]]
            elif self.mode == "literal":
                return [], False
            else:
                exact = False
                choices = [list(value) for value in self.facts.values(word)]
                texts = self.facts.texts(word) if self.mode == "written" else [] if choices else [word.prefix]
                choices += [[text] for text in texts if [text] not in choices]
            if len(choices) != 1 and len(argvs) * len(choices) <= self.limit:
                argvs = [before + choice for before in argvs for choice in choices]
            else:  # added in place: a copy for each word would cost the square of their number
                for argv in argvs:
                    argv += choices[0]
        return argvs, exact

    def of_file(self, word: Word) -> list[bytes]:
        """Returns what the script writes to the file that ``word`` names, by that variable or by one of its values."""
        paths = dict.fromkeys((path_key(word), *map(normpath, self._values(word))))
        return [text for path in paths for text in self.written(path)][: self.limit]

    def written(self, path: str) -> list[bytes]:
        """Returns what this script, or one around it, writes to the file that is known by ``path``."""
        nothing: list[bytes] = []
        found = self.facts.asked(self._written, normpath(path), otherwise=nothing)
        around = self.facts.around
        if around is None:
            return found
        return [*found, *around[0].once(VisibleStreams, self.mode).written(path)][: self.limit]

    def _written(self, path: str) -> list[bytes]:
        texts: list[list[bytes]] = []
        for command, redirect in self._writers(path):
            if not self.facts.budget.spend(COMMAND):
                break
            if redirect is None:
                texts.append(self.fed(command))
            else:
                others = [each for each in command.redirects if each is not redirect]
                texts.append(self.output(replace(command, redirects=tuple(others)))[0])
        found = [text for each in texts for text in each if text]
        # `echo a > f; echo b >> f`: one behind the other
        whole = [b"".join([each[0] for each in texts if each])] if len(found) > 1 else []
        return [*whole, *found][: self.limit]

    def _writers(self, path: str) -> list[tuple[Command, Redirect | None]]:
        """The commands that write the file, by its name or, where the script moves, by one from another folder."""
        found = list(self.index.writers.get(path, ()))
        if self.index.moves and self.facts.budget.spend(STEP * len(self.index.writers)):
            for other, writing in self.index.writers.items():
                if f"/{path}".endswith(f"/{other}") != f"/{other}".endswith(f"/{path}"):
                    found += writing
        for word, command, redirect in self.index.named_later:
            if path in map(normpath, self._values(word)) and (command, redirect) not in found:
                found.append((command, redirect))
        return found
