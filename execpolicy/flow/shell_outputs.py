"""What a shell prints that is given a text: ``bash -c 'echo rm'``. Evidence for restricting."""

from __future__ import annotations

from execpolicy.core.quoting import quote
from execpolicy.core.text import to_text
from execpolicy.shell.limits import READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command, Script
    from execpolicy.shell.words import Word

_MOST_TEXTS = 4
"""Texts of one shell that are looked at."""


def printed_by_shell(
    command: Command,
    words: Sequence[Word],
    facts: Facts,
    fed: Callable[[Command], tuple[list[bytes], bool]],
    printed: Callable[[Script], list[bytes]],
) -> list[bytes]:
    """What the shell, or ``printenv``, that ``words`` call prints, behind the assignments in front of it.

    Args:
        fed: what a command reads.
        printed: what the last command of a script is fed.
    """
    from execpolicy.shell.read import read_script

    given = [(one.name, one.value.literal) for one in command.assignments if one.value is not None]
    behind = next((at for at, word in enumerate(command.words) if word is words[0]), 0)
    pairs = [(word.literal or "").partition("=") for word in command.words[:behind]]
    given += [(name, value) for name, equals, value in pairs if equals and name.isidentifier()]
    set_before = "".join([f"{name}={quote(value)}\n" for name, value in given if value is not None])
    literals = [word.literal for word in words]
    texts = _texts(literals)
    if len(literals) == 1 and not texts:
        texts = [(to_text(each), None) for each in fed(command)[0][:_MOST_TEXTS]]
    found: list[bytes] = []
    for text, arguments in texts:
        if not facts.budget.spend(READ * len(text)):
            break
        found += printed(read_script("{ " + set_before + text + "\n} | cat", shell="bash", positional=arguments))
    return found


def _texts(literals: Sequence[str | None]) -> list[tuple[str, tuple[str, ...] | None]]:
    """The texts that the words hold, each with the positional parameters."""
    if (literals[0] or "").rpartition("/")[2] == "printenv":
        return [(f'echo "${{{name}}}"', None) for name in literals[1:] if name is not None and name.isidentifier()]
    if literals[0] == "eval":
        said = [each for each in literals[1:] if each is not None]
        return [(" ".join(said), None)] if len(said) == len(literals) - 1 else []
    at = next((at for at, text in enumerate(literals) if text and text[0] == "-" != text[1:2] and "c" in text), 0)
    text = literals[at + 1] if at and at + 1 < len(literals) else None
    if text is None:
        return []
    rest = [each for each in literals[at + 2 :] if each is not None]
    return [(text, tuple(rest) or None)]
