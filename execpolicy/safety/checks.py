"""Strict reading of the arguments of an entry, with errors that say what would have been right."""

from __future__ import annotations

from _collections_abc import Iterable, Mapping

from execpolicy import validators
from execpolicy.errors import InvalidRuleError
from execpolicy.source import Place


def unknown_word(problem: str, word: str, known: Iterable[str]) -> InvalidRuleError:
    """An error that quotes ``word`` and suggests the nearest of the ``known`` ones."""
    candidates = list(known)
    near = validators.closest(word, candidates)
    help = f"did you mean `{near}`?" if near is not None else "known: " + ", ".join(candidates)
    return InvalidRuleError(f"{problem} `{word}`", help=help)


def only_keys(arguments: Mapping[str, object], known: tuple[str, ...], where: str) -> None:
    """Check that ``arguments`` has no key beside ``known``.

    Raises:
        InvalidRuleError: it has one.
    """
    for key in arguments:
        if key not in known:
            raise unknown_word(f"{where} has no parameter", key, known)


def head(arguments: Mapping[str, object], known: tuple[str, ...], kind: str) -> tuple[str, bool]:
    """The beginning of errors about the entry with these ``arguments``, and if it switches another one off.

    Raises:
        InvalidRuleError: a parameter is unknown, the name or the reason is missing, or not of the right shape.
    """
    only_keys(arguments, known, kind)
    if "name" not in arguments:
        raise InvalidRuleError(f"{kind} needs a name", help='write `name = "…"`, unique among the entries')
    where = f"{kind} `{text(arguments['name'], f'{kind}: name')}`"
    if boolean(arguments.get("disabled", False), f"{where}: disabled"):
        only_keys(arguments, ("name", "reason", "disabled"), f"{where}, being disabled,")
        return where, True
    if "reason" not in arguments:
        raise InvalidRuleError(f"{where} needs a reason")
    text(arguments["reason"], f"{where}: reason")
    return where, False


def text(value: object, where: str) -> str:
    """``value`` as a text with more than blanks in it.

    Raises:
        InvalidRuleError: it is something else.
    """
    if not isinstance(value, str):
        raise InvalidRuleError(f"{where} must be a string")
    if not value.strip():
        raise InvalidRuleError(f"{where} cannot be empty")
    return value


def boolean(value: object, where: str) -> bool:
    """``value`` as a truth value.

    Raises:
        InvalidRuleError: it is something else.
    """
    if not isinstance(value, bool):
        raise InvalidRuleError(f"{where} must be True or False")
    return value


def texts(value: object, where: str) -> tuple[str, ...]:
    """``value`` (a string or a list of strings) as a tuple.

    Raises:
        InvalidRuleError: it is something else.
    """
    if isinstance(value, str):
        return (text(value, where),)
    if not isinstance(value, (list, tuple)):
        raise InvalidRuleError(f"{where} must be a string or a list of strings")
    return tuple([text(item, where) for item in value])


def spellings(value: object, where: str) -> tuple[str, ...]:
    """Option names: a string or a list of strings, each of which may hold several names between blanks.

    Raises:
        InvalidRuleError: a name is no option (it must start with ``-`` and hold no ``=``).
    """
    names: list[str] = []
    for item in texts(value, where):
        for name in item.split():
            if len(name) < 2 or name[0] not in "-+" or name == "--" or "=" in name:
                raise InvalidRuleError(
                    f"{where}: `{name}` is not the name of an option", help="write `-x`, `--name` or `-name`"
                )
            names.append(name)
    return tuple(names)


def several(value: object) -> tuple[str, ...]:
    """``value``, a string or a list of strings that was checked before, as a tuple."""
    if isinstance(value, str):
        return (value,)
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else ()


BY_PATH = "./"
"""The program of an entry about files of the project, each by its path, which is the first operand."""


class ProgramEntry:
    """An entry of a rule file about programs. A check makes many entries and uses few, so most values are read on use.

    Attributes:
        arguments: the entry as written, JSON-like.
        place: the place of the call in a file.
        name: unique among entries; a later entry of the same name replaces this one.
        programs: base names of the programs.
        reason: one line.
    """

    __slots__ = ("arguments", "name", "place", "programs", "reason")

    kind = ""

    def __init__(self, arguments: Mapping[str, object], place: Place | None = None) -> None:
        """Takes ``arguments`` that were checked before."""
        self.arguments = arguments
        self.place = place
        self.name = str(arguments["name"])
        self.programs = several(arguments.get("program", ()))
        self.reason = str(arguments.get("reason", ""))

    @property
    def disabled(self) -> bool:
        """True if the entry switches off the earlier entry of this name and has no other effect."""
        return bool(self.arguments.get("disabled"))

    @property
    def match(self) -> tuple[str, ...]:
        """Scripts that the entry must match."""
        return several(self.arguments.get("match", ()))

    @property
    def not_match(self) -> tuple[str, ...]:
        """Scripts that the entry must not match."""
        return several(self.arguments.get("not_match", ()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"
