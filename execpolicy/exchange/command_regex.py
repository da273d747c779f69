"""The commands that a pattern of an agent covers, as far as a prefix rule can express it.

Regular expressions over command lines are read as far as they only list words: ``^git (status|log)( |$)``. A rule
covers any words after its own, so an allow of exactly one command becomes a ``safe_command``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.lang.render import render_strings
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers
from execpolicy.resources import records_folder

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

    def beginning(self) -> tuple[str, ...]:
        """The words that every covered command begins with."""
        if self.kind != "loose":
            return self.words
        whole = self.text[: self.text.rfind(" ") + 1].split()
        return tuple(whole) if all(_is_plain(word) for word in whole) else ()


EVERYTHING = Covered(kind="everything")


def exact(text: str) -> Covered:
    """Exactly the command ``text``."""
    return _of_words("exact", text)


def prefix(text: str) -> Covered:
    """The command ``text`` and any text after a following blank."""
    return _of_words("prefix", text)


def more(text: str) -> Covered:
    """The command ``text`` and at least one word after it."""
    return _of_words("more", text)


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
    """``words`` as a text without quotes; ``None`` if some word cannot be written so."""
    return " ".join(words) if words and all(word and _is_plain(word) for word in words) else None


def exact_entry(words: Sequence[str], *, allowed_by: str) -> str | None:
    """The ``safe_command`` that accepts exactly ``words``; ``None`` if an entry cannot express it.

    After the first operand it reads all words as operands, so only the first must not look like an option.

    Args:
        allowed_by: the agent's own entry, which is the reason.
    """
    program, *rest = words
    text = spelled(words)
    if text is None or "/" in program or (rest and rest[0].startswith("-")):
        return None
    operands = "".join(f"{render_strings([word])}, " for word in rest).rstrip(", ")
    grammar = f"operands=[{operands}], permute=False, separator=False" if rest else 'operands="none", separator=False'
    name, reason = render_strings([f"imported: {text}"])[1:-1], render_strings([f"imported: {allowed_by}"])[1:-1]
    return (
        f"safe_command(name={name}, program={render_strings([program])}, reason={reason}, "
        f'{grammar}, dynamic="none", match={render_strings([text])})'
    )


def known_danger(words: Sequence[str]) -> bool:
    """True if a built-in entry calls ``words`` dangerous: an entry that accepts them has no effect then."""
    verdict = judge_script(read_command(tuple(words)), _builtin_rulebook(), Situation(cwd="/"))
    return any(one.opinion is not None and one.opinion.verdict == "dangerous" for one in verdict.commands)


@lru_cache(maxsize=1)
def _builtin_rulebook() -> Rulebook:
    options = LayerOptions(cwd="/", builtin_folder=records_folder(), project=False)
    return Rulebook(load_layers(options).statements)


_ENDINGS: tuple[tuple[str, Literal["prefix", "exact"]], ...] = (
    ("(?: |$)", "prefix"),
    ("( |$)", "prefix"),
    ("(?:\\s|$)", "prefix"),
    ("(\\s|$)", "prefix"),
    ("($|\\s)", "prefix"),
    ("($| )", "prefix"),
    ("(\\s.*)?$", "prefix"),
    ("(?:\\s.*)?$", "prefix"),
    ("( .*)?$", "prefix"),
    ("(?: .*)?$", "prefix"),
    ("$", "exact"),
)
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
    ending: Literal["prefix", "exact", "open"] = "open"
    for text, kind in _ENDINGS:
        if body.endswith(text) and not body.endswith("\\" + text):
            body, ending = body.removesuffix(text), kind
            break
    body = _BLANKS.sub(" ", body)
    if ending == "open":
        body = body.removesuffix(".*")
    texts = _expanded(body)
    if texts is None or not all(text.strip() for text in texts):
        return (loose(_literal_start(body), why),)
    if ending == "open":
        return tuple(glob(text + "*", trailing="required") for text in texts)
    return tuple((prefix if ending == "prefix" else exact)(text) for text in texts)


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
