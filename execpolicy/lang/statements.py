"""The builtins of the rule language: converts a recorded call to statements, or to an error in Codex's words.

For ``prefix_rule``, ``network_rule`` and ``host_executable``, the parameters, their order, the order of checks and the
messages are those of Codex 0.169 to 0.171. ``safe_command``, ``dangerous_command`` and ``write_rule`` are ours alone.
"""

from __future__ import annotations

from _collections_abc import Callable, Sequence

from execpolicy.core.decision import Decision
from execpolicy.core.hosts import normalise_protocol
from execpolicy.core.path_rules import ReadRule, WriteRule
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.quoting import split
from execpolicy.core.rules import AS_SPELLED, HostExecutable, NetworkRule, PrefixRule, justified
from execpolicy.errors import InvalidRuleError
from execpolicy.lang.recording import RecordedCall, bind, keywords, plain, starlark_repr, type_of
from execpolicy.safety import dangers
from execpolicy.safety import entries as safety_entries
from execpolicy.source import Place
from execpolicy.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from execpolicy.lang.recording import Encoded, Parameters
    from execpolicy.safety.dangers import DangerousCommand
    from execpolicy.safety.entries import SafeCommand

    Example: TypeAlias = tuple[str, ...]

Statement: TypeAlias = (
    "PrefixRule | NetworkRule | HostExecutable | SafeCommand | DangerousCommand | WriteRule | ReadRule"
)


_PREFIX_RULE: Parameters = (
    ("pattern", "list", True),
    ("decision", "str", False),
    ("match", "list", False),
    ("not_match", "list", False),
    ("justification", "str", False),
    ("canonical_matching", "bool", False),
)
_NETWORK_RULE: Parameters = (
    ("host", "str", True),
    ("protocol", "str", True),
    ("decision", "str", True),
    ("justification", "str", False),
)
_HOST_EXECUTABLE: Parameters = (("name", "str", True), ("paths", "list", True))
_WRITE_RULE: Parameters = (
    ("paths", "list", True),
    ("decision", "str", False),
    ("match", "list", False),
    ("not_match", "list", False),
    ("justification", "str", False),
    ("delete", "str", False),
)
_READ_RULE = _WRITE_RULE[:-1]


@value
class Built:
    """The statements of one call, and the examples that are checked when the whole file has run.

    Attributes:
        statements: one, or several if the first position of a pattern has alternatives.
        match: argvs (for ``write_rule``: one path each) that a rule of this call must match.
        not_match: argvs that no rule of this call may match.
    """

    statements: tuple[Statement, ...]
    match: tuple[Example, ...] = ()
    not_match: tuple[Example, ...] = ()


def build(call: RecordedCall, place: Place) -> Built:
    """The statements that ``call`` defines.

    Raises:
        InvalidRuleError: an argument is missing, of the wrong type or has a wrong value.
    """
    if call.name == "prefix_rule" and not call.args and len(call.kwargs) == 2:
        built = _saved_rule(call.kwargs, place)
        if built is not None:
            return built
    return _BUILDERS[call.name](call, place)


def _saved_rule(kwargs: list[list[Encoded]], place: Place) -> Built | None:
    """The rule of a call in the form that amendments write, or ``None``: the fast path for thousands of saved rules."""
    (first, pattern), (second, word) = kwargs
    if first != "pattern" or second != "decision" or type(pattern) is not list or not pattern or type(word) is not str:
        return None
    decision = Decision.parse(word)
    if decision is None:
        return None
    try:
        "".join(pattern)
    except TypeError:
        return None
    rest = tuple([(token,) for token in pattern[1:]])
    return Built((PrefixRule(PrefixPattern(pattern[0], rest), decision, place=place),))


def _prefix_rule(call: RecordedCall, place: Place) -> Built:
    names = [name for name, _ in call.kwargs]
    exact = _takes_exact(call) if "spelling" in names else None
    unless = _takes_unless(call) if "unless" in names else ()
    given = bind(call, _PREFIX_RULE)
    decision = _decision(given.get("decision", "allow"))
    if exact is not None and decision is Decision.ALLOW:
        raise InvalidRuleError(AS_SPELLED)
    justification = justified(given.get("justification"), "justification")
    positions = _pattern(given["pattern"])
    match = _examples(given.get("match", []))
    not_match = _examples(given.get("not_match", []))
    rest = tuple(positions[1:])
    canonical = given.get("canonical_matching", False)
    rules = [
        PrefixRule(
            PrefixPattern(first, rest, canonical_matching=canonical),
            decision,
            justification,
            place=place,
            exact=exact is True,
            unless=unless,
        )
        for first in positions[0]
    ]
    return Built(tuple(rules), match, not_match)


def _takes_exact(call: RecordedCall) -> bool:
    """Removes ``spelling``, our own keyword, from ``call``; returns true if it asks for exact words."""
    found = _taken(call, "spelling")
    if found[0] not in ("exact", "meaning"):
        raise InvalidRuleError(
            f"invalid spelling: {found[0] if isinstance(found[0], str) else starlark_repr(found[0])}",
            help="use `exact` for the words as the pattern spells them, `meaning` for all that mean the same",
        )
    return bool(found[0] == "exact")


def _takes_unless(call: RecordedCall) -> tuple[str, ...]:
    """Removes ``unless``, our own keyword, from ``call``; returns its entries."""
    found = _taken(call, "unless")
    entries = found[0]
    if not isinstance(entries, list) or not entries or not all(isinstance(each, str) and each for each in entries):
        raise InvalidRuleError(
            "invalid rule: `unless` must be a list of words that are not empty",
            help='options ("--config"), words, beginnings ("CC="), or patterns ("-*", "/*"); "*" is anything',
        )
    return tuple(entries)


