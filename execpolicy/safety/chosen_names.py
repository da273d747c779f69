"""Names that a script chooses from a list: ``ls -A | grep env`` finds `.env`, and what reads that reads a secret.

Evidence for asking: a pattern counts as it would as a glob over the same names. A list that is not narrowed down
(``find . -type f``) is the whole folder, as for ``grep -r``.
"""

from __future__ import annotations

from execpolicy.core.text import bracket_end
from execpolicy.programs.names import base_name
from execpolicy.safety.handed_lists import handed_secret
from execpolicy.safety.listings import (
    EDITING,
    FD,
    FINDING,
    SELECTING,
    concerned,
    kind_of_list,
    run_words,
    short_letters,
    shows_hidden,
)
from execpolicy.safety.name_regex import found_names
from execpolicy.safety.secrets import secret_matching, secret_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command
    from execpolicy.shell.words import Word

_SHORTEST = 3
"""Letters of a pattern that say something of a name."""
_BY_REGEX = ("-regex", "-iregex")
_BY_GLOB = ("-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename")
_BY_FOLDER = ("credentials",)
"""What is called so and lies in another folder is mostly a secret: ``.aws/credentials``, ``.cargo/credentials``."""
_FARTHEST = 8
"""Programs in a pipeline between the list and the filter."""


def chosen_secret(facts: Facts) -> str | None:
    """The pattern by which the script chooses names of usual secrets from a list, or such a name that one may hold."""
    handed = handed_secret(facts)
    if handed is not None or not facts.once(concerned):
        return handed
    for command, words in zip(facts.script.commands, facts.once(run_words), strict=True):
        for glob, hidden in _globs(command, words, facts):
            letters = sum(char.isalnum() for char in glob)
            if (letters >= _SHORTEST or (letters and glob[0] == ".")) and secret_matching(
                glob, hidden=hidden and not _is_ending(glob)
            ) is not None:
                return glob
        short = _chosen_by_fd(words, facts) or _chosen_by_find(words)
        if short is not None:
            return short
    if any(kind_of_list(words) and shows_hidden(words) for words in facts.once(run_words)):
        return secret_named(facts.script.text, hidden=True)  # `case $name in *env)`
    return None


def _globs(command: Command, words: Sequence[Word], facts: Facts) -> Iterator[tuple[str, bool]]:
    """The globs that find the names which ``command`` chooses, each with whether hidden ones are among them."""
    name = base_name(words[0].literal or "") if words else ""
    if name in FD:
        for text in _operands(words, facts):
            yield _glob(text), shows_hidden(words)
        for ending in _values(words, "-e", "--extension"):
            yield f"*.{ending.lstrip('.')}", False
    elif name in FINDING:
        for option in _BY_REGEX:
            for regex in _values(words, option, option):  # of the whole path
                yield _glob(regex.rpartition("/")[2].removeprefix(".*")), True
    elif name in SELECTING or name in EDITING:
        listing = _list(command, facts)
        if listing is None or _inverted(words):
            return
        for text in _operands(words, facts):
            for regex in [text] if name in SELECTING else text.split("/")[1::2]:
                for one in regex.replace("\\|", "|").strip("()").split("|"):
                    yield _glob(one), shows_hidden(listing)


def _chosen_by_fd(words: Sequence[Word], facts: Facts) -> str | None:
    """A short pattern by which fd chooses names, as ``find -name`` does; one that finds any name chooses none."""
    if not words or base_name(words[0].literal or "") not in FD:
        return None
    shown = [".env", "id_rsa", "id_ed25519"][not shows_hidden(words) :]
    for text in list(_operands(words, facts))[:1]:
        if found_names(text, "perl", shown) and not found_names(text, "perl", ["0"]):
            return text
    return None


def _chosen_by_find(words: Sequence[Word]) -> str | None:
    """A glob of any length by which find chooses names; what it leaves out or does not walk into is not chosen."""
    texts = [word.literal or "" for word in words]
    if base_name(texts[0] if texts else "") not in FINDING:
        return None
    for at, text in enumerate(texts[:-1]):
        left_out = texts[at - 1] in ("!", "-not") or "-prune" in texts[at + 2 : at + 4]
        glob = texts[at + 1]
        if text not in _BY_GLOB or left_out:
            continue
        if secret_matching(glob, hidden=True) is not None or glob.rpartition("/")[2].lower() in _BY_FOLDER:
            return glob
    return None


def _operands(words: Sequence[Word], facts: Facts) -> Iterator[str]:
    """The words that may be a pattern: operands, and values that are glued to ``-e`` or stand behind ``=``."""
    for word in words[1:]:
        known = [word.literal] if word.literal is not None else [text for value in facts.values(word) for text in value]
        for text in known:
            if text[:2] == "-e":
                yield text[2:]
            elif text[:2] == "--":
                yield text.partition("=")[2]
            elif text[:1] != "-":
                yield text


def _values(words: Sequence[Word], letter: str, name: str) -> Iterator[str]:
    """The values of an option, behind it or glued to it."""
    texts = [word.literal or "" for word in words]
    for at, text in enumerate(texts[:-1]):
        if text in (letter, name):
            yield texts[at + 1]
    for text in texts:
        if text.startswith(name + "="):
            yield text[len(name) + 1 :]
        elif text[:1] == "-" and letter[1] in _cluster(text):
            yield text[text.index(letter[1]) + 1 :]


def _cluster(text: str) -> str:
    return "" if text[:2] == "--" else text[1:-1]


def _inverted(words: Sequence[Word]) -> bool:
    """Whether it leaves out what its pattern finds: ``grep -v``."""
    return any(word.literal == "--invert-match" or "v" in short_letters(word) for word in words[1:])


def _is_ending(glob: str) -> bool:
    return glob[:2] == "*." and glob[2:].rstrip("*").isalnum()


def _list(command: Command, facts: Facts) -> Sequence[Word] | None:
    """The words of the command whose list of names reaches ``command`` through its pipeline."""
    run, found = facts.once(run_words), command
    for _ in range(_FARTHEST):
        before = [at for at in found.piped_from if at < len(run)]
        if not before:
            return None
        if kind_of_list(run[before[-1]]):
            return run[before[-1]]
        found = facts.script.commands[before[-1]]
    return None


def _glob(regex: str) -> str:
    """A glob that finds the names which ``regex`` finds in a list, and more."""
    found = "" if regex.startswith("^") else "*"
    at = 1 if regex.startswith("^") else 0
    while at < len(regex):
        char, after = regex[at], regex[at + 1 : at + 2]
        if char == "\\":
            found += after if not after.isalnum() else "*"
            at += 1
        elif char == "[":
            close = bracket_end(regex, at)
            found += "?"
            at = max(close, at)
        elif char in "*+?{}()":
            found = found[:-1] + "*" if char in "*?{" else found + "*"
        elif char == ".":
            found += "?"
        elif char == "$" and not after:
            return found
        else:
            found += char
        at += 1
    return f"{found}*"
