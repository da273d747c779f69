"""EP112 `unknown-word`

## What it does
Finds misspelled programs, sub-commands and options in prompt and forbidden rules, and sub-commands that are not known.

## Why it matters
Such a rule never matches, so what it should stop is not stopped.

## Example
```starlark
prefix_rule(pattern=["git", "psuh"], decision="forbidden")
```

## Instead
```starlark
prefix_rule(pattern=["git", "push"], decision="forbidden")
```

## Limits
Only programs with a record are known. A sub-command that you defined yourself, such as an alias of git, is reported
as well: silence it with `# noqa: EP112`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.diagnostics.model import Diagnostic, Edit, Fix
from execpolicy.lang.terminals import encode_string
from execpolicy.lint.project import Findings, ListedRule, Project, RuleFile
from execpolicy.programs.catalog import index, record_of
from execpolicy.programs.meaning.command_grammar import grammar_of, says_option
from execpolicy.programs.names import base_name

_WORD = re.compile(r"[a-z0-9-]+")
_SHORTEST = 4
"""Characters of a word that can be told from a misspelled one."""


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per unknown word of a prompt or forbidden rule; of several programs, if none knows it."""
    unknown: dict[tuple[int, int, str], list[tuple[ListedRule, str, str | None]]] = {}
    programs: Counter[int] = Counter()
    for entry in project.entries_of(file):
        if entry.rule.decision is Decision.ALLOW or entry.rule.exact:
            continue
        programs[id(entry.group)] += 1
        for at, token, what, meant in _unknown_words(entry.rule.pattern):
            unknown.setdefault((id(entry.group), at, token), []).append((entry, what, meant))
    for (group, at, token), found in unknown.items():
        if at == 0 or len(found) == programs[group]:
            yield _finding(file, at, token, *found[0])


def _unknown_words(pattern: PrefixPattern) -> Iterator[tuple[int, str, str, str | None]]:
    """Position, word, what it should be, and the word that is probably meant."""
    program = pattern.first
    grammar = grammar_of(base_name(program))
    if grammar is None:
        meant = _program_alike(program) if record_of(base_name(program)) is None else None
        if meant is not None:
            yield 0, program, "program", meant
        return
    path: tuple[str, ...] = ()
    is_value = False
    for at, tokens in enumerate(pattern.rest, 1):
        line = grammar.line(path)
        if is_value or line is None:
            is_value = False
            continue
        options = {name for each in grammar.lines_to(path) for name in each.first_names}
        behind: tuple[str, ...] | None = None
        for token in tokens:
            name = token.partition("=")[0]
            if says_option(token, grammar):
                behind = path
                is_value = "=" not in token and grammar.takes_value(path, name)
                meant = _alike(name, options) if name.startswith("--") and name not in options else None
                if meant is not None:
                    yield at, token, "option", meant
            elif line.children and token:
                named = () if grammar.is_guess(path, token, ()) else grammar.child(path, token)
                meant = _alike(token, line.children)
                if named:
                    behind = (*path, named[0])
                elif meant is not None or (not line.fixed and line.rest is None):  # no operand may be there
                    yield at, token, f"sub-command of `{' '.join([program, *path])}`", meant
        if behind is None:
            return  # operands follow
        path = behind


def _alike(word: str, known: Iterable[str]) -> str | None:
    """The one of ``known`` that has a letter more, less or changed, or two letters swapped."""
    if len(word) < _SHORTEST or not _WORD.fullmatch(word):
        return None
    shorter = _shorter(word)
    return next(
        (name for name in known if abs(len(name) - len(word)) < 2 and not shorter.isdisjoint(_shorter(name))), None
    )


def _program_alike(word: str) -> str | None:
    """The same among the programs that have a record."""
    near = [name for each in _shorter(word) for name in _programs().get(each, ())]
    return _alike(word, near) if len(word) > _SHORTEST else None


@cache
def _programs() -> dict[str, list[str]]:
    """The programs that have a record, under each text that their names have in common with misspelled ones."""
    found: dict[str, list[str]] = {}
    for name in index()[0]:
        for each in _shorter(name):
            found.setdefault(each, []).append(name)
    return found


def _shorter(word: str) -> set[str]:
    """The word, and the word without each of its letters."""
    return {word, *[word[:at] + word[at + 1 :] for at in range(len(word))]}


def _finding(file: RuleFile, at: int, token: str, entry: ListedRule, what: str, meant: str | None) -> Diagnostic:
    span = file.token_span(entry.group, at, token)
    fix = None
    if meant is not None and file.source.snippet(span) == encode_string(token):
        edit = Edit(span, encode_string(meant))
        fix = Fix(title=f"write `{meant}`", edits=(edit,), applicability="unsafe")
    return file.finding(
        "EP112",
        f"`{token}` is no known {what}{f', but `{meant}` is' if meant else ''}",
        span,
        help="correct the word; if it is a name of your own, silence this with `# noqa: EP112`",
        fix=fix,
        severity="warning" if meant else "info",
    )
