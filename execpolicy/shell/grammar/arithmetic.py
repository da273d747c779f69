"""Arithmetic text: its end, its variables and the commands in it."""

from __future__ import annotations

from execpolicy.shell.grammar.quotes import read_backquote, read_double
from execpolicy.shell.grammar.reader import DIGITS, Reader
from execpolicy.shell.variables import NAME_PART, NAME_START

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ARITHMETIC = frozenset("+-*/%()<>=!&|^~?:, \t\n")


def _holds_octals(reader: Reader) -> bool:
    """True if a variable may be a number like ``08``, which is an error in arithmetic: ``n=08``, ``n=$(date +%m)``."""
    if reader.octals is None:
        script = reader.text
        reader.octals = "date" in script or any(f"=0{digit}" in script for digit in DIGITS)
    return reader.octals


def _never_fails(text: str, octals: object) -> bool:
    """True if ``text``, up to its closing brackets, is a sum or product of numbers and variables, and nothing else."""
    if octals:
        return False
    expecting = True
    for token in text.rstrip(")]}").replace("+", " + ").replace("-", " - ").replace("*", " * ").split():
        if token in ("+", "-", "*"):
            if expecting:
                return False
            expecting = True
            continue
        name = token[2:-1] if token.startswith("${") and token.endswith("}") else token.removeprefix("$")
        number = token.isascii() and token.isdigit() and (len(token) == 1 or token[0] != "0")
        if not expecting or not (number or name.isidentifier()):
            return False
        expecting = False
    return not expecting


class NotArithmetic(Exception):
    """``((`` or ``$((`` opens two subshells, or a subshell in a substitution."""


def _closes_early(text: str) -> bool:
    """True if some prefix of ``text`` closes more parentheses than it opens, regardless of quotes.

    zsh 5.9 takes ``(( `case x in x) echo 5;; esac` > 1 ))`` for two subshells; one of them writes the file ``1``.
    """
    depth = 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return True
    return False


def scan_arithmetic(reader: Reader, close: str, start: int) -> None:
    """Reads arithmetic text from the position up to ``close`` (``))``, ``]`` or ``}``) and moves after it.

    Text that is not constant is recorded as an ``ArithmeticUse`` and checked at the end.
    """
    # One loop with a branch for each kind of character: the branches share the neighbouring operand and the nesting.
    text, end, state = reader.text, reader.end, reader.state
    first = len(state.commands)
    outer_context = reader.context
    reader.context = outer_context + ("arithmetic",)
    names: set[str] = set()
    ranges: list[Sequence[int]] = []
    unknown = False
    nesting = 0
    begun = reader.pos
    operand = ""
    while True:
        if reader.pos >= end:
            reader.fail("unterminated arithmetic", start)
        char = text[reader.pos]
        beside, operand = operand, ""
        if char == close[0] and nesting == 0:
            following = reader.after(reader.pos + 1)
            if close == "))":
                if reader.char(following) != ")":
                    reader.context = outer_context
                    raise NotArithmetic
                if state.shell == "zsh" and _closes_early(text[begun : reader.pos]):
                    state.mark_ambiguous("zsh ends arithmetic at a parenthesis in backquotes or quotes")
                following += 1
            reader.pos = following if close == "))" else reader.pos + 1
            break
        if char == "$" or char == "`":
            # `x$y` and `x\⏎5` are names that are joined at run time; `1$x` and `10#$x` are numbers if `x` is
            unknown = unknown or beside == "name"
            operand = "value"
            piece = reader.hooks.read_dollar(reader, "double") if char == "$" else read_backquote(reader, "double")
            if piece.kind == "substitution":
                ranges.append(piece.inner)
            elif piece.kind == "variable" and not piece.number:
                if piece.operator or piece.subscript is not None or piece.name[0] not in NAME_START:
                    unknown = True
                names.add(piece.name)
            elif piece.kind == "literal":
                unknown = True
        elif char in NAME_START:
            begin = reader.pos
            unknown = unknown or beside != ""
            operand = "name"
            while reader.pos < end and text[reader.pos] in NAME_PART:
                reader.pos += 1
            names.add(text[begin : reader.pos])
        elif char in DIGITS:
            unknown = unknown or beside == "name"
            operand = "value"
            while reader.pos < end and (text[reader.pos] in NAME_PART or text[reader.pos] == "#"):
                reader.pos += 1
        elif char == "\\" and reader.char(reader.pos + 1) == "\n":
            operand = beside
            reader.pos = reader.after(reader.pos)
        elif char in _ARITHMETIC:
            if char == "(":
                nesting += 1
            elif char == ")":
                nesting -= 1
                if nesting < 0:
                    reader.fail("unbalanced parenthesis in arithmetic")
            reader.pos += 1
        elif char == "[":
            reader.pos += 1
            unknown = True
            reader.enter()
            scan_arithmetic(reader, "]", reader.pos - 1)
            reader.leave()
        elif char == '"' and (close == "]" or _is_plainly_quoted(reader)):
            unknown = True
            read_double(reader)
        elif char == "'" and close == "]":
            unknown = True
            plain_quote(reader)
        elif close == "]" and (char in "@.%/" or char == "-"):
            unknown = True
            reader.pos += 1
        elif close == "))":
            state.mark_ambiguous("unusual character in arithmetic")
            reader.context = outer_context
            raise NotArithmetic
        else:
            reader.fail("unusual character in arithmetic")
    reader.context = outer_context
    if unknown or ranges or not _never_fails(text[begun : reader.pos], names and _holds_octals(reader)):
        state.may_fail()
    if unknown or names or ranges:
        reader.use(start, names, [index for one in ranges for index in one], unknown=unknown)
    elif len(state.commands) > first:
        reader.use(start)


def _is_plainly_quoted(reader: Reader) -> bool:
    """True if bash removes the double quotes here, and the text in them can only be an operand."""
    inside, quote, _ = reader.text[reader.pos + 1 : reader.end].partition('"')
    plain = all(char in NAME_PART or char in "${}.-" for char in inside)
    return bool(quote) and plain and reader.state.shell == "bash"


def plain_quote(reader: Reader) -> str:
    """A single quote that bash reads in two ways: only accepted if both readings end at the same place."""
    close = reader.text.find("'", reader.pos + 1, reader.end)
    inside = reader.text[reader.pos + 1 : close]
    if close < 0 or any(char in inside for char in "}])$`\\\"'"):
        reader.fail("single quote inside double-quoted ${…}")
    whole = reader.text[reader.pos : close + 1]
    reader.pos = close + 1
    return whole
