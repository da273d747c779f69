"""What dynamic words become if they see what the script visibly assigns. Evidence for restricting, never proof."""

from __future__ import annotations

from execpolicy.flow.fields import in_order, joined, joining, keyed, merged, with_element
from execpolicy.flow.reshaped import OPERATORS, offsets, reshaped
from execpolicy.shell.printed import printed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.fields import Fields
    from execpolicy.shell.grammar.state import Given, State
    from execpolicy.shell.pieces import Piece


_DEPTH = 5
_STEPS = 200_000
"""Pieces that are evaluated for one script."""
_OUTPUTS = 100
"""Pipelines whose output is worked out for one script."""
_ENVIRONMENT = frozenset(
    (
        *("HOME", "PWD", "OLDPWD", "PATH", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "UID", "EUID", "PPID"),
        *("HOSTNAME", "RANDOM", "SECONDS", "LINENO", "EDITOR", "TMPDIR"),
    )
)
"""Variables that usually have a value, so that an unassigned one of these is unknown rather than empty."""
_LOOKING_UP = (("command", "-v"), ("type", "-p"), ("type", "-P"))
_SHELLS = frozenset(("BASH", "SHELL", "ZSH_ARGZERO", "0"))
"""Parameters that name a shell unless the script or the caller says otherwise."""


