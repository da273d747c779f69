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
        writes="? if -x --extract --get, -f if -c -r -u -A --create --append --update", carries=tar,
        always="`--checkpoint-action` and `--to-command` run any program", worst="run --checkpoint=1 "
        "--checkpoint-action=exec=./evil", example="tar --to-command='rm x' -xf a"),
    Program("bsdtar", settings="--use-compress-program!", example="bsdtar --use-compress-program='rm x' -xf a"),
    Program("cpio", settings="--rsh-command! --rmt-command!", example="cpio --rsh-command='rm x' -i"),
    Program("zip", settings="-TT! --unzip-command!", always="`-TT` runs any program", example="zip a -T -TT 'rm x' b"),
    Program("gzip gunzip xz unxz bzip2 bunzip2 zstd unzstd lz4",
        writes="all unless -c --stdout --to-stdout -t --test -l --list", prints="input"),
    Program("zcat", prints="input"),
    Program("unzip", writes="? unless -l -t -p -z -Z"),
    Program("patch", writes="all?, ?, -o, --output"),
)
