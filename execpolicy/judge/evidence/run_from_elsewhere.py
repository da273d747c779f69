"""What a command runs whose text comes from where nobody follows it: what the script told its commands before.

``git config x.y 'git push'; git config x.y | sh``: no model of programs says what the shell reads, but the text stands
in the script. Every text there that a rule may see a command in counts as one where something runs a text of unknown
origin, or a file whose name somebody was told who may have written it. It is evidence: nothing found here ever helps a
grant.
"""

from __future__ import annotations

from execpolicy.flow.streams import fillers
from execpolicy.programs.inner import run_argv, told_text
from execpolicy.programs.options import every_option, option_table
from execpolicy.programs.shelf import record_of_version
from execpolicy.programs.text_runs import STDIN_PATHS
from execpolicy.shell.limits import COMMAND, READ
from execpolicy.shell.script import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.evidence.handed_out import HandedOut
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.programs.inner import Inner
    from execpolicy.programs.record import Program
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_SOURCING = ("source", ".")
_STARTING = ("BASH_ENV", "ENV")
"""Variables that name a file which a shell reads first."""
_MAKING = ("make", "gmake", "bmake")
_RECIPES = ("GNUmakefile", "makefile", "Makefile")
_SHELL = "shell"
_ORDERS = "orders"


def run_from_elsewhere(
    command: Command, facts: Facts, rulebook: Rulebook, found: Sequence[Inner], handed: HandedOut
) -> Iterator[Inner]:
    """What ``command`` may run that the script says elsewhere.

    Args:
        found: what it is seen to run.
        handed: which texts other commands got.
    """
    name = (command.words[0].literal or "").rpartition("/")[2]
    record = record_of_version(name)
    files = _files(command, facts, record)
    unknown = _runs_unknown_text(command, facts, record, found)
    restricted = name in rulebook.restricting and any(word.inner for word in command.words)
    if not unknown and not files and not restricted:
        return
    from execpolicy.judge.evidence.texts_elsewhere import TextsElsewhere

    places: list[tuple[TextsElsewhere, Command]] = []
    place: tuple[Facts, Command] | None = (facts, command)
    while place is not None:
        around, here = place
        places.append((around.once(TextsElsewhere, rulebook), here))
        place = around.around
    if _takes_output(command) and (restricted or (unknown and (record is None or record.language in ("", _SHELL)))):
        from execpolicy.judge.evidence.changed_on_its_way import arguments, changed_texts

        if restricted:
            yield from arguments(command, facts, places, handed, rulebook)
        else:
            yield from changed_texts(command, facts, places, handed)
    if not any(elsewhere.texts for elsewhere, _ in places):
        return
    if not unknown and not any(elsewhere.touches(files, here) for elsewhere, here in places):
        return
    printed = command.words[0].literal is None
    for way in _ways(record, found):
        for text in [text for elsewhere, here in places for text in elsewhere.before(here, way, handed)]:
            if printed and len(command.words) > 1:
                yield run_argv(name, command, text.split(), command.words[1:], evidence=True)
            if any(map(str.isspace, text)):  # a program's name alone is an everyday argument
                yield from _read(name, command, facts, text, way)


def _takes_output(command: Command) -> bool:
    """Whether ``command`` is given what another one prints."""
    return bool(command.piped_from) or any(
        word.inner for word in (*command.words, *[one.target for one in command.redirects])
    )


def _ways(record: Program | None, found: Sequence[Inner]) -> list[str]:
    """How a text is read that reaches the program of ``record``."""
    if record is None or record.language == _SHELL:
        return [_SHELL]
    if record.language:
        return [record.language, *([_SHELL] if any(inner.opaque for inner in found) else [])]
    return [_ORDERS if record.obeys_files() else _SHELL]


def _read(name: str, command: Command, facts: Facts, text: str, way: str) -> Iterator[Inner]:
    """What ``text`` runs, read as ``way`` says."""
    if not facts.budget.spend(COMMAND + READ * len(text)):
        return
    if way == _SHELL:
        yield told_text(name, command, text)
    elif way == _ORDERS:
        from execpolicy.programs.files.recipes import orders

        for order in orders(text):
            if facts.budget.spend(COMMAND + READ * len(order)):
                yield told_text(name, command, order)
    else:
        from execpolicy.programs.program_text import code_commands

        for inner in code_commands(name, command, text, way):
            if not inner.opaque:
                yield changed(inner, transparent=False, evidence=True)


def _runs_unknown_text(command: Command, facts: Facts, record: Program | None, found: Sequence[Inner]) -> bool:
    """Whether something that ``command`` runs is only known at run time, and may come out of the script."""
    first = command.words[0]
    if first.literal is None:
        return "/" not in first.ending and not _is_from_outside(first, facts)
    if record is not None and record.language == _SHELL and _runs_some_file(command, facts, record):
        return True
    if record is not None and record.language and _reads_its_program(command, record):
        return True
    if not any(inner.opaque for inner in found):
        return False
    unknown = [word for word in command.words[1:] if word.literal is None]
    return not unknown or bool(command.piped_from) or not all(_is_from_outside(word, facts) for word in unknown)


def _reads_its_program(command: Command, record: Program) -> bool:
    """Whether an interpreter, given neither program nor file, takes its program from a pipe or a redirection."""
    way = every_option(option_table(record.options), command.words, 1)
    given = [command.words[at].literal for at in way.operands] + ["!" for seen in way.seen if seen.kind == "!"]
    return bool(command.piped_from or command.redirects) and STDIN_PATHS.issuperset(given)


def _runs_some_file(command: Command, facts: Facts, record: Program) -> bool:
    """Whether a shell runs a file of which not even the name is known: ``sh *``, ``find -exec sh {} +``."""
    operands = every_option(option_table(record.options), command.words, 1).operands
    file = command.words[operands[0]] if operands else None
    if file is None or file.literal is not None or file.inner or file.prefix.strip("./"):
        return False
    if any(text.strip("{}") for value in facts.values(file) for text in value):
        return False
    return not _is_from_outside(file, facts)


def _is_from_outside(word: Word, facts: Facts) -> bool:
    """Whether ``word`` is a variable that the script never fills: whatever it holds, the script does not say it."""
    alone = word.alone
    if alone is None or alone.kind != "variable":
        return False
    if not alone.name.isidentifier() or facts.script.positional:
        return False
    around = facts.around
    while around is not None:
        if around[0].mentions(alone.name + "="):
            return False
        around = around[0].around
    return not fillers(facts, alone.name) and alone.name not in facts.assigned


def _files(command: Command, facts: Facts, record: Program | None) -> list[str]:
    """What names the files that ``command`` may run or obey."""
    words = command.words
    program = words[0].literal if words[0].literal is not None else words[0].written
    found = [program] if "/" in program else []
    found += [one.value.literal or "" for one in command.assignments if one.name in _STARTING and one.value is not None]
    if record is None:
        return found
    if record.language == _SHELL or program in _SOURCING:
        operands = every_option(option_table(record.options), words, 1).operands
        words = words[: operands[0] + 1 if operands else 1]
    elif program in _MAKING:
        found += _RECIPES
    elif not record.language and "named" not in record.obeys.split():
        words = words[:1]
    for word in words[1:]:
        found += facts.texts(word)
    return [*found, *[pattern for pattern in record.obeys.split() if pattern != "named"]]