def _taken(call: RecordedCall, name: str) -> list[Any]:
    """Removes an existing keyword argument from ``call`` and returns its value in a list."""
    found = [value for each, value in call.kwargs if each == name]
    call.kwargs[:] = [each for each in call.kwargs if each[0] != name]
    if len(found) > 1:
        raise InvalidRuleError(f"Argument `{name}` occurs more than once")
    return found


def _network_rule(call: RecordedCall, place: Place) -> Built:
    sends = _taken(call, "sends")
    if not {True, False}.issuperset(sends):
        raise InvalidRuleError("invalid rule: network_rule sends must be True or False")
    ports = [plain(each, "ports_not") for each in _taken(call, "ports_not")] or [[]]
    if not isinstance(ports[0], list):
        raise InvalidRuleError("invalid rule: network_rule ports_not must be a list of ports")
    given = bind(call, _NETWORK_RULE)
    protocol = normalise_protocol(given["protocol"])
    word = given["decision"]
    decision = Decision.FORBIDDEN if word == "deny" else _decision(word)
    why = given.get("justification")
    return Built(
        (
            NetworkRule(
                given["host"], protocol, decision, why, sends=True in sends, ports_not=tuple(ports[0]), place=place
            ),
        )
    )


def _host_executable(call: RecordedCall, place: Place) -> Built:
    given = bind(call, _HOST_EXECUTABLE)
    paths = given["paths"]
    texts = next((at for at, raw in enumerate(paths) if not isinstance(raw, str)), len(paths))
    rule = HostExecutable(given["name"], tuple(paths[:texts]), place=place)
    _strings(paths[texts:], "host_executable paths")  # after the errors of the earlier paths, as in Codex
    return Built((rule,))


def _write_rule(call: RecordedCall, place: Place) -> Built:
    given = bind(call, _WRITE_RULE)
    decision = _decision(given.get("decision", "allow"))
    paths = _strings(given["paths"], "write_rule paths")
    delete = given.get("delete", "file")
    if "delete" in given and decision is not Decision.ALLOW:
        raise InvalidRuleError(
            "invalid rule: write_rule delete says what an allow rule lets be deleted",
            help="leave it out: a prompt or forbidden rule counts for every write and deletion",
        )
    rule = WriteRule(paths, decision, given.get("justification"), delete=delete, place=place)
    return Built((rule,), *_path_examples(given))


def _read_rule(call: RecordedCall, place: Place) -> Built:
    given = bind(call, _READ_RULE)
    paths = _strings(given["paths"], "read_rule paths")
    decision = _decision(given.get("decision", "allow"))
    return Built((ReadRule(paths, decision, given.get("justification"), place=place),), *_path_examples(given))


def _path_examples(given: dict[str, Any]) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """The examples of a rule about paths that it must match, and must not match: one path each."""
    match, not_match = [_strings(given.get(name, []), "examples") for name in ("match", "not_match")]
    return tuple([(path,) for path in match]), tuple([(path,) for path in not_match])


_BUILDERS: dict[str, Callable[[RecordedCall, Place], Built]] = {
    "prefix_rule": _prefix_rule,
    "network_rule": _network_rule,
    "host_executable": _host_executable,
    "write_rule": _write_rule,
    "read_rule": _read_rule,
    "safe_command": lambda call, place: Built((safety_entries.build_safe(keywords(call), place),)),
    "dangerous_command": lambda call, place: Built((dangers.build_dangerous(keywords(call), place),)),
}


def _decision(word: str) -> Decision:
    decision = Decision.parse(word)
    if decision is None:
        raise InvalidRuleError(
            f"invalid decision: {word}", help="use `allow`, `prompt` or `forbidden`, spelled exactly so"
        )
    return decision


def _pattern(elements: list[Encoded]) -> list[tuple[str, ...]]:
    if not elements:
        raise InvalidRuleError("invalid pattern element: pattern cannot be empty")
    return [_pattern_element(element) for element in elements]


def _pattern_element(element: Encoded) -> tuple[str, ...]:
    if isinstance(element, str):
        return (element,)
    if not isinstance(element, list):
        raise InvalidRuleError(
            f"invalid pattern element: pattern element must be a string or list of strings (got {type_of(element)})"
        )
    if not element:
        raise InvalidRuleError("invalid pattern element: pattern alternatives cannot be empty")
    return _texts(element, "pattern element: pattern alternative must be a string")


def _examples(raw: Sequence[Encoded]) -> tuple[Example, ...]:
    return tuple([_example(item) for item in raw])


def _example(raw: Encoded) -> Example:
    if isinstance(raw, str):
        tokens = split(raw)
        if tokens is None:
            raise InvalidRuleError("invalid example: example string has invalid shell syntax")
        if not tokens:
            raise InvalidRuleError("invalid example: example cannot be an empty string")
        return tuple(tokens)
    if not isinstance(raw, list):
        raise InvalidRuleError(f"invalid example: example must be a string or list of strings (got {type_of(raw)})")
    if not raw:
        raise InvalidRuleError("invalid example: example cannot be an empty list")
    return _texts(raw, "example: example tokens must be strings")


def _strings(raw: Sequence[Encoded], what: str) -> tuple[str, ...]:
    return _texts(raw, f"rule: {what} must be strings")


def _texts(raw: Sequence[Encoded], claim: str) -> tuple[str, ...]:
    """``raw`` as texts; raises for an item that is no text, with a message that begins with ``claim``."""
    for item in raw:
        if item.__class__ is not str:
            raise InvalidRuleError(f"invalid {claim} (got {type_of(item)})")
    return tuple(raw)
