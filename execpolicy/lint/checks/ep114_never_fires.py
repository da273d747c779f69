"""EP114 `never-fires`

## What it does
Finds words of prompt and forbidden rules that no command has: variables, blanks, patterns, endings of names.

## Why it matters
The rule is compared with the words that the program gets, after quotes, variables and globs. What it should stop is
not stopped.

## Example
```starlark
prefix_rule(pattern=["rm", "-rf /"], decision="forbidden")
prefix_rule(pattern=["cat", ".pem"], decision="forbidden")
```

## Instead
```starlark
prefix_rule(pattern=["rm", "-rf", "/"], decision="forbidden")
read_rule(paths=["**/*.pem"], decision="forbidden")
```

## Limits
The value of an option may hold blanks and other signs of the shell: people quote it.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Sequence

from execpolicy.core.decision import Decision
from execpolicy.core.rules import PrefixRule
from execpolicy.diagnostics.model import Edit, Fix
from execpolicy.judge.check import check
from execpolicy.judge.effects import effects_of
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.lang.terminals import encode_string
from execpolicy.lint.project import Findings, ListedRule, Project, RuleFile
from execpolicy.programs.meaning.command_grammar import grammar_of
from execpolicy.programs.names import EXECUTABLE_SUFFIXES, base_name
from execpolicy.safety.secret_names import COMMON_FILES, ENDS, FILES, KEYS

_PLAIN = re.compile(r"[A-Za-z0-9_/:,@+=-][A-Za-z0-9_./:,@+=-]*")
"""Matches a word that a shell hands on as it is, and that is no pattern."""
_PATTERN = re.compile(r"\*|[.][+?]|\\[dswDSW]|\w\|\w|^\^|.\$$")
"""Matches what only a glob or a regular expression has."""
_SUFFIXES = frozenset((*KEYS, *ENDS, *mimetypes.types_map)) - FILES - COMMON_FILES
_HERE = Situation("/project")


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per word of a prompt or forbidden rule that keeps it from matching."""
    for entry in project.entries_of(file):
        positions = entry.rule.pattern.positions()
        if entry.rule.decision is Decision.ALLOW:
            continue
        words = [tokens[0] for tokens in positions]
        for at, token in [(at, token) for at, tokens in enumerate(positions) for token in tokens]:
            each = [*words[:at], token, *words[at + 1 :]]
            windows = at == 0 and token.lower().endswith(EXECUTABLE_SUFFIXES)
            if not windows and (_PLAIN.fullmatch(token) or _is_value(each, at)):
                continue
            if at == 0 and token == token.strip() and not windows:
                continue  # EP102 speaks of programs
            fix = None
            if windows:
                why = f"`{token}` is a name under Windows: Codex does not take `{base_name(token)}` for it"
                fix = _words_fix(file, entry, at, token, [base_name(token)])
            elif all(each in _SUFFIXES or _PATTERN.search(each) for each in positions[at]):
                if token.endswith("*") and not token.startswith("-"):
                    continue  # EP102 speaks of wildcards
                why = f"`{token}` is compared as written: it is neither a pattern nor the ending of a name"
                fix = _path_rule_fix(file, entry, each, at)
            elif not _fires(entry.rule, each):
                what = f"makes something else of `{token}`" if token else "drops an empty word"
                why = f"a shell {what}: `{' '.join(each)}` does not match"
                fix = _words_fix(file, entry, at, token, token.split()) if "$" not in token else None
            else:
                continue
            yield file.finding("EP114", why, file.token_span(entry.group, at, token), help=_HELP, fix=fix)


_HELP = "write the words that the program gets; about files, `write_rule` and `read_rule` take patterns"


def _is_value(words: Sequence[str], at: int) -> bool:
    """True if the word is the value of the option in front of it."""
    if at < 2 or not words[at - 1].startswith("-"):
        return False
    grammar = grammar_of(base_name(words[0]))
    if grammar is None:
        return True
    path: tuple[str, ...] = ()
    for word in words[1 : at - 1]:
        path += tuple(grammar.child(path, word, sure=True)[:1])
    return grammar.takes_value(path, words[at - 1])


def _fires(rule: PrefixRule, words: Sequence[str]) -> bool:
    """True if the rule surely matches its own words, joined by blanks and read by a shell."""
    verdict = check(" ".join(words), Rulebook([rule]), situation=_HERE)
    return any(match.decision is rule.decision and not getattr(match, "possible", False) for match in verdict.matches)


def _words_fix(file: RuleFile, entry: ListedRule, at: int, token: str, words: Sequence[str]) -> Fix | None:
    """The fix that writes ``words`` instead of the token, if the literal is the only one at its place."""
    span, pattern = file.token_span(entry.group, at, token), file.argument(entry.group, "pattern")
    items = pattern.items if pattern is not None else ()
    if not words or at >= len(items) or items[at].kind != "string" or file.source.snippet(span) != encode_string(token):
        return None
    edit = Edit(span, ", ".join([encode_string(word) for word in words]))
    return Fix(title=f"write `{' '.join(words)}`", edits=(edit,), applicability="unsafe")


def _path_rule_fix(file: RuleFile, entry: ListedRule, words: Sequence[str], at: int) -> Fix | None:
    """The fix that turns a rule about files by a pattern into a rule about those files, if its program takes files."""
    token = words[at]
    glob = f"**/*{token}" if token in _SUFFIXES else token
    name = f"x{token}" if token in _SUFFIXES else token.replace("*", "x")
    verdict = check(" ".join([*words[:at], name, *words[at + 1 :]]), Rulebook(), situation=_HERE)
    kinds = {each.kind for each in effects_of(verdict) if each.target == name}
    builtin = "write_rule" if kinds & {"write", "delete"} else "read_rule" if token in _SUFFIXES else None
    if builtin is None or file.deletion(entry.group) is None or entry.group.call is None:
        return None
    reason = entry.rule.justification
    why = f", justification={encode_string(reason)}" if reason else ""
    text = f"{builtin}(paths=[{encode_string(glob)}], decision={encode_string(str(entry.rule.decision))}{why})"
    edit = Edit(entry.group.call.span, text)
    return Fix(title=f"write `{builtin}(paths=[{encode_string(glob)}], …)`", edits=(edit,), applicability="unsafe")
