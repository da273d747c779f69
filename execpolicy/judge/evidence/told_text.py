"""A text that something was told, as a script that a command may run."""

from __future__ import annotations

from execpolicy.programs.inner import TOLD, run_text
from execpolicy.shell.script import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command


def told_text(name: str, command: Command, text: str) -> Inner:
    """``text`` as what ``command``, a call of ``name``, may run; its commands get no more texts from elsewhere."""
    inner = run_text(name, command, text, shell="bash", evidence=True)
    assert inner.script is not None
    commands = tuple([changed(each, context=(*each.context, TOLD)) for each in inner.script.commands])
    return changed(inner, script=changed(inner.script, commands=commands))
