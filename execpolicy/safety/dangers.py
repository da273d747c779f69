"""Entries of rule files that say what is dangerous: ``dangerous_command(…)``, a conjunction of conditions."""

from __future__ import annotations

from _collections_abc import Container, Mapping, Sequence
from itertools import pairwise

from execpolicy.core.decision import Decision
from execpolicy.core.path_rules import PathRule
from execpolicy.core.text import UNKNOWN, glob_matches, option_values
from execpolicy.errors import InvalidRuleError
from execpolicy.flow.facts import Facts
from execpolicy.programs.names import base_name
from execpolicy.programs.options import Options, splits
from execpolicy.safety.checks import ProgramEntry, boolean, head, several, spellings, texts
from execpolicy.safety.secrets import secret_in
from execpolicy.shell.script import Command
from execpolicy.shell.words import Word
from execpolicy.source import Place, Span

_TEXTS = (
    *("program", "subcommand", "operands", "arguments", "writes", "last", "piped_from", "text_from", "effect"),
    *("files", "written", "match", "not_match"),
)
_SPELLINGS = ("flags", "options", "without")
_BOOLEANS = ("ignore_case", "secret")
_KEYS = ("name", "reason", *_TEXTS, *_SPELLINGS, *_BOOLEANS, "operand_count", "decision", "disabled")
_CONDITIONS = ("program", "writes", "effect", "files")


class DangerousCommand(ProgramEntry):
    """A destructive form of some programs, or of any program if none is named; see :class:`Conditions`."""

    __slots__ = ("_conditions", "_first_words")

    kind = "dangerous_command"

    def __init__(self, arguments: Mapping[str, object], place: Place | None = None) -> None:
        ProgramEntry.__init__(self, arguments, place)
        self._first_words = frozenset([path.split()[0] for path in several(arguments.get("subcommand", ()))])
        self._conditions: Conditions | None = None

    @property
    def conditions(self) -> Conditions:
        """The conditions of the entry."""
        if self._conditions is None:
            self._conditions = Conditions(self.arguments)
        return self._conditions

    @property
    def decision(self) -> Decision:
        """Returns what the command gets that surely matches: ``prompt`` or ``forbidden``."""
        return Decision.FORBIDDEN if self.arguments.get("decision") == "forbidden" else Decision.PROMPT

    @property
    def justification(self) -> str:
        """Returns why the command gets the decision."""
        return self.reason

    @property
    def files(self) -> PathRule | None:
        """The command must write or delete one of these files; ``None`` if any command matches."""
        paths = self.arguments.get("files")
        return None if not paths else PathRule(tuple(several(paths)), self.decision)

    def matches_words(self, arguments: Sequence[str]) -> bool:
        """True if the conditions on the words after the program hold; ``UNKNOWN`` is unknown text in one."""
        if self._first_words and self._first_words.isdisjoint(arguments):
            return False  # most entries of a program with sub-commands end here
        return self.conditions.match_words(arguments)


