"""Which prompt and forbidden rules see a command, under every spelling that it may have."""

from __future__ import annotations

from posixpath import normpath

from execpolicy.core.decision import Decision
from execpolicy.core.matches import NOT, POSSIBLY, SURELY, PrefixMatch
from execpolicy.judge.folders import pushed_branch
from execpolicy.programs import spellings
from execpolicy.programs.meaning import rules_by_meaning
from execpolicy.programs.names import base_name, names_matching
from execpolicy.programs.standing import HERE
from execpolicy.shell.words import Word, literal_start

_MOST_OPERANDS = 16
"""So many words are looked up, which may be links."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.core.matches import RuleMatch
    from execpolicy.core.pattern import PrefixPattern
    from execpolicy.core.rules import PrefixRule
    from execpolicy.flow.facts import Facts
    from execpolicy.judge.command_verdict import EffectMatch
    from execpolicy.judge.folders.whereabouts import Whereabouts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.situation import Situation
    from execpolicy.programs.standing import Standing
    from execpolicy.shell.script import Command


def stricter_matches(
    command: Command, facts: Facts, rulebook: Rulebook, situation: Situation, where: Whereabouts | None = None
) -> Sequence[PrefixMatch]:
    """Every rule stricter than allow that matches some reading of ``command``, each rule once per prefix.

    Args:
        where: the folders that the commands of the script run in; ``None``: the folder of ``situation``.
    """
    if not rulebook.restricting or not command.words:
        return ()
    comparison = _Comparison(command, facts, rulebook, situation, where)
    if not _may_match(command, facts, rulebook) and not any(comparison.followed(command.words)):
        return ()
    return comparison.matches()


def _may_match(command: Command, facts: Facts, rulebook: Rulebook) -> bool:
    """False if it is quickly seen that no rule that asks or forbids matches ``command``."""
    words, argv = command.words, command.plain_argv
    program = words[0].literal
    if program is None or not program.isalpha():
        return True
    rules = rulebook.meant_of(program)
    if not rules.are_all:
        return True
    if argv is None and any(facts.values(word) for word in words):
        return bool(rules.rules)
    if command.redirects and command.input_redirect is not None:
        return bool(rules.rules)
    return rules.may_concern(
        argv[1:] if argv is not None else [word if word.literal is None else word.literal for word in words[1:]]
    )


class _Comparison:
    """The comparison of one command with the rules that ask or forbid."""

    __slots__ = ("_standing", "command", "facts", "rulebook", "situation", "where")

    def __init__(
        self, command: Command, facts: Facts, rulebook: Rulebook, situation: Situation, where: Whereabouts | None
    ) -> None:
        self.command = command
        self.facts = facts
        self.rulebook = rulebook
        self.situation = situation
        self.where = where
        self._standing: Standing | None = None

    def matches(self) -> list[PrefixMatch]:
        """The matches by words, and then those by meaning; the strictest of each rule."""
        rulebook = self.rulebook
        views = spellings.restrict_views(self.command.words, self.facts)
        found: list[PrefixMatch] = []
        seen: set[tuple[int, tuple[str, ...]]] = set()
        for words in views:
            for argv in _argvs(words, rulebook):
                for match in rulebook.policy.matches(argv, resolution=self.situation.resolution):
                    key = (id(match.rule), match.prefix)
                    if match.decision is not Decision.ALLOW and key not in seen:
                        seen.add(key)
                        found.append(match)
        places = {id(match.rule): at for at, match in reversed(list(enumerate(found)))}
        files = [run for view in views for run in rules_by_meaning.runs_of_files(self.command, view, self.facts)]
        read = [
            (*view, redirect.target)
            for view in views
            if (redirect := self.command.input_redirect) is not None and redirect.operator == "<"
        ]
        followed = [other for words in (*views, *files) for other in self.followed(words)]
        for words in (*views, *files, *read, *followed):
            for program in _programs(words, rulebook):
                for match in self._meant(words, program):
                    known = places.setdefault(id(match.rule), len(found))
                    if known == len(found):
                        found.append(match)
                    elif match.decision > found[known].decision:  # what was only possible is sure
                        found[known] = match
        return found

    def _meant(self, words: Sequence[Word], program: str) -> Iterator[PrefixMatch]:
        """The stricter rules that ``words`` mean, in whatever spelling and order their options stand."""
        policy = self.rulebook.policy
        if any(word.literal is None for word in words):
            for rule in policy.rules_for(program):
                if rule.exact and rule.decision is not Decision.ALLOW and spellings.could_match(rule.pattern, words):
                    yield PrefixMatch((program,), rule, possible=True)
        name = base_name(program)
        first, *more = rules_by_meaning.program_of(name)
        behind = [Word(each, words[0].span) for each in more] + list(words[1:])
        rules = self.rulebook.meant_of(first)
        if not rules.rules:
            return
        resolved = policy.resolved(program, self.situation.resolution) if "/" in program else None
        for (rule, pattern), one in rules.meant_by(behind, is_fed=self._is_fed(), settings=self._pushed):
            certainty = min(one.certainty, self._same_program(rule, pattern, words[0]))
            if certainty:
                said = [words[at + 1 - len(more)].written for at in dict.fromkeys(one.at) if at >= len(more)]
                path = resolved[0] if resolved is not None and policy.gate_open(rule, resolved[0]) else None
                yield PrefixMatch((program, *said), rule, path, is_meant=True, possible=certainty < SURELY)

    def followed(self, words: Sequence[Word]) -> Iterator[tuple[Word, ...]]:
        """The words with the program, and with each operand, that is a link replaced by what the link names."""
        program = words[0].literal
        if program is None:
            return
        first, *rest = words
        if "/" in program and (target := self._linked_to(program)) is not None:
            yield (Word(target, first.span), *rest)
        rules = self.rulebook.meant_of(rules_by_meaning.program_of(base_name(program))[0])
        if not rules.rules or not rules.may_name_files([word.literal or "" for word in rest]):
            return
        links = {}
        for at, word in enumerate(rest[:_MOST_OPERANDS]):
            if word.literal and word.literal[0] != "-" and (link := self._linked_to(word.literal)) is not None:
                # It may act on the link itself: unknown, but for its text.
                to = normpath(link)
                links[at] = Word(None, word.span, prefix=to, suffix=to)
        if links:
            yield (first, *[links.get(at, word) for at, word in enumerate(rest)])

    def _linked_to(self, path: str) -> str | None:
        """The path that the link ``path`` names, from the same folder; ``None`` if it is none."""
        for place in self._names(path):
            whole = place if place[:1] == "/" else f"{self.situation.cwd}/{place}"
            if place[:1] != "~" and (target := self.situation.link_target(whole)) is not None:
                folder = path.rpartition("/")[0] or "."
                return target if target[:1] == "/" else f"{folder}/{target}"
        return None

    def _pushed(self) -> str | None:
        return pushed_branch.pushed_branch(self.command, self.facts, self.situation, self.where)

    def _is_fed(self) -> bool:
        """True if the script gives the command something to read."""
        command = self.command
        return bool(command.piped_from) or command.body is not None or command.input_redirect is not None

    def _same_program(self, rule: PrefixRule, pattern: PrefixPattern, word: Word) -> int:
        """How surely ``word`` is the program of ``pattern``, a pattern of ``rule``."""
        if "/" in pattern.first:
            text = word.literal or ""
            if "/" not in text and word is not self.command.words[0] and "/" in self.command.words[0].written:
                return NOT  # the base name of another path
            root = self.situation.root
            wanted = self.situation.places_of(pattern.first if pattern.first[:1] in "/~" else f"{root}/{pattern.first}")
            return rules_by_meaning.same_file(pattern.first, wanted, word, self._places(text) if "/" in text else ())
        if pattern is not rule.pattern and rules_by_meaning.is_runner(rule.pattern.first):
            return SURELY if any(part.startswith("wrapper:") for part in self.command.context) else POSSIBLY
        return SURELY

    def _places(self, path: str) -> list[str]:
        """The absolute paths that a program may be; none if the folder is not known."""
        return [place for name in self._names(path) for place in self.situation.places_of(name)]

    def _names(self, path: str) -> Sequence[str]:
        """The path from the folders in which the command may run."""
        if self._standing is None:
            where = self.where
            moved = where is not None and (where.moves or where.start is not None)
            self._standing = where.of(self.command) if where is not None and moved else HERE
        return (path,) if self._standing is HERE else self._standing.joined(path)


def _argvs(words: Sequence[Word], rulebook: Rulebook) -> Iterator[tuple[str, ...]]:
    """The program, under each name that it may have, and what is known of its arguments."""
    if not words:
        return
    rest = literal_start(words[1:])
    program = words[0].literal
    for name in _globbed(words[0], rulebook) if program is None else (program,):
        yield (name, *rest)


def _programs(words: Sequence[Word], rulebook: Rulebook) -> Sequence[str]:
    """The names under which some rule that asks or forbids may be about the program."""
    program = words[0].literal
    if program is not None:
        return (program,)
    if words[0].suffix.startswith("/"):
        return (words[0].suffix,)
    return _globbed(words[0], rulebook)


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
