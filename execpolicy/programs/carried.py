"""What a program runs, by its record on the shelf: every way that the record names counts."""

from __future__ import annotations

from execpolicy.programs.shelf import record_of
from execpolicy.shell.limits import MANY_WORDS
from execpolicy.shell.script import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.programs.record import Program
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

MANY_TIMES = 16
"""A wrapper that comes more often in a row is opened only a few times."""


def carried(command: Command, facts: Facts, name: str) -> Iterator[Inner]:
    """What the program ``name``, which is on the shelf, runs when it is called as in ``command``."""
    record = record_of(name)
    if record is None:
        return
    if len(command.words) > MANY_WORDS:
        skipped = _repeated(command.words)
        if skipped:
            from execpolicy.programs.inner import run_command, run_unknown

            # Only the last of the same wrappers in a row are opened, and nothing is granted for it.
            rest = run_command(name, command, command.words[skipped:])
            yield from [rest, run_unknown(name, command, "runs itself many times over")]
            return
    if record.wraps:
        from execpolicy.programs.wrapped import wrapped

        for spec in record.wraps:
            yield from wrapped(name, spec, record.leading, command, facts)
    if record.settings:
        from execpolicy.programs.run_by_options import run_by_options

        yield from run_by_options(command, facts, name, record)
    if record.language and record.language != "shell":
        from execpolicy.programs.interpreted import interpreter

        yield from interpreter(command, facts, name, record)
    carries = record.carries
    if carries is not None:
        yield from carries(command, facts, name, record)
        if record.literal and command.plain_argv is None:
            from execpolicy.programs.likely_words import likely

            inners = [inner for guess in likely(command, facts) for inner in carries(guess, facts, name, record)]
            yield from [changed(one, transparent=False, evidence=True) for one in inners if not one.opaque]
    yield from obeyed(command, facts, name, record)


def obeyed(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """What the files say that ``command`` takes its orders from by ``record``, where the script may write some."""
    if record.obeys_files() and may_be_written(command, facts):
        from execpolicy.programs.files.obeyed_files import obeyed_files

        yield from obeyed_files(command, facts, name, record, carried)
    if record.loads is not None and may_be_written(command, facts):
        from execpolicy.programs.files.loaded_files import loaded_files

        yield from loaded_files(command, facts, name, record, carried)


_WRITING = (
    *("<(", ">", "tee ", "patch", "apply", "sponge ", "of=", "open(", "write", "print >", "split ", "/dev/stdin"),
    *(" -i", " -pi", " -o", "--in-place", "--output", "ed ", "ex ", "vi"),
)
"""What stands in a script that writes a file in other ways than by a redirection of its own."""
_COPYING = (
    "cp",
    "ln ",
    "=ln",
    "mv",
    "install ",
    "rsync ",
    "link",
    "copy",
    "ditto ",
    "rename",
    "move",
    "replace",
    "mount ",
    "update-alt",
    "of=",
    ">",
    "tee ",
)
"""What stands in a script that copies a file, links to it or moves it, without its quotes."""
_UNQUOTING = str.maketrans("", "", "'\"\\")
_SPELLING = ("$'", '$"')
"""Quotes in which other characters stand for what they spell."""


def may_be_written(command: Command, facts: Facts) -> bool:
    """Whether the script may have written what ``command`` obeys."""
    outer = facts.outermost
    several = len(outer.script.commands) > 1 or outer is not facts
    return bool(command.redirects or several) and outer.once(_shows_files)


def may_be_copied(facts: Facts) -> bool:
    """Whether the script may copy, link or move files."""
    text = facts.script.text
    unquoted = text.replace("\\\n", "").translate(_UNQUOTING)
    return any(mark in unquoted for mark in _COPYING) or any(mark in text for mark in _SPELLING)


def _shows_files(facts: Facts) -> bool:
    """Whether the script writes a file that a program could obey, or hands one over."""
    for command in facts.script.commands:
        for redirect in command.redirects:
            if redirect.body is not None or (redirect.writes and redirect.target.literal != "/dev/null"):
                return True
    text = facts.script.text
    return any(mark in text for mark in _WRITING)


def _repeated(words: Sequence[Word]) -> int:
    """How many words in front to leave out where the first words come again and again: ``sudo sudo …``."""
    for period in (1, 2, 3, 4):
        unit = [word.literal for word in words[:period]]
        if None in unit:
            return 0
        times = 1
        at = period
        while at + period <= len(words) and all(words[at + each].literal == unit[each] for each in range(period)):
            times += 1
            at += period
        if times > MANY_TIMES:
            return at - period * 4
    return 0
