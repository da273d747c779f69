"""Validators of public values: enum members and their spellings, texts, flags, numbers, instances of a class.

Unchecked values fail open: a word is not the member that it spells (``"deny" is Action.DENY`` is false), a text is also
a sequence of its characters, and ``"no"`` is true. A kind is a function of the value and of its name in messages; it
returns the value in its normal form, or raises a :class:`UsageError` with the accepted values.

Modules of a check import this only after a value was found to be wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from difflib import get_close_matches
from enum import Enum, StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from execpolicy.errors import UsageError

Kind: TypeAlias = Callable[[Any, str], Any]


class OneOf(StrEnum):
    """A closed set of words. A call with a member or its spelling returns the member; any other value raises."""

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise unknown_word(value, list(cls), cls.__name__)


def unknown_word(value: object, accepted: Iterable[str], what: str) -> UsageError:
    """The error for ``value``, which is not in ``accepted``; it names both and the probable intention."""
    words = [str(word) for word in accepted]
    near = closest(value, words)
    meant = f" (did you mean `{near}`?)" if near is not None else ""
    listed = "`, `".join(words[:-1])
    known = f"one of `{listed}` or `{words[-1]}`" if listed else f"`{words[-1]}`"
    return UsageError(f"{what} must be {known}, not {shown(value)}{meant}")


def closest(value: object, words: Iterable[str]) -> str | None:
    """The most similar of ``words`` to ``value``, ignoring case and dashes; ``None`` if there is none."""
    if not isinstance(value, str):
        return None
    folded = {_folded(word): word for word in words}
    near = get_close_matches(_folded(value), folded, n=1)
    return folded[near[0]] if near else None


def _folded(word: str) -> str:
    return word.lower().replace("_", "").replace("-", "")


def shown(value: object) -> str:
    """``value`` in an error message: texts as written, other values by their type, long ones shortened."""
    if isinstance(value, str):
        return f"`{value if len(value) <= 60 else value[:60] + '…'}`"
    return "nothing (`None`)" if value is None else f"{type(value).__name__} {repr(value)[:60]}"


def settle(value: object, **kinds: Kind) -> None:
    """Converts each of the named attributes of a frozen dataclass to its normal form. For ``__post_init__``.

    Raises:
        UsageError: one of them is not accepted.
    """
    for attribute, kind in kinds.items():
        given = getattr(value, attribute)
        try:
            settled = kind(given, attribute)
        except UsageError as error:
            raise UsageError(f"{type(value).__name__}: {error}") from None
        if settled is not given:
            object.__setattr__(value, attribute, settled)


def plain(value: str) -> str:
    """The characters of ``value`` as a plain ``str``: a subclass may claim to be equal to anything."""
    return value if type(value) is str else str.__str__(value)


def _kind(accepts: Callable[[Any], bool], expected: str) -> Kind:
    """A kind for the values that ``accepts`` accepts."""

    def kind(value: Any, what: str) -> Any:
        if accepts(value):
            return plain(value) if isinstance(value, str) else value
        raise UsageError(f"{what} must be {expected}, not {shown(value)}")

    return kind


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


text: Callable[[Any, str], str] = _kind(lambda value: isinstance(value, str), "text")
name: Callable[[Any, str], str] = _kind(
    lambda value: isinstance(value, str) and plain(value) != "", "text that is not empty"
)
folder: Callable[[Any, str], str] = _kind(
    lambda value: isinstance(value, str) and plain(value).startswith("/"), "an absolute path"
)
flag: Callable[[Any, str], bool] = _kind(lambda value: value is True or value is False, "True or False")
number: Callable[[Any, str], int] = _kind(_is_number, "a whole number")
count: Callable[[Any, str], int] = _kind(lambda value: _is_number(value) and value >= 0, "a whole number from 0")
function = _kind(callable, "a function")


def texts(value: Any, what: str) -> tuple[str, ...]:
    """A tuple of texts; a single text becomes a tuple of one."""
    if isinstance(value, str):
        return (plain(value),)
    if isinstance(value, Iterable) and not isinstance(value, Mapping | bytes | bytearray):
        found = tuple(value)
        if all(isinstance(one, str) for one in found):
            return tuple([plain(one) for one in found])
    raise UsageError(f"{what} must be a list of texts, not {shown(value)}")


def argv(value: Any, what: str) -> tuple[str, ...]:
    """The words of a command. A text raises: the caller must say if it is a program or a script."""
    if isinstance(value, str):
        raise UsageError(f"{what} must be the list of a command's words, not the text {shown(value)}")
    if isinstance(value, Set):
        raise UsageError(f"{what} must be the list of a command's words in their order, not {shown(value)}")
    return texts(value, what)


def program_and_words(value: Any, what: str) -> tuple[str, ...]:
    """The words of a command that has a program."""
    words = prefix(value, what)
    if words:
        return words
    raise UsageError(f"{what} needs a program as its first word, not {shown(value)}")


def prefix(value: Any, what: str) -> tuple[str, ...]:
    """The first words of commands, including the program; or no words."""
    words = argv(value, what)
    if words[:1] != ("",):
        return words
    raise UsageError(f"{what} needs a program as its first word, not an empty text")


def command(value: Any, what: str) -> str | tuple[str, ...]:
    """A script, or the words of a command."""
    return plain(value) if isinstance(value, str) else argv(value, what)


def positive(value: Any, what: str) -> int:
    """A whole number, 1 or more."""
    if count(value, what) > 0:
        return int(value)
    raise UsageError(f"{what} must be a whole number from 1, not {shown(value)}")


MOST_SECONDS = 1_000_000_000
"""The longest accepted time, about thirty years. No system clock waits for much longer."""


def seconds(value: Any, what: str) -> float:
    """A time in seconds, 0 or more, that a clock can wait for."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_SECONDS:
        return value
    raise UsageError(f"{what} must be a number of seconds from 0 to {MOST_SECONDS:,}, not {shown(value)}")


