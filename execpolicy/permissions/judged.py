"""Adapters from the judge and the shell reader of this project to the protocols of this package.

It also has a summary of a verdict for a person: one line, and tests for verdicts that a person must confirm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass

from execpolicy.core.decision import Decision
from execpolicy.core.matches import HeuristicsMatch, PrefixMatch
from execpolicy.flow.facts import Facts
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.verdict import CommandVerdict, Verdict
from execpolicy.permissions.request import Reading, Risk, RiskAssessment, Shell
from execpolicy.programs.catalog import facts_of
from execpolicy.programs.perhaps_written import perhaps_written
from execpolicy.programs.standing import HERE, NOWHERE_KNOWN, Standing, standings
from execpolicy.programs.unwrap import unwrap
from execpolicy.programs.written_files import WrittenFile, written_files
from execpolicy.shell.script import Command, replace
from execpolicy.shell.variables import harmless_assignment
from execpolicy.validators import command as shell_command
from execpolicy.validators import function, instance, text


def every_command(verdicts: Sequence[CommandVerdict]) -> list[CommandVerdict]:
    """The verdicts on commands and on their nested commands."""
    found: list[CommandVerdict] = []
    for verdict in verdicts:
        found.append(verdict)
        found += every_command(verdict.inner)
    return found


def for_a_person(verdict: Verdict) -> bool:
    """True if a matched rule requires a person's answer each time."""
    return any(isinstance(match, PrefixMatch) and match.rule.human_only for match in verdict.matches)


def is_dangerous(verdict: Verdict) -> bool:
    """True if a command of the verdict is known to be dangerous."""
    return any(
        one.opinion is not None and one.opinion.verdict == "dangerous" for one in every_command(verdict.commands)
    )


def is_not_understood(verdict: Verdict) -> bool:
    """True if the script may do something that the verdict does not show."""
    blocks = [*verdict.blocks, *[block for one in every_command(verdict.commands) for block in one.blocks]]
    return any(block.code not in ORDINARY_BLOCKS for block in blocks) or not verdict.commands


