"""Which builtins may stand in the way of a grant: kept apart so that other programs cost one look-up and no import."""

from __future__ import annotations

from execpolicy.core.name_set import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command, Effect

DECLARES = names("export declare typeset local readonly integer float nameref")
DIRECTORIES = frozenset(["cd", "pushd", "popd", "chdir"])
ZSH_ONLY = names(
    "zmodload autoload setopt unsetopt emulate zle bindkey zstyle sched unfunction unhash disable vared "
    "zcompile zf_rm zf_mv zf_ln zf_mkdir zf_rmdir zf_chmod zf_chown zf_chgrp zf_sync ztcp zsocket zpty zselect "
    "zregexparse sysopen syswrite sysread sysseek zsystem repeat coproc functions rehash zparseopts compdef "
    "compinit zargs zmv print private limit unlimit ttyctl"
)
QUIET_HISTORY = frozenset(["fc", "history"])
WATCHED = (
    DECLARES
    | DIRECTORIES
    | QUIET_HISTORY
    | names(
        "printf read mapfile readarray getopts unset test [ let hash enable source . exec trap bind complete "
        "compopt ulimit umask command builtin time shift exit return break continue"
    )
)
"""Builtins that :func:`builtin_effects` has something to say about, in every shell."""
_BEFORE = frozenset(["command", "builtin", "time"])
"""Words in front of a builtin that run it in this shell all the same; ``time`` where ``sh`` is bash or mksh."""


def builtin_effects(command: Command, facts: Facts) -> tuple[Effect, ...]:
    """What stands in the way of a grant when ``command`` is a builtin; empty for an ordinary program."""
    words = command.words
    if not words:
        return ()
    name = words[0].literal
    if name is None or (name not in WATCHED and (facts.script.shell != "zsh" or name not in ZSH_ONLY)):
        return ()
    at = 0
    while name in _BEFORE and at + 1 < len(words):
        at += 1
        while at + 1 < len(words) and words[at].literal in ("-p", "--"):
            at += 1
        name = words[at].literal
        if name is None or name not in WATCHED:
            return ()
    from execpolicy.programs.builtins import effects_of

    return effects_of(name, words[at + 1 :], command, facts)
