"""The grammar of a program's command line, and what one command line says under it.

A grammar is a text file under ``grammar/commands``, a line for each sub-command. In front of the colon stand the words
that lead to it, its other names behind bars (``install|i|add``); the line with nothing in front of its colon is about
the program itself. Behind it stand options in the language of :mod:`execpolicy.programs.options`, other names of one
option behind commas (``-f,--force``), and marks:

``@abbreviate``     sub-commands may be cut short
``@correct``        a sub-command that does not exist may be taken for one that is spelled alike
``@each``           what is done is done to every operand, so that others may stand between those of a pattern
``@bundle``         the first word is a cluster of options without a dash, as tar has it
``@late``           ``--`` does not end the options
``PREFIX=>OPTION``  an operand that begins with PREFIX, and goes on, means OPTION (``+=>--force``)
``-a=>OPTION``      so does an option
``-D==A,B``         an option stands for others, and is nothing else

Lines that begin with blanks go on with the one before; ``#`` begins a comment; ``= git`` alone says that a program is
the same as another. What is not listed is still read, as a flag, with a value, and as a cluster of letters: a line only
has to name what has more than one spelling, or a value.
"""

from __future__ import annotations

from execpolicy.programs.options import Options, option_table, readings
from execpolicy.resources import grammar_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST_READINGS = 32
_MOST_HINTS = 1_000
_NEAR = 7
"""How unlike, as git counts it, a word may be to be taken for another."""


_known: dict[str, CommandGrammar | None] = {}


def grammar_of(name: str) -> CommandGrammar | None:
    """The grammar of a program by its base name; ``None`` where none is known."""
    if name not in _known:
        text = _text_of(name)
        if text is not None and text.startswith("= "):
            text = _text_of(text[2:].strip())
        _known[name] = None if text is None else CommandGrammar(text)
    return _known[name]


