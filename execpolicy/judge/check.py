"""``check`` and ``check_multiple`` for programs that embed the judge: the same code path as the command line's.

The two questions of Codex's heuristics are here too (seed 002, "Safety Heuristics"). They grant nothing.
"""

from __future__ import annotations

import gc
import os

from execpolicy import validators
from execpolicy.core.decision import Decision
from execpolicy.judge.judge import ask_unless_safe, judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from execpolicy.judge.judge import Fallback
    from execpolicy.judge.verdict import Verdict


_TEXT = frozenset((str,))
_PLACES = frozenset((Situation, type(None)))
_REMEMBERED = 1_000
_LONGEST = 2_000


def check(
    command: str | Sequence[str],
    rulebook: Rulebook,
    *,
    shell: str = "bash",
    situation: Situation | None = None,
    fallback: Fallback = ask_unless_safe,
) -> Verdict:
    """Returns what ``command`` gets: an argv as it is, ``[bash, -lc, script]`` or a string as the script that it is.

    Args:
        rulebook: all rules in force, see :func:`execpolicy.load_layers`.
        shell: the shell that reads a string; what a shell of another name would run is not understood.
        situation: where the command would run; the place of this process if not given.
        fallback: what a command that no rule settles gets, by the opinion ``safe``, ``dangerous`` or ``unknown``.

    Raises:
        UsageError: one of them is of another kind.
    """
    words = command if isinstance(command, str) else _words(command)
    where = situation if situation is not None else Situation.of_process()
    key = None
    try:
        if fallback is ask_unless_safe and (len(words) if isinstance(words, str) else sum(map(len, words))) <= _LONGEST:
            key = (words, shell, where.identity, "git" in str(words) and (where.repository_around, where.partial_clone))
            kept = rulebook.memo.get(key)
            if kept is not None and not any(map(os.path.islink, kept[1])):
                return kept[0]
    except (AttributeError, TypeError):
        _validate(words, rulebook, shell, situation, fallback)
        raise
    _validate(words, rulebook, shell, situation, fallback)
    if key is not None:
        where = where.asked_anew()
    collects = gc.isenabled()
    gc.disable()  # a long script is many objects that live to its end: to look for garbage among them costs a third
    try:
        verdict = judge_script(read_command(words, shell=shell), rulebook, where, fallback=fallback)
    finally:
        if collects:
            gc.enable()
    if key is not None and not where.looks:  # what lies on the disk may be another thing the next time
        if len(rulebook.memo) >= _REMEMBERED:
            rulebook.memo.clear()
        rulebook.memo[key] = verdict, tuple(where.unlinked)
    return verdict


def _validate(command: object, rulebook: object, shell: object, situation: object, fallback: object) -> None:
    """Check the arguments.

    Raises:
        UsageError: the command is no text and no list of words, or something else is of the wrong kind.
    """
    words = (command,) if type(command) is str else command
    usual = type(words) is tuple and _TEXT.issuperset(map(type, words)) and type(shell) is str
    if usual and type(rulebook) is Rulebook and type(situation) in _PLACES and fallback is ask_unless_safe:
        return
    validators.command(command, "the command")
    validators.text(shell, "the shell")
    validators.optional(validators.instance(Situation))(situation, "the situation")
    validators.instance(Rulebook)(rulebook, "the rulebook")
    validators.function(fallback, "the fallback")


def _words(command: Sequence[str]) -> tuple[str, ...]:
    if type(command) is tuple or type(command) is list:
        return tuple(command)

    return validators.argv(command, "the command")


def check_multiple(
    commands: Iterable[str | Sequence[str]],
    rulebook: Rulebook,
    *,
    shell: str = "bash",
    situation: Situation | None = None,
    fallback: Fallback = ask_unless_safe,
) -> tuple[Decision, tuple[Verdict, ...]]:
    """The strictest decision over all ``commands`` (``prompt`` for none: nothing is proven), and the verdict on each.

    Raises:
        UsageError: as for :func:`check`; a single text or a mapping is no list of commands.
    """
    if type(commands) is not list and type(commands) is not tuple:
        commands = validators.listed(commands, "what is checked", "commands")
    where = situation if situation is not None else Situation.of_process()
    verdicts = tuple(
        [check(command, rulebook, shell=shell, situation=where, fallback=fallback) for command in commands]
    )
    return max([verdict.decision for verdict in verdicts], default=Decision.PROMPT), verdicts


def is_known_safe_command(
    command: str | Sequence[str], rulebook: Rulebook, *, shell: str = "bash", situation: Situation | None = None
) -> bool:
    """True if everything that ``command`` (an argv or a script) runs is proven to only read, whatever rules say."""
    return check(command, _without_rules(rulebook), shell=shell, situation=situation).decision is Decision.ALLOW


def command_might_be_dangerous(
    command: str | Sequence[str], rulebook: Rulebook, *, shell: str = "bash", situation: Situation | None = None
) -> bool:
    """True if something that ``command`` runs, wrappers looked through, is a known destructive form."""
    verdict = check(command, _without_rules(rulebook), shell=shell, situation=situation)
    return verdict.dangerous


def _without_rules(rulebook: Rulebook) -> Rulebook:
    return Rulebook(validators.instance(Rulebook)(rulebook, "the rulebook").heuristics.entries)
