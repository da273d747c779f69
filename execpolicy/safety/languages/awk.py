"""Programs of ``awk`` that only read their input and print.

The reader splits a program into tokens and refuses what writes, runs programs, reads other files or the environment, or
could be split differently by another awk. Source: POSIX.1-2017, gawk 5.2 and its lexer, mawk 1.3.4, the one true awk.
"""

from __future__ import annotations

import re

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
_TOKEN = re.compile(
    r"""(?P<blank>[ \t]+|\\\n|\#(?:[^\n]*[^\\\n])?(?=\n|\Z))|(?P<newline>\n)|(?P<string>"(?:[^"\\\n]|\\.)*")"""
    r"""|(?P<name>[A-Za-z_]\w*)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE]\d*)?(?![\w.]))"""
    r"""|(?P<operator>\*\*=|\*\*|&&|\|\||\+\+|--|!~|[-=!<>+*/%^]=|[-{}()\[\];,+*%^!<>?:~$=/])""",
    re.ASCII,
)
_REGEX = re.compile(r"/(?:[^/\\\[\n]|\\[^\n]|\[(?!\^?\])(?:\[:[A-Za-z]+:\]|\[(?![:.=])|\\[^\n]|[^\[\]\\/\n])*\])*/")
"""A regular expression whose end is the same for every reading of its brackets."""
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
    tokens: list[tuple[str, str]] = []
    parens: list[bool] = []
    closed_control = False
    at = 0
    while at < len(text):
        regex = text[at] == "/" and _starts_regex(tokens, closed_control)
        found = (_REGEX if regex else _TOKEN).match(text, at)
        if found is None:
            what = (
                "redirects to a program (`|`)"
                if text[at] == "|"
                else f"holds `{text[at]}`, which awks read differently"
            )
            raise _BadProgram(what)
        token = ("regex" if regex else found.lastgroup or "", found[0])
        if token == ("operator", "("):
            parens.append(bool(tokens) and tokens[-1][0] == "name" and tokens[-1][1] in _CONTROL)
        elif token == ("operator", ")"):
            if not parens:
                raise _BadProgram("closes a parenthesis that is not open")
            closed_control = parens.pop()
        if token[0] != "blank":
            tokens.append(token)
        at = found.end()
    return tokens


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
