"""Questions about valid calls that are probably mistakes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import TextIO

from execpolicy.shell.script import SHELLS


def question_shell(shell: str, stderr: TextIO) -> None:
    """Warn if scripts of ``shell`` are not parsed, and suggest the intended shell."""
    if shell in SHELLS:
        return
    near = get_close_matches(shell, SHELLS, 1)
    hint = f"did you mean `{near[0]}`?" if near else f"those that are read: {', '.join(SHELLS)}"
    stderr.write(f"warning: scripts of `{shell}` are not read, so nothing in them is allowed; {hint}\n")


def question_words(words: Sequence[str], options: Collection[str], stderr: TextIO) -> None:
    """Warn that an option of execpolicy behind the first word of a command belongs to that command."""
    for word in words[1:]:
        name = word.partition("=")[0]
        if name in options:
            stderr.write(
                f"warning: `{name}` behind `{words[0]}` is taken for a word of the command: options of execpolicy "
                "go before it; write `--` before the command if that is meant\n"
            )
            return


def did_you_mean(word: str, known: Collection[str]) -> str:
    """`, did you mean …?` if ``known`` has something similar to ``word``; else empty."""
    near = get_close_matches(word, known, 3, 0.6)
    near.sort(key=lambda each: sorted(each) != sorted(word))  # transposed letters are the likeliest mistake
    return f", did you mean `{near[0]}`?" if near else ""
