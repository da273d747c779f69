"""Which commands a pattern of an agent covers, as far as a prefix rule can say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from execpolicy.judge.reading import read_command

Kind: TypeAlias = Literal["prefix", "exact", "more", "loose", "everything"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """What one pattern covers.

    Attributes:
        kind: ``prefix``: the words and whatever follows; ``exact``: the words and no more; ``more``: the words and at
            least one more; ``loose``: anything else; ``everything``: every command.
        words: of ``prefix``, ``exact`` and ``more``: the words as the program gets them. Of ``loose``: those of the
            text in front of the first wildcard if nothing but a wildcard follows (``git push*``), otherwise none.
        text: what is literal at its beginning, as written.
        why: of ``loose``: why no prefix rule says it.
    """

    kind: Kind
    words: tuple[str, ...] = ()
    text: str = ""
    why: str = ""

    def may_share(self, allowed: Covered) -> bool:
        """Whether some command may be covered by this and by ``allowed`` as well; in doubt it may."""
        if "everything" in (self.kind, allowed.kind):
            return True
        ours, theirs = self.text, allowed.text
        if self.kind == "loose" and theirs.startswith(ours):
            return True
        if allowed.kind == "exact":
            return ours == theirs
        return _starts_with_words(ours, theirs) or _starts_with_words(theirs, ours)

    def beginning(self) -> tuple[str, ...]:
        """The words that every covered command surely begins with."""
        if self.kind != "loose":
            return self.words
        whole = self.text[: self.text.rfind(" ") + 1].split()
        return tuple(whole) if all(_is_plain(word) for word in whole) else ()


EVERYTHING = Covered(kind="everything")


def exact(text: str) -> Covered:
    """Exactly the command ``text``."""
    return _of_words("exact", text)


def prefix(text: str) -> Covered:
    """The command ``text`` and whatever follows behind a blank."""
    return _of_words("prefix", text)


def more(text: str) -> Covered:
    """The command ``text`` and at least one word behind it."""
    return _of_words("more", text)


def loose(text: str, why: str) -> Covered:
    """Something that no prefix rule says, beginning with ``text``."""
    return Covered(kind="loose", text=text, why=why)


def glob(pattern: str, *, wildcards: str = "*", trailing: Literal["optional", "required"] = "optional") -> Covered:
    """A pattern over the whole command in which ``*`` stands for any text.

    Args:
        wildcards: all characters that do not stand for themselves.
        trailing: whether `` *`` at the end also covers the command without it.
    """
    first = min([at for at in (pattern.find(char) for char in wildcards) if at >= 0], default=-1)
    if first < 0:
        return exact(pattern)
    if not pattern.strip("*"):
        return EVERYTHING
    head, tail = pattern[:first], pattern[first:]
    if tail == "*" and head.endswith(" ") and head.strip():
        return (prefix if trailing == "optional" else more)(head[:-1])
    if tail == "*" and head == head.strip():
        cut = words_of(head) or ()
        why = f"it also covers words that only begin with `{head.split()[-1]}`, and a rule compares whole words"
        return Covered(kind="loose", words=cut, text=head, why=why)
    return loose(head, "it has a wildcard inside, and a rule compares the first words one by one")


def words_of(text: str) -> tuple[str, ...] | None:
    """The words of a simple command; ``None`` if it is a script, sets variables, redirects, or has dynamic words."""
    if text != " ".join(text.split()):
        return None  # the agent compares the blanks as well
    script = read_command(text)
    if script.status != "plain" or len(script.commands) != 1:
        return None
    command = script.commands[0]
    if command.redirects or command.assignments or not command.words or command.plain_argv is None:
        return None
    return tuple(command.plain_argv)


def _of_words(kind: Kind, text: str) -> Covered:
    words = words_of(text)
    if words is None:
        return loose(text, "it is not one plain command, and a rule covers the words of one")
    return Covered(kind=kind, words=words, text=text)


def _starts_with_words(text: str, beginning: str) -> bool:
    return text == beginning or text.startswith(beginning + " ")


def _is_plain(word: str) -> bool:
    return all(char.isalnum() or char in "-_./:=@%+,~" for char in word)


def spelled(words: Sequence[str]) -> str | None:
    """``words`` as a text in which nothing is quoted; ``None`` if some word cannot be written so."""
    return " ".join(words) if words and all(word and _is_plain(word) for word in words) else None
