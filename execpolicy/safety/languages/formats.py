"""Small forms of single words."""

from __future__ import annotations

_SPECIAL = frozenset(
    ["PATH", "IFS", "ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "HOME", "CDPATH", "TMPDIR", "EDITOR", "VISUAL", "PAGER", "BROWSER", "SHELL", "PYTHONPATH", "PERL5LIB", "PERL5OPT", "NODE_OPTIONS", "RUBYOPT", "RUBYLIB", "GOFLAGS", "RUSTFLAGS", "LESSOPEN", "LESSCLOSE", "MANPAGER", "POSIXLY_CORRECT", "GLOBIGNORE", "FIGNORE", "EXECIGNORE", "HISTFILE", "HISTFILESIZE", "INPUTRC", "OPTIND", "REPLY_FD", "BASH_CMDS", "BASH_ALIASES", "BASH_COMPAT", "DIRSTACK", "MAPFILE_FD", "TZDIR"]
)
_SPECIAL_STARTS = ("LD_", "DYLD_", "GIT_", "BASH_", "NPM_", "npm_", "PIP_", "CARGO_", "GCONV_", "PYTHON", "SSH_")


def variable_refusal(text: str) -> str | None:
    """Why ``text`` is not the name of a variable that a script may fill with anything, or ``None`` if it is."""
    if not (text.isascii() and text.isidentifier()):
        return "is not a plain variable name"
    if text in _SPECIAL or text.startswith(_SPECIAL_STARTS):
        return "is a variable that changes what programs do"
    return None


def date_refusal(text: str) -> str | None:
    """Why ``text`` is not an output format of ``date``, or ``None`` if it is. Any other operand would set the clock."""
    return None if text.startswith("+") else "is not a format (`+…`), so it would set the clock"
