"""Previews the effect of a new prefix rule with the effective rules, by judging examples.

Also finds the prefix of a command that names its action, which is worth saving besides the exact command.

Refuses commands that must not become a rule: loop fragments, whole here-documents, keys in plain text. People later
find such lines in their rule files and cannot explain them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from execpolicy.core.banned import is_banned
from execpolicy.core.credentials import credential_in
from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.quoting import join
from execpolicy.core.rules import PrefixRule
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.verdict import Verdict
from execpolicy.lint.sight import RuleSight, shortest_restricted
from execpolicy.lint.worst import Worst, hands_over, why_broad_alone, worst_of, worsts_of
from execpolicy.programs.breadth import why_broad
from execpolicy.programs.catalog import record_of
from execpolicy.programs.names import base_name

LONGEST_WORD = 400
LONGEST_RULE = 1_000
MOST_WORDS = 40

_KEYWORDS = frozenset(
    ["!", "{", "}", "[[", "]]", "(", ")", "((", "))", "case", "coproc", "do", "done", "elif", "else", "esac", "fi"]
    + ["for", "function", "if", "in", "select", "then", "until", "while"]
)
_OPERATORS = frozenset(["&&", "||", "|", "|&", ";", ";;", "&", ">", ">>", "<", "<<", "<<<", "2>", "2>&1", ">&", "&>"])
_NOT_IN_A_PROGRAM = frozenset("(){};&|<>`$\"'\\*?")


def why_not_savable(tokens: Sequence[str]) -> str | None:
    """The reason, as a phrase, that ``tokens`` must not be saved as the prefix of a rule; ``None`` if they may."""
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
    if is_banned(tokens):
        return (
            why_too_broad(tokens)
            or f"`{join(tuple(tokens))}` is too broad: it allows everything that its arguments ask for"
        )
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
            return f"word {at} is {len(token):,} characters long; such a command is unlikely to come again"
    if len(tokens) > MOST_WORDS:
        return f"it has {len(tokens)} words; such a command is unlikely to come again"
    length = sum(len(token) + 1 for token in tokens)
    if length > LONGEST_RULE:
        return f"it is {length:,} characters long; such a command is unlikely to come again"
    return None


def reusable_prefix(tokens: Sequence[str]) -> tuple[str, ...] | None:
    """The prefix of ``tokens`` that names the action without its object: ``git push`` of ``git push origin main``.

    Returns ``None`` if no such prefix is known: without words, for an unknown program, with an option in between, or if
    the prefix is too broad.
    """
    if not tokens:
        return None  # only a redirect
    record = record_of(base_name(tokens[0]))
    usual, *others = record.task.split() if record is not None and record.task else ["0"]
    exceptions = dict([other.split("=") for other in others])
    second = tokens[1] if len(tokens) > 1 else ""
    count = int(exceptions.get(second, usual))
    if not count or count > len(tokens):
        return None
    prefix = tuple(tokens[:count])
    options = [word for word in prefix[1:] if word.startswith("-")]
    if len(options) > 1 or (options and not (second in options and second in exceptions)):
        return None
    return None if is_banned(prefix) or hands_over(prefix) else prefix


_MOST_NEAR = 200
_MOST_SHOWN = 4
_RISKY = ("--force", "-f", "--hard", "-rf", "--delete", "-delete", "-exec")


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """Example command lines, judged with the effective rules and the new one.

    Attributes:
        covered: the allowed examples.
        not_covered: the examples that still prompt.
        forbidden: the examples that another rule still forbids.
        dangerous: the allowed examples that the heuristics call dangerous.
        worst: the most dangerous known command with the prefix that would be allowed.
        elsewhere: a more dangerous one that still prompts, because execpolicy judges the nested command. Codex reads
            the same file, compares only words, and allows it.
    """

    covered: tuple[str, ...]
    not_covered: tuple[str, ...]
    forbidden: tuple[str, ...]
    dangerous: tuple[str, ...]
    worst: Worst | None
    elsewhere: Worst | None

    def careful(self, prefix: Sequence[str]) -> str | None:
        """The warning about a rule for ``prefix``; ``None`` if there is none."""
        here = None if self.worst is None else self.worst.beside(prefix)
        if self.elsewhere is None:
            return here
        if here is None:
            return f"where Codex decides, `{join(tuple(prefix))}` also allows {self.elsewhere}"
        return f"{here}; where Codex decides, also {self.elsewhere}"


def preview(
    prefix: Sequence[str], rulebook: Rulebook, situation: Situation, *, unless: tuple[str, ...] = ()
) -> Preview:
    """The preview of an allow rule for ``prefix`` among the rules of ``rulebook``.

    Args:
        unless: the exclusions of the rule.
    """
    with_it = rulebook.with_statements(PrefixRule(PrefixPattern.of(prefix), unless=unless))

    def judged(text: str) -> Verdict:
        return judge_script(read_command(text), with_it, situation)

    line = join(tuple(prefix))
    found: dict[Decision, list[str]] = {Decision.ALLOW: [], Decision.PROMPT: [], Decision.FORBIDDEN: []}
    for example in _examples(tuple(prefix), line):
        found[judged(example).decision].append(example)
    risky = [line] if judged(line).dangerous else [f"{line} {option}" for option in _RISKY]
    dangerous = [each for each in risky if (v := judged(each)).decision is Decision.ALLOW and v.dangerous]
    known = list(worsts_of(prefix))
    allowed = next((each for each in known if judged(join(each.words)).decision is Decision.ALLOW), None)
    worse = known[0] if known and known[0] is not allowed else None
    return Preview(
        covered=tuple(found[Decision.ALLOW]),
        not_covered=tuple(found[Decision.PROMPT]),
        forbidden=tuple(found[Decision.FORBIDDEN]),
        dangerous=tuple(dangerous),
        worst=allowed,
        elsewhere=worse if worse and with_it.policy.check(worse.words).decision is Decision.ALLOW else None,
    )


def why_too_broad(prefix: Sequence[str], *, exact: bool = False) -> str | None:
    """The reason that an allow rule for ``prefix`` is too broad, covering unrelated commands; ``None`` if it is not.

    Args:
        exact: true if no further word may follow.
    """
    why = None if not prefix else why_broad_alone(prefix) if exact else why_broad(prefix)
    if why is None:
        return None
    worst = None if exact else worst_of(prefix)
    also = "" if worst is None else f"it also covers `{join(worst.words)}`; "
    return f"`{join(tuple(prefix))}` is too broad: {also}{why}"


def still_restricted(prefix: Sequence[str], rulebook: Rulebook) -> list[tuple[tuple[str, ...], Decision]]:
    """The shortest commands with ``prefix`` that stricter rules of ``rulebook`` decide, each with the decision.

    If one of them is ``prefix`` itself, an allow rule for it would change nothing.
    """
    hosts = tuple(rulebook.policy.host_executables.values())
    rules = [rule for rule in rulebook.policy.rules if rule.decision is not Decision.ALLOW]
    sight = RuleSight(rules, hosts)
    if sight.seeing(tuple(prefix)):
        return [(tuple(prefix), max([rule.decision for rule in sight.seeing(tuple(prefix))]))]
    found: dict[tuple[str, ...], Decision] = {}
    pattern = PrefixPattern.of(prefix)
    near = [rule for rule in rules if base_name(rule.pattern.first) == base_name(prefix[0])]
    for rule in near[:_MOST_NEAR]:
        argv = shortest_restricted(pattern, rule, hosts)
        if argv is not None:
            found[argv] = max(rule.decision, found.get(argv, rule.decision))
    ranked = sorted(found.items(), key=lambda each: (-each[1].strictness, len(each[0])))
    return ranked[:_MOST_SHOWN]


def _examples(prefix: tuple[str, ...], line: str) -> tuple[str, ...]:
    program, *rest = prefix
    found = [line, f"{line} more words", f"{line} --any-option", f"{line} && {line}", f"{line} 2>&1"]
    if len(prefix) > 1:
        found.append(join(prefix[:-1]))
        found.append(join((program, "--option", *rest)))
    return (*found, f"{line} > file", f"VARIABLE=value {line}", f"sudo {line}")
