"""Compilers of C, and what stands around them.

Source for where the parts of a compiler are looked for: the manual of GCC 12 (`-B`, "Environment Variables").
"""

from __future__ import annotations

from execpolicy.core.text import names
from execpolicy.flow.look_ups import LookUps
from execpolicy.flow.originals import originals
from execpolicy.flow.streams import written_texts
from execpolicy.programs.inner import run_argv, run_text
from execpolicy.programs.record import Program, Wrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

_PARTS = names("cc1 cc1plus cc1obj as ld collect2 lto1 lto-wrapper gcc cpp f951 ld.bfd ld.gold ld.lld llvm-as")
"""Programs that a compiler calls."""


def helpers(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """What a compiler runs that the script puts where parts are looked for: ``cp /bin/rm ./cc1; gcc -B. x.c``."""
    look_ups = facts.once(LookUps)
    for path in look_ups.copies:
        if path.rpartition("/")[2] in _PARTS:
            for source in originals(path, (facts,)):
                yield run_argv(name, command, [source], command.words[1:], evidence=True)
    for path in look_ups.writers:
        if path.rpartition("/")[2] in _PARTS:
            yield from [run_text(name, command, text, evidence=True) for text in written_texts(path, facts)]


RECORDS = (
    Program(
        "gcc g++ cc c++ clang clang++",
        settings="-wrapper!",
        form="commas",
        options="-o: -I: -L: -l: -D: -U: -c "
        "-S -E -g? -O? -W? -f? -m? -std? -x: -include: -isystem: -MF: -MT: -MD -MMD -wrapper! -v -s -w -p",
        writes="-o, -MF, named",
        carries=helpers,
        example="gcc -wrapper rm,x a.c",
        worst="run -wrapper ./evil a.c",
        calls=r"-wrapper|\b(?:exec[lv]\w*|system|popen|posix_spawnp?)\s?\(",
    ),
    Program("ccache", Wrapper("-c -C -s -z -p -h -V -F: -M: -o: -k:"), example="ccache rm x"),
    Program("sccache distcc", Wrapper(), example="sccache rm x"),
    Program(
        "bear",
        Wrapper("--output: --append --config: --force-preload --force-wrapper --verbose -a -o:"),
        example="bear -- rm x",
    ),
)
