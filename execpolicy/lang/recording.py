"""The recording of a rule file's evaluation: the builtin calls it made, in order, and how it ended."""

from __future__ import annotations

from execpolicy import validators
from execpolicy.errors import InvalidRuleError
from execpolicy.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Encoded: TypeAlias = Any
    """A Starlark value: ``str``, ``bool``, ``None`` and ``list`` as they are; a dict as ``{"d": [[key, value], …]}``;
    everything else as ``{"t": type name, "r": repr}``.
    """
    Parameters: TypeAlias = tuple[tuple[str, str, bool], ...]
    """For each parameter its name, its Starlark type and true if it is required."""


@value
class RecordedCall:
    """One call of a builtin, not yet checked.

    Attributes:
        name: the builtin.
        line: 1-based line of the call in the file, also inside functions and loops; 0 if unknown.
        args: encoded positional arguments.
        kwargs: ``[name, encoded value]`` pairs in the order written.
    """

    name: str
    line: int
    args: list[Encoded]
    kwargs: list[list[Encoded]]


@value
class Failure:
    """The error that stopped the evaluation.

    Attributes:
        code: ``EP001`` for syntax and names, ``EP002`` for a run-time error, ``EP006`` for a limit.
        message: in Starlark's words.
        line: 1-based, 0 if unknown.
        column: 1-based, 0 if unknown.
        end: 1-based column after the last character on that line, 0 if unknown.
        help: the suggested action, or ``None``.
    """

    code: str
    message: str
    line: int = 0
    column: int = 0
    end: int = 0
    help: str | None = None


@value
class Recording:
    """The calls that a file made before it ended or failed.

    Calls are checked afterwards, in order. Builtins return nothing, so the first invalid call is the error at which
    Codex would have stopped, and it comes before ``failure``.
    """

    calls: list[RecordedCall]
    failure: Failure | None

    def to_plain(self) -> Any:
        """The recording as built-in values, for ``marshal``."""
        failure = self.failure
        return (
            [(call.name, call.line, call.args, call.kwargs) for call in self.calls],
            failure and (failure.code, failure.message, failure.line, failure.column, failure.end, failure.help),
        )

    @classmethod
    def from_plain(cls, plain: Any) -> Recording:
        """The inverse of :meth:`to_plain`."""
        calls, failure = plain
        return cls([RecordedCall(*call) for call in calls], Failure(*failure) if failure else None)


_TYPE_WORDS = {"str": "string"}
_CLASSES = {"str": str, "list": list, "bool": bool}


def bind(call: RecordedCall, parameters: Parameters) -> dict[str, Any]:
    """The arguments by parameter name, types checked. Codex's order: duplicates, missing, extra, then types."""
    given: dict[str, Any] = dict(call.kwargs)
    if not call.args and len(given) == len(call.kwargs) and _is_right(given, parameters):
        return given
    given.clear()
    names = [name for name, _, _ in parameters]
    for name, argument in zip(names, call.args, strict=False):
        given[name] = argument
    extra_named: list[str] = []
    for name, argument in call.kwargs:
        if name in given:
            raise InvalidRuleError(f"Argument `{name}` occurs more than once")
        if name in names:
            given[name] = argument
        else:
            extra_named.append(name)
    for name, _, required in parameters:
        if required and name not in given:
            near = validators.closest(name, extra_named)
            help = f"`{near}` is no parameter: write `{name}`" if near is not None else None
            raise InvalidRuleError(f"Missing parameter `{name}` for call to `{call.name}`", help=help)
    if len(call.args) > len(names):
        surplus = len(call.args) - len(names)
        raise InvalidRuleError(f"Found {surplus} extra positional argument(s) for call to {call.name}")
    if extra_named:
        listed = " ".join([f"`{name}`" for name in extra_named])
        raise InvalidRuleError(
            f"Found {listed} extra named parameter(s) for call to {call.name}",
            help=f"`{call.name}` takes {', '.join([f'`{name}`' for name in names])}",
        )
    for name, wanted, _ in parameters:
        if name in given:
            actual = type_of(given[name])
            if actual != _TYPE_WORDS.get(wanted, wanted):
                shown = starlark_repr(given[name])
                raise InvalidRuleError(
                    f"`{name}` must be a {_TYPE_WORDS.get(wanted, wanted)}, and {shown} is a {actual}",
                    codex=f"Type of parameter `{name}` doesn't match, expected `{wanted}`, "
                    f"actual `{actual} (repr: {shown})`",
                )
    return given


def _is_right(given: dict[str, Any], parameters: Parameters) -> bool:
    """True if the call has exactly the required keywords with the right types, as nearly every call has."""
    known = 0
    for name, wanted, required in parameters:
        if name in given:
            if given[name].__class__ is not _CLASSES[wanted]:
                return False
            known += 1
        elif required:
            return False
    return known == len(given)


def keywords(call: RecordedCall) -> dict[str, object]:
    """The arguments of one of our own builtins: keywords only, as plain values."""
    if call.args:
        raise InvalidRuleError(f"`{call.name}` takes keyword arguments only", help='write `name = "…"`')
    return {name: plain(value, name) for name, value in call.kwargs}


def plain(value: Encoded, where: str) -> object:
    """``value`` of the argument ``where`` as a plain value."""
    if isinstance(value, list):
        return [plain(item, where) for item in value]
    if isinstance(value, dict):
        if "d" in value:
            items = {}
            for key, item in value["d"]:
                if not isinstance(key, str):
                    raise InvalidRuleError(f"`{where}` has a key that is not a string (got {type_of(key)})")
                items[key] = plain(item, where)
            return items
        if value["t"] == "int":
            return int(value["r"])
        raise InvalidRuleError(f"`{where}` holds a {value['t']}", help="use strings, integers, lists and dicts")
    return value


def type_of(value: Encoded) -> str:
    """The Starlark type name of an encoded value."""
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "bool"
    if value is None:
        return "NoneType"
    if isinstance(value, list):
        return "list"
    return "dict" if "d" in value else str(value["t"])


def starlark_repr(value: Encoded) -> str:
    """The Starlark ``repr`` of an encoded value."""
    if isinstance(value, str):
        escaped = "".join([_STARLARK_ESCAPES.get(char, char) for char in value])
        return f'"{escaped}"'
    if isinstance(value, list):
        return "[" + ", ".join([starlark_repr(item) for item in value]) + "]"
    if isinstance(value, dict):
        if "d" in value:
            return "{" + ", ".join([f"{starlark_repr(key)}: {starlark_repr(item)}" for key, item in value["d"]]) + "}"
        return str(value["r"])
    return str(value)


_STARLARK_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
