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
    return judge_script(read_command(command, shell=shell), rulebook, where, fallback=fallback)


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
