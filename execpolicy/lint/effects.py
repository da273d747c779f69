"""The effects of a script: what it would run, read, write, delete, fetch and send, as far as its text says."""

from __future__ import annotations

from typing import NamedTuple

from execpolicy.core.text import option_values
from execpolicy.judge.folders.restricted_writes import reads_file
from execpolicy.programs.catalog import facts_of
from execpolicy.programs.written_files import files_of, written_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.command_verdict import CommandVerdict
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.judge.verdict import Verdict
    from execpolicy.source import Span

_KINDS = {"write": "write", "delete": "delete", "tree": "delete", "fetch": "fetch", "send": "send"}


class Effect(NamedTuple):
    """One thing that a command would do.

    Attributes:
        kind: ``run``, ``read``, ``write``, ``delete``, ``fetch`` or ``send``.
        target: the command line, the file as the command names it, or the URL; ``None`` if only the run knows it.
        span: the range of the command in the script, in code points.
    """

    kind: str
    target: str | None
    span: Span

    def to_json(self) -> dict[str, Any]:
        """``{"effect", "target" or null, "span"}``."""
        return {"effect": self.kind, "target": self.target, "span": [self.span.start, self.span.end]}


def effects_of(verdict: Verdict) -> tuple[Effect, ...]:
    """The effects of the script of ``verdict``, each once, in source order; a wrapper's before its command's."""
    facts = facts_of(verdict.script)
    found = [each for command in verdict.commands for each in _of(command, facts, verdict.rulebook)]
    return tuple(dict.fromkeys(found))


def _of(verdict: CommandVerdict, facts: Facts, rulebook: Rulebook) -> Iterator[Effect]:
    command = verdict.command
    span = command.span
    if command.words:
        yield Effect("run", " ".join(verdict.argv), span)
    for redirect in command.redirects:
        if redirect.operator in ("<", "<>"):
            yield from [Effect("read", file.path, span) for file in files_of(redirect.target, facts)]
    for at, word in enumerate(command.words[1:], 1):
        text = word.literal or "x"
        for start in option_values(text):
            named = text[start - 1] == "=" if start else text == "-" or text[0] != "-"
            if named and reads_file(command, at, start, facts, rulebook):
                yield Effect("read", None if word.literal is None else word.literal[start:], span)
    yield from [Effect("write", file.path, span) for file in written_files(command, facts)]
    if verdict.opinion is not None:
        yield from [
            Effect(_KINDS[one.effect], one.text, span) for one in verdict.opinion.locations if one.effect in _KINDS
        ]
    for inner in verdict.inner:
        yield from _of(inner, facts, rulebook)
