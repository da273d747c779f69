"""Adapters from the judge and the shell reader of this project to the protocols here; summaries of verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from execpolicy.core.decision import Decision
from execpolicy.core.matches import HeuristicsMatch, PrefixMatch
from execpolicy.flow.facts import Facts
from execpolicy.judge.command_verdict import CommandVerdict, EffectMatch
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.verdict import Verdict
from execpolicy.permissions.request import Reading, Risk, RiskAssessment, Shell
from execpolicy.programs.catalog import facts_of
from execpolicy.programs.standing import HERE, NOWHERE_KNOWN, Standing, standings
from execpolicy.programs.unwrap import unwrap
from execpolicy.programs.written_files import WrittenFile, perhaps_written, written_files
from execpolicy.shell.script import Command, replace
from execpolicy.shell.variables import harmless_assignment
from execpolicy.validators import command as shell_command
from execpolicy.validators import function, instance, text


def every_command(verdicts: Sequence[CommandVerdict]) -> list[CommandVerdict]:
    """The verdicts on commands and on their nested commands."""
    return [found for verdict in verdicts for found in (verdict, *every_command(verdict.inner))]


def needs_person(verdict: Verdict) -> bool:
    """True if a matched rule requires a person's answer each time."""
    return any(isinstance(match, PrefixMatch) and match.rule.human_only for match in verdict.matches)


def is_not_understood(verdict: Verdict) -> bool:
    """True if the script may do something that the verdict does not show."""
    blocks = [*verdict.blocks, *[block for one in every_command(verdict.commands) for block in one.blocks]]
    return any(block.code not in ORDINARY_BLOCKS for block in blocks) or not verdict.commands


def deciding_reason(verdict: Verdict) -> tuple[str, str | None]:
    """The reason, and the place of the rule or the name of the entry."""
    allowed, every = verdict.decision is Decision.ALLOW, every_command(verdict.commands)
    for match in verdict.matches:
        if match.decision is not verdict.decision or isinstance(match, HeuristicsMatch):
            continue
        place = match.rule.place
        said = (match.rule.justification or f"`{_subject(match)}` is allowed by a rule") if allowed else verdict.reason
        return said, str(place) if place is not None else None
    if allowed:
        return "known to be safe", "heuristics"
    for one in every:
        if one.decision is verdict.decision and one.opinion is not None and one.opinion.verdict == "dangerous":
            name = getattr(one.opinion.entry, "name", None)
            return verdict.reason, f"heuristics:{name}" if name else "heuristics"
    blocked = verdict.blocks or any(one.blocks for one in every)
    return verdict.reason, "heuristics" if blocked else None


NO_FILE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"})
"""Redirect targets that are not counted as files."""
MAX_DEPTH = 16
"""The maximum nesting of wrappers; deeper ones count as unreadable."""

ORDINARY_BLOCKS = frozenset({"write", "assignment", "program-path", "untrusted"})
"""Blocks that prevent a rule from granting a script but hide nothing that it runs. Every other block may hide
something, so a mode alone does not let the script run.
"""


class ShellCommandReader:
    """Reads commands with the project's shell parser, including those inside wrappers."""

    def __init__(self, *, shell: str = "bash") -> None:
        self._shell = text(shell, "the shell")

    def read(self, command: Shell, /) -> Reading:
        """Every command that is visible in ``command``."""
        found = list(self._walk(command))
        commands = [argv for one in found if isinstance(one, _LocatedCommand) and (argv := one.command.argv())]
        return Reading(tuple(commands), unreadable=next((one for one in found if isinstance(one, str)), None))

    def opened(self, command: Shell, /) -> tuple[str | None, ...]:
        """The files that redirections open; ``None`` for one that is only known at run time."""
        opened = [redirect.target.literal for one in self._commands(command) for redirect in one.command.redirects]
        return tuple([path for path in opened if path not in NO_FILE])

    def assigned(self, command: Shell, /) -> tuple[Command, ...]:
        """The commands with an assignment that may change what runs, including assignments without a command."""
        return tuple([
            found.command
            for found in self._commands(command)
            for one in found.command.assignments
            if not harmless_assignment(one.name, one.value, exported=bool(found.command.words), shell=self._shell)
        ])  # fmt: skip

    def written(self, command: Shell, /) -> tuple[WrittenFile, ...]:
        """The files that the command writes or may write, relative to its initial working directory."""
        return self._files(command, written_files)

    def perhaps_written(self, command: Shell, /) -> tuple[WrittenFile, ...]:
        """The files named by commands whose writes are unknown, relative to the initial working directory."""
        return self._files(command, perhaps_written)

    def _files(
        self, command: Shell, files_of: Callable[[Command, Facts], Iterable[WrittenFile]]
    ) -> tuple[WrittenFile, ...]:
        files: list[WrittenFile] = []
        for found in self._commands(command):
            for file in files_of(found.command, found.facts):
                if file.path not in NO_FILE:
                    files += found.located(file)
        return tuple(files)

    def _commands(self, command: Shell) -> list[_LocatedCommand]:
        return [found for found in self._walk(command) if isinstance(found, _LocatedCommand)]

    def _walk(self, command: Shell) -> Iterator[_LocatedCommand | str]:
        script = read_command(shell_command(command, "the command"), shell=self._shell)
        return _walk(facts_of(script), 0, HERE, certain=True)