def mapping(value: Any, what: str) -> Mapping[str, Any]:
    """A mapping whose keys are texts."""
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return value
    raise UsageError(f"{what} must be a mapping with texts as keys, not {shown(value)}")


def variables(value: Any, what: str) -> Mapping[str, str]:
    """Variables of an environment."""
    found = mapping(value, what)
    if all(isinstance(one, str) for one in found.values()):
        return found
    raise UsageError(f"{what} must be a mapping of texts to texts, not {shown(value)}")


def port(*methods: str) -> Kind:
    """A kind for objects with these methods, which the host provides."""

    def kind(value: Any, what: str) -> Any:
        if all(callable(getattr(value, method, None)) for method in methods):
            return value
        listed = "`, `".join(methods)
        raise UsageError(f"{what} must have the method{'s' if len(methods) > 1 else ''} `{listed}`, not {shown(value)}")

    return kind


def optional(kind: Kind) -> Kind:
    """A kind for ``None`` and the values that ``kind`` accepts."""
    return lambda value, what: None if value is None else kind(value, what)


def instance(*classes: type) -> Kind:
    """A kind for instances of ``classes``."""

    def kind(value: Any, what: str) -> Any:
        if isinstance(value, classes):
            return value
        expected = " or ".join([found.__name__ for found in classes])
        raise UsageError(f"{what} must be a value of {expected}, not {shown(value)}")

    return kind


def member(words: type[Enum]) -> Kind:
    """A kind for members of the enum and their spellings."""

    def kind(value: Any, what: str) -> Any:
        if isinstance(value, words):
            return value
        if isinstance(value, str):
            for one in words:
                if one.value == plain(value):
                    return one
        raise unknown_word(value, [str(one.value) for one in words], what)

    return kind


def one_of(*words: str) -> Kind:
    """A kind for the words."""

    def kind(value: Any, what: str) -> Any:
        if isinstance(value, str) and plain(value) in words:
            return plain(value)
        raise unknown_word(value, words, what)

    return kind


def every(kind: Kind) -> Kind:
    """A kind for sequences of values that ``kind`` accepts; returns a tuple."""
    return lambda value, what: tuple([kind(one, what) for one in listed(value, what)])


def listed(value: Any, what: str, things: str | None = None) -> tuple[Any, ...]:
    """A tuple of several values of any kind; a text, bytes or a mapping raises, as it would be split into parts."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | bytearray | Mapping):
        return tuple(value)
    raise UsageError(f"{what} must be a list{f' of {things}' if things else ''}, not {shown(value)}")


class Checked:
    """The base of frozen dataclasses that validate their fields: by the kind in the class's keywords, else by type.

    Raises:
        UsageError: a field is not accepted.
    """

    __slots__ = ()
    _kinds: ClassVar[Mapping[str, Kind]] = {}

    def __init_subclass__(cls, **kinds: Kind) -> None:
        if kinds:  # a dataclass with slots is made twice, the second time without keywords
            cls._kinds = {**cls._kinds, **kinds}

    @classmethod
    @cache
    def _kinds_of_fields(cls) -> dict[str, Kind]:
        hints = {field: hint for field, hint in get_type_hints(cls).items() if get_origin(hint) is not ClassVar}
        return {field: cls._kinds.get(field) or _kind_of(hint) for field, hint in hints.items()}

    def __post_init__(self) -> None:
        settle(self, **self._kinds_of_fields())


_BY_TYPE: dict[Any, Kind] = {str: text, bool: flag, int: count, float: seconds, dict: mapping, Callable: function}


def _kind_of(hint: Any) -> Kind:
    """The kind for values of the type ``hint``; a type without a kind accepts everything."""
    origin, parts = get_origin(hint) or hint, get_args(hint)
    if origin in (Union, UnionType):
        types = [part for part in parts if part is not NoneType]
        kind = _kind_of(types[0]) if len(types) == 1 else instance(*types)
        return optional(kind) if NoneType in parts else kind
    if origin is Literal:
        return one_of(*parts)
    if origin is tuple:
        return texts if parts[0] is str else every(_kind_of(parts[0]))
    if origin is Mapping:
        return variables if parts[1] is str else mapping
    if origin in _BY_TYPE:
        return _BY_TYPE[origin]
    if isinstance(origin, type) and origin is not Any:
        return member(origin) if issubclass(origin, Enum) else instance(origin)
    return lambda value, what: value
