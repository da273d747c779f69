"""The hover text for a rule, and the completions at an offset of a rule file."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from execpolicy.cli.argument_types import programs_on
from execpolicy.cli.lsp.analysis import Analysis, shortest_examples
from execpolicy.core.decision import Decision
from execpolicy.core.quoting import join, split
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.errors import RuleStoreError
from execpolicy.judge.grounds import KINDS
from execpolicy.lang.builtin_calls import PARAMETERS
from execpolicy.lang.lexer import tokenize
from execpolicy.lang.terminals import TRIVIA, RuleToken, SyntaxProblem, decode_string
from execpolicy.lint.project import ListedRule
from execpolicy.lint.sight import deciding_command, shortest_restricted
from execpolicy.lint.worst import worst_of_any
from execpolicy.programs.meaning.command_grammar import grammar_of
from execpolicy.safe_open import open_named
from execpolicy.source import Span

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
    """A completion; ``label`` is also the text that is inserted, unless ``text`` is given."""

    label: str
    kind: Literal["function", "parameter", "word", "program"]
    detail: str = ""
    text: str | None = None


@dataclass(frozen=True, slots=True)
class _Cursor:
    """The position of the cursor: its builtin and parameter, the number of enclosing lists, and the items before it.

    A list among the items is represented by its first string.
    """

    builtin: str | None
    parameter: str | None
    lists: int
    items: tuple[str, ...]
    in_string: bool
    given: frozenset[str]
    starts_argument: bool


def complete(text: str, offset: int) -> list[Offer]:
    """The completions at ``offset``; the text behind it is ignored."""
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
    in_pattern = cursor.parameter == "pattern" and cursor.lists in (1, 2)
    if in_pattern and cursor.items:
        return [Offer(name, "word") for name in _words_behind(*cursor.items)]
    if in_pattern or cursor.parameter == "name":
        return [Offer(name, "program") for name in programs_on(os.environ.get("PATH", ""))[:_MOST_PROGRAMS]]
    return []


def _words_behind(program: str, *words: str) -> list[str]:
    """The sub-commands and options that the record of ``program`` lists behind ``words``."""
    grammar = grammar_of(program)
    if grammar is None:
        return []
    path: tuple[str, ...] = ()
    for word in words:
        path += tuple(grammar.child(path, word, sure=True)[:1])
    line = grammar.line(path)
    options = [name for each in reversed(grammar.lines_to(path)) for name in each.first_names]
    return list(dict.fromkeys([*(line.children if line is not None else ()), *options]))


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
    """The innermost builtin call that is open at the cursor, found by matching brackets."""
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
    return _Cursor(None, None, 0, (), in_string, frozenset(), False)


def _in_call(tokens: list[RuleToken], at: int, lists: list[int], before: str, in_string: bool) -> _Cursor:
    direct = _direct(tokens, at)
    given = frozenset(tokens[index - 1].text for index in direct if tokens[index].type == "EQUAL")
    last_comma = max((index for index in direct if tokens[index].type == "COMMA"), default=at)
    current = [index for index in direct if index > last_comma and tokens[index].type == "EQUAL"]
    parameter = tokens[current[-1] - 1].text if current else None
    items = _items(tokens, lists[0]) if lists else ()
    behind = [token for token in tokens[last_comma + 1 :] if token.end < len(before) or token.type != "NAME"]
    starts = not lists and not in_string and not behind
    return _Cursor(tokens[at - 1].text, parameter, len(lists), items, in_string, given, starts)


def _items(tokens: list[RuleToken], at: int) -> tuple[str, ...]:
    """The items of the list at ``at`` that a comma ends, each a string or the first string of its list."""
    commas = [at, *[index for index in _direct(tokens, at) if tokens[index].type == "COMMA"]]
    pieces = [tokens[start + 1 : end] for start, end in pairwise(commas)]
    texts = [next((token.text for token in piece if token.type == "STRING"), '""') for piece in pieces]
    return tuple([decode_string(text) for text in texts])


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


class RunCounts:
    """Commands and the number of runs of each."""

    def __init__(self, counts: Counter[tuple[str, ...]]) -> None:
        self.counts = counts
        self.total = counts.total()

    @classmethod
    def read(cls, path: str) -> RunCounts:
        """The history in ``path``: a line is a command, or a JSON object with ``argv``. Other lines are skipped.

        Raises:
            RuleStoreError: it cannot be read.
        """
        counts: Counter[tuple[str, ...]] = Counter()
        try:
            with open_named(path) as file:
                for line in file:
                    argv = _argv(line.decode("utf-8", "replace").strip())
                    if argv:
                        counts[argv] += 1
        except OSError as error:
            raise RuleStoreError(f"failed to read history {path}: {error.strerror}") from error
        return cls(counts)

    def matched(self, rule: PrefixRule) -> int:
        """The number of recorded runs that ``rule`` matches."""
        return sum(count for argv, count in self.counts.items() if rule.matched_prefix(argv) is not None)


def _argv(line: str) -> tuple[str, ...] | None:
    if line.startswith("{"):
        try:
            argv = json.loads(line).get("argv")
        except ValueError:
            return None
        return tuple(argv) if isinstance(argv, list) and all(isinstance(word, str) for word in argv) else None
    words = split(line)
    return tuple(words) if words else None


_MOST_RULES = 5
_MOST_EXAMPLES = 4


def hover(analysis: Analysis, offset: int, history: RunCounts | None) -> tuple[str, Span] | None:
    """Markdown about the call around ``offset``, and the range of the call; ``None`` if there is no call."""
    call = analysis.call_at(offset)
    groups = analysis.groups_at(offset)
    if call is None or not groups:
        return None
    paragraphs = [_about_rule(analysis, entry, history) for entry in analysis.entries_of(groups)[:_MOST_RULES]]
    for group in groups:
        for statement in group.statements:
            if isinstance(statement, NetworkRule):
                paragraphs.append(
                    f"**{statement.decision.word}** {statement.protocol} connections to `{statement.host}`"
                )
            elif isinstance(statement, HostExecutable):
                paths = ", ".join([f"`{path}`" for path in statement.paths]) or "no path at all"
                paragraphs.append(f"`{statement.name}` also means {paths}")
    count = sum(len(group.statements) for group in groups)
    if count > len(paragraphs):
        paragraphs.append(f"… {count - len(paragraphs)} more rules from this call")
    return "\n\n".join(paragraphs), call.span


def _about_rule(analysis: Analysis, entry: ListedRule, history: RunCounts | None) -> str:
    rule = entry.rule
    lines = [f"**{rule.decision.word}** `{rule.pattern}`"]
    if rule.justification is not None:
        lines.append(rule.justification)
    lines.append(f"Matches {_examples(rule)} and whatever follows.")
    if rule.decision is not Decision.ALLOW and not rule.exact and len(rule.pattern) > 1:
        lines.append("So does every command line that means the same, however its options are spelled and ordered.")
    if rule.unless:
        lines.append(f"Not where a word behind it may be {', '.join([f'`{entry}`' for entry in rule.unless])}.")
    if rule.pattern.canonical_matching:
        lines.append("Case and Unicode spelling do not matter.")
    if rule.decision is Decision.ALLOW and not rule.unless:
        worst = worst_of_any(rule.pattern.positions())
        lines += [] if worst is None else [f"The worst that it covers: {worst}."]
    if rule.decision is Decision.ALLOW:
        lines.append(f"An allow by it rests on `rule-covers`: {KINDS['rule-covers'].claim}")
    by = analysis.deciding(entry)
    if by:
        others = " and ".join(
            [f"`{other.rule.pattern}` ({other.rule.decision.word}) at {other.place}" for other in by[:2]]
        )
        lines.append(f"It decides nothing: {others} cover it.")
    else:
        alone = deciding_command(rule, [each.rule for each in analysis.project.entries], analysis.project.sight)
        if alone is not None:
            lines.append(f"Without it `{join(alone)}` would be decided otherwise.")
        lines += _restricted(analysis, rule)
    if history is not None:
        lines.append(f"Matches {history.matched(rule):,} of {history.total:,} commands in the history.")
    return "  \n".join(lines)


def _restricted(analysis: Analysis, rule: PrefixRule) -> list[str]:
    """The places where stricter rules of the folder still decide commands that an allow rule covers."""
    if rule.decision is not Decision.ALLOW:
        return []
    found: list[str] = []
    for other in analysis.project.entries:
        if len(found) < _MOST_EXAMPLES and other.rule.pattern.first == rule.pattern.first:
            stricter = other.rule.decision is not Decision.ALLOW
            argv = shortest_restricted(rule.pattern, other.rule) if stricter else None
            if argv is not None:
                found.append(
                    f"Not `{join(argv)}`: `{other.rule.pattern}` ({other.rule.decision.word}) at {other.place}."
                )
    return found


def _examples(rule: PrefixRule) -> str:
    found = shortest_examples(rule, _MOST_EXAMPLES + 1)
    shown = ", ".join([f"`{join(argv)}`" for argv in found[:_MOST_EXAMPLES]])
    return f"{shown}, …" if len(found) > _MOST_EXAMPLES else shown
