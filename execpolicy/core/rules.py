"""The statements of a Codex rule file. The place of a rule in a file is not part of its identity."""

from __future__ import annotations

from _collections_abc import Sequence

from execpolicy import validators
from execpolicy.core import exclusion
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import normalise_host, normalise_path, normalise_protocol
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.text import is_blank
from execpolicy.errors import InvalidRuleError, UsageError
from execpolicy.source import Place

AS_SPELLED = "invalid rule: an allow rule always matches its words as they are spelled"


class PrefixRule:
    """Applies ``decision`` to every argv that starts with ``pattern``.

    Attributes:
        justification: the author's reason, verbatim, shown when the rule prompts or forbids.
        place: file, line and column of the ``prefix_rule`` call; not part of equality.
        human_only: a person must answer the prompt, each time (``prompt-user`` of the requirements overlay).
        exact: the rule matches only the words as the pattern spells them, not all equivalent words
            (``spelling = "exact"``).
        unless: an allow rule does not apply if a word after the pattern may match one of these entries, see
            :mod:`execpolicy.core.exclusion`.

    Raises:
        InvalidRuleError: ``exact`` for an allow rule, ``unless`` for any other rule, an invalid entry of ``unless``, or
            an empty justification.
        UsageError: an argument has the wrong type. A word is accepted for the decision, a list for the pattern.
    """

    __slots__ = ("decision", "exact", "human_only", "justification", "pattern", "place", "unless")

    def __init__(
        self,
        pattern: PrefixPattern | Sequence[str],
        decision: Decision | str = Decision.ALLOW,
        justification: str | None = None,
        *,
        place: Place | None = None,
        human_only: bool = False,
        exact: bool = False,
        unless: tuple[str, ...] = (),
    ) -> None:
        if pattern.__class__ is not PrefixPattern:
            pattern = PrefixPattern.of(pattern)  # type: ignore[arg-type]  # it is none: seen by its class
        if decision.__class__ is not Decision:
            decision = Decision(decision)
        if justification is not None or human_only is not False or exact is not False:
            justification = justified(justification, "PrefixRule: `justification`")
            _switches(human_only, exact, decision)
        if unless.__class__ is not tuple or unless:
            unless = _entries(unless, decision)
        self.pattern = pattern
        self.decision = decision
        self.justification = justification
        self.place = place
        self.human_only = human_only
        self.exact = exact
        self.unless = unless

    def matched_prefix(self, argv: Sequence[str]) -> tuple[str, ...] | None:
        """The leading tokens of ``argv`` that this rule matched, as ``argv`` spells them, or ``None``."""
        pattern = self.pattern
        if argv and pattern.accepts(0, argv[0]) and pattern.matches_rest(argv) and self.counts_for(argv):
            return tuple(argv[: len(pattern)])
        return None

    def counts_for(self, argv: Sequence[str | None]) -> bool:
        """True if no word after the pattern, which ``argv`` matches, may be excluded by the rule.

        ``None`` in ``argv`` may be any word.
        """
        return not self.unless or exclusion.left_out_by(self.unless, argv[self.pattern.length :]) is None

    def _identity(self) -> tuple[object, ...]:
        return (self.pattern, self.decision.strictness, self.justification, self.human_only, self.exact, self.unless)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PrefixRule) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"PrefixRule({str(self.pattern)!r}, {self.decision.word})"


_LAST_PORT = 65_535


class NetworkRule:
    """The decision for connections to ``host`` over ``protocol``: by a sandboxed process, or by a command's own words.

    Attributes:
        host: normalised, see :func:`execpolicy.core.hosts.normalise_host`.
        protocol: ``http``, ``https``, ``socks5_tcp`` or ``socks5_udp``.
        sends: an allow rule also covers a command that sends data to the host.
        grants: an allow rule covers commands; false for a rule from a file that Codex reads.
        ports_not: ports of the host that an allow rule does not cover for commands.

    Raises:
        InvalidRuleError: the host, the protocol or a port is invalid, or the justification is empty.
        UsageError: an argument has the wrong type. A word is accepted for the decision.
    """

    __slots__ = ("decision", "grants", "host", "justification", "place", "ports_not", "protocol", "sends")

    def __init__(
        self,
        host: str,
        protocol: str,
        decision: Decision | str,
        justification: str | None = None,
        *,
        sends: bool = False,
        grants: bool = True,
        ports_not: tuple[int, ...] = (),
        place: Place | None = None,
    ) -> None:
        _texts_only("NetworkRule", host, protocol)
        if type(ports_not) not in (tuple, list):
            raise UsageError(f"NetworkRule: `ports_not` must be a list of ports, not {repr(ports_not)[:60]}")
        self.ports_not = tuple(ports_not)
        if not all(type(port) is int and 0 < port <= _LAST_PORT for port in self.ports_not):
            raise InvalidRuleError("invalid rule: network_rule ports_not must be a list of ports, 1 to 65535")
        self.sends = sends
        self.grants = grants
        if not {bool}.issuperset(map(type, (sends, grants))):
            validators.settle(self, sends=validators.flag, grants=validators.flag)
        self.protocol = normalise_protocol(protocol)
        self.decision = Decision(decision)
        self.justification = justified(justification, "NetworkRule: `justification`")
        self.host = normalise_host(host)
        self.place = place

    def without_grant(self) -> NetworkRule:
        """The same rule, which allows no command."""
        return NetworkRule(self.host, self.protocol, self.decision, self.justification, grants=False, place=self.place)

    def _identity(self) -> tuple[object, ...]:
        return (self.host, self.protocol, self.decision.strictness, self.justification, self.sends, self.ports_not)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NetworkRule) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"NetworkRule({self.host!r}, {self.protocol!r}, {self.decision.word})"


