"""Which descriptors of a command reach the substitution that it runs in."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.script import Command


def is_quiet(command: Command) -> bool:
    """Whether nothing of it but its own standard output can reach the substitution around it.

    Its errors stay apart or are thrown away, and nothing beside it writes there (``>(…)``, ``|&``).
    """
    if "process" in command.context or "errors-piped" in command.context:
        return False
    for redirect in command.redirects:
        if redirect.operator.startswith("<") and redirect.operator not in ("<&", "<>") and redirect.fd in (None, "0"):
            continue
        if redirect.operator != ">" or redirect.fd != "2" or redirect.target.literal != "/dev/null":
            return False
    return not any(word.kind == "process" for word in command.words)
