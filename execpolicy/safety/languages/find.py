"""Expressions of ``find``: predicates that only look and print.

Source: find(1) of GNU findutils 4.9 and of macOS. Predicates cannot be abbreviated; whatever is not listed is refused,
among it everything that deletes or writes to a file. ``-exec`` and ``-execdir`` are passed over: the judge looks at the
command that they run like at any other (``execpolicy.programs.extractors.find``), so that only where it ends has to be
certain here.
"""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy.programs.extractors.find import FIND_LEADING
from execpolicy.safety.grammar import Refusal
from execpolicy.safety.secrets import secret_in, secret_matching
from execpolicy.shell.words import Word

_OPERATORS = frozenset(("(", ")", "!", ",", "-a", "-and", "-o", "-or", "-not"))
# fmt: off
ALONE = frozenset((
    "-print", "-print0", "-prune", "-ls", "-quit", "-depth", "-d", "-mount", "-xdev", "-x", "-noleaf", "-daystart",
    "-follow", "-empty", "-true", "-false", "-nouser", "-nogroup", "-readable", "-writable", "-executable", "-warn",
    "-nowarn", "-ignore_readdir_race", "-noignore_readdir_race", "-help", "--help", "-version", "--version",
))
WITH_ARGUMENT = frozenset((
    "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname", "-ilname",
    "-type", "-xtype", "-size", "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-newer", "-anewer", "-cnewer",
    "-perm", "-user", "-group", "-uid", "-gid", "-links", "-inum", "-samefile", "-maxdepth", "-mindepth", "-printf",
    "-regextype", "-fstype", "-used", "-context", "-Bmin", "-Btime", "-flags",
))
# fmt: on


_NAMES = frozenset(
    ("-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-lname", "-ilname", "-samefile")
)
_PATTERNS = frozenset(("-regex", "-iregex"))


_ACTIONS = frozenset(
    ("-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from", "-rm")
)
"""Predicates that do more than look and print."""


def _takes_argument(name: str) -> bool:
    if name in WITH_ARGUMENT:
        return True
    return len(name) == 8 and name.startswith("-newer") and name[6] in "aBcm" and name[7] in "aBcmt"


def refusal(words: Sequence[Word], at: int) -> Refusal | None:
    """Returns why ``find``'s arguments ``words[at:]`` are not known to be harmless, or ``None`` if they are."""
    end = len(words)
    start = at
    many = moved = False
    run: set[int] = set()
    while at < end and words[at].literal in FIND_LEADING:
        at += 1
    while at < end:
        text = words[at].literal
        if text is None:
            if _may_be_predicate(words[at]):
                return Refusal("dynamic", at, "a starting point that is only known at run time could be a predicate")
        elif text in _OPERATORS or (text[:1] == "-" and text != "-"):
            break
        at += 1
    while at < end:
        text = words[at].literal
        if text is None:
            return Refusal("dynamic", at, "a predicate is only known at run time")
        at += 1
        if text in _OPERATORS or text in ALONE:
            continue
        if text in ("-exec", "-execdir"):
            found = _behind_command(words, at)
            if isinstance(found, Refusal):
                return found
            run.update(range(at, found))
            at = found
            continue
        if not _takes_argument(text):
            return Refusal("expression", at - 1, f"the predicate `{text}` is not on the list")
        if at >= end:
            return Refusal("expression", at, f"`{text}` needs an argument")
        word = words[at]
        if word.literal is None and word.many:
            if _may_be_predicate(word, names_end=True):
                return Refusal("dynamic", at, f"the argument of `{text}` can be any number of words")
            many = True
            moved = moved or not _is_refused(word)
        at += 1
    if run and moved:
        return Refusal("dynamic", start, "a pattern that the shell expands could move the end of `-exec`")
    secret = _secret(words, start, runs=bool(run))
    if secret is not None:
        return secret
    return _shifted(words, range(start, end), run) if many else None


def _shifted(words: Sequence[Word], places: range, run: set[int]) -> Refusal | None:
    """Returns what could become a predicate where an unquoted glob is no word or several, and what is behind it moves.

    ``run``: the places of the words behind ``-exec``.
    """
    for index in places:
        text = words[index].literal
        listed = text is None or text in _OPERATORS or text in ALONE or text in FIND_LEADING
        if index in run or index + 1 in run:
            listed = index not in run or text not in _ACTIONS
        if text is not None and text[:1] == "-" and not listed and not _takes_argument(text):
            return Refusal("expression", index, f"`{text}` could become a predicate")
    return None


def _is_refused(word: Word) -> bool:
    """True if ``find`` starts nothing where this unquoted pattern of an argument finds several names, or none.

    Each further name is where a predicate is wanted and looks like none: a text of letters, or one with a dot in
    its end. GNU, busybox and the BSDs end at it before they look at a file; bfs takes it for another starting point.
    """
    first = word.prefix[:1]
    return word.kind == "glob" and ("." in word.suffix or first.isalnum() or first in ("_", "/") or "." in word.prefix)


def _may_be_predicate(word: Word, *, names_end: bool = False) -> bool:
    """True if the word, or one of those it becomes, could start with ``-`` and be a predicate.

    ``names_end``: what the word ends with is taken into account: no predicate has a dot in it.
    """
    if word.kind == "glob" and names_end and "." in word.suffix:
        return False
    return word.number or word.may_start_with_dash() or word.may_be_any


def _behind_command(words: Sequence[Word], at: int) -> int | Refusal:
    """The index behind the ``;`` or ``{} +`` that ends the command beginning at ``at``."""
    for index in range(at, len(words)):
        text = words[index].literal
        if text is None:
            return Refusal("dynamic", index, "a word of `-exec` that is only known at run time could end the command")
        if text == ";" or (text == "+" and index > at and words[index - 1].literal == "{}"):
            if index == at:
                return Refusal("expression", index, "`-exec` needs a command")
            return index + 1
    return Refusal("expression", len(words), "the end of `-exec` is missing")


def _secret(words: Sequence[Word], at: int, *, runs: bool) -> Refusal | None:
    """True if it looks into folders of secrets, or its command is given files that usually hold some."""
    starting = True
    for index in range(at, len(words)):
        text = words[index].literal
        if text is not None and (text in _OPERATORS or text[:1] == "-") and text not in FIND_LEADING:
            starting = False
        if starting:
            problem = secret_in(text) if text is not None else secret_matching(words[index].shape)
        elif runs and words[index - 1].literal in _NAMES:
            problem = secret_matching(text if text is not None else words[index].shape, hidden=True)
        elif runs and words[index - 1].literal in _PATTERNS:
            problem = _found_by(text or "")
        else:
            continue
        if problem is not None:
            return Refusal("secret", index, problem)
    return None


def _found_by(regex: str) -> str | None:
    """Returns what is secret about the names that ``regex`` finds; only one that ends in a plain ending is
    understood.
    """
    ending = regex.rstrip("$").rpartition(".")[2]
    if not (ending.isascii() and ending.isalnum()):
        return "it is not known which files the expression finds"
    return secret_matching("*." + ending, hidden=True)
