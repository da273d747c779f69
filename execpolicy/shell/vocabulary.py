"""Words that have a meaning to the shell itself: its reserved words, and what its builtins do. One table that all ask.

Source: the bash 5.2 manual ("Reserved Words", "Shell Builtin Commands"), zsh 5.9 ``zshbuiltins``; what evaluates its
arguments once more was tried with bash 5.2.15. The short way for plain scripts loads this, so it is hardly more than
sets.
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
"""They run another one."""
REREADING = frozenset(("set", "shopt", "alias", "unalias"))
"""They change how the rest of the script is read."""
NOTED = REREADING | LOOKED_THROUGH
"""Those that the reader looks at itself."""
REFERRING = frozenset(("declare", "typeset", "local"))
"""They make one variable stand for another (``-n``)."""
DECLARING = REFERRING | {"export", "readonly"}
"""Their arguments are assignments, also of arrays."""
READING = frozenset(("read", "mapfile", "readarray"))
"""They fill variables with their input."""
ASSIGNING = DECLARING | READING | word_set("printf getopts unset let wait select integer float getln")
"""They may give a value to a variable that their arguments name."""
SUBSCRIPTING = (ASSIGNING - {"select", "getln"}) | {"test", "["}
"""They may evaluate a subscript in their arguments, or in values of variables that these name."""
CALLING = frozenset(("eval", "source", ".", "trap"))
"""They may run a text that nobody sees, which may set anything and call any function."""
CHANGING_ANYTHING = CALLING | LOOKED_THROUGH | {"enable", "shopt", "time"}
"""They may give any variable a value, or take another builtin for what they are told."""
SHIFTING = frozenset(("shift", "set", "getopts"))
"""They change what ``$1``, ``$2`` … are."""
COMPLAINING = word_set(
    "bg bind break caller cd chdir compgen complete compopt continue dirs disown exit fc fg hash help history jobs "
    "kill logout popd pushd pwd return suspend times type ulimit umask"
)
"""They print what they are given, if at all, where it is wrong."""
NAMES = ASSIGNING | CHANGING_ANYTHING | SHIFTING | REREADING | COMPLAINING | word_set("echo exec false test true")
"""Every builtin whose name may stand for a function too."""


def run_here(words: Sequence[Word]) -> int:
    """Where the word stands that names what runs in this shell: behind ``command``, ``builtin`` and ``time`` with their
    options, however often. ``command -v`` runs nothing and is not looked through."""
    at, last = 0, len(words) - 1
    while at < last and words[at].literal in _IN_FRONT:
        at += 1
        while at < last and (option := words[at].literal or "").startswith("-") and not _ASKING.intersection(option):
            at += 1
    return at


_IN_FRONT = LOOKED_THROUGH | {"time"}
_ASKING = frozenset("vV")
