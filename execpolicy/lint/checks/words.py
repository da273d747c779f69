"""Checks of the words of a pattern."""

from __future__ import annotations

import mimetypes
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.quoting import split
from execpolicy.core.rules import PrefixRule
from execpolicy.core.text import canonical
from execpolicy.diagnostics.model import Diagnostic, Edit, Fix, Severity
from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.lang.builtin_calls import BuiltinCall, Value
from execpolicy.lang.lexer import said_in_call
from execpolicy.lang.terminals import WholeCall, encode_string
from execpolicy.lint.effects import effects_of
from execpolicy.lint.fixes import without_item
from execpolicy.lint.project import Findings, ListedRule, Project, RuleFile
from execpolicy.programs.breadth import runs_shell
from execpolicy.programs.catalog import index, record_of
from execpolicy.programs.meaning.command_grammar import grammar_of, says_option
from execpolicy.programs.meaning.command_line import is_option
from execpolicy.programs.names import EXECUTABLE_SUFFIXES, base_name
from execpolicy.safety.secret_names import COMMON_FILES, ENDS, FILES, KEYS


def ep101(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per repeated alternative."""
    for call in file.tree.calls if file.tree is not None else ():
        if call.name != "prefix_rule" or not _may_repeat(call):
            continue
        pattern = call.argument("pattern")
        if pattern is None or pattern.value.kind != "list":
            continue
        folding = call.argument("canonical_matching")
        folded = folding is not None and folding.value.literal() is True
        for position in pattern.value.items:
            if position.kind == "list":
                yield from _repeated(file, position, folded)


def _may_repeat(call: BuiltinCall) -> bool:
    """True if the call has alternatives and one may be repeated; for plain literals without parsing the list."""
    text = call.text
    if text.count("[") < 2:
        return False
    if not isinstance(call.node, WholeCall) or "canonical_matching" in call.keywords:
        return True
    texts = [each for each in said_in_call(text) if each[0] == '"']
    return len(set(texts)) < len(texts)


def _repeated(file: RuleFile, position: Value, folded: bool) -> Findings:
    seen: set[str] = set()
    for item in position.items:
        if item.kind != "string" or item.value is None:
            continue
        key = canonical(item.value) if folded else item.value
        if key in seen:
            edits: tuple[Edit, ...] = (without_item(position, item),)
            yield file.finding(
                "EP101",
                f"`{item.value}` is repeated in this position",
                item.span,
                help="remove it, or write the token that was meant",
                fix=Fix(title="remove the repeated alternative", edits=edits, applicability="safe"),
            )
        seen.add(key)


_TAKES_A_GLOB = frozenset(
    ["-name", "-iname", "-path", "-ipath", "-wholename", "-lname", "-g", "--glob", "--include", "--exclude", "--iglob"]
)
"""Options whose value is a glob for the program: a quoted `*` reaches the program unchanged."""

_HARMLESS = re.compile(r"[A-Za-z0-9_./=:,@+-]*")
"""Matches text without the characters that this check reports."""


def ep102(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per token that cannot be matched."""
    for entry in project.entries_of(file):
        positions = entry.rule.pattern.positions()
        if _HARMLESS.fullmatch("".join(["".join(tokens) for tokens in positions])) and positions[0][0]:
            continue
        for position, tokens in enumerate(positions):
            for token in tokens:
                found = _program_problem(token) if position == 0 else None
                found = found or _token_problem(token)
                if not position or _TAKES_A_GLOB.isdisjoint(positions[position - 1]):
                    found = found or _wildcard(tokens, token)
                if found is not None:
                    yield _unmatched(file, entry, position, token, *found)


def _program_problem(token: str) -> tuple[str, str, Severity] | None:
    if not token:
        return "the program is an empty word, which no command has", "write the program's name", "error"
    if " " in token.strip() and "/" not in token:
        return (
            f"`{token}` is one token, so it only matches a program with that whole name",
            "write each word as a token of its own",
            "error",
        )
    if "(" in token or ")" in token:
        return (
            f"`{token}` is no program: brackets are another tool's way to write permissions",
            "write the words of the command as tokens, or let `execpolicy import` do it",
            "error",
        )
    if token.startswith(("~", "$")):
        return (
            f"`{token}` is compared as written, but a shell expands it before the program runs",
            "write the whole path, or the bare name and a `host_executable`",
            "error",
        )
    return None


def _token_problem(token: str) -> tuple[str, str, Severity] | None:
    if "\0" in token:
        return "a token holds NUL, which no argument can hold", "remove the NUL", "error"
    return None


def _wildcard(tokens: tuple[str, ...], token: str) -> tuple[str, str, Severity] | None:
    """The finding about a wildcard; ``None`` among alternatives without wildcards, where a `*` is meant literally."""
    if not all(each.endswith("*") and not each.startswith("-") for each in tokens):
        return None
    return (
        f"`{token}` is no wildcard: tokens are compared as they stand",
        "end the pattern in front of it (a pattern is a prefix), or list the tokens",
        "warning",
    )


def _unmatched(
    file: RuleFile, entry: ListedRule, position: int, token: str, message: str, help: str, severity: Severity
) -> Diagnostic:
    span = file.token_span(entry.group, position, token)
    words = split(token) if position == 0 and " " in token else None
    fix = None
    if words and file.source.snippet(span) == encode_string(token) and _is_whole_position(file, entry):
        text = ", ".join([encode_string(word) for word in words])
        fix = Fix(title="split it into words", edits=(Edit(span, text),), applicability="unsafe")
    return file.finding("EP102", message, span, help=help, fix=fix, severity=severity)


def _is_whole_position(file: RuleFile, entry: ListedRule) -> bool:
    pattern = file.argument(entry.group, "pattern")
    return pattern is not None and bool(pattern.items) and pattern.items[0].kind == "string"


_KEYWORDS = frozenset((
    "!", "{", "}", "((", "))", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "until", "while",
))  # fmt: skip
_OPERATORS = re.compile(
    r"&&|\|\|?|\|&|;;?|&|[0-9]*(?:>>?|<<?<?|>\||>&|<&)[0-9-]?|&>>?|[0-9]*>&[0-9-]|<<-?\S*"
    r"|[0-9]+>>?\S+|&?>>?/dev/\S+|</dev/\S+"
)
_IN_FRAGMENTS = re.compile(r"[&|;<>\n\r]")
"""Characters without which only the program can be a piece of shell syntax."""
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=", re.ASCII)


def ep109(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per rule that contains a piece of shell syntax."""
    for entry in project.entries_of(file):
        pattern = entry.rule.pattern
        in_first, in_rest = _why(pattern.first, 0), any(map(_IN_FRAGMENTS.search, map("".join, pattern.rest)))
        for position, tokens in enumerate(pattern.positions() if in_first or in_rest else ()):
            found = next(((token, why) for token in tokens if (why := _why(token, position))), None)
            if found is None:
                continue
            if runs_shell(tuple([tokens[0] for tokens in entry.rule.pattern.positions()[:2]])):
                break  # EP402 reports a whole script
            token, why = found
            yield file.finding(
                "EP109",
                why,
                file.token_span(entry.group, position, token),
                help="rules are for single commands: save one for the command itself",
                fix=file.deletion_fix(entry.group),
            )
            break


def _why(token: str, position: int) -> str | None:
    if "\n" in token or "\r" in token:
        return "a token holds a line break: a piece of a script was saved as a rule"
    if _OPERATORS.fullmatch(token):
        return f"`{token}` is an operator of the shell, not an argument"
    if position == 0 and token in _KEYWORDS:
        return f"`{token}` is a keyword of the shell, not a program"
    if position == 0 and _ASSIGNMENT.match(token):
        return f"`{token}` is an assignment, not a program"
    return None


def ep111(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per forbidden option that may have other names."""
    for entry in project.entries_of(file):
        rule = entry.rule
        program = rule.pattern.first
        if rule.decision is not Decision.FORBIDDEN or rule.exact or grammar_of(program.rpartition("/")[2]) is not None:
            continue
        for position, tokens in enumerate(rule.pattern.rest, 1):
            if len(tokens) == 1 and is_option(tokens[0]) and tokens[0] != "--":
                yield file.finding(
                    "EP111",
                    f"`{tokens[0]}` is only forbidden as it is spelled: the options of `{program}` are not known",
                    file.token_span(entry.group, position, tokens[0]),
                    help="add its other names as alternatives, or forbid the whole command",
                )


_WORD = re.compile(r"[a-z0-9-]+")
_SHORTEST = 4
"""Characters of a word that can be told from a misspelled one."""


def ep112(file: RuleFile, project: Project) -> Findings:
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
            yield _unknown_word(file, at, token, *found[0])


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


def _unknown_word(file: RuleFile, at: int, token: str, entry: ListedRule, what: str, meant: str | None) -> Diagnostic:
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


_PLAIN = re.compile(r"[A-Za-z0-9_/:,@+=-][A-Za-z0-9_./:,@+=-]*")
"""Matches a word that a shell hands on as it is, and that is no pattern."""
_PATTERN = re.compile(r"\*|[.][+?]|\\[dswDSW]|\w\|\w|^\^|.\$$")
"""Matches what only a glob or a regular expression has."""
_SUFFIXES = frozenset((*KEYS, *ENDS, *mimetypes.types_map)) - FILES - COMMON_FILES
_HERE = Situation("/project")


def ep114(file: RuleFile, project: Project) -> Findings:
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
