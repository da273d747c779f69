"""What dynamic words become if they see what the script visibly assigns. Evidence for restricting, never proof."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.pieces import Piece
    from execpolicy.shell.state import Given, State

    Fields = tuple[str, ...]
    """Words that a piece becomes; the first joins what stands before it and the last what stands behind it."""

_DEPTH = 5
_ENVIRONMENT = frozenset(
    (
        *("HOME", "PWD", "OLDPWD", "PATH", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "UID", "EUID", "PPID"),
        *("HOSTNAME", "RANDOM", "SECONDS", "LINENO", "EDITOR", "TMPDIR"),
    )
)
"""Variables that usually have a value, so that an unassigned one of these is unknown rather than empty."""


class Evidence:
    """Evaluates pieces with what the script assigns."""

    def __init__(self, state: State, positional: tuple[str, ...] | None) -> None:
        self.state = state
        self.positional = positional
        self.limit = state.limits.values
        self.budget = 20_000
        self.given: dict[str, list[Given]] = {}
        for one in state.given:
            self.given.setdefault(one.name, []).append(one)
        self.split_default = "IFS" not in self.given

    def fill(self) -> None:
        """Give every dynamic word of the script its ``values``."""
        for word, pieces, split in self.state.dynamic:
            if word.values:
                continue
            found = self.word(pieces, split, 0)
            if found:
                word.values = tuple(found)

    def assigned(self) -> dict[str, tuple[str, ...]]:
        """Variable name to the values that the script visibly gives it."""
        names: dict[str, tuple[str, ...]] = {}
        for name, many in self.given.items():
            texts: list[str] = []
            for one in many:
                for value in one.values:
                    for fields in self.word(value, False, 0) or ():
                        text = " ".join(fields)
                        if text not in texts and len(texts) < self.limit:
                            texts.append(text)
            names[name] = tuple(texts)
        return names

    def word(self, pieces: list[Piece] | tuple[Piece, ...], split: bool, depth: int) -> list[Fields] | None:
        """The lists of words that ``pieces`` may become; ``None`` when that cannot be seen."""
        if depth > _DEPTH or self.budget <= 0:
            return None
        results: list[Fields] = [("",)]
        keep_empty = not split
        for piece in pieces:
            keep_empty = keep_empty or (piece.quoted and not piece.many)
            found = self.piece(piece, split and not piece.quoted, depth)
            if found is None:
                return None
            joined: list[Fields] = []
            for before in results:
                for fields in found:
                    self.budget -= 1
                    if len(joined) < self.limit:
                        joined.append(_join(before, fields))
            results = joined
        unique: list[Fields] = []
        for fields in results:
            if not keep_empty:
                fields = tuple([field for field in fields if field])
            if fields not in unique:
                unique.append(fields)
        return unique

    def piece(self, piece: Piece, split: bool, depth: int) -> list[Fields] | None:
        if piece.kind == "literal":
            return [(piece.text or "",)]
        if piece.kind == "mixed" and piece.text is not None:
            return [(piece.text,)]
        if piece.kind == "substitution":
            text = self.output(piece, depth)
            return None if text is None else [_fields(text, split)]
        if piece.kind != "variable":
            return None
        return self.variable(piece, split, depth)

    def variable(self, piece: Piece, split: bool, depth: int) -> list[Fields] | None:
        name = piece.name
        if name == "IFS" and self.split_default and not piece.operator:
            return [("", "")] if split else [(" \t\n",)]
        if piece.operator in ("~", "#", "?") and piece.operator != "?":
            return self.changed(piece)
        values = self.parameter(name, piece, split, depth)
        if piece.operator in ("-", "="):
            other = self.word(piece.word, split, depth + 1)
            return _merged(values if name in self.given or name.isdigit() else None, other)
        if piece.operator == "+":
            return _merged(self.word(piece.word, split, depth + 1), [("",)])
        return values

    def parameter(self, name: str, piece: Piece, split: bool, depth: int) -> list[Fields] | None:
        """The values of one parameter."""
        if name in self.given:
            found: list[Fields] = []
            for one in self.given[name]:
                found += self.values(one, piece, split, depth)
                if len(found) >= self.limit:
                    break
            return found[: self.limit] or None
        if name in ("@", "*"):
            return [tuple(self.positional[1:]) if self.positional else ()] if self.positional else [()]
        if name.isdigit():
            index = int(name)
            if self.positional is not None and index < len(self.positional):
                return [_fields(self.positional[index], split)]
            return None if index == 0 else [("",)]
        if name in _ENVIRONMENT or not name.isidentifier():
            return None
        return [("",)]

    def values(self, one: Given, piece: Piece, split: bool, depth: int) -> list[Fields]:
        if one.loop or not one.array:
            found: list[Fields] = []
            for value in one.values:
                for fields in self.word(value, one.loop, depth + 1) or ():
                    if one.loop:
                        found += [_fields(field, split) for field in fields]
                    else:
                        found.append(_fields(" ".join(fields), split))
            return found
        whole: list[Fields] = [()]
        for value in one.values:
            parts = self.word(value, True, depth + 1)
            if parts is None:
                return []
            whole = [before + fields for before in whole for fields in parts][: self.limit]
        if one.name == "@" or piece.subscript in ("@", "*"):
            if piece.name == "*" or piece.subscript == "*":
                return [(" ".join(fields),) if not split else fields for fields in whole]
            return whole
        if piece.subscript is None or not piece.subscript.isdigit():
            return [_fields(fields[0], split) for fields in whole if fields]
        index = int(piece.subscript) if len(piece.subscript) < 6 else 1 << 30
        return [_fields(fields[index], split) for fields in whole if index < len(fields)]

    def changed(self, piece: Piece) -> list[Fields] | None:
        """``${x…}`` with an operator whose result is not computed."""
        return None

    def output(self, piece: Piece, depth: int) -> str | None:
        """What a substitution prints when it is one ``echo`` or ``printf`` of words that can be seen."""
        commands = [self.state.commands[index] for index in piece.inner]
        if len(commands) != 1 or commands[0] is None or not commands[0].words or commands[0].redirects:
            return None
        texts: list[str] = []
        for word in commands[0].words:
            if word.literal is not None:
                texts.append(word.literal)
                continue
            found = next(
                (self.word(raw, split, depth + 1) for own, raw, split in self.state.dynamic if own is word), None
            )
            if not found:
                return None
            texts.extend(found[0])
        return printed(texts)


def printed(texts: list[str]) -> str | None:
    """The output of ``echo`` and ``printf`` with literal words, without its trailing newlines, if it is simple."""
    if not texts:
        return None
    program, arguments = texts[0].rpartition("/")[2], texts[1:]
    if program == "echo":
        escapes = False
        while arguments and arguments[0] in ("-n", "-e", "-ne", "-en", "-E"):
            escapes = "e" in arguments[0]
            arguments = arguments[1:]
        text = " ".join(arguments)
        return (_unescaped(text) if escapes else text).rstrip("\n")
    if program != "printf" or not arguments:
        return None
    if arguments[0] == "--":
        arguments = arguments[1:]
    if not arguments:
        return None
    form, values = _unescaped(arguments[0]), arguments[1:]
    if "%" not in form:
        return form.rstrip("\n")
    whole: list[str] = []
    while True:
        consumed = len(values)
        parts = form.split("%")
        whole.append(parts[0])
        skip = False
        for part in parts[1:]:
            if skip:
                whole.append(part)
                skip = False
            elif part == "":
                whole.append("%")
                skip = True
            elif part[0] in "sb":
                value = values[0] if values else ""
                values = values[1:]
                whole.append((_unescaped(value) if part[0] == "b" else value) + part[1:])
            else:
                return None
        if not values or len(values) == consumed or len(whole) > 1000:
            return "".join(whole).rstrip("\n")


def _unescaped(text: str) -> str:
    """Backslash escapes of ``printf`` and ``echo -e``: octal, hexadecimal and the usual letters."""
    if "\\" not in text:
        return text
    letters = {"n": "\n", "t": "\t", "\\": "\\", "a": "\a", "b": "\b", "r": "\r", "e": "\x1b", "f": "\f", "v": "\v"}
    parts: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        at += 1
        follower = text[at : at + 1]
        if char != "\\" or not follower:
            parts.append(char)
        elif follower in letters:
            parts.append(letters[follower])
            at += 1
        else:
            base, start, most = (16, at + 1, 2) if follower == "x" else (8, at, 4 if follower == "0" else 3)
            last = start
            digits = "0123456789abcdefABCDEF" if base == 16 else "01234567"
            while last < start + most and text[last : last + 1] and text[last] in digits:
                last += 1
            if last == start:
                parts.append("\\" + follower)
                at += 1
            else:
                parts.append(chr(int(text[start:last], base)))
                at = last
    return "".join(parts)


def _fields(text: str, split: bool) -> Fields:
    """``text`` as the words that it becomes; empty strings at the ends where it begins or ends with a separator."""
    if not split:
        return (text,)
    fields = text.split()
    if not fields:
        return ("", "") if text else ("",)
    if text[0] in " \t\n":
        fields.insert(0, "")
    if text[-1] in " \t\n":
        fields.append("")
    return tuple(fields)


def _join(before: Fields, behind: Fields) -> Fields:
    if not behind:
        return before
    if not before:
        return behind
    return before[:-1] + (before[-1] + behind[0],) + behind[1:]


def _merged(first: list[Fields] | None, second: list[Fields] | None) -> list[Fields] | None:
    if first is None:
        return second
    return first + second if second is not None else first