@dataclass(frozen=True, slots=True, eq=False)
class _LocatedCommand:
    """A command that may run, and the possible working directories, relative to that of the script.

    Attributes:
        certain: true if the script certainly contains this command; false if it is only possible.
    """

    command: Command
    facts: Facts
    folders: Standing
    certain: bool

    def located(self, file: WrittenFile) -> Iterator[WrittenFile]:
        """``file`` in each possible working directory of the command."""
        if file.path is None or file.path.startswith(("/", "~")):
            yield replace(file, sure=file.sure and self.certain)
        elif not self.folders.folders:
            yield WrittenFile(None, sure=False)
        else:
            for at, path in enumerate(self.folders.joined(file.path)):
                yield replace(file, path=path, sure=file.sure and self.certain and self.folders.sure and at == 0)


def _walk(facts: Facts, depth: int, start: Standing, *, certain: bool) -> Iterator[_LocatedCommand | str]:
    """Each command of the script and of its nested commands; a reason for each part that is hidden."""
    script = facts.script
    if script.status == "opaque":
        yield script.reason or "the script cannot be read"
    for command, folders in zip(script.commands, standings(facts, start), strict=True):
        yield from _walk_command(_LocatedCommand(command, facts, folders, certain), depth)


def _walk_command(found: _LocatedCommand, depth: int) -> Iterator[_LocatedCommand | str]:
    yield found
    if not found.command.words and not found.command.assignments:
        return
    for inner in unwrap(found.command, found.facts):
        folders = NOWHERE_KNOWN if inner.moved else found.folders
        certain = found.certain and not inner.evidence
        if depth >= MAX_DEPTH:
            yield f"wrappers are nested deeper than {MAX_DEPTH}"
        elif inner.command is not None:
            yield from _walk_command(_LocatedCommand(inner.command, found.facts, folders, certain), depth + 1)
        elif inner.script is not None:
            yield from _walk(facts_of(inner.script), depth + 1, folders, certain=certain)
        else:
            yield inner.reason or "it runs something unknown"


class RulebookJudge:
    """Judges commands by the effective rules and the heuristics.

    Args:
        rulebook: returns the effective rulebook; called for each command.
        situation: the context in which commands run.
    """

    def __init__(self, rulebook: Callable[[], Rulebook], situation: Situation, *, shell: str = "bash") -> None:
        self._rulebook = function(rulebook, "RulebookJudge: `rulebook`")
        self._situation = instance(Situation)(situation, "RulebookJudge: `situation`")
        self._shell = shell
        self._reader = ShellCommandReader(shell=shell)

    def assess(self, command: Shell, /) -> RiskAssessment:
        """The risk of ``command``.

        It is banned if a rule forbids it. It is high if a rule asks, the heuristics warn, or something cannot be read.
        """
        script = read_command(shell_command(command, "the command"), shell=self._shell)
        verdict = judge_script(script, self._rulebook(), self._situation)
        if verdict.decision is Decision.FORBIDDEN:
            reason = _rule_reason(verdict, Decision.FORBIDDEN)
            return RiskAssessment(Risk.BANNED, reason or "a rule forbids this command")
        asked = _rule_reason(verdict, Decision.PROMPT)
        if asked is not None:
            return RiskAssessment(Risk.HIGH, asked)
        commands = every_command(verdict.commands)
        for found in commands:
            if found.opinion is not None and found.opinion.verdict == "dangerous":
                return RiskAssessment(Risk.HIGH, found.opinion.why)
        blocks = [*verdict.blocks, *[block for found in commands for block in found.blocks if block.code in _RULED]]
        for block in blocks:
            if block.code not in ORDINARY_BLOCKS:
                return RiskAssessment(Risk.HIGH, block.detail)
        unreadable = self._reader.read(command).unreadable
        return RiskAssessment(Risk.HIGH, unreadable) if unreadable is not None else RiskAssessment(Risk.ORDINARY)


_RULED = frozenset({"dynamic-argument", "fail-closed"})
"""Blocks of single commands that may result from a prompt or forbid rule."""


def _rule_reason(verdict: Verdict, decision: Decision) -> str | None:
    """The justification, or else a description, of the first rule with the decision ``decision``."""
    for match in verdict.matches:
        if match.decision is decision and not isinstance(match, HeuristicsMatch):
            word = "forbids" if decision is Decision.FORBIDDEN else "asks about"
            return match.rule.justification or f"a rule {word} `{_subject(match)}`"
    return None


def _subject(match: PrefixMatch | EffectMatch) -> str:
    return " ".join(match.prefix) if isinstance(match, PrefixMatch) else match.path
