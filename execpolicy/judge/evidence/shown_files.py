"""Files that a script shows and hands, by their names, to a program on no list: ``tool -c <(echo 'exec = CMD')``.

What a record says of the files that its program obeys is :mod:`execpolicy.programs.files.obeyed_files`. Of other
programs nobody knows whether they obey a file or only show it, so that what is found is as evident as on their standard
input.
"""

from __future__ import annotations

from execpolicy.core.text import names
from execpolicy.flow.look_ups import LookUps
from execpolicy.flow.streams import output_texts, written_texts
from execpolicy.judge.evidence.prose import is_prose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command

_MARKED = ("@", "file://")
"""What says that an argument is the name of a file."""
_DOCUMENTS = names("md txt rst adoc html csv tsv log")
"""Endings of files that are read by people."""


def shown_lines(command: Command, facts: Facts, name: str, *, alone: bool) -> list[str]:
    """The lines of what ``command`` is handed in process substitutions and in files that the script writes.

    Args:
        name: of its program, after which it may call files that it reads unasked: ``.lintstagedrc``, ``mprocs.yaml``.
        alone: only process substitutions; of files a record says which are obeyed.
    """
    words = command.words
    found: dict[str, None] = {}
    look_ups = None if alone else facts.once(LookUps)
    written = [] if look_ups is None else [*look_ups.writers, *look_ups.edited]
    for at in range(1, len(words)):
        word, text = words[at], words[at].literal
        if is_prose(words[0].literal or "", text or "", words[at - 1].literal or ""):
            continue
        if word.kind == "process":
            found.update(dict.fromkeys(output_texts(word.inner, facts)[0]))
        elif text and (text.startswith(_MARKED) or (written and text.rpartition(".")[2].lower() not in _DOCUMENTS)):
            for path in dict.fromkeys((text, text.rpartition("=")[2], text.lstrip("@").removeprefix("file://"))):
                found.update(dict.fromkeys(written_texts(path, facts) if path else ()))
    own = _letters(name)
    operands = {word.literal for word in words[1:]}
    for path in written:
        base = path.rpartition("/")[2]
        if (len(own) > 2 and _letters(base).startswith(own)) or base.rpartition(".")[0] in operands:
            found.update(dict.fromkeys(written_texts(path, facts)))
    lines = [line for text in found for line in text.split("\n") if line.strip()]
    return lines + [text for text in found if "arg" in text]  # what they say in several lines


def _letters(name: str) -> str:
    """``name`` without what parts its words: ``lint-staged`` calls its file ``.lintstagedrc``."""
    return "".join(filter(str.isalnum, name)).lower()
