"""The commands that a pattern of an agent covers, as far as a prefix rule can express it.

Regular expressions over command lines are read as far as they only list words: ``^git (status|log)( |$)``. A rule
covers any words after its own, unless it has an exclusion.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from execpolicy.judge.reading import read_command

Kind: TypeAlias = Literal["prefix", "exact", "more", "loose", "everything"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """The commands that one pattern covers.

    Attributes:
        kind: ``prefix``: the words and any further words; ``exact``: the words and no more; ``more``: the words and at
            least one more; ``loose``: anything else; ``everything``: every command.
        words: of ``prefix``, ``exact`` and ``more``: the words as the program receives them. Of ``loose``: those of the
            text before the first wildcard if only a wildcard follows (``git push*``), otherwise none.
        text: the literal text at its beginning, as written.
        why: of ``loose``: the reason why no prefix rule expresses it.
    """

    kind: Kind
    words: tuple[str, ...] = ()
    text: str = ""
    why: str = ""

    def may_share(self, allowed: Covered) -> bool:
        """True if some command may be covered by this and by ``allowed`` as well; True in doubt."""
        if "everything" in (self.kind, allowed.kind):
            return True
        ours, theirs = self.text, allowed.text
        if self.kind == "loose" and theirs.startswith(ours):
            return True
        if allowed.kind == "exact":
            return ours == theirs
        return _starts_with_words(ours, theirs) or _starts_with_words(theirs, ours)

    def starts_with(self, words: tuple[str, ...]) -> bool:
        """True if there are ``words`` and every covered command begins with them."""
        return bool(words) and self.words[: len(words)] == words

    def beginning(self) -> tuple[str, ...]:
        """The words that every covered command begins with."""
        if self.kind != "loose":
            return self.words
        whole = self.text[: self.text.rfind(" ") + 1].split()
        return tuple(whole) if all(map(is_plain, whole)) else ()


EVERYTHING = Covered(kind="everything")


def loose(text: str, why: str) -> Covered:
    """A pattern that no prefix rule expresses, beginning with ``text``."""
    return Covered(kind="loose", text=text, why=why)


def glob(pattern: str, *, wildcards: str = "*", trailing: Literal["optional", "required"] = "optional") -> Covered:
    """A pattern over the whole command in which ``*`` matches any text.

    Args:
        wildcards: all characters that are not literal.
        trailing: ``optional`` if `` *`` at the end also covers the command without it.
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
    if text != " ".join(text.split()) or not text.isprintable():
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


exact = partial(_of_words, "exact")
prefix = partial(_of_words, "prefix")
"""The command and any text after a following blank."""
more = partial(_of_words, "more")
"""The command and at least one word after it."""


def _starts_with_words(text: str, beginning: str) -> bool:
    return text == beginning or text.startswith(beginning + " ")


def is_plain(word: str) -> bool:
    """True if ``word`` needs no quotes."""
    return bool(word) and all(char.isalnum() or char in "-_./:=@%+,~" for char in word)


_WORD_END = re.compile(r"(?<!\\)\((?:\?:)?(?:(?: |\\s)\|\$\)|\$\|(?: |\\s)\)|(?: |\\s)\.\*\)\?\$)$")
"""The forms of ``( |$)`` and ``( .*)?$`` at the end of an expression."""
_SPECIAL = "\\^$.|?*+()[]{}"
_BLANKS = re.compile(r"(?<!\\)(?:\\s| )\+|(?<!\\)\\s(?![*?{])")
_LONGEST = 2_000
_MOST = 64
"""The maximum number of alternatives that are written out."""


def of_regex(expression: str, *, anchored: bool = False) -> tuple[Covered, ...]:
    """The commands that a regular expression covers; it is searched anywhere, or at the start if ``anchored``."""
    why = "it is a regular expression, and a rule compares whole words"
    if not anchored and not expression.startswith("^"):
        return (loose("", why),)
    body = expression.removeprefix("^")
    if len(body) > _LONGEST:
        return (loose("", why),)
    covered: Callable[[str], Covered]
    if ending := _WORD_END.search(body):
        body, covered = body[: ending.start()], prefix
    elif body.endswith("$") and not body.endswith("\\$"):
        body, covered = body[:-1], exact
    else:
        body, covered = body.removesuffix(".*").removesuffix("\\b"), lambda text: glob(text + "*", trailing="required")
    body = _BLANKS.sub(" ", body)
    texts = _expanded(body)
    if texts is None or not all(text.strip() for text in texts):
        return (loose(_literal_start(body), why),)
    return tuple(map(covered, texts))


def of_slashed(pattern: str) -> tuple[Covered, ...] | None:
    """The commands that ``/REGEX/FLAGS`` covers; ``None`` if ``pattern`` has another form."""
    body, slash, flags = pattern[1:].rpartition("/")
    if not (pattern.startswith("/") and slash and body) or (flags and not flags.isalpha()):
        return None
    return (loose("", "it is a regular expression with flags"),) if flags else of_regex(body)


def _expanded(body: str) -> list[str] | None:
    """The texts that ``body`` matches; ``None`` if it holds more than literals and groups of alternatives."""
    texts = [""]
    at = 0
    while at < len(body):
        if body[at] == "(":
            end = body.find(")", at)
            if end < 0:
                return None
            inside = body[at + 1 : end].removeprefix("?:")
            choices = [_unescaped(choice) for choice in inside.split("|")]
            at = end + 1
        else:
            end = at + (2 if body[at] == "\\" else 1)
            choices = [_unescaped(body[at:end])]
            at = end
        if body[at : at + 1] in ("?", "*", "+", "{") or None in choices:
            return None
        texts = [text + choice for text in texts for choice in choices if choice is not None]
        if len(texts) > _MOST:
            return None
    return texts


def _unescaped(text: str) -> str | None:
    """The literal text that ``text`` matches; ``None`` if it matches anything else as well."""
    found, at = "", 0
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
            char = text[at : at + 1]
            if not char or char.isalnum():
                return None
        elif char in _SPECIAL:
            return None
        found += char
        at += 1
    return found


def _literal_start(body: str) -> str:
    """The literal text at the beginning of every match of ``body``."""
    end = 0
    while end < len(body) and body[end] not in _SPECIAL:
        end += 1
    if body[end : end + 1] in ("?", "*", "+", "{"):
        end -= 1
    return "" if "|" in body else body[: max(end, 0)]