class Conditions:
    """The conditions of an entry, as ``docs/heuristics.md`` describes them; an absent one always holds.

    Attributes:
        valued: options that take a value, so that the value is not an operand.
    """

    __slots__ = (
        *("_any_words", "_options", "arguments", "effects", "flags", "ignore_case", "last", "operand_count"),
        *("operands", "piped_from", "secret", "subcommands", "text_from", "valued", "without", "writes", "written"),
    )

    def __init__(self, written: Mapping[str, object]) -> None:
        """The conditions in the arguments of an entry as :func:`build_dangerous` accepts them."""
        get = written.get
        self.subcommands = tuple([tuple(path.split()) for path in several(get("subcommand", ()))])
        self.flags = tuple([_spelled(group) for group in several(get("flags", ()))])
        self.valued = frozenset([name for item in several(get("options", ())) for name in item.split()])
        self.ignore_case = bool(get("ignore_case", False))
        self.operands = self._globs(get("operands", ()))
        self.arguments = self._globs(get("arguments", ()))
        self.writes = several(get("writes", ()))
        self.piped_from = frozenset(several(get("piped_from", ())))
        self.text_from = frozenset(several(get("text_from", ())))
        self.without = tuple([name for item in several(get("without", ())) for name in _spelled(item)])
        self.last = self._globs(get("last", ()))
        self.effects = frozenset(several(get("effect", ())))
        self.written = frozenset(several(get("written", ())))
        self.secret = bool(get("secret", False))
        count = get("operand_count")
        self.operand_count: tuple[int, int] | None = None
        if isinstance(count, int):
            self.operand_count = (count, count)
        elif isinstance(count, (list, tuple)):
            self.operand_count = (int(count[0]), int(count[1]))
        self._options: Options | None = None
        self._any_words = not (
            self.flags
            or self.without
            or self.subcommands
            or self.operands
            or self.arguments
            or self.last
            or self.operand_count
        )

    def _globs(self, value: object) -> tuple[str, ...]:
        return tuple([glob.lower() if self.ignore_case else glob for glob in several(value)])

    def match_words(self, arguments: Sequence[str]) -> bool:
        """True if the conditions on the words hold; see :meth:`DangerousCommand.matches_words`."""
        if self._any_words:
            return True
        if self._options is None:
            self._options = _table(self)
        shown = [word.lower() for word in arguments] if self.ignore_case else arguments
        return (not self.arguments or _some(self.arguments, shown)) and any(
            self._match_split({option.name for option in given}, operands)
            for given, operands in splits(self._options, arguments)
        )

    def _match_split(self, given: set[str], operands: list[str]) -> bool:
        """True if the conditions on options and operands hold for one way to tell them apart."""
        if self.subcommands:
            for path in self.subcommands:
                if tuple(operands[: len(path)]) == path:
                    operands = operands[len(path) :]
                    break
            else:
                return False
        if not given.isdisjoint(self.without) or any(given.isdisjoint(group) for group in self.flags):
            return False
        if self.operand_count is not None and not self.operand_count[0] <= len(operands) <= self.operand_count[1]:
            return False
        if self.ignore_case:
            operands = [word.lower() for word in operands]
        if self.last and not (operands and _some(self.last, operands[-1:])):
            return False
        return not self.operands or _some(self.operands, operands)


def _some(globs: tuple[str, ...], words: Sequence[str]) -> bool:
    return any(glob_matches(glob, word) for word in set(words) for glob in globs)


def _spelled(names: str) -> tuple[str, ...]:
    """The option names in ``names``; programs that write ``-name`` take ``--name`` too."""
    return tuple([
        spelled
        for name in names.split()
        for spelled in ((name, "-" + name) if len(name) > 2 and name[1] != "-" else (name,))
    ])  # fmt: skip


def _table(conditions: Conditions) -> Options:
    """The options in ``conditions``."""
    kinds = {name: "" for group in (conditions.without, *conditions.flags) for name in group}
    kinds.update(dict.fromkeys(conditions.valued, ":"))
    return Options(kinds)


def build_dangerous(arguments: Mapping[str, object], place: Place | None = None) -> DangerousCommand:
    """The entry that a call of ``dangerous_command`` with these keyword arguments describes.

    Raises:
        InvalidRuleError: a parameter is unknown, missing or not of the right shape.
    """
    where, disabled = head(arguments, _KEYS, "dangerous_command")
    if disabled:
        return DangerousCommand(dict(arguments), place)
    if not any(arguments.get(key) for key in _CONDITIONS):
        raise InvalidRuleError(f"{where} needs a program, or the files it writes, or an effect")
    for key in _TEXTS:
        texts(arguments.get(key, ()), f"{where}: {key}")
    for program in texts(arguments.get("program", ()), f"{where}: program"):
        if "/" in program:
            raise InvalidRuleError(f"{where}: program `{program}` is a path", help="write the base name")
    for key in _SPELLINGS:
        spellings(arguments.get(key, ()), f"{where}: {key}")
    for key in _BOOLEANS:
        boolean(arguments.get(key, False), f"{where}: {key}")
    if arguments.get("decision", "prompt") not in ("prompt", "forbidden"):
        raise InvalidRuleError(f"{where}: decision must be `prompt` or `forbidden`")
    count = arguments.get("operand_count", 0)
    pair = count if isinstance(count, (list, tuple)) else (count, count)
    if len(pair) != 2 or not all(isinstance(item, int) and not isinstance(item, bool) and item >= 0 for item in pair):
        raise InvalidRuleError(f"{where}: operand_count must be a number, or the least and the greatest number")
    if arguments.get("files"):
        PathRule(tuple(several(arguments["files"])))  # raises for a path that is none
    return DangerousCommand(dict(arguments), place)


