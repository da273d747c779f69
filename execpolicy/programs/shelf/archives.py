"""Archives and compression."""

from __future__ import annotations

from execpolicy.programs.inner import run_text
from execpolicy.programs.record import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

_VALUED = "bCfFgHIKLNTVX"
"""Letters of ``tar`` with a value, and among them those whose value is run."""
_RUN = "FI"


def tar(command: Command, facts: Facts, name: str, record: Program) -> list[Inner]:
    """``tar cIf COMMAND FILE``: letters without a dash, whose values are the next words in their order."""
    letters = command.words[1].literal if len(command.words) > 1 else None
    if letters is None or letters.startswith("-"):
        return []
    valued = [letter for letter in letters if letter in _VALUED]
    given = zip(valued, command.words[2:], strict=False)
    return [run_text(name, command, word.literal) for letter, word in given if letter in _RUN and word.literal]


# fmt: off
RECORDS = (
    Program("tar gtar", settings="-I! --use-compress-program! --to-command! --checkpoint-action! --rsh-command! "
        "--info-script! --new-volume-script! -F! --rmt-command!", form="action",
        writes="@tar", carries=tar,
        always="`--checkpoint-action` and `--to-command` run any program", worst="run --checkpoint=1 "
        "--checkpoint-action=exec=./evil", example="tar --to-command='rm x' -xf a"),
    Program("bsdtar", settings="--use-compress-program!", example="bsdtar --use-compress-program='rm x' -xf a"),
    Program("cpio", settings="--rsh-command! --rmt-command!", example="cpio --rsh-command='rm x' -i"),
    Program("zip", settings="-TT! --unzip-command!", options="-b: -d -f -F -i: -j -m -n: -O: -P: -q -r -R -s: -t: -T "
        "-u -v -x: -y -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 --move --out:", writes="1st, all if -m --move, -O, --out",
        always="`-TT` runs any program", example="zip a -T -TT 'rm x' b"),
    Program("gzip gunzip xz unxz bzip2 bunzip2 zstd unzstd lz4",
        writes="all unless -c --stdout --to-stdout -t --test -l --list", prints="input"),
    Program("zcat", prints="input"),
    Program("unzip", options="-d: -x: -P: -a -b -B -C -D -f -j -K -l -L -n -o -p -q -t -T -u -v -V -X -z -Z",
        writes="-d unless -l -t -p -z -Z, ? unless -l -t -p -z -Z"),
    Program("patch gpatch", options="-b -B: -c -d: -D: -e -E -f -F: -g: -i: -l -n -N -o: -p: -r: -R -s -t -T -u -v -V: "
        "-Y: -z: -Z --directory: --input: --output: --reject-file: --strip: --dry-run --forward --force --reverse",
        writes="all?, ?, -o, --output, -r, --reject-file, -d, --directory"),
)
