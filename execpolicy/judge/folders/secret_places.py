"""Whether what a safe command reads is a secret by where it runs: ``cd ~ && grep -r x .``, ``cat ../../etc/shadow``.

What an entry says is about the words as they are written. Here each word that names a file is asked about once more,
as it is called from the root or from the home folder. That restricts; it proves nothing.
"""

from __future__ import annotations

from posixpath import normpath

from execpolicy.programs.names import base_name
from execpolicy.programs.standing import standing_of
from execpolicy.safety.heuristics import READING_NOTHING
from execpolicy.safety.secrets import exposing_root, secret_in, secret_matching
from execpolicy.safety.walked_folders import walked_folders
from execpolicy.shell.pieces import Piece
from execpolicy.shell.script import changed
from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.flow.facts import Facts
    from execpolicy.judge.situation import Situation
    from execpolicy.programs.standing import Standing
    from execpolicy.safety.heuristics import Heuristics
    from execpolicy.safety.opinion import Opinion
    from execpolicy.shell.script import Command

_MOST = 200
"""Words of one command that are looked at; whoever names more is asked about."""
_REFUSED = ("secret", "value")


def secret_place(
    command: Command, facts: Facts, start: Standing | None, situation: Situation, heuristics: Heuristics
) -> str | None:
    """What is secret about the files that ``command``, which is safe by its words, reads where it may run.

    Args:
        start: where the script begins that it stands in, if that is not the folder of the judgement.
    """
    if len(command.words) > _MOST:
        return "it names more words than are looked at where it does not run in the folder of the project"
    for folder in _folders(standing_of(command, facts, start), situation):
        for other in _elsewhere(command, folder, situation):
            opinion: Opinion = heuristics.opinion(other, facts)
            if opinion.verdict != "safe" and opinion.code in _REFUSED:
                return opinion.why
    dynamic = any(word.literal is None and not word.number for word in command.words)
    if dynamic and base_name(command.words[0].literal or "") not in READING_NOTHING:
        return facts.once(_walked, start, situation)
    return None


def _walked(facts: Facts, start: Standing | None, situation: Situation) -> str | None:
    """The folder above usual secrets of which the script has all names printed: ``find .. -type f``."""
    for script, begun in ((facts, start), (facts.outermost, None)):
        for command, folder in walked_folders(script):
            for place in standing_of(command, script, begun).joined(folder):
                path = _from_home(place, situation)
                if exposing_root(path) is not None:
                    return f"a word that is only known at run time could be any file below `{path}`"
    return None


def _folders(standing: Standing, situation: Situation) -> list[str]:
    return [_from_home(place, situation) for place in standing.joined("")]


def _from_home(path: str, situation: Situation) -> str:
    """``path`` from the root, or from ``~`` where it lies in the home folder."""
    if path.startswith("~"):
        return normpath(path)
    whole = normpath(f"{situation.cwd}/{path}" if path[:1] != "/" else path)
    home = situation.home
    return "~" + whole[len(home) :] if home and f"{whole}/".startswith(f"{home}/") else whole


def _elsewhere(command: Command, folder: str, situation: Situation) -> Iterator[Command]:
    """``command`` with one word spelled as a path from the root where that names a secret, or with the folder."""
    words = command.words
    for at, word in enumerate(words[1:], 1):
        path = _as_path(word, folder, situation)
        if path is not None:
            yield changed(command, words=(*words[:at], path, *words[at + 1 :]))
    if exposing_root(folder) is not None:
        root = Word(folder, words[0].span)
        yield changed(command, words=(*words, root))
        yield changed(command, words=(words[0], root, *words[1:]))


def _as_path(word: Word, folder: str, situation: Situation) -> Word | None:
    """``word`` as a path from the root (a pattern for some, or the value of ``--option=path``); ``None`` where nothing
    is secret about that."""
    text = word.literal
    if text is not None:
        name, equals, value = text.partition("=") if text[:1] == "-" else ("", "", text)
        if (text[:1] == "-" and not equals) or (value[:1] in ("/", "~") and ".." not in value):
            return None
        path = _from_home(f"{folder}/{value}" if value[:1] not in ("/", "~") else value, situation)
        if secret_in(path) is None and exposing_root(path) is None:
            return None
        return Word(name + equals + path, word.span)
    if word.kind != "glob" or word.prefix[:1] in ("/", "~", "-"):
        return None
    known = word.beginning.rpartition("/")[0]
    path = _from_home(f"{folder}/{known}", situation) + "/"
    rest = word.behind(len(known) + 1 if known else 0)
    pieces = (Piece("literal", path, False), *rest.pieces)
    found = changed(rest, prefix=path + rest.prefix, many=word.many, pieces=pieces)
    return found if secret_matching(found.shape) is not None else None
