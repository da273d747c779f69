"""``check`` and ``check_multiple`` for programs that embed the judge: the same code path as the command line's."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.judge.judge import ask_unless_safe, judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.situation import Situation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from execpolicy.judge.judge import Fallback
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.verdict import Verdict


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
    """What ``command`` gets: an argv as it is, ``[bash, -lc, script]`` or a string as the script that it is.

    Args:
        rulebook: all rules in force, see :func:`execpolicy.load_layers`.
        shell: the shell that reads a string.
        situation: where the command would run; the place of this process if not given.
        fallback: what a command that no rule settles gets, by the opinion ``safe``, ``dangerous`` or ``unknown``.
    """
    where = situation if situation is not None else Situation.of_process()
    words = command if isinstance(command, str) else tuple(command)
    if fallback is not ask_unless_safe or not _is_memorable(words):
        return judge_script(read_command(words, shell=shell), rulebook, where, fallback=fallback)
    key = (words, shell, where.identity)
    verdict = rulebook.memo.get(key)
    if verdict is None:
        verdict = judge_script(read_command(words, shell=shell), rulebook, where)
        if len(rulebook.memo) >= _REMEMBERED:
            rulebook.memo.clear()
        rulebook.memo[key] = verdict
    return verdict


def _is_memorable(command: str | tuple[str, ...]) -> bool:
    """Whether the verdict depends on the rules alone: where something is written, links on disk count as well."""
    if isinstance(command, str):
        return ">" not in command and len(command) <= _LONGEST
    return not any(">" in word for word in command) and sum(map(len, command)) <= _LONGEST


def check_multiple(
    commands: Iterable[str | Sequence[str]],
    rulebook: Rulebook,
    *,
    shell: str = "bash",
    situation: Situation | None = None,
    fallback: Fallback = ask_unless_safe,
) -> tuple[Decision, tuple[Verdict, ...]]:
    """The strictest decision over all ``commands`` (``allow`` for none), and the verdict on each."""
    where = situation if situation is not None else Situation.of_process()
    verdicts = tuple(
        [check(command, rulebook, shell=shell, situation=where, fallback=fallback) for command in commands]
    )
    return max([verdict.decision for verdict in verdicts], default=Decision.ALLOW), verdicts
