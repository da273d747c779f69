"""Checks of rules and entries that allow more than they should."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, product

from execpolicy.core.banned import BANNED_PREFIXES, banned_lines, is_banned
from execpolicy.core.credentials import credential_in
from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.quoting import join
from execpolicy.diagnostics.model import Diagnostic, Edit, Fix
from execpolicy.judge.reading import read_command
from execpolicy.lang.render import render_prefix_rule
from execpolicy.lang.terminals import encode_string
from execpolicy.lint.project import MOST_KEPT, Findings, ListedRule, Project, RuleFile, StatementGroup
from execpolicy.lint.worst import MOST_COMBINATIONS, always_broad, changes_operands, is_known, worst_of
from execpolicy.programs.breadth import innermost, runs_shell, why_broad
from execpolicy.safety.entries import SafeCommand
from execpolicy.safety.locations import is_plain_folder
from execpolicy.source import Span

_BANNED_PROGRAMS = frozenset([prefix[0] for prefix in BANNED_PREFIXES])
_BANNED_LENGTHS = sorted({len(prefix) for prefix in BANNED_PREFIXES})
_HELP = "add the words that are always the same, or let it prompt"
_NO_PREFIX_HELPS = "let it prompt: no prefix rules out what may follow; harmless uses need no rule"
_OUT_OF_REACH = "; rules that forbid do not reach what it runs (`execpolicy help guarantees`, paragraph 1)"


def ep401(file: RuleFile, project: Project) -> Findings:
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


def ep402(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per allow rule for a shell."""
    for entry in project.entries_of(file):
        if entry.rule.decision is not Decision.ALLOW:
            continue
        if not is_shell_rule(entry.rule.pattern):
            yield from _never_grants(file, entry)
            continue
        yield file.finding(
            "EP402",
            f"allowing `{entry.rule.pattern}` allows `{_worst_shell(entry.rule.pattern)}`: a shell runs every command",
            file.span_of_rule(entry),
            help="delete it: the commands of a script are decided one by one",
            fix=file.deletion_fix(entry.group),
        )


def _never_grants(file: RuleFile, entry: ListedRule) -> Findings:
    """Findings about a rule for a shell with a script, as Codex saves them: a script is never compared as a whole."""
    pattern = entry.rule.pattern
    if len(pattern) < 3 or not runs_shell((pattern.first, pattern.rest[0][0])):
        return
    positions = pattern.positions()
    words = tuple([tokens[0] for tokens in positions])
    if any(len(tokens) > 1 for tokens in positions):
        return
    if words[1][:1] != "-" or "c" not in words[1]:
        return
    script = read_command(words)
    runs = [command.plain_argv for command in script.commands]
    named = [argv for argv in dict.fromkeys(runs) if argv and _may_be_named(argv)]
    fix = None
    assigns = any(command.assignments for command in script.commands)  # which a rule does not allow
    if (
        named
        and not file.is_codex  # which compares some scripts as a whole
        and not assigns
        and None not in runs
        and script.status != "opaque"
        and entry.group.alone
        and len(named) == len(set(runs))
    ):
        text = "\n".join([render_prefix_rule(argv) for argv in named])
        edit = Edit(file.span_of_rule(entry), text)
        fix = Fix(title="allow the commands of the script instead", edits=(edit,), applicability="unsafe")
    yield file.finding(
        "EP402",
        f"`{entry.rule.pattern}` allows nothing in execpolicy: the commands of a script are decided one by one",
        file.span_of_rule(entry),
        help="write a rule for each command that the script runs"
        + ("; Codex may need this one" if file.is_codex else ""),
        fix=fix,
        severity="info" if file.is_codex else "warning",
    )


def _may_be_named(argv: tuple[str, ...]) -> bool:
    """True if a rule for the prefix ``argv`` is no more dangerous than the script."""
    return why_broad(argv) is None and not runs_shell(argv) and not changes_operands(argv[0])


