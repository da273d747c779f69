"""EP401 `broad-allow`

## What it does
Finds an allow rule that lets a program run or overwrite anything. Such programs are interpreters, wrappers (`env`,
`sudo`, `xargs`) and programs whose options run others (`find`, `git`, `tar`, `rsync`, `make`). A longer pattern may be
fine: it depends on the words that come next.

## Why it matters
A prefix rule allows everything behind the prefix. `["find"]` allows `find . -exec sh -c …`, and `["git"]` allows `git
-c core.pager=…`. The rule looks like a convenience and is a way around every other rule. Rules that forbid do not reach
what the program itself runs: see paragraph 1 of [what is not promised](guarantees.md#1-what-permitted-code-does).

## Example
```starlark
prefix_rule(pattern=["find"])
prefix_rule(pattern=["python3", "-c"])
```

## Instead
```starlark
prefix_rule(pattern=["python3", "-m", "pytest"])
prefix_rule(pattern=["git", ["status", "diff"]])
```
Read-only uses of `find`, `sed`, `sort` and others need no rule: the built-in heuristics know which of their options
are harmless.

## Limits
What is known of programs is in one catalog, which the judge uses too (GTFOBins, the manuals and the prefixes that
Codex does not offer to save). A program that is not in it may be as dangerous. A longer prefix is taken as a decision
of its author.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice, product

from execpolicy.core.banned import BANNED_PREFIXES, is_banned
from execpolicy.core.decision import Decision
from execpolicy.core.quoting import join
from execpolicy.lang.cleanup import banned_lines
from execpolicy.lint.checks.ep402_shell_allow import is_shell_rule
from execpolicy.lint.project import MOST_KEPT, Findings, Project, RuleFile
from execpolicy.programs.breadth import MOST_COMBINATIONS, always_broad, innermost, is_known, why_broad, worst_of

_BANNED_PROGRAMS = frozenset([prefix[0] for prefix in BANNED_PREFIXES])
_BANNED_LENGTHS = sorted({len(prefix) for prefix in BANNED_PREFIXES})
_HELP = "add the words that are always the same, or let it prompt"
_NO_PREFIX_HELPS = "let it prompt: no prefix rules out what may follow; harmless uses need no rule"
_OUT_OF_REACH = "; rules that forbid do not reach what it runs (`execpolicy help guarantees`, paragraph 1)"


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per allow rule that covers running or overwriting anything."""
    cleaned_up = {line.line: line.tokens for line in banned_lines(file.source.text)}
    for entry in project.entries_of(file):
        if entry.rule.decision is not Decision.ALLOW or entry.rule.unless:
            continue
        program = entry.rule.pattern.first
        may_be = is_known(program) or program in _BANNED_PROGRAMS
        found = _broad(entry.rule.pattern.positions()) if may_be else None
        removed = cleaned_up.get(entry.group.line)
        if found is None and removed is not None:
            found = removed, "Codex removes such a line when it starts for the first time"
        if found is not None and not is_shell_rule(entry.rule.pattern):
            words, why = found
            help = _NO_PREFIX_HELPS if always_broad(words[0]) else _HELP
            yield file.finding(
                "EP401",
                f"allowing `{' '.join(words)}` allows {_worst(words)}: {why}",
                file.span_of_rule(entry),
                help=help + _OUT_OF_REACH if project.forbids else help,
                fix=file.deletion_fix(entry.group) if removed is not None else None,
            )


def _worst(words: tuple[str, ...]) -> str:
    """The most dangerous command that the rule covers, if one is known."""
    worst = worst_of(words)
    return "too much" if worst is None else f"`{join(worst.words)}`"


@lru_cache(maxsize=MOST_KEPT)
def _broad(positions: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], str] | None:
    for words in islice(product(*positions), MOST_COMBINATIONS):
        why = why_broad(words)
        if why is None and (is_banned(words) or _ends_banned(words)):
            why = "it is one of the prefixes that are never offered for saving"
        if why is not None:
            return words, why
    return None


def _ends_banned(words: tuple[str, ...]) -> bool:
    """True if the command that the prefix finally runs, given by its last words, is a banned one."""
    ends = any(is_banned(words[-count:]) for count in _BANNED_LENGTHS)
    return ends and is_banned(innermost(words)[0])
