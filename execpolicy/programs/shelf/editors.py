"""Editors, pagers and choosers, which reach a shell from inside."""

from __future__ import annotations

from execpolicy.flow.tokens import tokens
from execpolicy.programs.files.put_in import typed
from execpolicy.programs.inner import run_argv, run_text
from execpolicy.programs.input_text import bang, commands_of, fed_lines
from execpolicy.programs.program_text import code_commands
from execpolicy.programs.record import Loading, Program
from execpolicy.programs.text_runs import shown_texts
from execpolicy.shell.limits import COMMAND, READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command


_VIM_LOADING = Loading(
    "-c",
    r"\b(?:so(?:u(?:r(?:ce?)?)?)?|ru(?:nt\w*)?|pa(?:ck\w*)?|colo\w*|comp\w*|syn\w*|ft|filetype|exe\w*|exrc|ex|rtp|pp|\w*path"
    r"|(?:lua|py|py3|py[tx]\w*|ruby|perl|tcl|mz)f\w*|lo(?:adview)?|dofile|loadfile|require)\b|[@%]|VIM|HOME|XDG|(?m:^-[Su])",
    unasked=".vimrc .gvimrc _vimrc _gvimrc .exrc .nexrc .nvimrc .nvim.lua .vim/* nvim/* Session.vim tags",
    variables="VIMINIT EXINIT GVIMINIT MYVIMRC",
    comment='"',
)


_TO_SHELL = r"!\s*(?:\S*/)?(?:env\s+)?(?:ba|da|z|k|mk|a)?sh\b|!\s*(?:xargs|parallel|source|eval|\.\s)|\bterm"
"""What runs it."""


