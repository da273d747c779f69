"""The grammar of a program's command line, and what one command line means under it: the forms of its record.

``docs/records.md`` describes the lines and their marks.

What git takes a word for that is no sub-command: the names that are spelled alike.

Source: git's own weights for unknown commands (``help.autocorrect``).
"""

from __future__ import annotations

from execpolicy.core.matches import NOT, SURELY
from execpolicy.programs.catalog import record_of
from execpolicy.programs.meaning.operand_kinds import same
from execpolicy.programs.options import OPTION_SIGNS, VALUES, Options, option_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from execpolicy.programs.meaning.operand_kinds import Said

_MOST_WAYS = 100
_MOST_KINDS = 16
_MOST_ALIKE = 512
"""Misspelled sub-commands that are kept with what they may be taken for."""
_NONE: frozenset[Said] = frozenset()
_MODE_LETTERS = frozenset("-+=,ugorwxXst")
_CHANGE_LITTLE = ("-v", "--verbose", "-q", "--quiet", "--debug", "-s", "-h")


_known: dict[str, CommandGrammar | None] = {}


def grammar_of(name: str) -> CommandGrammar | None:
    """The grammar of a program by its base name; ``None`` where none is known."""
    if name not in _known:
        record = record_of(name)
        _known[name] = CommandGrammar(record.grammar) if record is not None and record.grammar else None
    return _known[name]


def says_option(token: str, grammar: CommandGrammar | None) -> bool:
    """True if a token of a pattern means an option, or for the end of the options."""
    if len(token) > 1 and token[0] in (grammar.signs if grammar is not None else "-"):
        return grammar is None or not grammar.is_mode(token)
    return grammar is not None and grammar.settings and "=" in token


def key_and_rest(text: str) -> tuple[str, str]:
    """``KEY=VALUE`` and ``KEY VALUE`` as the key in small letters and the value."""
    key, _, rest = text.strip().replace("=", " ", 1).partition(" ")
    return key.strip('"').lower(), rest.lstrip(" =")


