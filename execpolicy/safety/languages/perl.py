"""One-liners of ``perl`` that only look at the text that flows through, and print.

The reader knows a few statements and refuses all others: printing, ``s``, ``tr``, matching, counting in a variable.
In strings and patterns Perl evaluates ``@{[…]}``, a subscript behind a variable, ``(?{…})`` and, with the flag ``e``,
a replacement. None of these can be written with what is read here.
Source: perlop, perlre, perlrun and perldata of Perl 5.36.
"""

from __future__ import annotations

import re

_MOST = 2_000
_ESCAPE = r"\\[^NpPc\n]"  # not \N{…} and \p{…}, which load modules and call what is called so, nor \c
_VARIABLE = r"\$(?:[A-Za-z_]\w*|[1-9]|[.&])(?!\w|::|\s*\[|\s*\{|\s*->)"
_STRING = rf'(?:"(?:[^"\\$@\n]|{_ESCAPE}|{_VARIABLE})*"' + r"|'[^'\\\n]*')"
_ITEM = (
    r"(?:(?:length|uc|lc|ucfirst|lcfirst|ord|chr|hex|oct|int|abs)\b\s*)?"
    rf"(?:{_STRING}|{_VARIABLE}|\d+(?:\.\d+)?|\(\s*(?:{_STRING}|{_VARIABLE})\s*\))"
)
_LIST = rf"{_ITEM}(?:\s*[,.+*]\s*{_ITEM})*"
_PRINT = rf"(?:print|say)\b(?:\s*\(\s*{_LIST}\s*\)(?=\s*(?:;|$|\}}|if\b|unless\b))|\s*{_LIST})?"
_NAME = r"\$[A-Za-z_]\w*"
_SET = rf"(?:my\s+)?{_NAME}\s*(?:=|\+=|-=|\.=)\s*{_LIST}|{_NAME}\+\+"


def _within(end: str) -> str:
    """Returns what does not stand as it is between delimiters of which ``end`` is the last: Perl counts braces."""
    return r"\{\}" if end == "}" else re.escape(end)


def _pattern(end: str) -> str:
    """A pattern up to the delimiter ``end``: no variable, no code."""
    return rf"(?:[^\\$@(\n{_within(end)}]|{_ESCAPE}|\$(?=[|)]|{re.escape(end)})|\((?!\*|\?[^:=!<i]))*"


def _replacement(end: str) -> str:
    return rf"(?:[^\\$@\n{_within(end)}]|{_ESCAPE}|{_VARIABLE})*"


_MATCH = rf"(?:m?/{_pattern('/')}/|m\{{{_pattern('}')}\}})[gimsxnaul]*\b(?!\w)|m?/{_pattern('/')}/(?!\w)"
_PLAIN = r"(?:[^\\\n{0}]|\\[^\n])*"
_EDIT = "|".join(
    [rf"s{re.escape(end)}{_pattern(end)}{re.escape(end)}{_replacement(end)}{re.escape(end)}" for end in "/|#,!:"]
    + [rf"s\{{{_pattern('}')}\}}\{{{_replacement('}')}\}}"]
)
_CHANGE = "|".join([rf"(?:tr|y){end}{_PLAIN.format(end)}{end}{_PLAIN.format(end)}{end}" for end in "/#,"])
_CONDITION = (
    rf"(?:!\s*|not\s+)?(?:(?:{_NAME}\s*[=!]~\s*)?(?:{_MATCH})"
    r"|\$\.\s*(?:%\s*\d+\s*)?(?:[<>=!]=|[<>])\s*\d+|\d+\s*\.\.\.?\s*\d+|eof|\d+"
    rf"|(?:length\s*)?\(?{_NAME}\)?\s*(?:[<>=!]=|[<>]|eq|ne|lt|gt)\s*(?:\d+|{_STRING}))"
)
_STATEMENT = re.compile(
    rf"\s*(?:{_PRINT}|(?:{_NAME}\s*=~\s*)?(?:{_EDIT})[gimsxrnaul]*(?!\w)|(?:{_NAME}\s*=~\s*)?(?:{_CHANGE})[cdsr]*(?!\w)"
    rf"|{_SET}|next|last|chomp)"
    rf"(?:\s*\b(?:if|unless)\b\s*\(?\s*{_CONDITION}(?:\s*(?:&&|\|\||and\b|or\b)\s*{_CONDITION})*\s*\)?)?\s*"
)
_END = re.compile(r"\s*END\s*\{([^{}]*)\}\s*;?\s*")


def program_refusal(text: str) -> str | None:
    """Returns what is wrong with the program ``text``, or ``None`` if it only prints."""
    if len(text) > _MOST or not text.isprintable():
        return "is a Perl program that is not read"
    ending = _END.search(text)
    if ending is not None:
        problem = program_refusal(ending.group(1))
        if problem is not None or ending.end() != len(text):
            return problem or "is a Perl program that goes on behind `END`"
        text = text[: ending.start()]
    at = 0
    while at < len(text) and text[at:].strip(" ;"):
        found = _STATEMENT.match(text, at)
        if found is None:
            return f"is a Perl program that does more than print: `{text[at : at + 20].strip()}`"
        at = found.end()
        if at < len(text) and text[at] != ";":
            return f"is a Perl program that does more than print: `{text[at : at + 20].strip()}`"
        at += 1
    return None
