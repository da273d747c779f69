"""The single table of words with a meaning to the shell itself: reserved words, and builtins by effect.

Source: the bash 5.2 manual ("Reserved Words", "Shell Builtin Commands"), zsh 5.9 ``zshbuiltins``. Builtins that
evaluate their arguments once more were tried with bash 5.2.15. The fast path for plain scripts loads this module, so
it contains little more than sets.
"""

from __future__ import annotations

from execpolicy.core.text import word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.shell.words import Word

RESERVED = word_set("if then elif else fi while until for select do done case esac in { } [[ ]] ! function coproc time")
"""Reserved words of bash."""
LOOKED_THROUGH = frozenset(("command", "builtin"))
"""Builtins that run another command."""
REREADING = frozenset(("set", "shopt", "alias", "unalias"))
"""Builtins that change how the rest of the script is read."""
NOTED = REREADING | LOOKED_THROUGH
"""Builtins that the reader examines itself."""
REFERRING = frozenset(("declare", "typeset", "local"))
"""Builtins that can make one variable a reference to another (``-n``)."""
DECLARING = REFERRING | {"export", "readonly"}
"""Builtins whose arguments are assignments, also of arrays."""
READING = frozenset(("read", "mapfile", "readarray"))
"""Builtins that fill variables with their input."""
ASSIGNING = DECLARING | READING | word_set("printf getopts unset let wait select integer float getln")
"""Builtins that may give a value to a variable that their arguments name."""
SUBSCRIPTING = (ASSIGNING - {"select", "getln"}) | {"test", "["}
"""Builtins that may evaluate a subscript in their arguments, or in values of variables that these name."""
CALLING = frozenset(("eval", "source", ".", "trap"))
"""Builtins that may run an unknown text, which may set any variable and call any function."""
CHANGING_ANYTHING = CALLING | LOOKED_THROUGH | {"enable", "shopt", "time"}
"""Builtins that may give any variable a value, or replace a builtin by another."""
SHIFTING = frozenset(("shift", "set", "getopts"))
"""Builtins that change ``$1``, ``$2`` …."""
COMPLAINING = word_set(
    "bg bind break caller cd chdir compgen complete compopt continue dirs disown exit fc fg hash help history jobs "
    "kill logout popd pushd pwd return suspend times type ulimit umask"
)
"""Builtins that print their arguments at most in an error message."""
NAMES = ASSIGNING | CHANGING_ANYTHING | SHIFTING | REREADING | COMPLAINING | word_set("echo exec false test true")
"""Every builtin whose name may also be the name of a function."""


def run_here(words: Sequence[Word]) -> int:
    """The index of the word that names the command to run in this shell.

    It follows any number of ``command``, ``builtin`` and ``time`` with their options. ``command -v`` runs nothing and
    is not looked through.
    """
    at, last = 0, len(words) - 1
    while at < last and words[at].literal in _IN_FRONT:
        at += 1
        while at < last and (option := words[at].literal or "").startswith("-") and not _ASKING.intersection(option):
            at += 1
    return at


_IN_FRONT = LOOKED_THROUGH | {"time"}
_ASKING = frozenset("vV")
