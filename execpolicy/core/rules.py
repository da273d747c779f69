"""The statements that a Codex rule file is made of. Where a rule was written is not part of what it is."""

from __future__ import annotations

from execpolicy.core.decision import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.core.pattern import PrefixPattern
    from execpolicy.source import Place


class PrefixRule:
    """Applies ``decision`` to every argv that starts with ``pattern``.

    Attributes:
        justification: the author's reason, verbatim, shown when it prompts or forbids.
        place: file, line and column of the ``prefix_rule`` call; not part of equality.
        human_only: what it prompts for must be answered by a person, once each time (``prompt-user`` of the
            requirements overlay).
        exact: it only sees the words as the pattern spells them, not all that mean the same (``spelling = "exact"``).
    """

    __slots__ = ("decision", "exact", "human_only", "justification", "pattern", "place")

    def __init__(
        self,
        pattern: PrefixPattern,
        decision: Decision = Decision.ALLOW,
        justification: str | None = None,
        *,
        place: Place | None = None,
        human_only: bool = False,
        exact: bool = False,
    ) -> None:
        self.pattern = pattern
        self.decision = decision
        self.justification = justification
        self.place = place
        self.human_only = human_only
        self.exact = exact

    def matched_prefix(self, argv: Sequence[str]) -> tuple[str, ...] | None:
        """The leading tokens of ``argv`` that this rule matched as ``argv`` spells them, or ``None``."""
        pattern = self.pattern
        if argv and pattern.accepts(0, argv[0]) and pattern.matches_rest(argv):
            return tuple(argv[: len(pattern)])
        return None

    def _identity(self) -> tuple[object, ...]:
        return (self.pattern, int(self.decision), self.justification, self.human_only, self.exact)

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
    """

    __slots__ = ("decision", "host", "justification", "place", "protocol")

    def __init__(
        self,
        host: str,
        protocol: str,
        decision: Decision,
        justification: str | None = None,
        *,
        place: Place | None = None,
    ) -> None:
        self.host = host
        self.protocol = protocol
        self.decision = decision
        self.justification = justification
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
    """

    __slots__ = ("name", "paths", "place")

    def __init__(self, name: str, paths: tuple[str, ...], *, place: Place | None = None) -> None:
        self.name = name
        self.paths = paths
        self.place = place

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HostExecutable) and (self.name, self.paths) == (other.name, other.paths)

    def __hash__(self) -> int:
        return hash((self.name, self.paths))

    def __repr__(self) -> str:
        return f"HostExecutable({self.name!r}, {self.paths!r})"
