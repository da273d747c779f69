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
``@front=1``        so many operands behind this sub-command end the options: what follows is another command's
``@dashes``         ``--name`` is ``-name``
``@settings``       an operand ``name=value`` is the option ``name=`` with that value
``@keyed=-o,-c``    the values of these options are ``KEY=VALUE`` or ``KEY VALUE``, the key in any case
``@file=-K``        the values of these options name files, or are lines, that hold further options
``@also=install``   this sub-command does what ``install`` does, too
``@through=1``      this sub-command, and one operand, stand in front of another one (``yarn workspace NAME publish``)
``PREFIX=>OPTION``  an operand that begins with PREFIX, and goes on, means OPTION (``+=>--force``)
``-a=>OPTION``      so does an option; ``--a=b=>OPTION``: with the value ``b``
``-D==A,B``         an option stands for others, and is nothing else

Lines that begin with blanks go on with the one before; ``#`` begins a comment; ``= git`` alone says that a program is
the same as another. What is not listed is still read, as a flag, with a value, and as a cluster of letters: a line only
has to name what has more than one spelling, or a value.
"""

from __future__ import annotations

from execpolicy.programs.options import VALUES, Options, option_table, readings
from execpolicy.resources import grammar_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST_READINGS = 32
_MOST_WAYS = 100
_CHANGE_LITTLE = ("-v", "--verbose", "-q", "--quiet", "--debug", "-s", "-h")
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

    __slots__ = (
        "also",
        "children",
        "each",
        "files",
        "first_names",
        "front",
        "implied",
        "keyed",
        "options",
        "stands_for",
        "through",
    )

    def __init__(self, text: str) -> None:
        said = {item.partition("=")[0]: item.partition("=")[2] for item in text.split() if item[0] == "@"}
        self.each = "@each" in said
        self.front = int(said["@front"]) if "@front" in said else None
        self.also = said.get("@also")
        self.through = int(said["@through"]) if "@through" in said else None
        self.children: dict[str, str] = {}
        self.first_names: dict[str, str] = {}
        self.implied: list[tuple[str, str]] = []
        self.stands_for: dict[str, list[str]] = {}
        table: list[str] = []
        for item in text.split():
            if item[0] == "@":
                continue
            given, arrow, others = item.partition("=>" if "=>" in item else "==")
            if arrow == "=>" and given[:1] != "-":
                self.implied.append((given, others))
                continue
            if arrow:
                name = given.partition("=")[0]
                self.stands_for.setdefault(given, [name] if arrow == "=>" else []).extend(others.split(","))
                continue
            names = item.split(",")
            bare = [name.rstrip(":?&") for name in names]
            suffix = names[-1][len(bare[-1]) :]
            first = next((name for name in bare if name.startswith("--")), bare[0])
            for name in bare:
                self.first_names[name] = first
                table.append(name + suffix)
        self.options: Options = option_table(" ".join(table))
        first_names = self.first_names
        self.keyed = frozenset([first_names[name] for name in said.get("@keyed", "").split(",") if name])
        self.files = frozenset([first_names[name] for name in said.get("@file", "").split(",") if name])


class CommandGrammar:
    """What the words of a program's command lines mean."""

    __slots__ = ("_abbreviate", "_correct", "_dashes", "_late", "_leaves", "_lines", "_settings", "bundles")

    def __init__(self, text: str) -> None:
        """``text``: as the head of this module describes it."""
        self._abbreviate = "@abbreviate" in text
        self._correct = "@correct" in text
        self._late = "@late" in text
        self._dashes = "@dashes" in text
        self._settings = "@settings" in text
        self.bundles = "@bundle" in text
        self._leaves: dict[str | None, tuple[str, ...]] = {}
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
            made = _GrammarLine(options)
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
        line = self._lines.get(path)
        return line is not None and line.each

    def says_option(self, token: str) -> bool:
        """Whether a token of a pattern stands for an option, or for the end of the options."""
        return (len(token) > 1 and token[0] == "-") or (self._settings and "=" in token)

    def takes_value(self, path: tuple[str, ...], name: str) -> bool:
        """Whether the option ``name`` always takes a value."""
        lines = [self._lines.get(path[:length]) for length in range(len(path) + 1)]
        kinds = {line.options.kinds[name] for line in lines if line is not None and name in line.options.kinds}
        return bool(kinds) and all(VALUES[kind] for kind in kinds)

    def same_value(self, path: tuple[str, ...], name: str, wanted: str, value: str | None) -> bool:
        """Whether the option ``name``, given with ``value``, says what it says with ``wanted``."""
        if value == wanted or value is None:
            return value == wanted
        if not self._marked(path, "keyed", name):
            return False
        key, rest = _key_and_rest(value)
        wanted_key, wanted_rest = _key_and_rest(wanted)
        return key == wanted_key and wanted_rest in ("", rest)

    def names_options_elsewhere(self, path: tuple[str, ...], name: str) -> bool:
        """Whether more options stand where the value of ``name`` says, or are that value."""
        return self._marked(path, "files", name)

    def _marked(self, path: tuple[str, ...], mark: str, name: str) -> bool:
        for length in range(len(path) + 1):
            line = self._lines.get(path[:length])
            if line is not None and name in getattr(line, mark):
                return True
        return False

    def names_of(self, first: str) -> list[str]:
        """Every name of a sub-command that stands right behind the program, and of those that do the same and more."""
        lines = self._lines
        first = lines[()].children.get(first, first)
        alike = [child for child in set(lines[()].children.values()) if first in (child, lines[(child,)].also)]
        more = [also] if (also := lines[(first,)].also if (first,) in lines else None) else []
        return [name for name, child in lines[()].children.items() if child in alike or child in more]

    def child(self, path: tuple[str, ...], word: str, *, sure: bool = False) -> list[str]:
        """The sub-commands that ``word`` may be behind ``path``; with ``sure``, only under its own names."""
        line = self._lines.get(path)
        if line is None or not line.children:
            return []
        children = line.children
        if word in children:
            also = self._lines[(*path, children[word])].also
            return [children[word]] if also is None or sure else [children[word], also]
        if sure:
            return []
        if self._abbreviate and word:
            found = {first for name, first in children.items() if name.startswith(word)}
            if found:
                return sorted(found)
        return _alike(word, set(children.values())) if self._correct and not path else []

    def plain_path(self, texts: Sequence[str | None]) -> tuple[str, ...] | None:
        """The sub-commands in front where each is a word by one of its own names; ``None`` if that is not so plain."""
        leaf = self._leaves.get(texts[0]) if texts else None
        if leaf is not None:
            return leaf
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
            line = self._lines[path]
            if line.also is not None or line.through is not None:
                return None
        if len(path) == 1 and not self._lines[path].children and not self.bundles:
            self._leaves[texts[0]] = path
        return None if self.bundles else path

    def may_say(self, path: tuple[str, ...], texts: Sequence[str | None]) -> set[str]:
        """All operands, options and values that the words behind the sub-commands ``path`` may give."""
        said = {text for text in texts if text is not None}
        keys = {_key_and_rest(text)[0] for text in said} | said
        for length in range(len(path) + 1):
            line = self._lines.get(path[:length])
            for option, others in line.stands_for.items() if line is not None else ():
                if option.partition("=")[2] in keys:  # a value that stands for options
                    said.update([self.same_option(path, other.partition("=")[0]) for other in others])
        said |= keys
        for _, given in self.readings([*path, *texts]):
            said.update([each.name for each in given if each.name is not None])
            for each in given:
                if each.value is not None:
                    said.add(each.value)
                    said.add(_key_and_rest(each.value)[0])
        return said

    def implying(self, texts: Sequence[str], option: str) -> list[str]:
        """The beginnings of operands that mean ``option`` behind the sub-commands in ``texts``."""
        path = self.plain_path([text for text in texts if text[:1] != "-"])
        line = self._lines.get(path) if path is not None else None
        if line is None or path is None:
            return []
        wanted = self.same_option(path, option)
        return [prefix for prefix, other in line.implied if self.same_option(path, other) == wanted]

    def names_of_option(self, path: tuple[str, ...], first: str) -> list[str]:
        """Every name of an option behind the sub-commands ``path``."""
        lines = [line for length in range(len(path) + 1) if (line := self._lines.get(path[:length])) is not None]
        names = [name for line in lines for name, other in line.first_names.items() if other == first]
        return names or [first]

    def ways_to_say(self, path: tuple[str, ...], options: Sequence[str]) -> list[tuple[str, ...]]:
        """Every choice of single words that say all ``options`` behind ``path``, each at least one of them."""
        line = self._lines.get(path)
        words: dict[str, frozenset[str]] = {}
        for option in options:
            words.update(dict.fromkeys(self.names_of_option(path, option), frozenset([option])))
        for given, others in line.stands_for.items() if line is not None else ():
            words[given] = frozenset([self.same_option(path, other) for other in others])
        for prefix, other in line.implied if line is not None else ():
            said = words.get(prefix + "x", frozenset())
            words[prefix + "x"] = said | {self.same_option(path, other)}
        found: dict[tuple[str, ...], None] = {}
        pending: list[tuple[tuple[str, ...], frozenset[str]]] = [((), frozenset(options))]
        while pending and len(found) < _MOST_WAYS:
            chosen, missing = pending.pop()
            if not missing:
                found[chosen] = None
                continue
            wanted = next(option for option in options if option in missing)
            for word, said in words.items():
                if wanted in said:
                    pending.append(((*chosen, word), missing - said))
        return list(found)

    def plain_options(self) -> list[str]:
        """Options of the program itself that take no value and change little."""
        kinds = self._lines[()].options.kinds
        return [name for name in _CHANGE_LITTLE if kinds.get(name) == ""]

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
                    line = self._lines.get(path)
                    if text is not None and line is not None and line.front is not None and not leading:
                        over = over or sum(not each.is_option for each in words) >= line.front + len(path)
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
        if line is None or not line.stands_for:
            return [given]
        value = given.value
        others = line.stands_for.get(given.name or "")
        if others is None and value is not None:
            key, rest = _key_and_rest(value) if given.name in line.keyed else (value, None)
            others = line.stands_for.get(f"{given.name}={key}")
            value = rest
        found: list[GivenWord] = []
        for other in others if others is not None else [given.name or ""]:
            name, keyed, key = other.partition("=")
            if other == given.name:
                found.append(given)
            elif value is not None or not keyed or not line.options.kinds.get(given.name or ""):
                said = f"{key}={value or 'yes'}" if keyed else value
                found.append(GivenWord(self.same_option(path, name), given.at, value=said, is_option=True))
        return found

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
        if self._settings and text is not None and "=" in text:
            name, _, value = text.partition("=")
            words.append(GivenWord(name + "=", at, value=value or None, is_option=True))
            return at + 1, path, leading
        children = self.child(path, text) if leading and text is not None else []
        for other in children[1:]:
            pending.append((at + 1, (*path, other), True, (*words, GivenWord(other, at))))
        if children:
            through = self._lines[(*path, children[0])].through
            if through is not None:
                pending.append((at + 1 + through, (), True, tuple(words)))
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
        if self._dashes and text[:2] == "--":
            text = text[1:]
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


def _key_and_rest(text: str) -> tuple[str, str]:
    """``KEY=VALUE`` and ``KEY VALUE`` as the key in small letters and the value."""
    key, _, rest = text.strip().replace("=", " ", 1).partition(" ")
    return key.strip('"').lower(), rest.lstrip(" =")


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
