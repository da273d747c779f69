"""Which builtins may stand in the way of a grant: kept apart so that other programs cost one look-up and no import."""

from __future__ import annotations

from execpolicy.flow.facts import Facts
from execpolicy.shell.script import Command, ShellEffect
from execpolicy.shell.vocabulary import DECLARING, READING, run_here

_FORMS = {
    "declares": f"{' '.join(DECLARING)} integer float nameref",
    "moves": "cd pushd popd chdir eval",
    "reads": f"{' '.join(READING)} getopts",
    "tests": "test [",
    "counts": "shift exit return break continue",
    "sources": "source .",
    "completes": "complete compopt",
    "": "printf print compgen unset let hash enable exec trap history fc bind ulimit umask command builtin time",
    "zsh": "zmodload autoload setopt unsetopt emulate zle bindkey zstyle sched unfunction unhash disable vared "
    "zcompile zf_rm zf_mv zf_ln zf_mkdir zf_rmdir zf_chmod zf_chown zf_chgrp zf_sync ztcp zsocket zpty zselect "
    "zregexparse sysopen syswrite sysread sysseek zsystem repeat coproc functions rehash zparseopts compdef "
    "compinit zargs zmv private limit unlimit ttyctl",
}
"""Builtins that something is to be said about, by what they do; those behind the empty name each do their own."""
_NAMES = [(form, frozenset(listed.split())) for form, listed in _FORMS.items()]


def builtin_effects(command: Command, facts: Facts) -> tuple[ShellEffect, ...]:
    """Returns what is in the way of a grant when ``command`` is a builtin; empty for an ordinary program."""
    words = command.words
    if not words:
        return ()
    name = words[0].literal
    form = _form(name)
    if form is None or (form == "zsh" and facts.script.shell != "zsh"):
        return ()
    at = run_here(words)  # ``time`` is a program where ``sh`` is neither bash nor mksh
    if at:
        name = words[at].literal
        form = _form(name)
        if form is None or form == "zsh":
            return ()
    from execpolicy.programs.builtin_forms import effects_of

    return effects_of(form, name or "", words[at + 1 :], command, facts)


def _form(name: str | None) -> str | None:
    for form, names in _NAMES:
        if name in names:
            return form or name
    return None
