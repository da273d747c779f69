"""Which commands must not become a rule, and why. People find such lines in their rule files later and cannot explain
them: loop fragments, whole here-documents, keys in plain text."""

from __future__ import annotations

from collections.abc import Sequence

from execpolicy.amend.preview import why_too_broad
from execpolicy.core.banned import is_banned
from execpolicy.core.credentials import credential_in
from execpolicy.core.decision import Decision
from execpolicy.core.quoting import join

LONGEST_WORD = 400
LONGEST_RULE = 1_000
MOST_WORDS = 40

_KEYWORDS = frozenset(
    ["!", "{", "}", "[[", "]]", "(", ")", "((", "))", "case", "coproc", "do", "done", "elif", "else", "esac", "fi"]
    + ["for", "function", "if", "in", "select", "then", "until", "while"]
)
_OPERATORS = frozenset(
    ["&&", "||", "|", "|&", ";", ";;", "&", ">", ">>", "<", "<<", "<<<", "2>", "2>&1", ">&", "&>"],
)
_NOT_IN_A_PROGRAM = frozenset("(){};&|<>`$\"'\\*?")


def why_not_savable(tokens: Sequence[str], decision: Decision = Decision.ALLOW) -> str | None:
    """Why ``tokens`` must not be saved as the prefix of a rule, as a phrase; ``None`` if they may.

    A rule that forbids or prompts may be as broad as its author likes, so only what makes a rule unreadable or leaks a
    secret is refused there.
    """
    if not tokens:
        return "a rule needs at least one word"
    shape = _bad_shape(tokens)
    if shape is not None:
        return shape
    secret = credential_in(tokens)
    if secret is not None:
        return f"{secret}, and a rule file keeps it in plain text"
    program = tokens[0]
    if program in _KEYWORDS or program in _OPERATORS:
        return f"`{program}` is a word of the shell's grammar, not a program"
    for token in tokens[1:]:
        if token in _OPERATORS or token.startswith("<<"):
            return f"`{token}` is a shell operator; a rule covers one command, so save each command by itself"
    if any(char in _NOT_IN_A_PROGRAM for char in program) or program != program.strip() or not program:
        return f"`{program}` is not the name of a program"
    if program.startswith("-"):
        return f"`{program}` is an option, not the name of a program"
    if " " in program and "/" not in program:
        return f"`{program}` is one word with blanks in it; write its words apart"
    if decision is Decision.ALLOW and is_banned(tokens):
        return why_too_broad(tokens) or f"`{join(tuple(tokens))}` is too broad: it allows whatever it is told to do"
    return None


def _bad_shape(tokens: Sequence[str]) -> str | None:
    for at, token in enumerate(tokens, 1):
        if "\n" in token or "\r" in token:
            return f"word {at} has more than one line"
        if any(ord(char) < 0x20 or ord(char) == 0x7F for char in token):
            return f"word {at} holds a control character"
        if any(0xD800 <= ord(char) <= 0xDFFF for char in token):
            return f"word {at} is not valid UTF-8"
        if len(token) > LONGEST_WORD:
            return f"word {at} is {len(token):,} characters long; such a command hardly comes twice"
    if len(tokens) > MOST_WORDS:
        return f"it has {len(tokens)} words; such a command hardly comes twice"
    length = sum(len(token) + 1 for token in tokens)
    if length > LONGEST_RULE:
        return f"it is {length:,} characters long; such a command hardly comes twice"
    return None
