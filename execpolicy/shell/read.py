"""Reading a script: text in, ``Script`` out, whatever the text is."""

from __future__ import annotations

from execpolicy.shell.plain import read_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.limits import Limits
    from execpolicy.shell.script import Script


def read_script(
    text: str, *, shell: str = "bash", limits: Limits | None = None, positional: tuple[str, ...] | None = None
) -> Script:
    """Read ``text`` as ``shell`` (``bash sh dash ksh zsh``; anything else is opaque) would. Never raises.

    What its values, functions and arithmetic come to is not said here: that is asked of ``execpolicy.flow.facts``.

    Args:
        positional: ``$0 $1 …`` as far as the caller knows them; they are evidence for dynamic words.
    """
    if limits is None and (shell == "bash" or shell == "sh" or shell == "dash"):
        short = read_plain(text, shell)
        if short is not None:
            return short
    # A plain script does not need the full reader, which takes longer to load than to run.
    from execpolicy.shell.grammar.reading import read_whole
    from execpolicy.shell.limits import DEFAULT_LIMITS

    return read_whole(text, shell, limits or DEFAULT_LIMITS, positional)
