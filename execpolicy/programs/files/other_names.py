"""A file that the script runs under a name that it does not visibly write, as one of those that it does write.

Programs give files other names: backups (``cp -b``, ``sed -i.k``), orders (``sed 'w t'``, ``vim -c 'sav t'``), archives
that are packed and unpacked elsewhere, edits of names (``tar --transform``). How each makes its names is not followed:
a file counts as a written one that is called the same in another folder, whose name is a part of its own at one end, or
that is named together with it in one command; as any of them where names are edited, or where something is written to
it that nobody sees. It is evidence for restricting.
"""

from __future__ import annotations

import re

from execpolicy.flow.look_ups import plain_path
from execpolicy.flow.originals import and_around
from execpolicy.flow.streams import fed_texts, written_texts
from execpolicy.programs.files.made_files import files_made
from execpolicy.programs.names import base_name
from execpolicy.shell.limits import COMMAND, STEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.words import Word

_NAME = re.compile(r"[\w.~+-]+")
_PARTS = re.compile(r"[^\W_]+")
_PRINTING = ("-fprint", "-fls")
"""What has the names of files printed to one."""
_MOST_ADDED = 16
"""Characters that a backup has more than its file."""
_MOST_TEXTS = 32


def texts_under_other_names(word: Word, facts: Facts, *, shown: bool) -> list[str]:
    """What the script writes that the file may hold which ``word`` names.

    Args:
        shown: something is known of what is in it; then only what a program text may copy there counts.
    """
    base = _base(word.literal or "")
    if not base or not facts.budget.spend(COMMAND):
        return []
    texts: list[str] = []
    for script in and_around(facts):
        if any(map(script.mentions, _PRINTING)):
            texts += [text for _, named in script.once(_names) for each in sorted(named) for text in _as_text(each)]
        beside = script.once(_named_beside, base, shown)
        anything = not shown and (
            script.once(_edits_names) or any(_base(path) == base for path, _ in script.once(files_made))
        )
        texts += script.once(_fed_beside, base)
        for path, key in script.once(files_made):
            other = _base(path)
            if not script.budget.spend(STEP):
                return texts
            if other and (anything or other in beside or (not shown and _is_like(base, other))):
                texts += written_texts(key, script)
    return list(dict.fromkeys(texts))[:_MOST_TEXTS]


def _as_text(name: str) -> tuple[str, str]:
    """What the name of a file says where it is printed to one: as it is, and what an edit may leave of it."""
    first, *rest = _PARTS.findall(name) or [""]
    return first, " ".join([first, *rest])


def _is_like(base: str, other: str) -> bool:
    """Whether ``base`` is what a program calls ``other`` elsewhere, or what it keeps of it before a change."""
    return len(base) <= len(other) + _MOST_ADDED and (base.startswith(other) or base.endswith(other))


def _edits_names(facts: Facts) -> bool:
    """Whether a program makes names of other names by an edit that is not followed."""
    return any(map(facts.mentions, ("--transform", "--xform", "pax ", "-fprintf")))


def _named_beside(facts: Facts, base: str, in_texts: bool) -> frozenset[str]:
    """The names that stand in one command with ``base``; ``in_texts``: in one that runs a program text."""
    found = [names for program, names in facts.once(_names) if base in names and (program or not in_texts)]
    return frozenset([name for names in found for name in names])


def _names(facts: Facts) -> list[tuple[bool, frozenset[str]]]:
    """What is called like a file in the words of each command, and whether that runs a program text."""
    found: list[tuple[bool, frozenset[str]]] = []
    for command in facts.script.commands:
        texts = list(_said(command.words[1:]))
        if not facts.budget.spend(STEP + sum(map(len, texts))):
            break
        program = command.words[0].literal if command.words else None
        names = frozenset([_base(name) for text in texts for name in _NAME.findall(text)])
        found.append((base_name(program or "") in facts.knowledge.interpreting, names))
    return found


def _fed_beside(facts: Facts, base: str) -> list[str]:
    """What the commands are fed that name ``base`` in any place: one may write it there (``sort -o s <<< x``)."""
    fed = [each for each in facts.script.commands if each.body is not None or each.piped_from]
    return [
        text
        for each in fed[:_MOST_TEXTS]
        if facts.budget.spend(STEP)
        and base in [_base(name) for said in _said(each.words[1:]) for name in _NAME.findall(said)]
        for text in fed_texts(each, facts)[0]
    ]


def _said(words: tuple[Word, ...]) -> Iterator[str]:
    for word in words:
        yield word.literal if word.literal is not None else word.written


def _base(path: str) -> str:
    return plain_path(path).rstrip("/").rpartition("/")[2]