def vim(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``vim -c ':!cmd'``, ``+'!cmd'``, ``--cmd``, and ``ex`` commands on standard input."""
    lines = [*commands_of(command, facts, record.options, ("-c", "--cmd"), plus=True)]
    texts = [word.literal or "" for word in command.words[1:]]
    if name == "ex" or any(text[:1] == "-" and text[1:2] != "-" and ("s" in text or "e" in text) for text in texts):
        lines += fed_lines(command, facts)
    own = {text for line in lines for text in typed(line)}
    edited: list[str] = []
    for word in command.words[1:]:  # -S, -u, -l, files that are edited, and keys that are typed
        for text in [text for text in shown_texts(word, command, facts) if text not in own]:
            from execpolicy.programs.files.loaded_files import orders_of

            edited += orders_of(text, '"')
    lines += edited
    for variable in _VIM_LOADING.variables.split():
        lines += facts.assigned.get(variable, ())
        lines += [
            text
            for one in command.assignments
            if one.name == variable and one.value is not None
            for text in facts.texts(one.value)
        ]
    lines += [part for line in lines for part in _from_colons(line)]
    lines += [line.replace("%", text) for line in lines if "%" in line for text in texts if text[:1] not in ("-", "+")]
    for line in lines:
        for part in [line, *line.split("|")]:
            yield from bang(name, command, part)
            yield from _vim_calls(name, command, part)
    yield from _typed_and_run(name, command, facts, lines, edited)


def _from_colons(line: str) -> list[str]:
    """The orders among typed keys: ``ggdG:!git push``."""
    return ["!" + part for part in line.split(":!")[1:]]


def _typed_and_run(
    name: str, command: Command, facts: Facts, lines: Sequence[str], edited: Sequence[str]
) -> Iterator[Inner]:
    """The lines that are ``edited``, and typed, where they go to a shell: ``norm igit push``, then ``w !sh``."""
    import re  # which costs a third of a check that reads no such text

    if not any("!" in line or "term" in line for line in lines):
        return
    if not any(re.search(_TO_SHELL, line) for line in lines):
        return
    for line in lines:
        for text in [*typed(line), *([line] if line in edited else ())]:
            if not facts.budget.spend(COMMAND + READ * len(text)):
                return
            yield run_text(name, command, text, evidence=True)


def _vim_calls(name: str, command: Command, text: str) -> Iterator[Inner]:
    yield from code_commands(name, command, text, "c")
    parts = tokens(text, "c")
    for at in range(len(parts) - 2):
        if parts[at].value == "delete" and parts[at + 1].kind == "(" and parts[at + 2].kind == "text":
            argv = ["rm", "-rf", parts[at + 2].value]
            yield run_argv(name, command, argv, stdin=False)


_MAGIT = r"\bmagit-(?:[\w-]*-)?git(?:-[\w-]*)?((?:[\s']*\(?(?:list\s+)?(?:\"[^\"]{0,200}\"|nil|t\b))+)"
_PUSHES = r"\b(?:magit-push[\w-]*|vc-push|magit-run-push)\b"


def emacs(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """What functions of Emacs run that are called after git: ``(magit-run-git "push")``, ``-f vc-push``."""
    texts = [word.literal or "" for word in command.words[1:]]
    texts += [text for word in command.words[1:] for text in shown_texts(word, command, facts)]
    texts = [text for text in (*texts, *fed_lines(command, facts)) if "magit" in text or "vc-push" in text]
    if not texts:
        return
    import re  # which costs a third of a check that reads no such text

    for text in texts:
        for said in re.findall(_MAGIT, text):
            yield run_argv(name, command, ["git", *" ".join(said.split('"')[1::2]).split()], evidence=True)
        if re.search(_PUSHES, text):
            yield run_argv(name, command, ["git", "push"], evidence=True)


def line_editor(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """Programs that read commands from standard input and take ``!cmd``: ``ed``, ``ftp``, ``sftp``, ``mail``."""
    for word in command.words[1:]:
        if word.literal is not None and word.literal.startswith("!"):
            yield run_text(name, command, word.literal[1:])  # `ed '!cmd'` edits what it prints
    for line in fed_lines(command, facts):
        yield from bang(name, command, line)


def pager(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``less '+!cmd'`` and ``more '+!cmd'``."""
    for word in command.words[1:]:
        text = word.literal
        if text is not None and text.startswith("+") and "!" in text:
            yield run_text(name, command, text.partition("!")[2])
        elif text is not None and text.startswith("+") and "|" in text:  # |<mark>command
            yield run_text(name, command, text.partition("|")[2][1:])


def kakoune(command: Command, facts: Facts, name: str, record: Program) -> Iterator[Inner]:
    """``kak -e 'nop %sh{ cmd }'``."""
    for word in command.words[1:]:
        for part in (word.literal or "").split("%sh")[1:]:
            yield run_text(name, command, part[1:].rstrip()[:-1])


# fmt: off
RECORDS = (
    Program("vim vi nvim ex view gvim vimdiff rvim gview", options="-c: -S: -s -u: -U: -i: -T: -w: -W: -P: --cmd: "
        "--listen: --server: -e -E -n -R -b -d -o? -O? -p? -m -M -N -Z", writes="all?, named", carries=vim,
        loads=_VIM_LOADING, always="`:!` and `-c` run any program", example="vim -c '!rm x'",
        calls=r"system\s?\(|\bexe|termopen|job_?start", wordy=True),
    Program("emacs", language="lisp", options="-eval! --eval! --execute! -execute! -l: --load: -f: -batch --batch -Q "
        "-q -nw", carries=emacs, always="`--eval` runs any program", example="emacs --eval '(shell-command \"rm x\")'"),
    Program("emacsclient", language="lisp", options="-e! --eval!", carries=emacs,
        example="emacsclient -e '(shell-command \"rm x\")'"),
    Program("nano pico", broad="", worst="run -s ./evil a"),
    Program("code codium cursor subl micro helix hx zed", broad="--install-extension", worst="fetch "
        "--install-extension evil", obeys="tasks.json launch.json *.code-workspace"),
    Program("kak", carries=kakoune, broad="", example="kak -e 'nop %sh{rm x}'"),
    Program("ed red", writes="all?, named", carries=line_editor, always="`!` runs any program",
        example="ed <<< '!rm x'",
        worst="write /home/u/.bashrc", calls="!"),
    Program("less more most", carries=pager, broad="", example="less '+!rm x' a"),
    Program("man", settings="-P! -H! --pager! --html!", always="`-P` and `-H` run any program",
        example="man -P 'rm x' a"),
    Program("bat batcat", settings="--pager!", example="bat --pager='rm x' a"),
    Program("delta", settings="--pager!", example="delta --pager='rm x'"),
    Program("gpg", settings="--photo-viewer!", example="gpg --photo-viewer 'rm x' --list-keys"),
)
