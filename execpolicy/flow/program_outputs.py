"""The output of programs from their input: exact for modelled programs, evidence for others."""

from __future__ import annotations

from execpolicy.core.text import to_bytes
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from execpolicy.flow.facts import Facts
    from execpolicy.flow.look_ups import LookUps
    from execpolicy.flow.of_programs import Filter
    from execpolicy.shell.script import Command, Redirect

    Printed = tuple[list[bytes], bool]
    """The texts that may come out, and whether they are all that can."""

    class TextFiles(Protocol):
        """The content of the files that one script may read, see ``execpolicy.flow.streams``."""

        def written(self, path: str) -> list[bytes]: ...
        def of_file(self, word: Word) -> list[bytes]: ...
        def is_made(self, word: Word) -> bool: ...

    class TextSources(Protocol):
        """Input and output of the commands of one script, see ``execpolicy.flow.streams``."""

        facts: Facts
        as_written: bool
        index: LookUps

        @property
        def files(self) -> TextFiles: ...
        def input(self, command: Command) -> Printed: ...
        def together(self, producers: Sequence[int]) -> Printed: ...
        def fed(self, command: Command) -> list[bytes]: ...
        def read_from(self, descriptor: str) -> list[bytes]: ...
        def output_without(self, command: Command, moved: Sequence[Redirect]) -> list[bytes]: ...


def printed_by_program(name: str, words: tuple[Word, ...], command: Command, sources: TextSources) -> Printed:
    """Returns what ``command``, which runs the program ``name`` with ``words``, prints."""
    run = sources.facts.knowledge.filter(name)
    words, read = _read_by(name, words, command, sources)
    if run is None:
        return [*read, *likely_output(name, words, command, sources)][: sources.facts.limits.texts], False
    return _filtered(run, name, words, read, command, sources)


def _filtered(
    run: Filter, name: str, words: tuple[Word, ...], read: list[bytes], command: Command, sources: TextSources
) -> Printed:
    """Returns what a program prints that is modelled, of ``read`` or else of its input."""
    budget, knowledge = sources.facts.budget, sources.facts.knowledge
    argvs, exact = _argvs(words[1:], sources)
    inputs: list[bytes] = [b""]
    if read:
        inputs, exact = read, False
    elif name not in knowledge.blind:
        inputs, certain = sources.input(command)
        exact = exact and certain
    texts: list[bytes] = []
    for argv in argvs:
        for text in inputs:
            try:
                printed = run(argv, text, sources.facts.script.shell)
            except (ValueError, IndexError, OverflowError):
                printed = None
            if not budget.spend(len(text) + len(printed or b"")):
                return [], False
            if printed is None:
                exact = False
            elif len(texts) < sources.facts.limits.texts:
                texts.append(printed)
    if not texts:
        passed_on = read if name in knowledge.passing or name in knowledge.printing_files else []
        return passed_on or likely_output(name, words, command, sources), False
    return texts, exact and len(texts) == 1


def _read_by(
    name: str, words: tuple[Word, ...], command: Command, sources: TextSources
) -> tuple[tuple[Word, ...], list[bytes]]:
    """The words without files that the script itself writes, and what is in those."""
    knowledge = sources.facts.knowledge
    prints, beside = name in knowledge.printing_files, name in knowledge.beside
    if name in knowledge.blind:
        return words, []
    dash = len(words) > 2 if prints else beside and any(word.kind == "process" for word in words)
    rest = [*words[:1]]
    read: list[list[bytes]] = []
    for word in words[1:]:
        if word.kind == "process" or (word.inner and word.prefix == "if="):
            read.append(sources.together(word.inner)[0])
            continue
        named = word.behind(3) if word.beginning[:3] == "if=" else word
        if dash and named.literal == "-":
            found = sources.input(command)[0]
        elif prints or sources.files.is_made(named):
            found = sources.files.of_file(named)
        else:
            found = []
        if found:
            read.append(found[: sources.facts.limits.texts])
        else:
            rest.append(word)
    texts = [text for each in read for text in each]
    if len(read) > 1 and all(read):
        first = [each[0] for each in read]
        texts.insert(0, _line_by_line(first) if beside else b"".join(first))
        if beside:
            rest += [Word("-", words[0].span) for _ in read]
    return tuple(rest), texts[: sources.facts.limits.texts]


def _line_by_line(texts: Sequence[bytes]) -> bytes:
    """The first line of each text, then the second: what ``paste - -`` reads where ``paste a b`` reads the texts."""
    lines = [text.removesuffix(b"\n").split(b"\n") for text in texts]
    rows = max(map(len, lines))
    return b"".join([(each[row] if row < len(each) else b"") + b"\n" for row in range(rows) for each in lines])


def likely_output(name: str, words: Sequence[Word], command: Command, sources: TextSources) -> list[bytes]:
    """Returns what a program that is not modelled may print: its string constants, its input, a function's output."""
    facts = sources.facts
    functions = facts.script.functions
    if name in functions:
        # Functions that call functions are not followed: they could call each other without end.
        body = [
            at
            for at in sources.index.bodies.get(name, [])[: sources.facts.limits.writers]
            if facts.script.commands[at].words and facts.script.commands[at].words[0].literal not in functions
        ]
        return sources.together(body)[0]
    said = [to_bytes(text) for argv in _argvs(words[1:], sources)[0] for text in facts.knowledge.says(name, argv)]
    if said or not (name in facts.knowledge.passing or name in facts.knowledge.editing_files):
        return said[: sources.facts.limits.texts]
    return sources.input(command)[0][: sources.facts.limits.texts]


def _argvs(words: Sequence[Word], sources: TextSources) -> tuple[list[list[str]], bool]:
    """The argument lists that are evident."""
    argvs: list[list[str]] = [[]]
    exact = True
    most = sources.facts.limits.texts
    for word in words:
        if word.literal is not None:
            choices = [[word.literal]]
        else:
            exact = False
            choices = [list(value) for value in sources.facts.values(word)]
            texts = sources.facts.texts(word) if sources.as_written else [] if choices else [word.prefix]
            choices += [[text] for text in texts if [text] not in choices]
        if len(choices) != 1 and len(argvs) * len(choices) <= most:
            argvs = [before + choice for before in argvs for choice in choices]
        else:  # added in place: a copy for each word would cost the square of their number
            for argv in argvs:
                argv += choices[0]
    return argvs, exact
