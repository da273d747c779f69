"""The statements that a Codex rule file is made of. Where a rule was written is not part of what it is."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.left_out import left_out_by
from execpolicy.core.pattern import PrefixPattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.source import Place


class PrefixRule:
    """Applies ``decision`` to every argv that starts with ``pattern``.

    Attributes:
        justification: the author's reason, verbatim, shown when it prompts or forbids.
        place: file, line and column of the ``prefix_rule`` call; not part of equality.
        human_only: what it prompts for must be answered by a person, once each time (``prompt-user`` of the
            requirements overlay).
        exact: it only sees the words as the pattern spells them, not all that mean the same (``spelling = "exact"``).
        unless: an allow rule does not count for words behind the pattern that may be one of these entries, see
            :mod:`execpolicy.core.left_out`.

    Raises:
        UsageError: something of another kind was given. A word stands for its decision, a list for its pattern.
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
            justification = _accepted(justification, human_only, exact)
        self.pattern = pattern
        self.decision = decision
        self.justification = justification
        self.place = place
        self.human_only = human_only
        self.exact = exact
        self.unless = unless if unless.__class__ is tuple else _entries(unless)

    def matched_prefix(self, argv: Sequence[str]) -> tuple[str, ...] | None:
        """The leading tokens of ``argv`` that this rule matched as ``argv`` spells them, or ``None``."""
        pattern = self.pattern
        if argv and pattern.accepts(0, argv[0]) and pattern.matches_rest(argv) and self.counts_for(argv):
            return tuple(argv[: len(pattern)])
        return None

    def counts_for(self, argv: Sequence[str | None]) -> bool:
        """Whether nothing behind the pattern, which ``argv`` matches, may be what the rule leaves out.

        ``None`` in ``argv`` may be anything.
        """
        return not self.unless or left_out_by(self.unless, argv[self.pattern.length :]) is None

    def _identity(self) -> tuple[object, ...]:
        return (self.pattern, int(self.decision), self.justification, self.human_only, self.exact, self.unless)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PrefixRule) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"PrefixRule({str(self.pattern)!r}, {self.decision.word})"


class NetworkRule:
    """What connections to ``host`` over ``protocol`` get. It has no part in matching commands.

    Attributes:
        host: normalised, see :func:`execpolicy.core.hosts.normalise_host`.
        protocol: ``http``, ``https``, ``socks5_tcp`` or ``socks5_udp``.

    Raises:
        InvalidRuleError: host or protocol is none.
        UsageError: something of another kind was given. A word stands for its decision.
    """

    __slots__ = ("decision", "host", "justification", "place", "protocol")

    def __init__(
        self,
        host: str,
        protocol: str,
        decision: Decision | str,
        justification: str | None = None,
        *,
        place: Place | None = None,
    ) -> None:
        from execpolicy.core.hosts import normalise_host, normalise_protocol  # most rule files have no such rule

        _texts_only("NetworkRule", host, protocol, "" if justification is None else justification)
        self.host = normalise_host(host)
        self.protocol = normalise_protocol(protocol)
        self.decision = Decision(decision)
        self.justification = None if justification is None else str.__str__(justification)
        self.place = place

    def _identity(self) -> tuple[object, ...]:
        return (self.host, self.protocol, int(self.decision), self.justification)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NetworkRule) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        return f"NetworkRule({self.host!r}, {self.protocol!r}, {self.decision.word})"


class HostExecutable:
    """Which absolute paths may stand for the bare program ``name``; an empty list blocks every path.

    Attributes:
        paths: lexically normalised, without duplicates.

    Raises:
        UsageError: the name or a path is no text, or a path is not absolute.
    """

    __slots__ = ("name", "paths", "place")

    def __init__(self, name: str, paths: tuple[str, ...], *, place: Place | None = None) -> None:
        from execpolicy.core.hosts import normalise_path

        if type(paths) is not tuple:
            from execpolicy.given import texts

            paths = texts(paths, "HostExecutable: `paths`")
        _texts_only("HostExecutable", name, *paths)
        for path in paths:
            if not path.startswith("/"):
                from execpolicy.errors import UsageError

                raise UsageError(f"HostExecutable: a path must be absolute, not `{path}`")
        self.name = str.__str__(name)  # its characters: a class of its own may be equal to anything
        self.paths = tuple(dict.fromkeys([normalise_path(path) for path in paths]))
        self.place = place

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HostExecutable) and (self.name, self.paths) == (other.name, other.paths)

    def __hash__(self) -> int:
        return hash((self.name, self.paths))

    def __repr__(self) -> str:
        return f"HostExecutable({self.name!r}, {self.paths!r})"


def _accepted(justification: str | None, human_only: object, exact: object) -> str | None:
    """The justification as its characters; raises for the one that is of the wrong kind."""
    if (justification is None or justification.__class__ is str) and human_only.__class__ is exact.__class__ is bool:
        return justification
    from execpolicy.given import flag, optional, text

    flag(human_only, "PrefixRule: `human_only`")
    flag(exact, "PrefixRule: `exact`")
    plain: str | None = optional(text)(justification, "PrefixRule: `justification`")
    return plain


def _entries(unless: object) -> tuple[str, ...]:
    """The entries of ``unless``, given as something else than a tuple."""
    from execpolicy.given import text

    if isinstance(unless, list):
        return tuple([text(each, "PrefixRule: an entry of `unless`") for each in unless])
    return (text(unless, "PrefixRule: `unless`"),)


def _texts_only(what: str, *given: object) -> None:
    for one in given:
        if not isinstance(one, str):
            from execpolicy.given import text

            text(one, what)
