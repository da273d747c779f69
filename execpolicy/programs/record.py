"""What is known of one program, in one record. The records stand on the shelf: ``execpolicy.programs.shelf``.

A record is data: texts and flags that are read when somebody asks, and at most one function for what no table can say.
Options are written in the language of :mod:`execpolicy.programs.options`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

    Carrier: TypeAlias = "Callable[[Command, Facts, str, Program], Iterable[Inner]]"


class Wrapper:
    """How to find the command that a program is given in its own argument vector.

    A table that lacks an option stays right for restricting: an unknown option is read both with and without a value.

    Attributes:
        options: of the program, or of the sub-command; with the kinds ``!`` and ``*`` their values are run too.
        operands: operands before the inner command (``timeout``: the duration).
        subcommands: it runs a command only behind one of these, separated by commas (``exec, compose exec``).
        grant: options that change nothing but how the inner command is scheduled, buffered or timed, so that a grant
            looks through; ``None`` if it never does.
        assignments: ``NAME=value`` operands are assignments for the inner command.
        joined: what follows is joined with blanks and given to a shell.
        each: every operand is shell text of its own.
        direct: options with which a ``joined`` command is run without a shell.
        through_shell: options with which the command goes through a shell, or, without one, a shell reads its input.
        split: options whose value is split into words that stand in front of the rest (``env -S``).
        stop: options with which it runs nothing.
        shell: without a command it starts a shell that reads standard input.
        optional: the operands may be left out.
        called: options whose value is the name that the inner command is called by; where several programs are one
            (busybox), that name decides which of them it is.
        folder: options whose value is the folder in which the inner command runs.
        bare: options that may take the variable away that says where programs are found; a grant then looks through to
            a program alone that starts no other.
        keeps: what the inner command prints is written to a file if it would go to a terminal.
        after: words behind which the inner command also starts (``nix shell -c``); ``--`` where there are sub-commands.
    """

    options = ""
    operands = 0
    subcommands = ""
    grant: str | None = None
    assignments = False
    joined = False
    each = False
    direct = ""
    through_shell = ""
    split = ""
    stop = ""
    shell = False
    optional = False
    called = ""
    folder = ""
    bare = ""
    keeps = False
    after = ""

    def __init__(self, options: str = "", operands: int = 0, **others: object) -> None:
        _fill(self, options=options, operands=operands, **others)
        self.after = self.after or ("--" if self.subcommands else "")


class Program:
    """Everything that is known of one program, or of several that are the same.

    Attributes:
        names: base names.
        wraps: how it finds the commands in its arguments; each way counts.
        leading: options that may stand in front of its sub-command.
        settings: options that run their value, wherever they stand.
        form: how such a value holds a command, see :mod:`execpolicy.programs.run_by_options`; any text if empty.
        language: of the program text that it runs, as :mod:`execpolicy.flow.tokens` names it; ``shell`` for shells.
        options: its whole table, for ``language``, ``carries`` and ``writes``.
        carries: the function that finds what else it runs, given the command, the facts, the name that the program is
            called by, and this record.
        prints: ``input`` if its output holds lines of its input or constants of its program, ``arguments`` if it prints
            an argument or makes a text by a format that is one; for evidence.
        writes: the files that it creates, changes or removes, as :mod:`execpolicy.programs.written_files` reads it.
        fed: the command that it runs gets further words from its input.
        always: why every allow rule for it is too broad, however long.
        broad: words, separated by commas, with which an allow rule is still too broad. Not ``None``: alone it is too.
        task: how many words say what a call does (``git push``: 2), and exceptions by what follows the name:
            ``2 stash=3``; 0 where no number of words does.
        fetches: some sub-commands fetch code from elsewhere.
        far: it acts on other machines, on the whole system or in containers.
        worst: what may follow and is worse than what a rule names, see :mod:`execpolicy.programs.breadth`; empty if
            nothing is known.
        example: a command line that makes it run ``rm x``; empty if it carries nothing.
    """

    leading = ""
    settings = ""
    form = ""
    language = ""
    options = ""
    carries: Carrier | None = None
    prints = ""
    writes = ""
    fed = False
    always = ""
    broad: str | None = None
    task = ""
    fetches = False
    far = False
    worst = ""
    example = ""

    def __init__(self, names: str, *wraps: Wrapper, **others: object) -> None:
        self.names = names.split()
        self.wraps = wraps
        _fill(self, **others)

    def carries_others(self) -> bool:
        """Whether it runs commands that its arguments or its input hold."""
        return bool(self.wraps or self.settings or self.language or self.carries)


def _fill(record: object, **said: object) -> None:
    """Set what is said of ``record``; the rest is as its class has it.

    Raises:
        TypeError: a field that its class does not have.
    """
    unknown = said.keys() - vars(type(record)).keys()
    if unknown:
        raise TypeError(f"no such fields: {', '.join(sorted(unknown))}")
    vars(record).update(said)
