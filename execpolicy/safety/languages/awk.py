"""Programs of ``awk`` that only read their input and print.

The reader splits a program into tokens and refuses what writes, runs programs, reads other files or the environment, or
could be split differently by another awk. Source: POSIX.1-2017, gawk 5.2 and its lexer, mawk 1.3.4, the one true awk.
"""

from __future__ import annotations

# fmt: off
_FUNCTIONS = frozenset((
    "length", "substr", "index", "split", "sub", "gsub", "match", "sprintf", "sin", "cos", "atan2", "exp", "log",
    "sqrt", "int", "rand", "srand", "tolower", "toupper", "strftime", "systime", "mktime", "gensub", "asort", "asorti",
    "strtonum", "and", "or", "xor", "compl", "lshift", "rshift", "typeof", "isarray", "patsplit", "fflush", "close",
))
_KEYWORDS = frozenset((
    "BEGIN", "END", "if", "else", "while", "for", "do", "break", "continue", "next", "nextfile", "exit", "return",
    "delete", "in", "function", "func", "print", "printf", "switch", "case", "default",
))
_REFUSED = {
    "system": "runs programs (`system`)",
    "ENVIRON": "reads the environment, which may hold secrets",
    "PROCINFO": "reads or changes the state of the process",
    "SYMTAB": "reads variables by name",
    "FUNCTAB": "calls functions by name",
    "ARGV": "changes or reads its own arguments",
    "BEGINFILE": "is for gawk only",
    "ENDFILE": "is for gawk only",
}
# fmt: on
_CONTROL = frozenset(("if", "while", "for", "switch"))
_PAIRS = frozenset(("**", "&&", "||", "==", "!=", "<=", ">=", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "!~"))
_SINGLE = "{}()[];,+-*%^!<>?:~$=/"
_STANDARD = ('"/dev/stderr"', '"/dev/stdout"', '"/dev/null"')
_BEHIND_GETLINE = frozenset((";", "}", ")", ">", "\n"))
"""Text that may follow ``getline`` and its variable: a ``<`` there would name another file. A pipe is refused
anywhere.
"""


class _BadProgram(Exception):
    """The program is not known to be harmless; the argument says why."""


def program_refusal(text: str) -> str | None:
    """Returns what is wrong with the program ``text``, or ``None`` if it only reads its input and prints."""
    try:
        _check(_tokens(text))
    except _BadProgram as bad:
        return f"is an awk program that {bad}"
    return None


def _tokens(text: str) -> list[tuple[str, str]]:
    """(kind, text) of every token; kinds: ``name number string regex operator newline``.

    Raises:
        _BadProgram: the text cannot be split with certainty.
    """
    # One loop with a branch for each kind of character: they share what stood in front.
    tokens: list[tuple[str, str]] = []
    parens: list[bool] = []
    closed_control = False
    at, end = 0, len(text)
    while at < end:
        char = text[at]
        if char in " \t":
            at += 1
        elif char == "\n":
            tokens.append(("newline", char))
            at += 1
        elif char == "\\" and text[at + 1 : at + 2] == "\n":
            at += 2
        elif char == "#":
            newline = text.find("\n", at)
            stop = newline if newline >= 0 else end
            if text[at:stop].endswith("\\"):
                raise _BadProgram("continues a comment")
            at = stop
        elif char == '"':
            stop = _string_end(text, at)
            tokens.append(("string", text[at:stop]))
            at = stop
        elif char.isascii() and (char.isalpha() or char == "_"):
            stop = at
            while stop < end and text[stop].isascii() and (text[stop].isalnum() or text[stop] == "_"):
                stop += 1
            tokens.append(("name", text[at:stop]))
            at = stop
        elif char.isascii() and (char.isdigit() or (char == "." and text[at + 1 : at + 2].isdigit())):
            stop = at
            while stop < end and text[stop].isascii() and (text[stop].isalnum() or text[stop] == "."):
                stop += 1
            if text[at:stop].rstrip("0123456789").strip("0123456789.").lower() not in ("", "e"):
                raise _BadProgram("has a number that awks read differently")
            tokens.append(("number", text[at:stop]))
            at = stop
        elif char == "/" and _starts_regex(tokens, closed_control):
            stop = _regex_end(text, at)
            tokens.append(("regex", text[at:stop]))
            at = stop
        else:
            pair = text[at : at + 2]
            operator = "**=" if text.startswith("**=", at) else pair if pair in _PAIRS else char
            if len(operator) == 1 and operator not in _SINGLE:
                raise _BadProgram(
                    "redirects to a program (`|`)" if char == "|" else f"holds `{char}`, which is not on the list"
                )
            if operator == "(":
                parens.append(bool(tokens) and tokens[-1][0] == "name" and tokens[-1][1] in _CONTROL)
            elif operator == ")":
                if not parens:
                    raise _BadProgram("closes a parenthesis that is not open")
                closed_control = parens.pop()
            tokens.append(("operator", operator))
            at += len(operator)
    return tokens


def _string_end(text: str, at: int) -> int:
    at += 1
    while at < len(text) and text[at] not in '"\n':
        at += 2 if text[at] == "\\" else 1
        if text[at - 1 : at] == "\n":
            break
    if text[at : at + 1] != '"':
        raise _BadProgram("has a string without an end")
    return at + 1