def _text_of(name: str) -> str | None:
    if not name.replace("-", "").isalnum():
        return None
    try:
        with open(f"{grammar_folder()}/commands/{name}.txt", encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


class GivenWord:
    """One thing that a command line says.

    Attributes:
        name: the option, by the first of its names, or the operand; ``None`` for one that is only known at run time.
        value: of the option, if it is known.
        at: the index of the word that says it.
        is_option: it is an option.
    """

    __slots__ = ("at", "is_option", "name", "value")

    def __init__(self, name: str | None, at: int, *, value: str | None = None, is_option: bool = False) -> None:
        self.name = name
        self.value = value
        self.at = at
        self.is_option = is_option


class _GrammarLine:
    """One line of a grammar: the options behind some sub-commands, and the sub-commands that may follow."""

    __slots__ = ("children", "first_names", "implied", "marks", "options", "stands_for")

    def __init__(self, text: str) -> None:
        self.children: dict[str, str] = {}
        self.first_names: dict[str, str] = {}
        self.implied: list[tuple[str, str]] = []
        self.stands_for: dict[str, list[str]] = {}
        table: list[str] = []
        for item in text.split():
            given, arrow, others = item.partition("=>" if "=>" in item else "==")
            if arrow == "=>" and given[:1] != "-":
                self.implied.append((given, others))
                continue
            if arrow:
                self.stands_for.setdefault(given, [given] if arrow == "=>" else []).extend(others.split(","))
                continue
            if item[0] == "@":
                table.append(item)
                continue
            names = item.split(",")
            bare = [name.rstrip(":?&") for name in names]
            suffix = names[-1][len(bare[-1]) :]
            first = next((name for name in bare if name.startswith("--")), bare[0])
            for name in bare:
                self.first_names[name] = first
                table.append(name + suffix)
        self.options: Options = option_table(" ".join(table))
        starts = [prefix[:1] for prefix, _ in self.implied]
        self.marks: str | None = None if "" in starts else "-" + "".join(starts)


class CommandGrammar:
    """What the words of a program's command lines mean."""

    __slots__ = ("_abbreviate", "_correct", "_each", "_hints", "_late", "_lines", "bundles")

    def __init__(self, text: str) -> None:
        """``text``: as the head of this module describes it."""
        self._abbreviate = "@abbreviate" in text
        self._correct = "@correct" in text
        self._late = "@late" in text
        self.bundles = "@bundle" in text
        self._each: set[tuple[str, ...]] = set()
        self._hints: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
        self._lines: dict[tuple[str, ...], _GrammarLine] = {(): _GrammarLine("")}
        for line in text.replace("\n ", " ").splitlines():
            head, colon, options = line.partition(":")
            if not colon or line[0] == "#":
                continue
            path: tuple[str, ...] = ()
            for part in head.split():
                first, *others = part.split("|")
                parent = self._lines.setdefault(path, _GrammarLine(""))
                for name in (first, *others):
                    parent.children.setdefault(name, first)
                path += (first,)
            made = _GrammarLine(" ".join([item for item in options.split() if item[0] != "@"]))
            if "@each" in options:
                self._each.add(path)
            known = self._lines.get(path)
            if known is not None:
                made.children = known.children
            self._lines[path] = made

    def same_option(self, path: tuple[str, ...], name: str) -> str:
        """The first name of an option behind the sub-commands ``path``."""
        for length in range(len(path), -1, -1):
            line = self._lines.get(path[:length])
            if line is not None and name in line.first_names:
                return line.first_names[name]
        return name

    def options_behind(self, path: tuple[str, ...]) -> Options:
        """The options that stand behind the sub-commands ``path``, without those of the ones in front."""
        return self._lines[path].options

    def acts_on_each(self, path: tuple[str, ...]) -> bool:
        """Whether every operand behind the sub-commands ``path`` is one more of what they act on."""
        return path in self._each

    def names_of(self, first: str) -> list[str]:
        """Every name of a sub-command that stands right behind the program."""
        return [name for name, child in self._lines[()].children.items() if child == first]

    def child(self, path: tuple[str, ...], word: str, *, sure: bool = False) -> list[str]:
        """The sub-commands that ``word`` may be behind ``path``; with ``sure``, only under its own names."""
        line = self._lines.get(path)
        if line is None or not line.children:
            return []
        children = line.children
        if word in children:
            return [children[word]]
        if sure:
            return []
        if self._abbreviate and word:
            found = {first for name, first in children.items() if name.startswith(word)}
            if found:
                return sorted(found)
        return _alike(word, set(children.values())) if self._correct and not path else []

    def plain_path(self, texts: Sequence[str | None]) -> tuple[str, ...] | None:
        """The sub-commands in front where each is a word by one of its own names; ``None`` if that is not so plain."""
        path: tuple[str, ...] = ()
        for text in texts:
            line = self._lines.get(path)
            if line is None or not line.children:
                break
            if text is None or text[:1] == "-":
                return None
            first = line.children.get(text)
            if first is None:
                return None if self.child(path, text) else path
            path = (*path, first)
        return None if self.bundles else path

    def hint(self, path: tuple[str, ...], text: str) -> tuple[str, ...]:
        """All that a word behind the sub-commands ``path`` may say, in whatever way it is read."""
        said = {text}
        for _, given in self.readings([*path, text]):
            said.update([each.name for each in given if each.name is not None])
            said.update([each.value for each in given if each.value is not None])
        known = self.hints(path)
        if len(known) >= _MOST_HINTS:
            known.clear()
        known[text] = tuple(said)
        return known[text]

    def hints(self, path: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        """What :meth:`hint` found for words behind ``path`` before."""
        return self._hints.setdefault(path, {})

    def is_plain(self, texts: Sequence[str]) -> bool:
        """Whether the words behind the program are read in one way, and every option is listed and takes no value."""
        read = list(self.readings(texts)) if self.plain_path(texts) is not None else []
        if len(read) != 1:
            return False
        ((path, given),) = read
        lines = [line for length in range(len(path) + 1) if (line := self._lines.get(path[:length])) is not None]
        kinds = [{line.options.kinds.get(each.name or "") for line in lines} for each in given if each.is_option]
        return all(found <= {None, ""} and "" in found for found in kinds)

    def implying(self, texts: Sequence[str], option: str) -> list[str]:
        """The beginnings of operands that mean ``option`` behind the sub-commands in ``texts``."""
        path = self.plain_path([text for text in texts if text[:1] != "-"])
        line = self._lines.get(path) if path is not None else None
        if line is None or path is None:
            return []
        wanted = self.same_option(path, option)
        return [prefix for prefix, other in line.implied if self.same_option(path, other) == wanted]

    def marks(self, path: tuple[str, ...]) -> str | None:
        """How words begin that may say more than themselves behind ``path``; ``None``: any may."""
        line = self._lines.get(path)
        return line.marks if line is not None else "-"

    def readings(self, texts: Sequence[str | None]) -> Iterator[tuple[tuple[str, ...], list[GivenWord]]]:
        """Every way to read the words behind the program: the sub-commands in front, and what is given in order.

        ``None`` in ``texts`` is a word that is only known at run time. A reading lists sub-commands as operands, too.
        """
        start, bundled = self._bundle(texts) if self.bundles else (0, ())
        pending: list[tuple[int, tuple[str, ...], bool, tuple[GivenWord, ...]]] = [(start, (), True, bundled)]
        found = 0
        while pending and found < _MOST_READINGS:
            at, path, leading, given = pending.pop()
            over = False
            words = list(given)
            while at < len(texts):
                text = texts[at]
                if text is None or over or len(text) < 2 or text[0] != "-":
                    at, path, leading = self._operand(text, at, path, leading, words, pending)
                elif text == "--":
                    over = not self._late
                    words.append(GivenWord(text, at, is_option=True))
                    at += 1
                else:
                    at = self._options(texts, at, path, leading, words, pending)
            found += 1
            yield path, words

    def _bundle(self, texts: Sequence[str | None]) -> tuple[int, tuple[GivenWord, ...]]:
        """The options in a first word without a dash, whose values are the next words in turn; where they end."""
        letters = texts[0] if texts else None
        if not letters or letters[0] == "-":
            return 0, ()
        at = 1
        found: list[GivenWord] = []
        for letter in letters:
            given = GivenWord(self.same_option((), "-" + letter), 0, is_option=True)
            if self._lines[()].options.kinds.get("-" + letter) == ":":
                given.value = texts[at] if at < len(texts) else None
                at += 1
            found += self._said((), given)
        return at, tuple(found)

    def _said(self, path: tuple[str, ...], given: GivenWord) -> list[GivenWord]:
        """What an option says: itself, what it stands for, and what it implies."""
        line = self._lines.get(path)
        others = line.stands_for.get(given.name or "") if line is not None else None
        if others is None:
            return [given]
        return [given if name == given.name else GivenWord(name, given.at, is_option=True) for name in others]

    def _operand(
        self,
        text: str | None,
        at: int,
        path: tuple[str, ...],
        leading: bool,
        words: list[GivenWord],
        pending: list[tuple[int, tuple[str, ...], bool, tuple[GivenWord, ...]]],
    ) -> tuple[int, tuple[str, ...], bool]:
        """Read an operand, which may be a sub-command."""
        children = self.child(path, text) if leading and text is not None else []
        for other in children[1:]:
            pending.append((at + 1, (*path, other), True, (*words, GivenWord(other, at))))
        if children:
            words.append(GivenWord(children[0], at))
            return at + 1, (*path, children[0]), True
        words.append(GivenWord(text, at))
        line = self._lines.get(path)
        for prefix, option in line.implied if line is not None else ():
            if text is not None and len(text) > len(prefix) and text.startswith(prefix):
                words.append(GivenWord(self.same_option(path, option), at, is_option=True))
        return at + 1, path, False

    def _options(
        self,
        texts: Sequence[str | None],
        at: int,
        path: tuple[str, ...],
        leading: bool,
        words: list[GivenWord],
        pending: list[tuple[int, tuple[str, ...], bool, tuple[GivenWord, ...]]],
    ) -> int:
        """Read a word of options, which may take the next words for a value."""
        text = texts[at] or ""
        tables = [line.options for length in range(len(path), -1, -1) if (line := self._lines.get(path[:length]))]
        name = text.partition("=")[0]
        table = next((each for each in tables if name in each.kinds or text[:2] in each.kinds), tables[0])
        ends: list[tuple[int, list[GivenWord]]] = []
        for reading in readings(table, text):
            behind = at + 1 + reading.takes
            value = texts[at + 1] if reading.takes and at + 1 < len(texts) else None
            more = [
                GivenWord(self.same_option(path, each.name), at, value=each.glued, is_option=True)
                for each in reading.given
            ]
            if value is not None:
                more[-1].value = value
            ends.append((behind, [each for one in more for each in self._said(path, one)]))
        for behind, more in ends[1:]:
            pending.append((behind, path, leading, (*words, *more)))
        words += ends[0][1]
        return ends[0][0]


def _alike(word: str, names: set[str]) -> list[str]:
    """The names that git would take ``word`` for."""
    ranked = sorted((_distance(word, name), name) for name in names if abs(len(name) - len(word)) <= 2)
    best = [name for far, name in ranked if far == ranked[0][0]]
    return best if ranked and ranked[0][0] < _NEAR else []


def _distance(word: str, name: str) -> int:
    """How far ``word`` is from ``name``: a swap costs nothing, an insertion 1, another letter 2, a deletion 3.

    Source: git's own weights for unknown commands (``help.autocorrect``).
    """
    before: list[int] = []
    last = [at * 1 for at in range(len(name) + 1)]
    for row, letter in enumerate(word):
        here = [(row + 1) * 3]
        for column, other in enumerate(name):
            cost = last[column] + 2 * (letter != other)
            if row and column and word[row - 1] == other and name[column - 1] == letter:
                cost = min(cost, before[column - 1])
            here.append(min(cost, last[column + 1] + 3, here[column] + 1))
        before, last = last, here
    return last[-1]
