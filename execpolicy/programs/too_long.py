"""Text of which there is too much to read each part: what rules restrict is found there by its names alone.

No number of files, lines or items hides what stands behind them. It is evidence for restricting.
"""

from __future__ import annotations

from execpolicy.programs.inner import Inner
from execpolicy.shell.limits import COMMAND, READ
from execpolicy.shell.script import Script, Seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command

_MARKING = str.maketrans(dict.fromkeys("[],:\t", " "))
"""What stands between the words of a command in files of settings, beside blanks."""


def too_long(name: str, command: Command, facts: Facts, texts: Iterable[str]) -> Iterator[Inner]:
    """What ``texts`` name that rules restrict, as something that ``command``, a call of ``name``, may run."""
    text = "\n".join(texts).translate(_MARKING)
    if text.strip() and facts.budget.spend(COMMAND + READ * len(text)):
        nothing_read = Seen(whole=False, rest=0)
        script = Script(text, "sh", "opaque", (), reason="it is too long to be read", seen=nothing_read)
        yield Inner(name, command.span, script=script, evidence=True)
