"""Prefixes too broad to be saved as an allow rule: each would allow any program text, or a whole family of commands.

Source: the table of Codex 0.169.0 (88 entries, read from its data section), confirmed by probing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_WITH = {
    "bash zsh sh /bin/bash /bin/sh /bin/zsh": ("-c", "-lc"),
    "dash fish ksh": ("-c",),
    "cmd cmd.exe": ("/c", "/k"),
    "powershell powershell.exe": ("-Command", "-EncodedCommand", "-File", "-c"),
    "pwsh": ("-Command", "-EncodedCommand", "-File", "-c", "-e", "-ec", "-f"),
    "python python3": ("-", "-c"),
    "py": ("-3",),
    "node nodejs perl ruby lua julia": ("-e",),
    "php": ("-r",),
    "bun": ("-e", "run"),
    "deno": ("eval",),
    "pypy pypy3 pythonw pyw Rscript env git osascript rm sudo": (),
}

BANNED_PREFIXES: frozenset[tuple[str, ...]] = frozenset(
    [(program,) for programs in _WITH for program in programs.split()]
    + [(program, word) for programs, words in _WITH.items() for program in programs.split() for word in words]
    + [(runner, "run") for runner in ("npm", "pnpm", "yarn")]
)


def is_banned(prefix: Sequence[str]) -> bool:
    """Whether ``prefix`` is exactly one of the banned ones; a longer prefix is not."""
    return tuple(prefix) in BANNED_PREFIXES
