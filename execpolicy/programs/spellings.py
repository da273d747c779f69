"""Other spellings of a command that a forbid or prompt rule must see too, and what a dynamic word could turn into.

Everything here over-approximates and serves restriction; nothing here is a reason to grant.
"""

from __future__ import annotations

from execpolicy.programs.catalog import record_of
from execpolicy.programs.names import base_name, names_matching
from execpolicy.programs.options import option_table, readings
from execpolicy.shell.limits import STEP
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.core.pattern import PrefixPattern
    from execpolicy.flow.facts import Facts

    Views = dict[tuple[object, ...], tuple[Word, ...]]
    """The spellings that were found, in order, by what tells them apart."""

MAX_VIEWS = 256
"""More views than this of one command are not made."""
MAX_VALUES = 64
_PYTHONS = frozenset(["python", "pypy", "py"])


def restrict_views(words: Sequence[Word], facts: Facts) -> tuple[tuple[Word, ...], ...]:
    """``words`` and its other spellings, the original first: known values filled in, the program as its base name."""
    return facts.once(_restrict_views, tuple(words))


def _restrict_views(facts: Facts, words: tuple[Word, ...]) -> tuple[tuple[Word, ...], ...]:
    if not words or only_as_written(words, facts):
        return (words,) * bool(words)
    views: Views = {}
    _add(views, words)
    for shown in substituted(words, facts):
        _add(views, shown)
    for view in list(views.values()):
        _named(views, view)
    return tuple(views.values())


def only_as_written(words: Sequence[Word], facts: Facts) -> bool:
    """True if it is quickly seen that there is no other spelling."""
    name = words[0].literal
    if name is None or "/" in name or "." in name or "\\" in name or name != name.lower() or name[:1] == "=":
        return False
    if name[:4] == "git-" or name[:3] in ("pip", "pyt", "pyp") or name in ("py", "cargo"):
        return False
    return not any(word.literal is None and facts.values(word) for word in words[1:])


def keeps_its_name(program: str) -> bool:
    """True if it is quickly seen that every spelling of a command calls its program ``program``, too."""
    return program.isascii() and program.isalpha() and program.islower() and program not in _PYTHONS


def _key(words: Sequence[Word]) -> tuple[object, ...]:
    return tuple([word.literal if word.literal is not None else id(word) for word in words])


def _add(views: Views, view: tuple[Word, ...]) -> None:
    if view and len(views) < MAX_VIEWS:
        views.setdefault(_key(view), view)


def substituted(words: Sequence[Word], facts: Facts) -> list[tuple[Word, ...]]:
    """The words with the values that the script visibly gives to dynamic ones; empty if there are none."""
    if not any(facts.values(word) for word in words):
        return []
    views: list[list[Word]] = [[]]
    for word in words:
        values = facts.values(word)[:MAX_VALUES]
        # of too many combinations those in front matter more; this word stays unknown
        made = len(views) * len(values)
        known = values and made <= MAX_VIEWS and facts.budget.spend(3 * STEP * made + sum(map(len, values)))
        choices = [[Word(text, word.span) for text in value] for value in values] if known else [[word]]
        if len(choices) == 1:
            for view in views:
                view += choices[0]
        else:
            views = [view + choice for view in views for choice in choices]
    return [tuple(view) for view in views if view]


def _named(views: Views, view: tuple[Word, ...]) -> None:
    """The program as its base name."""
    first = view[0]
    text = first.literal
    if text is None:
        if "/" not in first.suffix:
            return
        text = first.suffix
    name = base_name(text.removeprefix("="))  # zsh looks `=name` up
    # Some file systems tell no capitals from small letters.
    for spelling in (name, name.lower()):
        if spelling and spelling != first.literal:
            _add(views, (Word(spelling, first.span), *view[1:]))
    if name.startswith("git-") and len(name) > 4:
        _add(views, (Word("git", first.span), Word(name[4:], first.span), *view[1:]))
    if name == "cargo" and len(view) > 1 and view[1].beginning.startswith("+"):  # a toolchain
        _add(views, (first, *view[2:]))
    numberless = name.rstrip("0123456789.")
    if numberless == "pip" != name:
        _add(views, (Word("pip", first.span), *view[1:]))
    elif run := module_run(view):
        _add(views, run)


def module_run(words: Sequence[Word]) -> tuple[Word, ...]:
    """``python3 -I -m pip install`` as ``pip install``: a module is mostly called like its program. Empty: none."""
    record = record_of("python")
    if base_name(words[0].literal or "").rstrip("0123456789.") not in _PYTHONS or record is None:
        return ()
    table = option_table(record.options)
    at = 1
    while at < len(words):
        text = words[at].literal
        if text is None or len(text) < 2 or text[0] != "-" or text == "--":
            return ()
        read = readings(table, text)[-1]
        last = read.given[-1]
        at += 1 + read.takes
        if last.name == "-m":
            name = last.glued if not read.takes else words[at - 1].literal if at <= len(words) else None
            return (Word(name, words[0].span), *words[at:]) if name else ()
    return ()


def could_match(pattern: PrefixPattern, words: Sequence[Word]) -> bool:
    """True if some value of the dynamic words could make ``pattern`` match a spelling of a command."""
    for position, word in enumerate(words):
        if position >= len(pattern):
            break
        if word.literal is not None:
            accepted = {word.literal, base_name(word.literal)} if position == 0 else {word.literal}
            if not any(pattern.accepts(position, text) for text in accepted):
                return False
        elif not pattern.canonical_matching and not any(
            _may_be(word, token, is_program=position == 0) for token in pattern.positions()[position]
        ):
            return False
        elif word.many:  # it may become all the words that are left
            return True
    return len(words) >= len(pattern)


def _may_be(word: Word, token: str, *, is_program: bool) -> bool:
    """True if the first word that ``word`` becomes may be ``token``, or a path to it."""
    if is_program and word.pattern:
        return bool(names_matching(word.pattern, [token]))
    if is_program and ("/" in word.prefix or "/" in word.suffix or word.absolute):
        return word.suffix.rpartition("/")[2] == token or not word.suffix
    if word.number and not token.lstrip("-").isdigit():
        return False
    return token.startswith(word.prefix) and (word.many or token.endswith(word.suffix))
