"""Where what a command prints goes: to the substitution that it runs in, a pipe, nowhere, or perhaps a terminal."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command, Redirect

_HANDING_ON = frozenset([f"wrapper:{name}" for name in ("timeout", "nice", "ionice", "stdbuf", "command", "env")])
"""Programs whose command prints where they print themselves."""


def is_quiet(command: Command) -> bool:
    """True if nothing of it but its own standard output can reach the substitution around it.

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


def is_captured(command: Command, facts: Facts) -> bool:
    """True if standard output of ``command`` is surely no terminal: a pipe, a substitution or ``/dev/null``.

    What a function prints depends on who calls it, and ``>(…)`` prints where the script does.
    """
    if not facts.outermost.terminal:
        return _HANDING_ON.issuperset([place for place in command.context if place.startswith("wrapper:")])
    if any(
        (place.startswith(("function:", "wrapper:")) and place not in _HANDING_ON)
        or place in ("process", "trap", "coproc")
        for place in command.context
    ):
        return False
    if any(_moves_output(one) for one in command.redirects):
        return all(one.target.literal == "/dev/null" for one in command.redirects if _moves_output(one))
    script = facts.script
    here = {at for at, each in enumerate(script.commands) if each.span == command.span}
    piped = "substitution" in command.context
    for each in script.commands:
        if here.intersection(each.piped_from):
            if not each.words and any(_moves_output(one) for one in each.redirects):
                return False
            piped = piped or bool(each.words)
    return piped


def _moves_output(redirect: Redirect) -> bool:
    """True if it may say where standard output goes."""
    return not redirect.operator.startswith("<<") and (
        redirect.fd not in (None, "0", "2") or (redirect.fd is None and not redirect.operator.startswith("<"))
    )
