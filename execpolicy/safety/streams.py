"""The demands of an entry on the input and the output of a call whose words it accepts."""

from __future__ import annotations

from execpolicy.flow.descriptors import is_captured
from execpolicy.safety.entries import SafeCommand
from execpolicy.safety.opinion import Opinion
from execpolicy.safety.values import NAMED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command


def by_streams(opinion: Opinion, command: Command, facts: Facts) -> Opinion:
    """``opinion``, which is safe by the words of ``command``, unless its input or its output makes a difference."""
    entry = opinion.entry
    unpaged = not opinion.piped or (isinstance(entry, SafeCommand) and entry.opens_no_pager(command))
    if not unpaged and not is_captured(command, facts):
        why = "on a terminal it opens a pager, in which programs can be started; in front of `| cat` it does not"
        return Opinion("unknown", "pager", why, entry=entry)
    return _by_input(opinion, command) if opinion.input else opinion


def _by_input(opinion: Opinion, command: Command) -> Opinion:
    """The same for an entry that accepts a here-document of one form as the only input."""
    form = NAMED[opinion.input]
    text = command.body.literal if command.body is not None else None
    reading = [one.operator for one in command.redirects if one.operator[:1] == "<" and one.fd in (None, "0")]
    if text is None or command.piped_from or any(not operator.startswith("<<") for operator in reading):
        why = f"its input is only known at run time and must be {form.name}"
    else:
        problem = form.check(text)
        if problem is None:
            return opinion.with_locations(form.locations(text))
        why = f"its input {problem}"
    return Opinion("unknown", "value", why, entry=opinion.entry)