class CommandGrammar:
    """The grammar of a program's command lines.

    Attributes:
        bundles: the first word is a cluster of options without a dash.
        caseless: ``-NAME``, in any case, is ``--name``.
        dashes: ``--name`` is ``-name``.
        keyed: an option may say another with its value: ``-p 22`` is ``-o port=22``, which neither word is by itself.
        late: ``--`` does not end the options.
        runs_files: an operand names a file that the program runs.
        signs: what options begin with.
        nopt: any number of dashes is the same, ``true`` and ``false`` behind an option are its value.
        settings: an operand ``name=value`` is the option ``name=``.
        tokens: readings of tokens of rules, which :mod:`command_readings` fills.
        ways: readings of words of options, which it fills, too.
        splits: ``--name=-x`` is ``--name -x``.
    """

    def __init__(self, text: str) -> None:
        """``text``: as the head of this module describes it."""
        self._abbreviate = "@abbreviate" in text
        self._correct = "@correct=" in text
        self.late = "@late" in text
        self.signs = "-+" if "@plus" in text else "-"
        self.caseless = "@caseless" in text
        self.dashes = "@dashes" in text
        self.nopt = "@nopt" in text
        self.settings = "@settings" in text
        self.splits = "@splits" in text
        self.bundles = "@bundle" in text
        self._alike: dict[str, list[str]] = {}
        self.ways: dict[tuple[tuple[str, ...], str], Any] = {}
        self.tokens: dict[tuple[tuple[str, ...], str], Any] = {}
        self._lines: dict[tuple[str, ...], GrammarLine] = {(): GrammarLine("")}
        self._groups: dict[str, list[str]] = {}
        self._to: dict[tuple[str, ...], list[GrammarLine]] = {}
        kinds: list[str] = []
        texts: dict[tuple[str, ...], str] = {}
        for line in text.replace("\n ", " ").splitlines():
            head, colon, options = f"{line} ".partition(": ")
            if not colon or line[0] == "#":
                continue
            if head == "@kinds":
                kinds = options.split()
                continue
            for words in head.split(","):
                path = self._path(words)
                made, texts[path] = GrammarLine(options), options
                known = self._lines.get(path)
                if known is not None:
                    made.children = known.children
                self._lines[path] = made
        for path, one in list(self._lines.items()):
            behind = GrammarLine(f"; {one.rest}*" if one.rest else "")
            behind.every, behind.some = one.every, one.some
            for item in kinds if one.kinds else ():
                group, arrow, members = item.partition("=>")
                if arrow:
                    self._groups[group] = members.split(",")
                    continue
                first = item.partition("|")[0]
                one.children.update(dict.fromkeys(item.split("|"), first))
                self._lines[*path, first] = behind
        self._lines[()].options.bundles = self.bundles
        self._takes_mode = self._lines[()].fixed[:1] == ["mode"]
        self.runs_files = any(one.fixed[:1] == ["script"] for one in self._lines.values())
        self.keyed = any(one.keyed and one.stands_for for one in self._lines.values())
        self._same: dict[tuple[str, ...], list[tuple[tuple[str, ...], list[str], bool]]] = {}
        for path, one in list(self._lines.items()):
            if one.same:
                name, *wanted = one.same
                self._lines[()].children.setdefault(name, name)
                self._lines.setdefault((name,), GrammarLine(""))
                if not one.first_names:
                    self._lines[path] = GrammarLine(texts.get((name,), ""))
                self._same.setdefault(path, []).append(((name,), wanted, True))
                self._same.setdefault((name,), []).append((path, wanted, False))

    def _path(self, words: str) -> tuple[str, ...]:
        """The first names of the sub-commands ``words``, which are children of what is in front of them."""
        path: tuple[str, ...] = ()
        for part in words.split():
            first, *others = part.split("|")
            parent = self._lines.setdefault(path, GrammarLine(""))
            for name in (first, *others):
                parent.children.setdefault(name, first)
            path += (first,)
        return path

    def is_mode(self, word: str) -> bool:
        """True if ``word``, which begins like an option, is a mode: ``-w``."""
        return self._takes_mode and word[1:2].isalpha() and _MODE_LETTERS.issuperset(word)

    def has_subcommands(self) -> bool:
        """True if an operand of the program may be a sub-command."""
        return bool(self._lines[()].children)

    def line(self, path: tuple[str, ...]) -> GrammarLine | None:
        """Returns what is said of the sub-commands ``path`` themselves."""
        return self._lines.get(path)

    def lines_to(self, path: tuple[str, ...]) -> list[GrammarLine]:
        """Returns what is said of the program, and then of each sub-command on the way to the last of ``path``."""
        found = self._to.get(path)
        if found is None:
            starts = [path[:length] for length in range(len(path) + 1)]
            found = self._to[path] = [self._lines[start] for start in starts if start in self._lines]
        return found

    def same_as(self, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], list[str], bool]]:
        """Other sub-commands that ``path`` is, each with options, and whether it gives them (or needs them)."""
        return self._same.get(path, [])

    def same_option(self, path: tuple[str, ...], name: str) -> str:
        """The first name of an option behind the sub-commands ``path``."""
        for line in reversed(self.lines_to(path)):
            if name in line.first_names:
                return line.first_names[name]
        return name

    def options_behind(self, path: tuple[str, ...]) -> Options:
        """The options that stand behind the sub-commands ``path``, without those of the ones in front."""
        return self._lines[path].options

    def is_guess(self, path: tuple[str, ...], word: str, values: Sequence[Said | None]) -> bool:
        """True if ``word`` is no sub-command, and no option's value says that it is taken for one spelled alike."""
        line = self._lines[path]
        if not line.correct or word in line.children:
            return False
        return not any(isinstance(value, str) and key_and_rest(value)[0] == line.correct for value in values)

    def takes_value(self, path: tuple[str, ...], name: str) -> bool:
        """True if the option ``name`` always takes a value."""
        kinds = self._kinds_of(path, name)
        return bool(kinds) and all(VALUES[kind] for kind in kinds)

    def may_take_value(self, path: tuple[str, ...], name: str) -> bool:
        """True if the option ``name`` is not known to be one without a value."""
        return self._kinds_of(path, name) != {""}

    def may_take_next(self, path: tuple[str, ...], name: str) -> bool:
        """True if the next word may be the value of the option ``name``."""
        return self._kinds_of(path, name) != {"?"}

    def _kinds_of(self, path: tuple[str, ...], name: str) -> set[str]:
        return {line.options.kinds[name] for line in self.lines_to(path) if name in line.options.kinds}

    def same_value(self, path: tuple[str, ...], name: str, wanted: str, value: Said | None) -> int:
        """How surely the option ``name``, given with ``value``, says what it says with ``wanted``."""
        if value is None:
            return NOT
        keyed = any(name in line.keyed for line in self.lines_to(path))
        if keyed and isinstance(value, str) and value != wanted:
            key, rest = key_and_rest(value)
            wanted_key, wanted_rest = key_and_rest(wanted)
            return SURELY if key == wanted_key and wanted_rest in ("", rest) else NOT
        found = same("word", wanted, value)
        return found or (same("caseless", wanted, value) if self.caseless else NOT)

    def names_options_elsewhere(
        self, path: tuple[str, ...], name: str, wanted: str | None = None, given: frozenset[Said] = _NONE
    ) -> bool:
        """True if more options stand where the value of ``name`` says, or are that value."""
        return any(
            name in line.files and (wanted is None or not line.filed or wanted in line.filed)
            for line in self.lines_to(path)
            if line.verbatim.isdisjoint(given)
        )

    def names_of(self, first: str) -> list[str]:
        """Every name of a sub-command that is right behind the program, and of those that do the same and more."""
        lines = self._lines
        first = lines[()].children.get(first, first)
        alike = [child for child in set(lines[()].children.values()) if first in (child, lines[(child,)].also)]
        more = [also] if (also := lines[(first,)].also if (first,) in lines else None) else []
        return [name for name, child in lines[()].children.items() if child in alike or child in more]

    def sub_commands(self, texts: Sequence[Said]) -> tuple[tuple[str, ...], bool]:
        """The sub-commands that ``texts`` surely begin with, and whether that is all that a reading finds there."""
        path: tuple[str, ...] = ()
        for text in texts:
            line = self._lines[path]
            if not line.children or (line.kinds and any(isinstance(each, str) and "/" in each for each in texts)):
                break
            first = line.children.get(text) if isinstance(text, str) else None
            if first is None or (behind := self._lines[*path, first]).also or behind.through is not None:
                return path, False
            path = (*path, first)
        return path, self._lines[path].is_plain

    def other_names(self, path: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The sub-commands ``path``, and every other one that a command line with them is also read as."""
        line = self._lines.get(path)
        found = [path, *[other for other, _, _ in self.same_as(path)]]
        if line is not None and line.bare is not None:
            found.append((*path, line.bare))
        if line is not None and line.perhaps:
            found.append((line.perhaps[0],))
        return found

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
        if line.kinds:
            said = [each.partition(".")[0].lower() for each in word.partition("/")[0].split(",")[:_MOST_KINDS]]
            each_kind = [one for each in said for one in self._groups.get(each, [each])]
            return list(dict.fromkeys([children[one] for one in each_kind if one in children]))
        if self._abbreviate and word:
            found = {first for name, first in children.items() if name.startswith(word)}
            if found:
                return sorted(found)
        if not self._correct or path:
            return []
        if word not in self._alike:
            if len(self._alike) >= _MOST_ALIKE:
                self._alike.clear()
            self._alike[word] = similar_names(word, set(children.values()))
        return self._alike[word]

    def names_of_option(self, path: tuple[str, ...], first: str) -> list[str]:
        """Every name of an option behind the sub-commands ``path``."""
        names = [name for line in self.lines_to(path) for name, other in line.first_names.items() if other == first]
        return names or [first]

    def words_for(self, path: tuple[str, ...], first: str) -> list[str]:
        """Every word that says an option: its names, and the options that stand for it."""
        found = self.names_of_option(path, first)
        for line in self.lines_to(path):
            for given, others in line.stands_for.items():
                names = [other.partition(":")[0].partition("=")[0] for other in others]
                if first in [self.same_option(path, name) for name in names]:
                    found.append(given.partition("=")[0])
        return found

    def said_by_value(self, path: tuple[str, ...], name: str) -> list[str]:
        """Everything that an option may say by one of its values: other options, and keys."""
        rows = [row for line in self.lines_to(path) for row in line.stands_for.items()]
        others = [other for given, others in rows if given.partition("=")[0] == name for other in others]
        parts = [part for other in others for part in (*other.partition("="), *other.partition(":"))]
        return [*parts, *[self.same_option(path, part) for part in parts]]

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


class GrammarLine:
    """One line of a grammar: the options behind some sub-commands, and the sub-commands that may follow.

    Attributes:
        fixed: the kinds of the first operands, each at its position (``ref?``: it may be left out).
        rest: the kind of all others; ``None`` if the line does not say.
        every: options that stand for all operands; ``some``: for operands that are only known at run time.
        filed: the options that a file which an option of ``files`` names may contain; empty if it may contain any.
        input: options whose value may also come from standard input.
        is_plain: each operand and each option is said by a word, and only words say sub-commands.
        named: options whose value is an operand.
        parts: the scheme of a database's address, and the options that say its host, port and user.
        perhaps: it may also do what another sub-command does: its name, and the option that makes it do so.
        clauses: options whose words end with ``;`` or ``{} +``.
        verbatim: options with which such a file contains none.
        stays: it changes neither the branch of a repository nor settings.
        configured: settings give the operands that are left out, unless an option of ``settled`` is given.
    """

    def __init__(self, text: str) -> None:
        text, _, kinds = text.partition(";")
        said = {item.partition("=")[0]: item.partition("=")[2] for item in text.split() if item[0] == "@"}
        self.fixed = [kind for kind in kinds.split() if kind[-1] != "*"]
        self.rest = next((kind[:-1] for kind in kinds.split() if kind[-1] == "*"), None)
        self.kinds = "@kinds" in said
        self.stays = "@stays" in said
        self.front = int(said["@front"]) if "@front" in said else None
        self.also = said.get("@also")
        self.correct = said.get("@correct")
        self.bare = said.get("@bare")
        self.same = said["@is"].split(",") if "@is" in said else []
        self.perhaps = said["@perhaps"].split(",") if "@perhaps" in said else []
        self.through = int(said["@through"]) if "@through" in said else None
        self.children: dict[str, str] = {}
        self.first_names: dict[str, str] = {}
        self.implied: list[tuple[str, str]] = []
        self.stands_for: dict[str, list[str]] = {}
        table = ["@numeric"] if "@numeric" in said else []
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
            bare = [name.rstrip(OPTION_SIGNS) for name in names]
            suffix = names[-1][len(bare[-1]) :]
            first = next((name for name in bare if name.startswith("--")), bare[0])
            for name in bare:
                self.first_names[name] = first
                table.append(name + suffix)
        self.options: Options = option_table(" ".join(table))
        self.configured = "@configured" in said

        def options(mark: str) -> frozenset[str]:
            return frozenset([self.first_names[name] for name in said.get(mark, "").split(",") if name])

        self.clauses, self.keyed, self.last = options("@clauses"), options("@keyed"), options("@last")
        self.files, self.filed, self.verbatim = options("@file"), options("@filed"), options("@verbatim")
        self.every, self.some, self.named = options("@every"), options("@some"), options("@named")
        self.settled, self.input = options("@configured"), options("@input")
        self.operands = [self.first_names[name] for name in said.get("@operands", "").split(",") if name]
        self.parts = [self.first_names.get(name, name) for name in said.get("@parts", "").split(",") if name]
        self.is_plain = not (self.configured or self.input or self.kinds or self.parts)

    def rank(self, name: Said, value: Said | None) -> int:
        """Of several values that options imply for the option ``name`` the one counts that the line lists last."""
        rows = [other.partition(":") for others in self.stands_for.values() for other in others]
        return max(
            [at for at, (option, _, each) in enumerate(rows) if self.first_names.get(option) == name and each == value],
            default=0,
        )


_NEAR = 7
"""How unlike, as git counts it, a word may be to be taken for another."""


def similar_names(word: str, names: set[str]) -> list[str]:
    """The names that git would take ``word`` for."""
    ranked = sorted([(_distance(word, name), name) for name in names if abs(len(name) - len(word)) <= 2])
    best = [name for far, name in ranked if far == ranked[0][0]]
    return best if ranked and ranked[0][0] < _NEAR else []


def _distance(word: str, name: str) -> int:
    """How far ``word`` is from ``name``: a swap costs nothing, an insertion 1, another letter 2, a deletion 3."""
    before: list[int] = []
    last = [at * 1 for at in range(len(name) + 1)]
    for row, letter in enumerate(word):
        here = [(row + 1) * 3]
        for column, other in enumerate(name):
            cost = last[column] + 2 * (letter != other)
            if row and column and word[row - 1] == other and name[column - 1] == letter:
                cost = min(cost, before[column - 1])
            here.append(min(cost, last[column + 1] + 3, here[column] + 1))
        if min(here) >= _NEAR <= min(last):
            return _NEAR  # too far already, and nothing brings it nearer
        before, last = last, here
    return last[-1]