def what_settled_it(verdict: Verdict) -> tuple[str, str | None]:
    """The reason, and the place of the rule or the name of the entry."""
    allowed, every = verdict.decision is Decision.ALLOW, every_command(verdict.commands)
    for match in verdict.matches:
        if match.decision is not verdict.decision or isinstance(match, HeuristicsMatch):
            continue
        place = match.rule.place
        shown = " ".join(match.prefix) if hasattr(match, "prefix") else match.path
        said = (match.rule.justification or f"`{shown}` is allowed by a rule") if allowed else verdict.reason
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
        commands: list[tuple[str | None, ...]] = []
        reasons: list[str] = []
        for found in self._seen(command):
            if found.command is not None and (argv := found.command.argv()):
                commands.append(argv)
            if found.hidden is not None:
                reasons.append(found.hidden)
        return Reading(tuple(commands), unreadable=reasons[0] if reasons else None)

    def opened(self, command: Shell, /) -> tuple[str | None, ...]:
        """The files that redirections open; ``None`` for one that is only known at run time."""
        return tuple(
            [
                redirect.target.literal
                for found in self._seen(command)
                if found.command is not None
                for redirect in found.command.redirects
                if redirect.target.literal not in NO_FILE
            ]
        )

    def assigned(self, command: Shell, /) -> tuple[Command, ...]:
        """The commands with an assignment that may change what runs, including assignments without a command."""
        return tuple(
            [
                found.command
                for found in self._seen(command)
                if found.command is not None
                for one in found.command.assignments
                if not harmless_assignment(one.name, one.value, exported=bool(found.command.words), shell=self._shell)
            ]
        )

    def written(self, command: Shell, /) -> tuple[WrittenFile, ...]:
        """The files that the command writes or may write, relative to its initial working directory."""
        return self._placed(command, written_files)

    def perhaps_written(self, command: Shell, /) -> tuple[WrittenFile, ...]:
        """The files named by commands whose writes are unknown, relative to the initial working directory."""
        return self._placed(command, perhaps_written)

    def _placed(
        self, command: Shell, files: Callable[[Command, Facts], Iterable[WrittenFile]]
    ) -> tuple[WrittenFile, ...]:
        return tuple(
            [
                one
                for found in self._seen(command)
                if found.command is not None
                for written in files(found.command, found.facts)
                if written.path not in NO_FILE
                for one in found.placed(written)
            ]
        )

    def _seen(self, command: Shell) -> Iterator[_Seen]:
        script = read_command(shell_command(command, "the command"), shell=self._shell)
        return _walk(facts_of(script), 0, HERE, sure=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """A command that may run.

    Attributes:
        command: the command; ``None`` where something is hidden, and ``hidden`` gives the reason.
        standing: the possible working directories, relative to that of the script.
        sure: true if the script certainly contains this command; false if it is only possible.
    """

    command: Command | None
    facts: Facts
    standing: Standing
    _: KW_ONLY
    sure: bool
    hidden: str | None = None

    def placed(self, file: WrittenFile) -> Iterator[WrittenFile]:
        """``file`` in each possible working directory of the command."""
        if file.path is None or file.path.startswith(("/", "~")):
            yield replace(file, sure=file.sure and self.sure)
        elif not self.standing.folders:
            yield WrittenFile(None, sure=False)
        else:
            for at, path in enumerate(self.standing.joined(file.path)):
                yield replace(file, path=path, sure=file.sure and self.sure and self.standing.sure and at == 0)


def _walk(facts: Facts, depth: int, start: Standing, *, sure: bool) -> Iterator[_Seen]:
    """Each command of the script and of its nested commands, and each part that is hidden."""
    script = facts.script
    if script.status == "opaque":
        yield _Seen(None, facts, start, sure=False, hidden=script.reason or "the script cannot be read")
    for command, standing in zip(script.commands, standings(facts, start), strict=True):
        yield from _walk_command(command, facts, depth, standing, sure=sure)


def _walk_command(command: Command, facts: Facts, depth: int, standing: Standing, *, sure: bool) -> Iterator[_Seen]:
    yield _Seen(command, facts, standing, sure=sure)
    if not command.words and not command.assignments:
        return
    for inner in unwrap(command, facts):
        within = NOWHERE_KNOWN if inner.moved else standing
        certain = sure and not inner.evidence
        if depth >= MAX_DEPTH:
            hidden = f"wrappers are nested deeper than {MAX_DEPTH}"
            yield _Seen(None, facts, standing, sure=False, hidden=hidden)
        elif inner.command is not None:
            yield from _walk_command(inner.command, facts, depth + 1, within, sure=certain)
        elif inner.script is not None:
            yield from _walk(facts_of(inner.script), depth + 1, within, sure=certain)
        else:
            yield _Seen(None, facts, standing, sure=False, hidden=inner.reason or "it runs something unknown")


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
            return RiskAssessment(
                Risk.BANNED, _rule_reason(verdict, Decision.FORBIDDEN) or "a rule forbids this command"
            )
        asked = _rule_reason(verdict, Decision.PROMPT)
        if asked is not None:
            return RiskAssessment(Risk.HIGH, asked)
        for found in _all(verdict.commands):
            if found.opinion is not None and found.opinion.verdict == "dangerous":
                return RiskAssessment(Risk.HIGH, found.opinion.why)
        blocks = [*verdict.blocks, *[b for found in _all(verdict.commands) for b in found.blocks if b.code in _RULED]]
        for block in blocks:
            if block.code not in ORDINARY_BLOCKS:
                return RiskAssessment(Risk.HIGH, block.detail)
        unreadable = self._reader.read(command).unreadable
        return RiskAssessment(Risk.HIGH, unreadable) if unreadable is not None else RiskAssessment(Risk.ORDINARY)


_RULED = frozenset({"dynamic-argument", "fail-closed"})
"""Blocks of single commands that may result from a prompt or forbid rule."""


def _all(verdicts: tuple[CommandVerdict, ...]) -> Iterator[CommandVerdict]:
    for verdict in verdicts:
        yield verdict
        yield from _all(verdict.inner)


def _rule_reason(verdict: Verdict, decision: Decision) -> str | None:
    """The justification, or else a description, of the first rule with the decision ``decision``."""
    for match in verdict.matches:
        if match.decision is decision and not isinstance(match, HeuristicsMatch):
            justification = match.rule.justification
            if justification is not None:
                return justification
            word = "forbids" if decision is Decision.FORBIDDEN else "asks about"
            shown = " ".join(match.prefix) if hasattr(match, "prefix") else match.path
            return f"a rule {word} `{shown}`"
    return None