class Evidence:
    """Evaluates pieces with what the script assigns.

    ``steps`` counts the pieces that were evaluated: it grows with the length of the script and no faster.
    """

    def __init__(self, state: State, positional: tuple[str, ...] | None) -> None:
        self.state = state
        self.positional = positional
        self.limit = state.limits.values
        self.steps = 0
        self.outputs = 0
        self.given: dict[str, list[Given]] = {}
        for one in state.given:
            self.given.setdefault(one.name, []).append(one)
        self._add_calls()
        self.shifted = any(program == "shift" for program, _, _, _ in state.calls) or any(
            command is not None and any(word.literal == "shift" for word in command.words[:4])
            for command in state.commands
        )
        self.known: dict[tuple[object, ...], list[Fields] | None] = {}
        self.separators = " \t\n"
        self.split_default = "IFS" not in self.given
        if not self.split_default:
            chars = "".join([fields[0] for fields in self.parameter("IFS", None, False, False, 0) or () if fields])
            self.separators += chars[:20]

    def _add_calls(self) -> None:
        """The arguments of calls of the script's own functions are values of ``$1``, ``$2`` …"""
        from execpolicy.shell.grammar.state import Given

        if not self.state.functions:
            return
        for program, arguments, position, blocks in self.state.calls:
            if program in self.state.functions:
                call = Given("@", arguments, position, blocks, array=True, certain=False)
                self.given.setdefault("@", []).append(call)

    def fill(self) -> None:
        """Give every dynamic word of the script its ``values``."""
        for word in self.state.dynamic:
            found = self.word(word.pieces, word.split, 0)
            if found:
                word.values = tuple(found)

    def assigned(self) -> dict[str, tuple[str, ...]]:
        """Variable name to the values that the script visibly gives it."""
        names: dict[str, tuple[str, ...]] = {}
        for name, many in self.given.items():
            texts: dict[str, None] = {}
            for one in many:
                for value in one.values:
                    if len(texts) >= self.limit:
                        break
                    for fields in self.word(value, False, 0) or ():
                        texts[" ".join(fields)] = None
            names[name] = tuple(texts)[: self.limit]
        return names

    def word(self, pieces: list[Piece] | tuple[Piece, ...], split: bool, depth: int) -> list[Fields] | None:
        """The lists of words that ``pieces`` may become; ``None`` when that cannot be seen."""
        if depth > _DEPTH or self.steps > _STEPS:
            return None
        results: list[Fields] = [("",)]
        keep_empty = not split
        for piece in pieces:
            self.steps += 1
            keep_empty = keep_empty or (piece.quoted and not piece.many)
            found = self.piece(piece, split and not piece.quoted, depth)
            if found is None:
                return None
            self.steps += len(results) * len(found)
            results = [joining(before, fields) for before in results[: self.limit] for fields in found][: self.limit]
        if not keep_empty:
            results = [tuple([field for field in fields if field]) for fields in results]
        return list(dict.fromkeys(results))

    def piece(self, piece: Piece, split: bool, depth: int) -> list[Fields] | None:
        if piece.kind == "literal":
            return [(piece.text or "",)]
        if piece.kind == "mixed" and piece.text is not None:
            return [(piece.text,)]
        if piece.kind == "either":
            return [(one.text or "",) for one in piece.word]
        if piece.kind == "substitution":
            text = self.output(piece, depth)
            return None if text is None else [self._fields(text, split)]
        if piece.kind != "variable":
            return None
        return self.variable(piece, split, depth)

    def variable(self, piece: Piece, split: bool, depth: int) -> list[Fields] | None:
        name, operator = piece.name, piece.operator
        if name == "IFS" and self.split_default and not operator:
            return [("", "")] if split else [(" \t\n",)]
        if operator == "!":
            return self.indirect(piece, split, depth)
        if operator in OPERATORS:
            return self.changed(piece, split, depth)
        if operator not in ("", "-", "=", "+"):
            return None
        starred = name == "*" or piece.subscript == "*"
        values = self.parameter(name, piece.subscript, split, starred, depth)
        if operator in ("-", "="):
            other = self.word(piece.word, split, depth + 1)
            return merged(values if name in self.given or name.isdigit() else None, other)
        if operator == "+":
            return merged(self.word(piece.word, split, depth + 1), [("",)])
        return values

    def parameter(
        self, name: str, subscript: str | None, split: bool, starred: bool, depth: int
    ) -> list[Fields] | None:
        """The values of one parameter. ``starred``: an array is joined to one word where it is not split."""
        key = (name, subscript, split, starred, depth)
        if key not in self.known:
            self.known[key] = None  # while it is worked out: a value made of itself
            self.known[key] = self._parameter(name, subscript, split, starred, depth)
        return self.known[key]

    def _parameter(
        self, name: str, subscript: str | None, split: bool, starred: bool, depth: int
    ) -> list[Fields] | None:
        if name in self.given:
            return self._values(self.given[name], subscript, split, starred, name == "@", depth)
        if name == "*" and "@" in self.given:
            return self._values(self.given["@"], "*", split, True, True, depth)
        if name in ("@", "*"):
            words = self.positional[1:] if self.positional else ()
            return [(" ".join(words),) if starred and not split else tuple(words)]
        if name.isdigit():
            return self._positional(int(name) if len(name) < 6 else 1 << 20, split, depth)
        if name in _SHELLS:
            return [("bash",)]
        if name in _ENVIRONMENT or not name.isidentifier():
            return None
        return [("",)]

    def _positional(self, index: int, split: bool, depth: int) -> list[Fields] | None:
        found: list[Fields] = []
        if self.positional is not None and index < len(self.positional):
            found.append(self._fields(self.positional[index], split))
        if index == 0:
            return found or [("bash",)]
        for fields in self.parameter("@", None, False, False, depth) or () if "@" in self.given else ():
            last = index + 9 if self.shifted else index
            found += [self._fields(field, split) for field in fields[index - 1 : last]]
        return found[: self.limit] or [("",)]

    def _values(
        self, given: list[Given], subscript: str | None, split: bool, starred: bool, whole: bool, depth: int
    ) -> list[Fields] | None:
        """The values of a parameter in the order in which they are given; ``+=`` adds to the one before."""
        found: list[Fields] = []
        before: list[Fields] = []
        for one in given:
            self.steps += 1
            if len(found) >= self.limit or self.steps > _STEPS:
                break
            if one.element is not None:
                values = self._scalars(one, False, depth)
                before = [
                    made for first in before or [()] for second in values for made in with_element(first, one, second)
                ][: self.limit]
                if subscript in ("@", "*"):
                    values = self._picked(before, one, subscript, split, starred, whole)
                elif split:
                    values = [self._fields(joined(fields), True) for fields in values]
            elif one.loop or not one.array:
                values = self._scalars(one, split and not one.append, depth)
                if one.append:
                    values = [(joined(first) + joined(second),) for first in before or [("",)] for second in values]
                    values = values[: self.limit]
                    before = values
                    values = [self._fields(fields[0], split) for fields in values]
                else:
                    before = values
            else:
                elements = self._elements(one, depth)
                if one.append:
                    elements = [first + second for first in before or [()] for second in elements][: self.limit]
                before = elements
                values = self._picked(elements, one, subscript, split, starred, whole)
            found += values
        if one_reference := self.state.references and [one for one in given if one.name in self.state.references]:
            for fields in [self._scalars(one, False, depth) for one in one_reference]:
                for target in fields[:4]:
                    if joined(target).isidentifier() and depth < _DEPTH:
                        found += self.parameter(joined(target), None, split, False, depth + 1) or []
        return list(dict.fromkeys(found))[: self.limit] or None

    def _scalars(self, one: Given, split: bool, depth: int) -> list[Fields]:
        found: list[Fields] = []
        for value in one.values:
            for fields in self.word(value, one.loop, depth + 1) or ():
                if one.loop:
                    found += [self._fields(field, split) for field in fields]
                else:
                    found.append(self._fields(" ".join(fields), split))
        return found

    def _elements(self, one: Given, depth: int) -> list[Fields]:
        """The lists of elements that an array may have; ``[key]=`` in front of an element is left out."""
        whole: list[Fields] = [()]
        for value in one.values:
            parts = self.word(value, True, depth + 1)
            if parts is None:
                return []
            self.steps += len(whole) * len(parts)
            whole = [before + fields for before in whole for fields in parts][: self.limit]
        return [in_order(fields) for fields in whole]

    def _picked(
        self, elements: list[Fields], one: Given, subscript: str | None, split: bool, starred: bool, whole: bool
    ) -> list[Fields]:
        """What ``$a``, ``${a[i]}`` or ``${a[@]}`` is of an array."""
        if whole or subscript in ("@", "*"):
            if starred and not split:
                joins = " " if self.split_default else " " + self.separators[3:4]
                made: list[Fields] = [(join.join(fields),) for fields in elements for join in joins]
                return made if self.split_default else made + [("".join(fields),) for fields in elements]
            if split:  # every element is
                elements = [tuple([part for one in fields for part in self._fields(one, True)]) for fields in elements]
            tails = range(10 if self.shifted and whole else 1)
            return [fields[tail:] for fields in elements for tail in tails if not tail or tail < len(fields)]
        if subscript is None:
            return [self._fields(fields[0], split) for fields in elements if fields]
        digits = subscript[1:] if subscript[:1] == "-" else subscript
        if digits.isascii() and digits.isdigit() and len(digits) < 6 and not keyed(one):
            index = int(subscript)
            return [self._fields(fields[index], split) for fields in elements if -len(fields) <= index < len(fields)]
        # A name or a key: any of the elements.
        return [self._fields(field, split) for fields in elements for field in fields][: self.limit]

    def indirect(self, piece: Piece, split: bool, depth: int) -> list[Fields] | None:
        """``${!x}``: the values of the variables that ``x`` names."""
        found: list[Fields] = []
        for fields in self.parameter(piece.name, piece.subscript, False, False, depth) or ():
            if len(fields) == 1 and fields[0].isidentifier() and depth < _DEPTH:
                found += self.parameter(fields[0], None, split, False, depth + 1) or []
        return found[: self.limit] or None

    def changed(self, piece: Piece, split: bool, depth: int) -> list[Fields] | None:
        """``${x…}`` with an operator that makes another text of the value."""
        words = self.word(piece.word, False, depth + 1)
        values = self.parameter(piece.name, piece.subscript, False, False, depth)
        if not words or not values:
            return None
        found: dict[Fields, None] = {}
        many = piece.name in ("@", "*") or piece.subscript in ("@", "*")
        for word in words[:4]:
            for fields in values:
                self.steps += 20
                if len(found) >= self.limit or self.steps > _STEPS:
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

    def output(self, piece: Piece, depth: int) -> str | None:
        """What a substitution prints when it is one ``echo`` or ``printf``, or a pipeline of pure filters."""
        commands = [self.state.commands[index] for index in piece.inner]
        if len(commands) != 1 or commands[0] is None or not commands[0].words or commands[0].redirects:
            return self._filtered(piece)
        texts: list[str] = []
        for word in commands[0].words:
            if word.literal is not None:
                texts.append(word.literal)
                continue
            found = self.word(word.pieces, word.split, depth + 1) if word.pieces else None
            if not found:
                return self._filtered(piece)
            texts.extend(found[0])
        if len(texts) > 1 and (texts[0] in ("which", "whence") or tuple(texts[:2]) in _LOOKING_UP):
            return texts[-1]  # the path of the program ends in its name
        text = printed(texts)
        return text if text is not None else self._filtered(piece)

    def _filtered(self, piece: Piece) -> str | None:
        """The output of programs that only pass text on."""
        if not piece.inner or len(piece.inner) > 8 or self.outputs >= _OUTPUTS:
            return None
        self.outputs += 1
        self.steps += 100
        from execpolicy.flow.facts import Facts
        from execpolicy.flow.streams import output_texts
        from execpolicy.shell.script import Command, Script
        from execpolicy.source import Span

        commands = [self.state.commands[at] or Command((), Span(0, 0)) for at in range(piece.inner[-1] + 1)]
        script = Script("", self.state.shell, "structured", tuple(commands), functions=frozenset(self.state.functions))
        texts, _ = output_texts(tuple(piece.inner), Facts(script))
        return texts[0].rstrip("\n") if texts and texts[0].strip() else None

    def _fields(self, text: str, split: bool) -> Fields:
        """``text`` as the words that it becomes; empty strings at the ends where it begins or ends with a separator."""
        if not split:
            return (text,)
        for separator in self.separators[3:]:
            text = text.replace(separator, " ")
        fields = text.split()
        if not fields:
            return ("", "") if text else ("",)
        if text[0] in " \t\n":
            fields.insert(0, "")
        if text[-1] in " \t\n":
            fields.append("")
        return tuple(fields)
