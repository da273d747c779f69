"""Suggests the rules that would have saved the most prompts: prefixes that name the task, each proven by judging.

People follow a suggestion without reading it twice, so in doubt there is none. A prefix is not suggested if it is
refused for saving, is too broad for the linter, or is known to be dangerous. Nor is it suggested if it runs an
interpreter, fetches code, reaches other machines, or names an action that is hard to undo. A suggestion accepts only
the options that the history contains, and nothing outside the project.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

from execpolicy.amend.preview import reusable_prefix, why_not_savable
from execpolicy.amend.save_plan import Grant, exactly, known_words, obstacles, restricts
from execpolicy.core.banned import is_banned
from execpolicy.core.decision import Decision
from execpolicy.core.exclusion import left_out_by
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.quoting import join
from execpolicy.core.text import word_set, words_in
from execpolicy.insight.harmless_tasks import (
    ANY_OPTION,
    OUTSIDE,
    actions_behind,
    harmless_as_it_is,
    has_facts,
    has_tasks,
    is_plain_option,
    is_unlisted,
    runs_alone,
    runs_named_tasks,
    said_worst,
    takes_files,
)
from execpolicy.judge.command_verdict import CommandVerdict
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.verdict import Verdict
from execpolicy.lang.render import render_prefix_rule
from execpolicy.lint.checks.broad import is_shell_rule
from execpolicy.lint.worst import runs_program_text, worst_of
from execpolicy.programs.breadth import innermost, takes_plain_value, why_broad, without_options
from execpolicy.programs.catalog import record_of
from execpolicy.programs.names import base_name

Prefix: TypeAlias = tuple[str, ...]
Needs: TypeAlias = tuple[Prefix, ...] | None
"""The commands, with all words, that would have to be allowed; ``None`` if no suggestible rule helps."""

LONGEST = 4
"""The number of first words that identify a dangerous command."""


def needs_of(verdict: Verdict) -> Needs:
    """The commands of a prompted script that would need a rule; ``None`` if rules cannot help."""
    if verdict.script.status == "opaque" or verdict.blocks:
        return None
    found: dict[Prefix, None] = {}
    for command in verdict.commands:
        if not _collect(command, found):
            return None
    return tuple(found) or None


def dangers_of(verdict: Verdict) -> tuple[Prefix, ...]:
    """The first words of every command in the script that heuristics call dangerous."""
    return tuple(_dangers(verdict.commands))


def _dangers(commands: Sequence[CommandVerdict]) -> Iterator[Prefix]:
    for command in commands:
        if command.dangerous:
            yield known_words(command)[:LONGEST]
        yield from _dangers(command.inner)


def _collect(command: CommandVerdict, found: dict[Prefix, None]) -> bool:
    """Adds the commands of ``command`` that need a rule to ``found``; ``False`` if no rule helps."""
    if command.decision is Decision.ALLOW:
        return True
    if command.dangerous or any(map(restricts, command.matches)):
        return False
    if command.source == "wrapper" and command.inner:
        return all(_collect(inner, found) for inner in command.inner)
    words = known_words(command)
    if not words or len(words) < len(command.command.words):
        return False  # the rest is only known at run time
    found[words] = None
    return True


_FETCHING = word_set(
    "add ci dlx download get i install tidy require restore resolve setup sync tool update upgrade autoupdate cache "
    "clone checkout create fetch init lock new pull up vendor fix wheel x"
)
"""Subcommands that fetch code, for programs that fetch code; also as the part of a word: ``deps.get``."""

_FETCHES = "it fetches code from elsewhere, and may run it"
_BRINGING = word_set("deps get-deps fetch-deps install-deps go-offline resolve")
"""Tasks that fetch code, for every program: ``make deps``, ``mvn dependency:resolve``."""

_READING = word_set(
    "checks describe diff events fmt history images info inspect lint list logs ls ps search show status template top "
    "validate version view"
)
"""Last words of a prefix, for programs that reach other machines, that only read."""

_RUNNING = word_set("run exec run-script")
_HARD_TO_TAKE_BACK = word_set(
    "abort activate admin alias allow amend apply approve auth burn call clear config console copy cp credentials "
    "delete deliver deploy destroy dist down downgrade drop edit emit enable env environment erase eval exec execute "
    "expire expunge filter flash flyway force foreach function gc gen generate hook hooks import install invoke jib "
    "kill link liquibase login logout merge migrate mv nuke owner plugin plugins pop prod production promote prune "
    "publish purge push put rebase register release remove repl replace reset restart revert revision rewrite rm "
    "rollback root runner scaffold secret secrets seed self send set shell ship sign signed sonatype ssh stop submit "
    "sudo supply switch terminate tinker token truncate undeploy uninstall unlink unlock unpublish unset upgrade "
    "upload use wipe yank"
)
"""Parts of words that name actions hard to undo; ``clean``, ``build`` and ``test`` are wanted in suggestions."""

_HARD = "what `{}` does may be hard to take back, or let other programs run"
_ENDS = ("deploy", "publish", "release")
_BUILDING = word_set("assemble build bundle compile lint test")
_KINDS_OF_BUILD = word_set("debug dist prod production release")
"""Kinds of build that are harmless: ``assembleRelease``, ``build:prod``."""


def grant_for(words: Prefix) -> Grant:
    """The rule for the command ``words``: for exactly these words, or for any files of the project after the task.

    The wider form is for programs whose operands are known to be harmless, and accepts no further option.
    """
    task = _task(words)
    if task is None or not takes_files(task):
        return exactly(words)
    end = len(task)
    while end < len(words) and is_plain_option(task, words[end]):
        end += 1
    rest = Grant(words[:end], (ANY_OPTION, *OUTSIDE, *actions_behind(task)))
    return rest if rest.rule().matched_prefix(words) is not None else exactly(words)


def _task(words: Prefix) -> Prefix | None:
    """The words that name the task; ``None`` if the program is unknown."""
    tail, start = innermost(words)
    if start and tail and has_facts(tail):
        return (*start, *(reusable_prefix(tail) or tail[:1]))
    reusable = reusable_prefix(words)
    if reusable is None and has_tasks(words) and not _hands_over(words[0]) and "".join(words[1:2])[:1] in ("", "-"):
        return words[:1]  # a word that begins with a dash does not name the task
    return reusable


def _judged_task(words: Prefix) -> Prefix | None:
    """The task, ignoring known options wherever they are; it has to be harmless for a rule for exactly ``words``."""
    if runs_alone(words):
        return words
    plain = without_options(words)
    task = (_task(plain) if plain != words else None) or _task(words)
    return words if task is None and runs_named_tasks(words) else task


def _hands_over(program: str) -> bool:
    """True if ``program`` runs the words after it, or text in them."""
    record = record_of(base_name(program))
    return record is not None and bool(record.wraps or record.language)


def why_not(words: Prefix) -> str | None:
    """The reason, as a phrase, why no allow rule for the command ``words`` is suggested; ``None`` if one may be.

    Whether the command is dangerous is in its verdict.
    """
    why = why_not_savable(words)
    if why is not None:
        return why
    if "/" in words[0] and left_out_by(OUTSIDE, words[:1]) is not None:
        return f"`{words[0]}` is outside the project"
    task = _judged_task(words)
    if task is None:
        return _too_broad(words[:1]) or _too_broad(words) or f"nothing is known of `{join(words[:1])}`"
    exact = len(task) == 1 and not takes_files(task)
    if not harmless_as_it_is(words if runs_alone(task) else task):
        why = _fetches(task, words) or _too_broad(words if exact else task) or _reaches_far(task, words)
        if why is None and is_unlisted(words if len(task) == 1 else task):
            why = f"no one has examined what `{join(task)}` does"
        if why is not None:
            return why
    harmful = said_worst(words)
    return None if harmful is None else f"`{harmful}` leads out of the project, or lets others say what runs"


def _too_broad(prefix: Prefix) -> str | None:
    """The reason, as a phrase, if it, or a program that it runs, can execute arbitrary commands; ``None`` otherwise."""
    for start in {0, len(innermost(prefix)[1])} if not _hands_over(prefix[0]) or len(prefix) > 1 else {0}:
        tail = prefix[start:]
        if not tail:
            continue
        broad = why_broad(tail)
        if broad is not None:
            return broad
        if is_banned(tail) or is_shell_rule(PrefixPattern.of(tail)):
            return "it allows whatever that program can be told to do"
        named = takes_files(tail) or (runs_named_tasks(tail) and "." not in tail[-1])
        if runs_program_text(tail[0]) and not (_is_known_module(tail) or named):
            return "it runs a program that can be rewritten between two runs"
    record = record_of(base_name(prefix[0]))
    if (
        prefix[-1] in _RUNNING
        and not takes_files(prefix)
        and (record is None or record.runs_others() or not record.extensions)
    ):
        return "it runs whatever is named behind it"
    wraps = record is not None and any(spec.subcommands for spec in record.wraps)
    if wraps and len(prefix) > 2 and prefix[1] in _RUNNING:
        inner = prefix[len(innermost(prefix)[1]) or 2 :]
        if not _is_script_of_package(prefix) and reusable_prefix(inner) != inner:
            return f"nothing is known of `{join(inner)}`"
    return None


def _is_checker(prefix: Prefix) -> bool:
    """True for ``npx eslint``: a well-known program that a project has installed."""
    return prefix[0] in ("npx", "bunx") and has_tasks(innermost(prefix)[0])


def _is_known_module(words: Sequence[str]) -> bool:
    return len(words) > 2 and words[1] == "-m" and words[0].startswith("python") and has_facts(words)


def _is_script_of_package(prefix: Prefix) -> bool:
    """True for ``npm run build``: the next word names an entry of ``package.json`` or a similar file, not a program."""
    return prefix[1] != "exec" and runs_named_tasks(prefix)


def _reaches_far(prefix: Prefix, words: Prefix) -> str | None:
    """The reason, as a phrase, if it, or a program that it runs, acts remotely or is hard to undo, or ``None``."""
    tail = tuple(innermost(prefix)[0])
    for done in dict.fromkeys([prefix, tail or prefix]):
        record = record_of(base_name(done[0]))
        if record is None:
            continue
        within = len(done) < len(prefix) or not innermost(prefix)[1]
        if record.far and done[-1] not in _READING and not (within and takes_files(done)):
            return "it acts on other machines, containers or the whole system"
        if done[0] == "git" and done[-1] not in _READING and not takes_files(done):
            return "some of its options run programs, or it talks to other machines"
    start = len(innermost(prefix)[1])
    said = words[max(start, 1) : words.index("--") if "--" in words[start:] else None]
    named = [
        word for before, word in pairwise(("", *said)) if word[:1] != "-" and not takes_plain_value(prefix, before)
    ]
    for word in prefix[max(start, 1) :] if takes_files(prefix) else named:
        if not _is_file(word) and any(each in _HARD_TO_TAKE_BACK or each.endswith(_ENDS) for each in _parts(word)):
            return _HARD.format(word)
    return None


def _is_file(word: str) -> bool:
    """True for ``tests/test_login.py``: the name of a file does not describe the action."""
    return "/" in word and "." in word.rpartition("/")[2] and ":" not in word


def _parts(word: str) -> list[str]:
    """The words of a name that the project chose, without the kinds of build; ``api.run`` executes it."""
    parts = words_in(word)
    if word.replace(":", ".").replace("/", ".").rpartition(".")[2] == "run" != word:
        return ["exec"]
    if parts[:1] and parts[0] in _BUILDING:
        return [each for each in parts if each not in _KINDS_OF_BUILD]
    return [*parts, *words_in(word.lower())]


def _fetches(prefix: Prefix, words: Prefix) -> str | None:
    """The reason, as a phrase, if it, or a program that it runs, fetches code; ``None`` otherwise."""
    if not takes_files(prefix) and any(word.rpartition(":")[2] in _BRINGING for word in words[1:]):
        return _FETCHES
    for done in dict.fromkeys([prefix, tuple(innermost(prefix)[0]) or prefix]):
        record = record_of(base_name(done[0]))
        if record is not None and record.fetches:
            runs = any(not spec.subcommands for spec in record.wraps) and not _is_checker(done)
            further = () if takes_files(prefix) else words[: words.index("--") if "--" in words else None]
            said = [word for word in done[1:] if _is_fetching(word)] + [
                each for each in further[1:] if each in _FETCHING
            ]
            if not runs and said and _is_for_another(said[0], prefix):
                return _HARD.format(said[0])
            if runs or said:
                return _FETCHES
    return None


def _is_for_another(word: str, prefix: Prefix) -> bool:
    """True if ``word`` is a task of a program that fetches nothing: ``uv run alembic upgrade``."""
    tail, start = innermost(prefix)
    record = record_of(base_name(tail[0])) if start and word in tail else None
    return record is not None and not record.fetches


def _is_fetching(word: str) -> bool:
    return not _FETCHING.isdisjoint([word, word.rpartition(".")[2]]) or any(
        len(part) > 3 and part in _FETCHING for part in words_in(word)
    )


_MOST_GROUPS = 300
"""The maximum number of kinds of prompted scripts that are examined, most frequent first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """An allow rule that the history suggests.

    Attributes:
        worst: the most dangerous command that its prefix alone would allow and that it excludes; ``None`` if none is
            known.
        saved: prompts that it would have saved, given the suggestions before it.
        commands: distinct commands among them.
        example: the most frequent of them.
    """

    prefix: Prefix
    unless: Prefix
    worst: str | None
    saved: int
    commands: int
    example: str

    @property
    def line(self) -> str:
        """The rule as it is saved."""
        return render_prefix_rule(list(self.prefix), unless=self.unless)

    def to_json(self) -> dict[str, Any]:
        """``{rule, prefix, unless, worst, saved, commands, example}``."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {"rule": self.line, **fields, "prefix": list(self.prefix), "unless": list(self.unless)}


@dataclass(slots=True, kw_only=True)
class Suggestions:
    """The suggested rules, and the candidates that were refused.

    Attributes:
        rules: in order of the prompts that they would have saved.
        refused: commands that kept prompts from being allowed, with prompts and reason.
        once: commands that caused one prompt, and that a rule of their own could allow.
    """

    rules: list[Suggestion] = field(default_factory=list)
    once: list[str] = field(default_factory=list)
    refused: list[tuple[Prefix, int, str]] = field(default_factory=list)


def suggest(
    prompted: Mapping[str | Prefix, int],
    needs: Mapping[str | Prefix, Needs],
    rulebook: Rulebook,
    situation: Situation,
    *,
    dangers: Iterable[Prefix] = (),
    shell: str = "bash",
    most: int = 10,
) -> Suggestions:
    """The rules that would have saved the most of ``prompted`` (command to how often), at most ``most`` of them.

    Args:
        needs: the result of :func:`needs_of` for each prompted command.
        dangers: dangerous commands of the history by their first words; no rule that covers one is suggested.
    """
    return _Search(prompted, needs, rulebook, situation, shell, set(dangers)).run(most)


@dataclass(slots=True)
class _Search:
    prompted: Mapping[str | Prefix, int]
    needs: Mapping[str | Prefix, Needs]
    rulebook: Rulebook
    situation: Situation
    shell: str
    dangers: set[Prefix]
    reasons: dict[Prefix, str | None] = field(default_factory=dict)
    refused: dict[Prefix, tuple[int, str]] = field(default_factory=dict)
    groups: dict[frozenset[Grant], list[str | Prefix]] = field(default_factory=dict)
    weights: dict[frozenset[Grant], int] = field(default_factory=dict)
    with_grant: dict[Grant, list[frozenset[Grant]]] = field(default_factory=dict)

    def run(self, most: int) -> Suggestions:
        self._sort()
        found = Suggestions()
        chosen: set[Grant] = set()
        saved: set[str | Prefix] = set()
        given_up: set[frozenset[Grant]] = set()
        while len(found.rules) < most:
            best = self._best(chosen, given_up)
            if best is None:
                break
            given_up.add(best)
            added = sorted(best - chosen)
            if len(found.rules) + len(added) > most:
                continue
            proven = self._proven(chosen, added, saved)
            if not any(commands for _, commands in proven):
                continue
            chosen.update(added)
            for grant, commands in proven:
                saved.update(commands)
                found.rules.append(self._suggestion(grant, commands))
        self._leave(saved, most, found)
        found.refused = sorted(
            [(words, times, why) for words, (times, why) in self.refused.items()], key=lambda one: (-one[1], one[0])
        )
        return found

    def _sort(self) -> None:
        """Groups the commands that the same rules would allow, and separates those that no rule should allow."""
        groups: dict[frozenset[Grant], list[str | Prefix]] = {}
        for command in self.prompted:
            wanted = self.needs.get(command)
            if not wanted:
                self._refuse(command, command, self._why_no_rule(command))
                continue
            grants: set[Grant] = set()
            for words in wanted:
                why = self._why_not(words)
                if why is not None:
                    self._refuse(command, words, why)
                    break
                grants.add(grant_for(words))
            else:
                groups.setdefault(frozenset(grants), []).append(command)
        weights = {group: sum([self.prompted[command] for command in commands]) for group, commands in groups.items()}
        for group in sorted(groups, key=lambda group: (-weights[group], sorted(group)))[:_MOST_GROUPS]:
            self.groups[group] = groups.pop(group)
            self.weights[group] = weights[group]
            for grant in group:
                self.with_grant.setdefault(grant, []).append(group)
        for commands in groups.values():
            for command in commands:
                self._refuse(command, command, "too many other commands were asked about more often")

    def _refuse(self, command: str | Prefix, words: str | Prefix, why: str) -> None:
        shown = words if isinstance(words, tuple) else (words,)
        times = self.refused.get(shown, (0, ""))[0]
        self.refused[shown] = times + self.prompted[command], why

    def _leave(self, saved: set[str | Prefix], most: int, found: Suggestions) -> None:
        """Records the reason for every command that no suggestion saves."""
        for commands in self.groups.values():
            for command in commands:
                if command in saved:
                    continue
                if self.prompted[command] == 1 and len(found.rules) >= most:
                    found.once.append(command if isinstance(command, str) else join(command))
                elif len(found.rules) >= most:
                    self._refuse(command, command, f"{most} other rules save more; ask for more with `--suggest`")
                else:
                    self._refuse(command, command, self._why_no_rule(command))

    def _why_no_rule(self, command: str | Prefix) -> str:
        verdict = judge_script(read_command(command, shell=self.shell), self.rulebook, self.situation)
        why = obstacles(verdict)
        if why:
            return why[0]
        worst = next((one for one in verdict.commands if one.dangerous), None)
        if worst is not None:
            return f"`{join(worst.argv)}` is dangerous"
        return "a word of it is only known at run time, and a rule would allow any other in its place"

    def _why_not(self, words: Prefix) -> str | None:
        if words not in self.reasons:
            grant = grant_for(words)
            rule = grant.rule()
            used = next((one for one in sorted(self.dangers) if rule.matched_prefix(one) is not None), None)
            if used is not None:
                self.reasons[words] = f"it would also allow `{join(used)}` of this history, which is dangerous"
            else:
                self.reasons[words] = why_not(words)
        return self.reasons[words]

    def _best(self, chosen: set[Grant], given_up: set[frozenset[Grant]]) -> frozenset[Grant] | None:
        """The group that saves the most prompts for each rule that it adds."""
        best: tuple[float, list[Grant]] | None = None
        for group in self.groups:
            added = group - chosen
            if group in given_up or not added:
                continue
            together = chosen | group
            helped = {other for grant in added for other in self.with_grant[grant] if other <= together}
            rank = (-sum([self.weights[other] for other in helped]) / len(added), sorted(group))
            if best is None or rank < best:
                best = rank
        return None if best is None else frozenset(best[1])

    def _proven(
        self, chosen: set[Grant], added: Sequence[Grant], saved: set[str | Prefix]
    ) -> list[tuple[Grant, list[str | Prefix]]]:
        """For each added grant the commands that judging shows to be newly allowed, given the grants before it."""
        have = set(chosen)
        found: list[tuple[Grant, list[str | Prefix]]] = []
        for grant in added:
            have.add(grant)
            rulebook = self.rulebook.with_statements(*[one.rule() for one in sorted(have)])
            affected = [
                command
                for group in self.with_grant[grant]
                if group <= have
                for command in self.groups[group]
                if command not in saved
            ]
            now = [command for command in affected if self._is_harmlessly_allowed(command, rulebook)]
            found.append((grant, now))
        return found

    def _is_harmlessly_allowed(self, command: str | Prefix, rulebook: Rulebook) -> bool:
        verdict = judge_script(read_command(command, shell=self.shell), rulebook, self.situation)
        return verdict.decision is Decision.ALLOW and not verdict.dangerous

    def _suggestion(self, grant: Grant, commands: Sequence[str | Prefix]) -> Suggestion:
        top = max(commands, key=lambda command: (self.prompted[command], str(command)), default="")
        worst = worst_of(grant.pattern)
        return Suggestion(
            prefix=grant.pattern,
            unless=grant.unless,
            worst=None if worst is None else join(worst.words),
            saved=sum([self.prompted[command] for command in commands]),
            commands=len(commands),
            example=top if isinstance(top, str) else join(top),
        )
