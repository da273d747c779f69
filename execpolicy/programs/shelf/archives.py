"""Archives and compression."""

from __future__ import annotations

from execpolicy.programs.record import Program

# fmt: off
RECORDS = (
    Program("tar gtar", settings="-I! --use-compress-program! --to-command! --checkpoint-action! --rsh-command! "
        "--info-script! --new-volume-script! -F! --rmt-command!", form="action",
        always="`--checkpoint-action` and `--to-command` run any program", example="tar --to-command='rm x' -xf a"),
    Program("bsdtar", settings="--use-compress-program!", example="bsdtar --use-compress-program='rm x' -xf a"),
    Program("cpio", settings="--rsh-command! --rmt-command!", example="cpio --rsh-command='rm x' -i"),
    Program("zip", settings="-TT! --unzip-command!", always="`-TT` runs any program", example="zip a -T -TT 'rm x' b"),
    Program("gzip gunzip zcat xz unxz bzip2 bunzip2 zstd unzstd lz4", prints="input"),
)
