"""Shell text that a command is given as words, run: what it says, with the input that its shell passes on."""

from __future__ import annotations

from execpolicy.flow.texts import texts_of, with_variables
from execpolicy.programs.inner import Inner, run_text, run_unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

UNKNOWN_TEXT = "runs shell text that is only known at run time"


def run_joined(
    name: str,
    command: Command,
    facts: Facts,
    words: Sequence[Word],
    *,
    shell: str = "sh",
    transparent: bool = False,
) -> list[Inner]:
    """What running the words, joined with blanks, as shell text would run."""
    if not words:
        return []
    exact, evidence = texts_of(words, facts)
    if exact is not None:
        found = [run_text(name, command, exact, shell=shell, transparent=transparent)]
        shown = with_variables(exact, facts)
        if shown is not None:
            found.append(run_text(name, command, shown, shell=shell, evidence=True))
        return with_input(found, command, facts)
    found = [run_text(name, command, text, shell=shell, evidence=True) for text in evidence if text.strip()]
    for text in evidence[:2]:
        shown = with_variables(text, facts)
        if shown is not None:
            found.append(run_text(name, command, shown, shell=shell, evidence=True))
    found.append(run_unknown(name, command, UNKNOWN_TEXT))
    return with_input(found, command, facts)


def run_word(
    name: str, command: Command, facts: Facts, word: Word, *, shell: str = "sh", transparent: bool = False
) -> list[Inner]:
    """What running one word as shell text would run."""
    return run_joined(name, command, facts, (word,), shell=shell, transparent=transparent)


def with_input(found: list[Inner], command: Command, facts: Facts) -> list[Inner]:
    """Give the commands of an inner script the input that its shell passes on, when that is visible."""
    if command.body is None and not command.piped_from:
        return found
    from execpolicy.flow.streams import fed_texts
    from execpolicy.shell.script import Command as Fed
    from execpolicy.shell.words import Word as Text

    texts, _ = fed_texts(command, facts)
    if not texts:
        return found
    body = Text(texts[0], command.span)
    result: list[Inner] = []
    for inner in found:
        read = inner.script
        if read is None or not any(not c.piped_from and c.body is None for c in read.commands):
            result.append(inner)
            continue
        commands = tuple(
            [
                each
                if each.piped_from or each.body is not None
                else Fed(
                    each.words,
                    each.span,
                    assignments=each.assignments,
                    redirects=each.redirects,
                    context=each.context,
                    body=body,
                )
                for each in read.commands
            ]
        )
        fed = read.with_commands(commands)
        result.append(Inner(inner.name, inner.span, script=fed, transparent=inner.transparent, evidence=inner.evidence))
    return result