def _worst_shell(pattern: PrefixPattern) -> str:
    """The most dangerous command that a rule for a shell covers."""
    words = next(words for words in product(*pattern.positions()) if runs_shell(words))
    worst = worst_of(words)
    return join(worst.words if worst is not None else (*words, "./evil"))


def is_shell_rule(pattern: PrefixPattern) -> bool:
    """True if ``pattern`` accepts a shell without a script file."""
    return is_known(pattern.first) and _accepts_shell(pattern.positions())


@lru_cache(maxsize=MOST_KEPT)
def _accepts_shell(positions: tuple[tuple[str, ...], ...]) -> bool:
    return any(runs_shell(words) for words in islice(product(*positions), MOST_COMBINATIONS))


def ep403(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per rule that seems to contain a secret."""
    for entry in project.entries_of(file):
        commands = islice(product(*entry.rule.pattern.positions()), 50)
        found = next(filter(None, (credential_in(words, sure=True) for words in commands)), None)
        if found is None:
            continue
        yield file.finding(
            "EP403",
            f"a rule should hold no secrets: {found}",
            file.span_of_rule(entry),
            help="delete the rule and change the secret",
            fix=file.deletion_fix(entry.group),
        )


_SCHEMES = ("http://", "https://")
_EXAMPLES = ("match", "not_match", "environment")


def ep404(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per wide value."""
    seen: set[Span] = set()
    for group in file.groups:
        for entry in group.statements:
            if isinstance(entry, SafeCommand):
                for key, argument in entry.arguments.items():
                    for value, form in _wide(argument) if key not in _EXAMPLES else ():
                        for span in dict.fromkeys(_places(file, group, value)):
                            if span not in seen:
                                seen.add(span)
                                yield _finding(file, value, form, span)


def _places(file: RuleFile, group: StatementGroup, value: str) -> Iterator[Span]:
    """The spans of ``value`` in the text, also in a list that several entries share; otherwise the span of the call."""
    text, literal = file.source.text, encode_string(value)
    at = text.find(literal)
    if at < 0:
        yield file.span_of(group)
    while at >= 0:
        yield Span(at, at + len(literal))
        at = text.find(literal, at + 1)


def _finding(file: RuleFile, value: str, form: str, span: Span) -> Diagnostic:
    folder = form.startswith("below:")
    written = file.source.text[span.start : span.end] == encode_string(value)
    edit = Edit(span, encode_string(form))
    return file.finding(
        "EP404",
        f"`{value}` also accepts what {'a link there leads to' if folder else 'other hosts serve'}",
        span,
        help=f"write `{form}`",
        fix=Fix(title=f"write `{form}`", edits=(edit,), applicability="unsafe") if written else None,
        severity="info" if folder else None,
    )


def _wide(argument: object) -> Iterator[tuple[str, str]]:
    """The values in ``argument`` that have a form, each with its form."""
    if isinstance(argument, dict):
        for each in argument.values():
            yield from _wide(each)
    elif isinstance(argument, (list, tuple)):
        located = any(
            isinstance(each, str) and each.startswith("%") and ("-path" in each or ":" in each) for each in argument
        )
        for each in argument:
            form = _form(each) if isinstance(each, str) and not located else None
            if form is not None:
                yield str(each), form
            elif not isinstance(each, str):
                yield from _wide(each)


def _form(value: str) -> str | None:
    """The form that ``value``, which ends with its only ``*``, is intended for."""
    beginning = value[:-1]
    if value[-1:] != "*" or "*" in beginning or "?" in beginning:
        return None
    for scheme in _SCHEMES:
        host = beginning[len(scheme) :].partition(":")[0]
        if beginning.startswith(scheme):
            return f"url:{host}" if host and "/" not in beginning[len(scheme) :] else None
    folder = beginning[:-1].removeprefix("./")
    return f"below:{folder}" if beginning[-1:] == "/" and is_plain_folder(folder) else None
