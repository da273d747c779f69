"""Programs that a script copies, links or moves and then runs under another name: ``ln -s /usr/bin/git x; ./x push``.

By its path a file is known; by a name it is found in folders that are not followed, so that any file which the script
makes under that name counts (``cp /usr/bin/git ~/bin/f; f push``). It is evidence for restricting.
"""

from __future__ import annotations

from execpolicy.flow.look_ups import path_key
from execpolicy.flow.originals import and_around, originals
from execpolicy.flow.streams import written_texts
from execpolicy.judge.evidence.own_programs import called_as
from execpolicy.programs.carried import carried
from execpolicy.programs.files.made_files import called_anywhere
from execpolicy.programs.inner import run_argv, run_text
from execpolicy.programs.inner_scripts import with_inner_scripts
from execpolicy.programs.names import base_name
from execpolicy.programs.shelf import opened
from execpolicy.programs.too_long import too_long
from execpolicy.shell.limits import COMMAND, READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.rulebook import Rulebook
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

_MOST = 32
"""Texts that are read whole."""


def renamed_programs(command: Command, facts: Facts, rulebook: Rulebook) -> Iterator[Inner]:
    """``command`` with each program that its own may be a copy of, of those that something is known of."""
    first, outer = command.words[0], facts.outermost
    said = [first.literal or ""] if first.literal is not None else [" ".join(value) for value in facts.values(first)]
    paths = [path for path in (path_key(first), *said) if "/" in path]
    caller = facts if paths else outer
    if paths:
        made = [(path, 0) for path in dict.fromkeys(paths)]
    else:
        called = called_as(command, facts) | dict.fromkeys(said, 0)
        made = [(key, at) for one, at in called.items() for _, (_, key) in called_anywhere(outer, carried, (one,))]
    copied = [(program, at) for key, at in made for program in caller.once(_programs, key, rulebook)]
    for program, at in dict.fromkeys(copied):
        if program != command.words[at].literal and facts.budget.spend(COMMAND):
            yield run_argv("", command, [program], command.words[at + 1 :], evidence=True)
    texts = dict.fromkeys([text for key, _ in made for text in caller.once(_texts, key)])
    yield from too_long("", command, facts, list(texts)[_MOST:])
    for text in list(texts)[:_MOST]:
        if facts.budget.spend(COMMAND + READ * len(text)):
            yield run_text("", command, text, shell="bash", evidence=True)


def _scripts(facts: Facts) -> Sequence[Facts]:
    """A script, those around it, and all that stand in the outermost one."""
    return list(dict.fromkeys((*and_around(facts), *facts.outermost.once(with_inner_scripts, carried))))


def _programs(facts: Facts, path: str, rulebook: Rulebook) -> list[str]:
    """The programs that ``path`` may be, of those that rules or entries speak of or that run others."""
    return [
        program
        for program in dict.fromkeys(map(base_name, originals(path, facts.once(_scripts))))
        if any(
            name in rulebook.restricting or name in opened() or rulebook.heuristics.knows(name)
            for name in (program, program.rstrip("0123456789.-"), program.lower())
        )
    ]


def _texts(facts: Facts, path: str) -> list[str]:
    """What the scripts write that ``path`` may hold under another name than its own."""
    scripts = facts.once(_scripts)
    names = [name for name in originals(path, scripts) if name != path]
    return list(dict.fromkeys([text for name in names for each in scripts for text in written_texts(name, each)]))
