"""Other spellings of a command that a forbid or prompt rule must see too, and what a dynamic word could turn into.

Everything here over-approximates and serves restriction; nothing here is a reason to grant.
"""

from __future__ import annotations

from execpolicy.programs.catalog import has_leading, record_of
from execpolicy.programs.names import base_name, names_matching
from execpolicy.programs.options import option_table, readings, walk
from execpolicy.shell.limits import STEP
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.core.pattern import PrefixPattern
    from execpolicy.flow.facts import Facts
    from execpolicy.programs.options import Options

    Views = dict[tuple[object, ...], tuple[Word, ...]]
    """The spellings that were found, in order, by what tells them apart."""

MAX_VIEWS = 256
"""More views than this of one command are not made."""
MAX_VALUES = 64
_PYTHONS = frozenset(["python", "pypy", "py"])
_DOCKER = frozenset(["docker", "podman", "nerdctl"])
_DOCKER_GROUPS = frozenset(["container", "image", "builder"])
_DOCKER_SAME = {
    ("image", "rm"): "rmi",
    ("image", "ls"): "images",
    **{("image", verb): verb for verb in ("build", "pull", "push", "tag")},
    ("builder", "build"): "build",
    ("container", "ls"): "ps",
}
"""Management commands and their short forms. Source: the Docker CLI reference ("Aliases")."""


def restrict_views(words: Sequence[Word], facts: Facts) -> tuple[tuple[Word, ...], ...]:
    """``words`` and its other spellings, the original first: evident values substituted, the program as its base name,
    global options removed."""
    return facts.once(_restrict_views, tuple(words))


def _restrict_views(facts: Facts, words: tuple[Word, ...]) -> tuple[tuple[Word, ...], ...]:
    if not words or only_as_written(words, facts):
        return (words,) * bool(words)
    views = {_key(view): view for view in named_views(words, facts)}
    for view in list(views.values()):
        _without_global_options(views, view)
    return tuple(views.values())


def named_views(words: Sequence[Word], facts: Facts) -> tuple[tuple[Word, ...], ...]:
    """The spellings of :func:`restrict_views` with all options."""
    if only_as_written(words, facts):
        return (tuple(words),)
    views: Views = {}
    _add(views, tuple(words))
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
    options = False
    for word in words[1:]:
        text = word.literal
        if text is None:
            if facts.values(word):
                return False
            options = True
        elif text.startswith(("-", "+")):
            options = True
    if name[:4] == "git-" or name[:3] in ("pip", "pyt", "pyp") or name == "py":
        return False
    if not options:
        return name not in _DOCKER
    if not has_leading(name):
        return not has_leading(name.rstrip("0123456789"))
    # No option in front; elsewhere only some programs take them.
    record, second = record_of(name), words[1].literal
    plain = second is not None and second[:1] not in ("-", "+") and name not in _DOCKER
    return plain and record is not None and "@anywhere" not in record.leading


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


def _without_global_options(views: Views, view: tuple[Word, ...]) -> None:
    name = view[0].literal
    if name is None or len(view) < 3:
        if name in _DOCKER:
            _docker_groups(views, view)
        return
    name = base_name(name)
    record = record_of(name if has_leading(name) else name.rstrip("0123456789."))
    if record is None or not record.leading:
        return

    table = option_table(record.leading)
    second = view[1].literal
    if second is not None and second[:1] not in ("-", "+") and name not in _DOCKER:
        # No option in front; elsewhere only some programs take them.
        if not table.anywhere:
            return
        if all(word.literal is not None and not word.literal.startswith("-") for word in view):
            return

    if name == "cargo" and second is not None and second.startswith("+"):
        _add(views, (view[0], *view[2:]))
        _without_global_options(views, (view[0], *view[2:]))
        return
    starts = walk(table, view, 1).starts
    for start in starts[:32]:
        if start > 1:
            _add(views, (view[0], *view[start:]))
    if table.anywhere:
        for start in starts[:2]:
            kept = [view[0]]
            at, operands = start, 0
            while at < len(view) and operands < 6:
                following = walk(table, view, at).starts
                if not following:
                    break
                at = following[0]
                kept.append(view[at])
                at += 1
                operands += 1
            _add(views, tuple(kept))
            _known_removed(views, view, start, table)
    if name in _DOCKER:
        for each in [view, *[(view[0], *view[start:]) for start in starts[:2]]]:
            _docker_groups(views, each)


def _known_removed(views: Views, view: tuple[Word, ...], start: int, table: Options) -> None:
    """Known global options left out wherever they stand, every other word kept."""
    kept: list[Word] = [view[0]]
    at = start
    while at < len(view):
        text = view[at].literal
        if text is not None and len(text) > 1 and text[0] == "-" and text != "--":
            read = readings(table, text)
            if len(read) == 1 and all(option.kind != "unknown" and option.full for option in read[0].given):
                at += 1 + read[0].takes
                continue
        kept.append(view[at])
        at += 1
    _add(views, tuple(kept))


def _docker_groups(views: Views, view: tuple[Word, ...]) -> None:
    """``docker container rm`` as ``docker rm``."""
    if len(view) < 3:
        return
    group, verb = view[1].literal, view[2].literal
    if group in _DOCKER_GROUPS and verb is not None:
        short = _DOCKER_SAME.get((group, verb), verb if group == "container" else None)
        if short is not None:
            _add(views, (view[0], Word(short, view[2].span), *view[3:]))


def could_match(pattern: PrefixPattern, views: Sequence[Sequence[Word]]) -> bool:
    """True if some value of the dynamic words could make ``pattern`` match one of the spellings of a command.

    A grant has to prove that no stricter rule could apply; this is the question to ask of each stricter rule. Every
    spelling counts: in ``git -C d $x`` the last word may make it ``git push``.

    Args:
        views: what :func:`restrict_views` gives.
    """
    return any(_view_could_match(pattern, view) for view in views)


def _view_could_match(pattern: PrefixPattern, words: Sequence[Word]) -> bool:
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
