"""What an editor offers at a place in a rule file: builtins, parameters, words, programs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from execpolicy.lang.builtin_calls import PARAMETERS
from execpolicy.lang.lexer import tokenize
from execpolicy.lang.terminals import TRIVIA, RuleToken, SyntaxProblem

_MOST_PROGRAMS = 5_000
_WORDS = {
    ("prefix_rule", "decision"): ("allow", "prompt", "forbidden"),
    ("prefix_rule", "spelling"): ("exact", "meaning"),
    ("network_rule", "decision"): ("allow", "prompt", "deny"),
    ("network_rule", "protocol"): ("http", "https", "socks5_tcp", "socks5_udp"),
}
_ABOUT = {
    "pattern": "tokens that a command starts with; a list in it gives alternatives",
    "decision": "allow, prompt or forbidden",
    "match": "commands that the rule must match, checked when the file is loaded",
    "not_match": "commands that the rule must not match",
    "justification": "why; shown when it prompts or forbids",
    "unless": "options, words and patterns that an allow rule leaves out",
    "canonical_matching": "compare without regard to case and Unicode spelling",
    "host": "one host name or address, without scheme and port",
    "protocol": "http, https, socks5_tcp or socks5_udp",
    "name": "a program's bare name",
    "paths": "absolute paths that may stand for it",
}


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing to insert; ``label`` is also the text that is inserted, unless ``text`` is given."""

    label: str
    kind: Literal["function", "parameter", "word", "program"]
    detail: str = ""
    text: str | None = None


@dataclass(frozen=True, slots=True)
class _Cursor:
    """Where the cursor stands: the builtin and parameter around it, inside how many lists, behind how many commas."""

    builtin: str | None
    parameter: str | None
    lists: int
    commas: int
    in_string: bool
    given: frozenset[str]
    starts_argument: bool


def complete(text: str, offset: int) -> list[Offer]:
    """What may stand at ``offset``; the text behind it is not looked at."""
    cursor = _cursor(text[:offset])
    if cursor is None:
        return []
    if cursor.builtin is None:
        return [] if cursor.in_string else [Offer(name, "function", "rule") for name in PARAMETERS]
    if cursor.in_string:
        return _strings(cursor)
    if cursor.starts_argument:
        names = [name for name in PARAMETERS[cursor.builtin] if name not in cursor.given]
        return [Offer(name, "parameter", _ABOUT.get(name, ""), f"{name}=") for name in names]
    if cursor.parameter == "canonical_matching":
        return [Offer("True", "word"), Offer("False", "word")]
    words = _WORDS.get((cursor.builtin, cursor.parameter or ""), ())
    return [Offer(word, "word", "", f'"{word}"') for word in words]


def _strings(cursor: _Cursor) -> list[Offer]:
    words = _WORDS.get((cursor.builtin or "", cursor.parameter or ""))
    if words is not None:
        return [Offer(word, "word") for word in words]
    first = cursor.parameter == "pattern" and cursor.lists in (1, 2) and cursor.commas == 0
    if first or cursor.parameter == "name":
        return [Offer(name, "program") for name in programs(os.environ.get("PATH", ""))]
    return []


def _cursor(before: str) -> _Cursor | None:
    in_string = False
    try:
        tokens = tokenize(before, whole_rules=False)
    except SyntaxProblem as problem:
        if problem.message != "unfinished string literal":
            return None
        in_string = True
        try:
            tokens = tokenize(before[: problem.start], whole_rules=False)
        except SyntaxProblem:
            return None
    if not in_string and tokens and any(token.type == "COMMENT" and token.end == len(before) for token in tokens):
        return None
    solid = [token for token in tokens if token.type not in TRIVIA and token.text]
    return _around(solid, before, in_string)


def _around(tokens: list[RuleToken], before: str, in_string: bool) -> _Cursor:
    """Follow the brackets up to the cursor."""
    opened: list[int] = []
    for index, token in enumerate(tokens):
        if token.type in ("LPAR", "LSQB", "LBRACE"):
            opened.append(index)
        elif token.type in ("RPAR", "RSQB", "RBRACE") and opened:
            opened.pop()
    for level in range(len(opened) - 1, -1, -1):
        at = opened[level]
        if tokens[at].type == "LPAR" and at and tokens[at - 1].text in PARAMETERS:
            lists = opened[level + 1 :]
            return _in_call(tokens, at, lists, before, in_string)
    return _Cursor(None, None, 0, 0, in_string, frozenset(), False)


def _in_call(tokens: list[RuleToken], at: int, lists: list[int], before: str, in_string: bool) -> _Cursor:
    direct = _direct(tokens, at)
    given = frozenset(tokens[index - 1].text for index in direct if tokens[index].type == "EQUAL")
    last_comma = max((index for index in direct if tokens[index].type == "COMMA"), default=at)
    current = [index for index in direct if index > last_comma and tokens[index].type == "EQUAL"]
    parameter = tokens[current[-1] - 1].text if current else None
    commas = sum(tokens[index].type == "COMMA" for index in _direct(tokens, lists[0])) if lists else 0
    behind = [token for token in tokens[last_comma + 1 :] if token.end < len(before) or token.type != "NAME"]
    starts = not lists and not in_string and not behind
    return _Cursor(tokens[at - 1].text, parameter, len(lists), commas, in_string, given, starts)


def _direct(tokens: list[RuleToken], at: int) -> list[int]:
    """The tokens directly inside the bracket at ``at``, which is still open at the end."""
    depth = 0
    found: list[int] = []
    for index in range(at + 1, len(tokens)):
        kind = tokens[index].type
        if kind in ("LPAR", "LSQB", "LBRACE"):
            depth += 1
        elif kind in ("RPAR", "RSQB", "RBRACE"):
            depth -= 1
        elif depth == 0:
            found.append(index)
    return found


@lru_cache(maxsize=4)
def programs(path: str) -> tuple[str, ...]:
    """The names of the programs on the search path ``path``, sorted."""
    found: set[str] = set()
    for folder in path.split(os.pathsep):
        try:
            with os.scandir(folder or ".") as entries:
                found.update(entry.name for entry in entries if os.access(entry.path, os.X_OK) and not entry.is_dir())
        except OSError:
            continue
    return tuple(sorted(found)[:_MOST_PROGRAMS])
