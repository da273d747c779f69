"""What dynamic words become if they see what the script visibly assigns. Evidence for restricting, never proof."""

from __future__ import annotations

from execpolicy.core.text import is_integer, word_set
from execpolicy.flow.fields import in_order, joined, joining, keyed, length, longer, merged, split_at, with_element
from execpolicy.flow.given_words import behind_itself, without_braces
from execpolicy.flow.reshaped import OPERATORS, offsets, reshaped
from execpolicy.shell.limits import COMMAND, STEP
from execpolicy.shell.pieces import SOMEWHERE, Piece
from execpolicy.shell.script import GivenValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.flow.fields import Fields
    from execpolicy.shell.words import Word

    Key = tuple[str, str | None, bool, bool]
    """A parameter and how it is used: its name, its subscript, whether it is split and whether it is joined."""

_ENVIRONMENT = word_set(
    "OLDPWD PATH USER LOGNAME SHELL TERM LANG UID EUID PPID HOSTNAME RANDOM SECONDS LINENO EDITOR TMPDIR"
)
"""Variables that usually have a value, so that an unassigned one of these is unknown rather than empty."""
_FOLDERS = {"PWD": ".", "HOME": "~"}
"""Variables that stand for a folder that has another, shorter name."""
_SHELLS = frozenset(("BASH", "SHELL", "ZSH_ARGZERO", "0"))
_UNCOUNTED = frozenset("*?[")
"""Characters of a glob: nobody knows how many elements it becomes."""
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
        from execpolicy.flow.filled import given_in, references

        self.facts = facts
        self.limits = facts.limits
        self.limit = facts.limits.values
        self.given: dict[str, list[GivenValue]] = {}
        for one in given_in(facts):
            self.given.setdefault(one.name, []).append(one)
        self.references = references(facts)
        self.partial: dict[Key, list[Fields]] = {}
        self.self_made: set[Key] = set()
        self.shifted = any(word.literal == "shift" for command in facts.script.commands for word in command.words)
        self.usual_ifs = "IFS" not in self.given
        for name in sorted(self.references):
            self._given_through(name)

    def _given_through(self, reference: str) -> None:
        """What is given to ``reference`` is given to the variables that it stands for."""
        given = self.given.get(reference, [])
        pieces = [value for one in given for value in one.values]
        targets = [
            joined(fields)
            for value in pieces
            if all(piece.kind in ("literal", "variable") for piece in value)
            for fields in self.word(value, False) or ()
        ]
        for target in dict.fromkeys(targets):
            if target.isidentifier() and target != reference:
                self.given.setdefault(target, []).extend(given)

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
        if self.references:
            referring = [one for one in given if one.name in self.references]
            for target in [joined(fields) for one in referring for fields in self._scalars(one, False)[:4]]:
                if target.isidentifier():
                    found += self.parameter(target, None, split, False) or []
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
        """What ``$a``, ``${a[i]}`` or ``${a[@]}`` is of an array."""
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
        """What a substitution may print; the likeliest comes first."""
        if not piece.inner or len(piece.inner) > self.limits.substitution:
            return []
        from execpolicy.flow.streams import values_printed

        return values_printed(tuple(piece.inner), self.facts)

    def _fields(self, text: str, split: bool) -> Fields:
        """``text`` as the words that it becomes; empty strings at the ends where it begins or ends with a separator."""
        return split_at(text, self.separators()) if split else (text,)
