"""Compilers of C, and what stands around them.

Source for where the parts of a compiler are looked for: the manual of GCC 12 (`-B`, "Environment Variables").
"""

from __future__ import annotations

from execpolicy.programs.record import Program, Wrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


RECORDS = (
    Program(
        "gcc g++ cc c++ clang clang++",
        settings="-wrapper!",
        form="commas",
        options="-o: -I: -L: -l: -D: -U: -c "
        "-S -E -g? -O? -W? -f? -m? -std? -x: -include: -isystem: -MF: -MT: -MD -MMD -wrapper! -v -s -w -p",
        writes="-o, -MF, named",
        example="gcc -wrapper rm,x a.c",
        worst="run -wrapper ./evil a.c",
    ),
    Program("ccache", Wrapper("-c -C -s -z -p -h -V -F: -M: -o: -k:"), example="ccache rm x"),
    Program("sccache distcc", Wrapper(), example="sccache rm x"),
    Program(
        "bear",
        Wrapper("--output: --append --config: --force-preload --force-wrapper --verbose -a -o:"),
        example="bear -- rm x",
    ),
)