class HostExecutable:
    """The absolute paths that may run as the bare program ``name``; an empty list blocks every path.

    Attributes:
        paths: lexically normalised, without duplicates.

    Raises:
        InvalidRuleError: the name is invalid, or a path is not absolute or ends in another name.
        UsageError: the name or a path is not a text.
    """

    __slots__ = ("name", "paths", "place")

    def __init__(self, name: str, paths: tuple[str, ...], *, place: Place | None = None) -> None:
        if type(paths) is not tuple:
            paths = validators.texts(paths, "HostExecutable: `paths`")
        _texts_only("HostExecutable", name, *paths)
        self.name = name = str.__str__(name)  # its characters: a subclass of str may compare equal to anything
        if not name:
            raise InvalidRuleError("invalid rule: host_executable name cannot be empty")
        if "/" in name or name in (".", ".."):
            raise InvalidRuleError(f"invalid rule: host_executable name must be a bare executable name (got {name})")
        found: dict[str, None] = {}
        for raw in paths:
            if raw[:1] != "/":
                raise InvalidRuleError(f"invalid rule: host_executable paths must be absolute (got {raw})")
            path = normalise_path(raw)
            if path[path.rfind("/") + 1 :] != name:
                raise InvalidRuleError(f"invalid rule: host_executable path `{raw}` must have basename `{name}`")
            found[path] = None
        self.paths = tuple(found)
        self.place = place

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HostExecutable) and (self.name, self.paths) == (other.name, other.paths)

    def __hash__(self) -> int:
        return hash((self.name, self.paths))

    def __repr__(self) -> str:
        return f"HostExecutable({self.name!r}, {self.paths!r})"


def _switches(human_only: object, exact: object, decision: Decision) -> None:
    """Raises if ``human_only`` or ``exact`` has the wrong type or does not suit the decision."""
    if not human_only.__class__ is exact.__class__ is bool:
        validators.flag(human_only, "PrefixRule: `human_only`")
        validators.flag(exact, "PrefixRule: `exact`")
    if exact and decision is Decision.ALLOW:
        raise InvalidRuleError(AS_SPELLED)


def _entries(unless: object, decision: Decision) -> tuple[str, ...]:
    """The entries of ``unless`` without duplicates."""
    entries = tuple(unless) if isinstance(unless, (tuple, list)) else (unless,)
    try:
        "".join(entries)
    except TypeError:
        for entry in entries:
            validators.text(entry, "PrefixRule: an entry of `unless`")
    if entries and decision is not Decision.ALLOW:
        raise InvalidRuleError(
            "invalid rule: only an allow rule may leave something out",
            help="`unless` narrows what is allowed; to ask about less, write a narrower pattern",
        )
    if any(each.strip() != each or not each.strip("-") for each in entries):
        raise InvalidRuleError("invalid rule: an entry of `unless` is an option, a word, or a pattern for words")
    return tuple(dict.fromkeys([str.__str__(entry) for entry in entries]))


def _texts_only(what: str, *given: object) -> None:
    for one in given:
        if not isinstance(one, str):
            validators.text(one, what)


def justified(justification: str | None, what: str) -> str | None:
    """The reason as a plain text; ``None`` if there is none.

    Raises:
        InvalidRuleError: the reason is empty.
        UsageError: the reason is not a text.
    """
    if justification is None:
        return None
    if justification.__class__ is not str:
        justification = validators.text(justification, what)
    if is_blank(justification):
        raise InvalidRuleError("invalid rule: justification cannot be empty", help="say why, or leave it out")
    return justification