_NOT_IN_EVERY_AWK = frozenset(["case", "default", "func", "function", "switch", "nextfile", "delete"])
"""Keywords of some awks that are variables in others, where a slash behind them divides."""


def _starts_regex(tokens: list[tuple[str, str]], closed_control: bool) -> bool:
    """True if a slash behind ``tokens`` starts a regular expression.

    Raises:
        _BadProgram: programs disagree, or only the grammar knows.
    """
    if not tokens:
        return True
    kind, text = tokens[-1]
    if kind in ("number", "string", "regex"):
        return False
    if kind == "newline":
        return True
    if kind == "name":
        if text in ("length", "in", "getline") or text in _NOT_IN_EVERY_AWK:
            raise _BadProgram("has a slash that could be a division or a regular expression")
        return text in _KEYWORDS
    if text == ")" and closed_control:
        raise _BadProgram("has a slash that could be a division or a regular expression")
    if text in ("++", "--", "$"):
        raise _BadProgram("has a slash that could be a division or a regular expression")
    return text not in (")", "]")


def _regex_end(text: str, at: int) -> int:
    """The offset behind a regular expression. Every reading of brackets must find the same end.

    Raises:
        _BadProgram: it has no end, or awks disagree about it.
    """
    at += 1
    inside = False
    while at < len(text):
        char = text[at]
        if char == "\n":
            break
        if char == "\\":
            if text[at + 1 : at + 2] in ("", "\n"):
                break
            at += 2
            continue
        if char == "/":
            if inside:
                raise _BadProgram("has a slash inside a bracket expression")
            return at + 1
        if char == "[" and not inside:
            inside = True
            if text[at + 1 : at + 2] == "]" or text[at + 1 : at + 3] == "^]":
                raise _BadProgram("has a bracket expression that awks read differently")
        elif char == "[" and text[at + 1 : at + 2] in (":", ".", "="):
            close = text.find(":]", at + 2)
            name = text[at + 2 : close] if close > 0 else ""
            if text[at + 1] != ":" or not (name.isascii() and name.isalpha()):
                raise _BadProgram("has a bracket expression that awks read differently")
            at = close + 2
            continue
        elif char == "]":
            inside = False
        at += 1
    raise _BadProgram("has a regular expression without an end")


def _check(tokens: list[tuple[str, str]]) -> None:
    """Look at the tokens in order.

    Raises:
        _BadProgram: one of them does harm.
    """
    own = {
        tokens[index + 1][1] for index, token in enumerate(tokens[:-1]) if token[1] in ("function", "func")
    } - _REFUSED.keys()
    depth = 0
    printing: list[int] = []
    last = ("newline", "")
    for index, (kind, text) in enumerate(tokens):
        if kind == "name":
            if text in _REFUSED:
                raise _BadProgram(_REFUSED[text])
            if text in ("print", "printf"):
                printing.append(depth)
            following = tokens[index + 1] if index + 1 < len(tokens) else ("newline", "")
            if text == "getline" and not _reads_input(tokens[index + 1 : index + 3]):
                raise _BadProgram("reads other files or runs programs (`getline`)")
            if following[1] == "(" and text not in _FUNCTIONS and text not in _KEYWORDS and text not in own:
                # `name (` with a blank is a concatenation, but a function of an extension would be called the same way
                raise _BadProgram(f"calls `{text}`, which is not on the list")
        elif kind == "newline":
            if last == ("name", "in"):
                raise _BadProgram("has a newline behind `in`, where busybox goes on")
            if printing and not _goes_on(last):
                printing.clear()
        elif kind == "operator":
            if text == "(":
                depth += 1
            elif text == ")":
                depth -= 1
            elif text in (";", "}"):
                if depth == 0:
                    printing.clear()
            elif text == ">" and printing and depth <= printing[-1] and not _to_standard_stream(tokens, index):
                raise _BadProgram("writes to a file (`print >`)")
        if kind != "newline":
            last = (kind, text)


def _reads_input(behind: list[tuple[str, str]]) -> bool:
    """True if a ``getline`` that these two tokens follow reads the next line of the input, as ``next`` would."""
    if behind and behind[0][0] == "name" and behind[0][1] not in _KEYWORDS and behind[0][1] not in _FUNCTIONS:
        behind = behind[1:]
    return not behind or behind[0][1] in _BEHIND_GETLINE


def _goes_on(last: tuple[str, str]) -> bool:
    """True if a statement whose last token on the line is ``last`` goes on with the next line."""
    return last[0] == "operator" and last[1] not in (")", "]", "++", "--", "}", ";")


def _to_standard_stream(tokens: list[tuple[str, str]], index: int) -> bool:
    """True if the redirection at ``index`` goes to standard output or error, or nowhere."""
    target = tokens[index + 1] if index + 1 < len(tokens) else ("newline", "")
    behind = tokens[index + 2] if index + 2 < len(tokens) else ("newline", "")
    return target[0] == "string" and target[1] in _STANDARD and (behind[0] == "newline" or behind[1] in (";", "}"))
