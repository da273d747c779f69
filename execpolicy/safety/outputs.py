"""Substitutions whose output cannot be an option: ``git show "$(git rev-parse HEAD)"``."""

from __future__ import annotations

from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.safety.opinion import Opinion
    from execpolicy.shell.script import Command, Script

    Judge = Callable[[Sequence[Word], Script], Opinion]


class Undashed(Word):
    """A word that is only known at run time, of which no field starts with ``-``. Its ``kind`` is ``names``."""

    __slots__ = ()

    def __init__(self, word: Word) -> None:
        super().__init__(
            None,
            word.span,
            prefix=word.prefix,
            suffix=word.suffix,
            many=word.many,
            kind="names",
            absolute=word.absolute,
            number=word.number,
            values=word.values,
            pattern=word.pattern,
            quoted=word.quoted,
            inner=word.inner,
        )

    def may_start_with_dash(self) -> bool:
        """Never."""
        return False


def undashed(words: Sequence[Word], script: Script, judge: Judge) -> Sequence[Word]:
    """``words``, those of them marked that are one substitution of commands which print object names.

    Args:
        judge: the opinion on the words of a command of ``script``.
    """
    return [Undashed(word) if word.inner and _prints_names(word, script, judge) else word for word in words]


def _prints_names(word: Word, script: Script, judge: Judge) -> bool:
    if word.literal is not None or word.kind != "substitution" or not _single(_raw(word, script)):
        return False
    for index in word.inner:
        command = script.commands[index]
        if command.assignments or not _quiet(command):
            return False
        opinion = judge(command.words, script)
        if opinion.verdict != "safe" or opinion.output != "hash":
            return False
    return True


def _raw(word: Word, script: Script) -> str:
    return script.text[word.span.start : word.span.end]


def _single(raw: str) -> bool:
    """Whether the text of a word is one substitution, maybe in double quotes, with nothing behind it that is a dash.

    A substitution can print nothing, and then what follows it is the beginning of the word.
    """
    raw = raw.removeprefix('"')
    if raw.startswith("$("):
        if raw.count("$(") != 1 or "`" in raw or raw.count(")") != 1:
            return False
        rest = raw[raw.index(")") + 1 :]
    elif raw.startswith("`") and raw.count("`") == 2 and "$(" not in raw:
        rest = raw[raw.index("`", 1) + 1 :]
    else:
        return False
    rest = rest.replace('"', "")
    return not rest or rest[0] in ".^~:@" or (rest[0].isascii() and rest[0].isalnum())


def _quiet(command: Command) -> bool:
    """Whether nothing but its own output can reach the substitution: errors stay apart or are thrown away."""
    return all(
        redirect.operator == ">" and redirect.fd == "2" and redirect.target.literal == "/dev/null"
        for redirect in command.redirects
    )
