"""Possible values of dynamic words after the visible assignments. Evidence for restricting, never proof."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from execpolicy.core.text import is_integer, word_set
from execpolicy.flow.filled import given_in
from execpolicy.flow.streams import values_printed
from execpolicy.shell import recovery
from execpolicy.shell.grammar.braces import UnclearBraces, expand_braces
from execpolicy.shell.limits import COMMAND, LIMITS, STEP
from execpolicy.shell.pieces import SOMEWHERE, Piece, has_brace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import GivenValue
    from execpolicy.shell.words import Word

    Key = tuple[str, str | None, bool, bool]
    """A parameter and how it is used: its name, its subscript, whether it is split and whether it is joined."""

    Fields: TypeAlias = tuple[str, ...]
    """Of a piece, the first joins what is before it and the last what is behind it."""

_ENVIRONMENT = word_set(
    "OLDPWD PATH USER LOGNAME SHELL TERM LANG UID EUID PPID HOSTNAME RANDOM SECONDS LINENO EDITOR TMPDIR"
)
"""Variables that usually have a value, so that an unassigned one of these is unknown rather than empty."""
_FOLDERS = {"PWD": ".", "HOME": "~"}
"""Variables that stand for a folder that has another, shorter name."""
_UNCOUNTED = frozenset("*?[")
"""Characters of a glob, which becomes an unknown number of elements."""
_SHELLS = frozenset(("BASH", "SHELL", "ZSH_ARGZERO", "0"))
"""Parameters that name a shell unless the script or the caller says otherwise."""


def values_of(facts: Facts, word: Word) -> tuple[Fields, ...]:
    """The lists of words that ``word`` may become."""
    return tuple(facts.once(Evidence).word(word.pieces, word.split) or ())


def assigned_values(facts: Facts) -> dict[str, tuple[str, ...]]:
    """Variable name to the values that the script visibly gives it."""
    evidence = facts.once(Evidence)
    names: dict[str, tuple[str, ...]] = {}
    for name, many in evidence.given.items():
        texts: dict[str, None] = {}
        for one in many:
            for value in one.values:
                if len(texts) >= evidence.limit:
                    break
                for fields in evidence.word(value, False) or ():
                    texts[" ".join(fields)] = None
        names[name] = tuple(texts)[: evidence.limit]
    return names


class Evidence:
    """Evaluates pieces with what the script assigns.

    Attributes:
        given: variable name to the values that the script visibly gives it, in source order.
        usual_ifs: words are split at blanks and newlines.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.limits = facts.limits
        self.limit = facts.limits.values
        self.given: dict[str, list[GivenValue]] = {}
        for one in given_in(facts):
            self.given.setdefault(one.name, []).append(one)
        self.partial: dict[Key, list[Fields]] = {}
        self.self_made: set[Key] = set()
        self.shifted = any(word.literal == "shift" for command in facts.script.commands for word in command.words)
        self.usual_ifs = "IFS" not in self.given

    def separators(self) -> str:
        """The characters that words are split at besides blanks and newlines."""
        if self.usual_ifs:
            return ""
        return "".join([fields[0] for fields in self.parameter("IFS", None, False, False) or () if fields])[:20]

    def word(self, pieces: Sequence[Piece], split: bool) -> list[Fields] | None:
        """The lists of words that ``pieces`` may become; ``None`` when that cannot be seen."""
        results: list[Fields] = [("",)]
        keep_empty = not split
        for piece in pieces:
            keep_empty = keep_empty or (piece.quoted and not piece.many)
            found = self.piece(piece, split and not piece.quoted)
            if found is None:
                return None
            longest = 1 + max([length(fields) for fields in (*results, *found)], default=0)
            most = max(min(self.limit, self.limits.all_values // longest), 1)
            count = min(len(results) * len(found), most)
            if longest > self.limits.value or not self.facts.budget.spend(STEP + count * longest):
                return None
            results = [joining(before, fields) for before in results for fields in found[:most]][:most]
        if not keep_empty:
            results = [tuple([field for field in fields if field]) for fields in results]
        return list(dict.fromkeys(results))

    def piece(self, piece: Piece, split: bool) -> list[Fields] | None:
        if piece.kind == "literal" or (piece.kind == "mixed" and piece.text is not None):
            return [(piece.text or "",)]
        if piece.kind == "either":
            return [(one.text or "",) for one in piece.word]
        if piece.kind == "substitution":
            return [self._fields(text, split) for text in self.outputs(piece)] or None
        return self.variable(piece, split) if piece.kind == "variable" else None

    def variable(self, piece: Piece, split: bool) -> list[Fields] | None:
        name, operator = piece.name, piece.operator
        if name == "IFS" and self.usual_ifs and not operator:
            return [("", "")] if split else [(" \t\n",)]
        if operator == "!":
            return self.indirect(piece, split)
        if operator in OPERATORS:
            return self.changed(piece, split)
        if operator not in ("", "-", "=", "+", "?"):
            return None
        starred = name == "*" or piece.subscript == "*"
        values = self.parameter(name, piece.subscript, split, starred)
        if operator in ("-", "="):
            other = self.word(piece.word, split)
            return merged(values if name in self.given or name.isdigit() else None, other)
        if operator == "+":
            return merged(self.word(piece.word, split), [("",)])
        return values

    def parameter(self, name: str, subscript: str | None, split: bool, starred: bool) -> list[Fields] | None:
        """The values of one parameter. ``starred``: an array is joined to one word where it is not split."""
        key = (name, subscript, split, starred)
        if key in self.partial:
            self.self_made.add(key)
        return self.facts.asked(self._parameter, *key, otherwise=self.partial.get(key) or None)

    def _parameter(self, name: str, subscript: str | None, split: bool, starred: bool) -> list[Fields] | None:
        key = (name, subscript, split, starred)
        if name in self.given:
            return self._followed(key, self.given[name], subscript, name == "@")
        if name == "*" and "@" in self.given:
            return self._followed(key, self.given["@"], "*", True)
        positional = self.facts.script.positional
        if name in ("@", "*"):
            words = positional[1:] if positional else ()
            return [(" ".join(words),) if starred and not split else tuple(words)]
        if name.isdigit():
            return self._positional(int(name) if len(name) < 6 else 1 << 20, split)
        if name == "commands" and subscript and self.facts.script.shell == "zsh":
            return [(subscript,)]  # where the program lies
        if name in _SHELLS:
            return [("bash",)]
        if name in _FOLDERS:
            return [(_FOLDERS[name],)]
        if name in _ENVIRONMENT or not name.isidentifier():
            return None
        return [("",)]

    def _positional(self, index: int, split: bool) -> list[Fields] | None:
        found: list[Fields] = []
        positional = self.facts.script.positional
        if positional is not None and index < len(positional):
            found.append(self._fields(positional[index], split))
        if index == 0:
            return found or [("bash",)]
        for fields in self.parameter("@", None, False, False) or () if "@" in self.given else ():
            last = index + 9 if self.shifted else index
            found += [self._fields(field, split) for field in fields[index - 1 : last]]
        return found[: self.limit] or [("",)]

    def _followed(self, key: Key, given: list[GivenValue], subscript: str | None, whole: bool) -> list[Fields] | None:
        """The values of a parameter; one that is made of itself sees those that were found before, some rounds long."""
        found: list[Fields] = []
        for _ in range(self.limits.rounds):
            self.self_made.discard(key)
            self.partial[key] = found
            before, found = found, self._values(key, given, subscript, whole)
            if key not in self.self_made or found == before:
                break
        del self.partial[key]
        return found or None

    def _values(self, key: Key, given: list[GivenValue], subscript: str | None, whole: bool) -> list[Fields]:
        """The values of a parameter in the order in which they are given; ``+=`` adds to the one before."""
        # Elements, scalars and arrays take turns in one order, and each sees what the one before left.
        _, _, split, starred = key
        found: list[Fields] = []
        before: list[Fields] = []
        for one in given:
            if len(found) >= self.limit or not self.facts.budget.spend(STEP):
                break
            if one.element is not None:
                values = self._scalars(one, False)
                before = [
                    made for first in before or [()] for second in values for made in with_element(first, one, second)
                ][: self.limit]
                if subscript in ("@", "*"):
                    values = self._picked(before, one, subscript, split, starred, whole)
                elif split:
                    values = [self._fields(joined(fields), True) for fields in values]
            elif one.loop or not one.array:
                values = self._scalars(one, split and not one.append)
                if one.append:
                    values = longer(before, values, self.limit)
                    before = values
                    values = [self._fields(fields[0], split) for fields in values]
                else:
                    behind = behind_itself(one, key[0])
                    grown = longer(before, self.word(behind, False) or [], self.limit) if behind else []
                    before = [*grown, *values]
                    values = [*[self._fields(fields[0], split) for fields in grown], *values]
            else:
                elements = self._elements(one)
                if one.append:
                    elements = [first + second for first in before or [()] for second in elements][: self.limit]
                before = elements
                values = self._picked(elements, one, subscript, split, starred, whole)
            found += values
            if len(self.partial[key]) < self.limit:
                self.partial[key] = list(dict.fromkeys([*self.partial[key], *values]))
        return list(dict.fromkeys(found))[: self.limit]

    def _scalars(self, one: GivenValue, split: bool) -> list[Fields]:
        found: list[Fields] = []
        values = without_braces(one.values, self.limit) if one.loop else one.values
        for value in values:
            for fields in self.word(value, one.loop) or ():
                if one.loop:
                    found += [self._fields(field, split) for field in fields]
                else:
                    found.append(self._fields(" ".join(fields), split))
        return found

    def _elements(self, one: GivenValue) -> list[Fields]:
        """The lists of elements that an array may have; ``[key]=`` in front of an element is left out."""
        whole: list[list[str]] = [[]]
        longest = 0
        for value in without_braces(one.values, self.limit):
            if value and value[0] is SOMEWHERE:
                continue
            parts = self.word(value, True)
            if not parts:
                return []
            added = max(map(length, parts))
            longest += added
            most = max(min(self.limit, self.limits.all_values // (1 + longest)), 1)
            copied = added if len(parts) == 1 else longest * len(parts)
            if longest > self.limits.value or not self.facts.budget.spend(STEP + len(whole) * copied):
                return []
            if len(parts) == 1:  # as almost always, and an array may be long
                for before in whole:
                    before += parts[0]
            else:
                whole = [[*before, *fields] for before in whole for fields in parts[:most]][:most]
        return [in_order(tuple(fields)) for fields in whole]

    def _picked(
        self, elements: list[Fields], one: GivenValue, subscript: str | None, split: bool, starred: bool, whole: bool
    ) -> list[Fields]:
        """Returns what ``$a``, ``${a[i]}`` or ``${a[@]}`` is of an array."""
        if whole or subscript in ("@", "*"):
            if starred and not split:
                joins = " " + self.separators()[:1]
                made: list[Fields] = [(join.join(fields),) for fields in elements for join in joins]
                return made if self.usual_ifs else made + [("".join(fields),) for fields in elements]
            if split:  # every element is
                elements = [tuple([part for one in fields for part in self._fields(one, True)]) for fields in elements]
            tails = range(10 if self.shifted and whole else 1)
            return [fields[tail:] for fields in elements for tail in tails if not tail or tail < len(fields)]
        if subscript is None:
            return [self._fields(fields[0], split) for fields in elements if fields]
        if is_integer(subscript) and len(subscript.lstrip("-")) < 6 and not keyed(one):
            index = int(subscript) - (self.facts.script.shell == "zsh" and subscript[:1] != "-")
            picked = [fields[index] for fields in elements if -len(fields) <= index < len(fields)]
            # Behind a glob, which may become any number of elements: any of them.
            picked += [field for fields in elements if not _UNCOUNTED.isdisjoint("".join(fields)) for field in fields]
            return [self._fields(field, split) for field in picked][: self.limit]
        # A name or a key: any of the elements.
        return [self._fields(field, split) for fields in elements for field in fields][: self.limit]

    def indirect(self, piece: Piece, split: bool) -> list[Fields] | None:
        """``${!x}``: the values of the variables that ``x`` names."""
        found: list[Fields] = []
        if piece.name == "#":  # the last positional parameter
            given = self.parameter("@", None, False, False) or ()
            return [self._fields(fields[-1], split) for fields in given if fields] or None
        for fields in self.parameter(piece.name, piece.subscript, False, False) or ():
            if len(fields) == 1 and fields[0].isdecimal() and len(fields[0]) < 6:
                found += self._positional(int(fields[0]), split) or []
            elif len(fields) == 1 and fields[0].isidentifier():
                found += self.parameter(fields[0], None, split, False) or []
        return found[: self.limit] or None

    def changed(self, piece: Piece, split: bool) -> list[Fields] | None:
        """``${x…}`` with an operator that makes another text of the value."""
        words = self.word(piece.word, False)
        values = self.parameter(piece.name, piece.subscript, False, False)
        if not words or not values:
            return None
        found: dict[Fields, None] = {}
        many = piece.name in ("@", "*") or piece.subscript in ("@", "*")
        for word in words[:4]:
            for fields in values:
                if len(found) >= self.limit or not self.facts.budget.spend(COMMAND):
                    break
                if many and piece.operator == ":":
                    all_words = ("bash", *fields) if piece.name in ("@", "*") else fields
                    bounds = offsets(joined(word), len(all_words))
                    if bounds is not None:
                        found[all_words[bounds[0] : bounds[1]]] = None
                elif many:
                    made = [reshaped(piece.operator, field, joined(word))[:1] for field in fields]
                    found[tuple([one[0] for one in made if one])] = None
                else:
                    for text in reshaped(piece.operator, joined(fields), joined(word)):
                        found[self._fields(text, split)] = None
        return list(found) or None

    def outputs(self, piece: Piece) -> list[str]:
        """Returns what a substitution may print; the likeliest comes first."""
        if not piece.inner or len(piece.inner) > self.limits.substitution:
            return []

        return values_printed(tuple(piece.inner), self.facts)

    def _fields(self, text: str, split: bool) -> Fields:
        """``text`` as the words that it becomes; empty strings at the ends where it begins or ends with a separator."""
        return split_at(text, self.separators()) if split else (text,)


def behind_itself(one: GivenValue, name: str) -> tuple[Piece, ...]:
    """Returns what ``name=$name…`` puts behind what is there."""
    value = one.values[0] if len(one.values) == 1 else ()
    own = bool(value) and value[0].kind == "variable" and value[0].name == name and not value[0].operator
    return value[1:] if own else ()


def without_braces(values: Sequence[tuple[Piece, ...]], most: int) -> list[tuple[Piece, ...]]:
    """``values`` of a list with the words that ``{a,b}`` in them means."""
    found: list[tuple[Piece, ...]] = []
    for value in values:
        made = None
        if has_brace(value):
            try:
                made = expand_braces(list(value), most)
            except UnclearBraces:
                made = None
        found += [tuple(pieces) for pieces in made] if made else [value]
    return found


OPERATORS = frozenset((":", "#", "%", "/", "^", ",", "~", "@"))
"""Operators of pieces that :func:`reshaped` follows."""
_CASES = {"^": str.upper, ",": str.lower, "~": str.swapcase}


def reshaped(operator: str, text: str, word: str) -> list[str]:
    """Returns what ``${x<operator><word>}`` may be where ``x`` is ``text``.

    Several, because it is not known here which part of ``word`` was quoted.
    """
    if operator == ":":
        bounds = offsets(word, len(text))
        return [text[bounds[0] : bounds[1]]] if bounds is not None else []
    if operator == "@":
        return _transformed(word, text)
    if operator in _CASES:
        every = word[:1] == operator
        change = _CASES[operator]
        return [change(text) if every else change(text[:1]) + text[1:]]
    if len(text) > LIMITS.pattern or len(word) > LIMITS.pattern:
        return []
    found: list[str] = []
    for quoted in (False, True):
        one = _replaced(text, word, quoted) if operator == "/" else _stripped(operator, text, word, quoted)
        if one not in found:
            found.append(one)
    return found


def _transformed(letter: str, text: str) -> list[str]:
    """``${x@U}`` and its like. A quoted value counts as the value without quotes, too."""
    if letter in "uUL":
        change = str.lower if letter == "L" else str.upper
        return [change(text[:1]) + text[1:] if letter == "u" else change(text)]
    if letter == "a":
        return []
    if letter == "E" and "\\" in text:
        return [recovery.unescaped(text)]
    return [text]


def offsets(word: str, length: int) -> tuple[int, int] | None:
    """``1``, ``1:2``, `` -3:2`` as start and end in something of ``length``; ``None`` if they are not numbers."""
    first, colon, second = word.partition(":")
    start = _number(first)
    count = _number(second) if colon else length
    if start is None or count is None:
        return None
    start = max(start + length, 0) if start < 0 else min(start, length)
    return start, max(count + length if count < 0 else start + count, start)


def _number(text: str) -> int | None:
    text = text.strip(" ()\t\n") or "0"
    return int(text) if is_integer(text) and len(text.lstrip("-")) < 10 else None


def _stripped(operator: str, text: str, word: str, quoted: bool) -> str:
    longest = word[:1] == operator
    pattern = word[1:] if longest else word
    for size in range(len(text), -1, -1) if longest else range(len(text) + 1):
        part = text[:size] if operator == "#" else text[len(text) - size :]
        if part == pattern if quoted else fnmatchcase(part, pattern):
            return text[size:] if operator == "#" else text[: len(text) - size]
    return text


def _replaced(text: str, word: str, quoted: bool) -> str:
    every, anchor = word[:1] == "/", word[:1] if word[:1] in ("#", "%") else ""
    word = word[1:] if every or anchor else word
    pattern, _, new = word.replace("\\/", "\0").partition("/")
    pattern, new = pattern.replace("\0", "/"), new.replace("\0", "/")
    if not pattern and not anchor:
        return text
    source = re.escape(pattern) if quoted else _regex(pattern)
    source = "^(?:" + source + ")" if anchor == "#" else "(?:" + source + ")$" if anchor == "%" else source
    try:
        return re.sub(source, lambda match: new, text, count=0 if every else 1, flags=re.DOTALL)
    except re.error:
        return text


def _regex(pattern: str) -> str:
    """A shell pattern without sets as a regular expression that finds it inside a text."""
    return "".join([".*" if char == "*" else "." if char == "?" else re.escape(char) for char in pattern])


def length(fields: Fields) -> int:
    """Characters of ``fields`` as one text: an empty one is something, too."""
    return len(fields) + sum(map(len, fields))


def joined(fields: Fields) -> str:
    """One text of all."""
    return " ".join(fields)


def joining(before: Fields, behind: Fields) -> Fields:
    """Two pieces of one word: the last of ``before`` and the first of ``behind`` become one field."""
    if not behind:
        return before
    if not before:
        return behind
    return before[:-1] + (before[-1] + behind[0],) + behind[1:]


def merged(first: list[Fields] | None, second: list[Fields] | None) -> list[Fields] | None:
    """The values that either may have; ``None`` where nothing is known."""
    if first is None:
        return second
    return first + second if second is not None else first


def in_order(fields: Fields) -> Fields:
    """Elements without the ``[key]=`` in front of them, sorted where the keys are numbers."""
    if not any(field.startswith("[") for field in fields):
        return fields
    pairs = [
        field[1:].partition("]=") if field.startswith("[") and "]=" in field else ("", "", field) for field in fields
    ]
    if all(key.isascii() and key.isdigit() and len(key) < 10 for key, _, _ in pairs):
        pairs.sort(key=lambda one: int(one[0]))
    return tuple([value for _, _, value in pairs])


def with_element(array: Fields, one: GivenValue, value: Fields) -> list[Fields]:
    """Returns what ``array`` may be with ``value`` at the place of ``one``: in stead of what is there, or among the
    others.
    """
    at = len(array) if one.element is None or one.element < 0 else min(one.element, len(array))
    text = (joined(value),)
    if at == len(array):
        return [array + text]
    if one.append:
        return [(*array[:at], array[at] + text[0], *array[at + 1 :])]
    return [array[:at] + text + array[at:], array[:at] + text + array[at + 1 :]]


def keyed(one: GivenValue) -> bool:
    """True if elements of the array are given with their keys."""
    return any(value and (value[0].text or "").startswith("[") for value in one.values)


def longer(before: list[Fields], added: list[Fields], most: int) -> list[Fields]:
    """Returns what each of ``before`` becomes with one of ``added`` behind it, or in a loop with all of them in
    turn.
    """
    starts = list(map(joined, before)) or [""]
    ends = list(map(joined, added))
    ends += ["".join(ends)] if len(ends) > 1 else []
    made: list[Fields] = [(start + end,) for start in starts for end in ends]
    return made[:most]


def split_at(text: str, separators: str) -> Fields:
    """``text`` as the words that it becomes; empty strings at the ends where it begins or ends with a separator.

    Args:
        separators: what it is split at besides blanks and newlines.
    """
    for separator in separators:
        text = text.replace(separator, " ")
    fields = text.split()
    if not fields:
        return ("", "") if text else ("",)
    if text[0] in " \t\n":
        fields.insert(0, "")
    if text[-1] in " \t\n":
        fields.append("")
    return tuple(fields)
