"""Which prompt and forbidden rules see a command, under every spelling that it may have."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.matches import PrefixMatch
from execpolicy.programs import spellings
from execpolicy.programs.names import names_matching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.core.matches import RuleMatch
    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation
    from execpolicy.judge.verdict import EffectMatch
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word


def stricter_matches(command: Command, facts: Facts, rulebook: Rulebook, situation: Situation) -> Sequence[PrefixMatch]:
    """Every rule stricter than allow that matches some reading of ``command``, each rule once per prefix."""
    words = command.words
    if not rulebook.restricting or not words:
        return ()
    program = words[0].literal
    known = (
        program is not None and spellings.keeps_its_name(program) and not rulebook.policy.has_other_spellings(program)
    )
    if known and program not in rulebook.restricting:
        return ()
    return _compared(spellings.restrict_views(words, facts), rulebook, situation)


def _compared(views: Sequence[Sequence[Word]], rulebook: Rulebook, situation: Situation) -> list[PrefixMatch]:
    """The same of the spellings of a command."""
    found: list[PrefixMatch] = []
    seen: set[tuple[int, tuple[str, ...]]] = set()
    for words in views:
        for argv in _argvs(words, rulebook):
            for match in rulebook.policy.matches(argv, resolution=situation.resolution):
                if match.decision is not Decision.ALLOW:
                    key = (id(match.rule), match.prefix)
                    if key not in seen:
                        seen.add(key)
                        found.append(match)
    for words in views:
        for program in _programs(words, rulebook):
            for match in _meant(words, program, rulebook, situation):
                known = next((at for at, other in enumerate(found) if other.rule is match.rule), None)
                if known is None:
                    found.append(match)
                elif match.decision > found[known].decision:  # what was only possible is sure
                    found[known] = match
    return found


def _meant(words: Sequence[Word], program: str, rulebook: Rulebook, situation: Situation) -> list[PrefixMatch]:
    """The stricter rules that ``words`` mean, in whatever spelling and order their options stand."""
    policy = rulebook.policy
    found: list[PrefixMatch] = []
    if any(word.literal is None for word in words):
        for rule in policy.rules_for(program):
            if rule.exact and rule.decision is not Decision.ALLOW and spellings.could_match(rule.pattern, (words,)):
                found.append(PrefixMatch((program,), rule, possible=True))
    for rule, one in rulebook.meant_of(program).meant_by(words[1:]):
        prefix = (program, *_said(words, one.at))
        found.append(PrefixMatch(prefix, rule, is_meant=True, possible=not one.is_sure))
    resolved = policy.resolved(program, situation.resolution) if "/" in program else None
    if resolved is not None:
        path, name = resolved
        for rule, one in rulebook.meant_of(name).meant_by(words[1:]):
            if policy.gate_open(rule, path):
                prefix = (rule.pattern.first, *_said(words, one.at))
                found.append(PrefixMatch(prefix, rule, path, is_meant=True, possible=not one.is_sure))
    return found


def _said(words: Sequence[Word], indices: Sequence[int]) -> list[str]:
    """The words behind the program at ``indices``, each once."""
    return [words[at + 1].written for at in dict.fromkeys(indices)]


def literal_start(words: Sequence[Word]) -> list[str]:
    """The literal words up to the first dynamic one: a rule that needs more cannot be seen to match."""
    found: list[str] = []
    for word in words:
        if word.literal is None:
            break
        found.append(word.literal)
    return found


def _argvs(words: Sequence[Word], rulebook: Rulebook) -> Iterator[tuple[str, ...]]:
    """The program, under each name that it may have, and what is known of its arguments."""
    if not words:
        return
    rest = literal_start(words[1:])
    program = words[0].literal
    for name in _globbed(words[0], rulebook) if program is None else (program,):
        yield (name, *rest)


def _programs(words: Sequence[Word], rulebook: Rulebook) -> Sequence[str]:
    """The names under which some rule that asks or forbids is about the program."""
    program = words[0].literal
    if program is None:
        return _globbed(words[0], rulebook)
    return (program,) if program[program.rfind("/") + 1 :] in rulebook.restricting else ()


def _globbed(program: Word, rulebook: Rulebook) -> Sequence[str]:
    """The programs that rules ask about or forbid, and that a glob may become."""
    pattern = program.pattern
    return names_matching(pattern, rulebook.restricting) if pattern is not None else ()


def once_each(matches: Sequence[RuleMatch | EffectMatch]) -> list[RuleMatch | EffectMatch]:
    """Without rules that a second view of the same command matched again."""
    seen: set[tuple[int, object, Decision]] = set()
    found: list[RuleMatch | EffectMatch] = []
    for match in matches:
        prefix = getattr(match, "prefix", None)
        key = (id(getattr(match, "rule", match)), prefix, match.decision)
        if key not in seen:
            seen.add(key)
            found.append(match)
    return found
