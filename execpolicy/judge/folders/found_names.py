"""Names that patterns find, and folders that a script stays in: what only a look at the disk shows."""

from __future__ import annotations

from execpolicy.core.hosts import normalise_path
from execpolicy.flow.must import SPLITTING
from execpolicy.judge.folders.obeyed_file import makes_no_files
from execpolicy.programs.standing import files_named, standings
from execpolicy.safety.outputs import Undashed
from execpolicy.shell.script import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.situation import Situation
    from execpolicy.shell.words import Word

__all__ = ("files_named", "found_names", "makes_no_files", "stays")


def stays(facts: Facts, situation: Situation) -> bool:
    """True if every folder that the script changes to is the one it begins in: ``cd PROJECT && make``."""
    here = normalise_path(situation.places_of(".")[-1])
    shapes = {shape for standing in standings(facts) for shape in standing.folders or ("*",)}
    found = [situation.places_of(shape) if shape != "*" else () for shape in shapes]
    return all(places and normalise_path(places[-1]) == here for places in found)


def found_names(word: Word, folders: Sequence[str], situation: Situation) -> Word:
    """``word`` marked as names that are no options, if its pattern finds no other names in each of ``folders``.

    An unquoted value (``for f in docs/*; do cat $f; done``) must find nothing that the shell splits, either.
    """
    pattern = next((piece for piece in word.pieces if piece.kind == "glob"), None)
    if pattern is None and (word.kind != "glob" or word.prefix):
        return word
    front = "" if pattern is None or word.pieces[0] is pattern else word.pieces[0].text or "-"
    splits = pattern is not None and word.many
    if front.startswith("-") or (pattern is not None and splits and "/" in pattern.source):
        return word
    below, slash, _ = front.rpartition("/")
    names = [situation.names_in(f"{folder or '.'}/{below}" if below[:1] != "/" else below) for folder in folders]
    bad = "" if slash else "-"
    for name in [name for each in names for name in each or ("-x ",)]:
        if name[0] == bad or (splits and not SPLITTING.isdisjoint(name)):
            return word
    return Undashed(replace(word, prefix=front, many=word.kind == "glob")) if names else word
