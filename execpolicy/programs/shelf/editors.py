"""Editors, pagers and choosers, which reach a shell from inside."""

from __future__ import annotations

from execpolicy.programs.record import Program

# fmt: off
RECORDS = (
    Program("vim vi nvim ex view gvim vimdiff rvim gview", options="-c: -S: -s -u: -U: -i: -T: -w: -W: -P: --cmd: "
        "--listen: --server: -e -E -n -R -b -d -o? -O? -p? -m -M -N -Z", carries="editors:vim",
        always="`:!` and `-c` run any program", example="vim -c '!rm x'"),
    Program("emacs", language="lisp", options="-eval! --eval! --execute! -execute! -l: --load: -f: -batch --batch -Q "
        "-q -nw", always="`--eval` runs any program", example="emacs --eval '(shell-command \"rm x\")'"),
    Program("emacsclient", language="lisp", options="-e! --eval!", example="emacsclient -e '(shell-command \"rm x\")'"),
    Program("ed red", carries="editors:line_editor", always="`!` runs any program", example="ed <<< '!rm x'"),
    Program("less more most", carries="editors:pager", broad="", example="less '+!rm x' a"),
    Program("man", settings="-P! -H! --pager! --html!", always="`-P` and `-H` run any program",
        example="man -P 'rm x' a"),
    Program("bat batcat", settings="--pager!", example="bat --pager='rm x' a"),
    Program("delta", settings="--pager!", example="delta --pager='rm x'"),
    Program("gpg", settings="--photo-viewer!", example="gpg --photo-viewer 'rm x' --list-keys"),
)
