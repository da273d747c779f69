"""Words that have a meaning to the shell itself. Apart from the full reader, which a plain script never loads."""

from __future__ import annotations

RESERVED = frozenset(
    (
        *("if", "then", "elif", "else", "fi", "while", "until", "for", "select", "do", "done", "case", "esac", "in"),
        *("{", "}", "[[", "]]", "!", "function", "coproc", "time"),
    )
)
"""Reserved words of bash 5.2."""
DECLARING = frozenset(("declare", "export", "local", "readonly", "typeset"))
"""Builtins whose arguments may be array assignments."""
LOOKED_THROUGH = frozenset(("command", "builtin"))
"""Builtins that run another one."""
NOTED = frozenset(("set", "shopt", "alias", "unalias")) | LOOKED_THROUGH
"""Builtins that change how the rest of the script is read."""