def text_for_globs(word: Word) -> str:
    """Returns what globs are compared with: the word, a pattern as it is written, or what is known of its two ends."""
    if word.literal is not None:
        return word.literal
    if word.pattern is not None:
        return word.pattern
    return word.prefix + UNKNOWN + word.suffix


def circumstances_hold(entry: DangerousCommand, command: Command, facts: Facts) -> bool:
    """True if the conditions of ``entry`` on the redirects, pipes and effects around the words hold."""
    conditions = entry._conditions or entry.conditions
    if conditions.writes:
        if not command.redirects:
            return False
        targets = [redirect.target for redirect in command.redirects if redirect.writes]
        texts = [*map(text_for_globs, targets)]
        texts += [text for target in targets for value in facts.values(target) for text in value]
        if not any(glob_matches(glob, text) for text in texts for glob in conditions.writes):
            return False
    if conditions.piped_from and not _reaches(conditions.piped_from, _piping(command), facts):
        return False
    if conditions.text_from and not _reaches(conditions.text_from, _printing(command), facts):
        return False
    if conditions.written and conditions.written.isdisjoint([word.written for word in command.words]):
        return False
    if conditions.secret and not (_names_secret(command, conditions.valued) or _is_fed_secret(command, facts)):
        return False
    if conditions.effects:
        if not facts.effects:
            return False
        for span in facts.once(_effects_of, conditions.effects):
            inside = span.start <= command.span.start and command.span.end <= span.end
            around = command.span.start <= span.start and span.end <= command.span.end
            if inside or around:
                break
        else:
            return False
    return True


def _reaches(programs: frozenset[str], indices: list[int], facts: Facts) -> bool:
    """True if what one of ``programs`` prints gets to one of the commands with these indices."""
    return bool(indices) and not facts.once(_tainted, programs).isdisjoint(indices)


def _names_secret(command: Command, valued: Container[str]) -> bool:
    """True if a word of ``command``, but for the values of the options ``valued``, names a well-known secret."""
    words = [word.literal or word.written for word in command.words]
    texts = [text for before, text in pairwise(words) if before not in valued]
    parts = [part for text in texts for at in option_values(text) for part in (text[at:], text[at:].rpartition("@")[2])]
    return any(secret_in(part) is not None for part in parts if part)


def _is_fed_secret(command: Command, facts: Facts) -> bool:
    """True if ``command`` reads a well-known secret, or a command that feeds it over any number of pipes names one."""
    pending, seen = [command], [command]
    while pending:
        one = pending.pop()
        sources = [
            redirect.target.literal or redirect.target.suffix for redirect in one.redirects if not redirect.writes
        ]
        if any(secret_in(source) is not None for source in sources) or (one is not command and _names_secret(one, ())):
            return True
        feeding = [facts.script.commands[at] for at in _piping(one)]
        pending += [each for each in feeding if each not in seen]
        seen += feeding
    return False


def _effects_of(facts: Facts, kinds: Container[str]) -> list[Span]:
    """Where the script has effects of these kinds."""
    return [effect.span for effect in facts.effects if effect.kind in kinds]


def _piping(command: Command) -> list[int]:
    """The commands whose output ``command`` reads on its standard input."""
    feeding = list(command.piped_from)
    for redirect in command.redirects:
        if not redirect.writes:
            feeding.extend(redirect.target.inner)
            if redirect.body is not None:
                feeding.extend(redirect.body.inner)
    if command.body is not None:
        feeding.extend(command.body.inner)
    return feeding


def _printing(command: Command) -> list[int]:
    """The commands whose output becomes a part of the words of ``command``, or a file that they name."""
    return [index for word in command.words for index in word.inner]


def _tainted(facts: Facts, programs: frozenset[str]) -> frozenset[int]:
    """The indices of the commands that run one of ``programs``, or that read what such a command prints."""
    readers: dict[int, list[int]] = {}
    pending: list[int] = []
    for at, command in enumerate(facts.script.commands):
        for index in (*_piping(command), *_printing(command)):
            readers.setdefault(index, []).append(at)
        if any(word.literal is not None and base_name(word.literal) in programs for word in command.words):
            pending.append(at)
    reached = set(pending)
    while pending:
        for at in readers.get(pending.pop(), ()):
            if at not in reached:
                reached.add(at)
                pending.append(at)
    return frozenset(reached)
