"""The verdict on one command of the input, and what blocked it."""

from __future__ import annotations

from execpolicy.core.decision import Decision
from execpolicy.core.ground import Ground
from execpolicy.core.matches import HeuristicsMatch
from execpolicy.value import KW_ONLY, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

    from execpolicy.core.matches import PrefixMatch, RuleMatch
    from execpolicy.core.path_rules import ReadRule, WriteRule
    from execpolicy.core.rules import NetworkRule
    from execpolicy.safety.dangers import DangerousCommand
    from execpolicy.safety.opinion import Opinion
    from execpolicy.shell.script import Command
    from execpolicy.source import Span

    Kind: TypeAlias = Literal["objected", "unknown"]


@value
class Block:
    """A reason why something cannot be granted.

    Attributes:
        code: a stable word: an effect kind (see ``execpolicy.shell.script``), or ``opaque``, ``write``,
            ``assignment``, ``hidden-command``, ``dynamic-argument``, ``program-path``, ``folder``, ``secret``,
            ``too-deep``, ``grants``, ``administration``, ``internal-error``, ``fail-closed`` (a rule file is
            broken) or ``untrusted`` (the rule that allows it is of a project that is not trusted).
        detail: what a person should know, one line.
        span: where in the script, if it is about one place.
        outside: it is a write outside the project.
        unknown: it objects to nothing: the command does what no record describes, or writes inside the project.
    """

    code: str
    detail: str
    span: Span | None = None
    _: KW_ONLY
    outside: bool = False
    unknown: bool = False

    def to_json(self) -> dict[str, Any]:
        """``{"code", "detail", "span"?}``."""
        body: dict[str, Any] = {"code": self.code, "detail": self.detail}
        if self.span is not None:
            body["span"] = [self.span.start, self.span.end]
        return body

    def __repr__(self) -> str:
        return f"Block({self.code!r}, {self.detail!r})"


class EffectMatch:
    """A rule that is not ``allow`` covers what a command does to a file or a host.

    Attributes:
        path: the file, the host or the command.
        what: which of them it is, as JSON has it.
        key: the name of the match in JSON.
        doing: the start of a reason, before the file or the host.
        possible: only the run knows if the rule covers it.
        pattern: what the rule covers, as text.
    """

    __slots__ = ("path", "possible", "rule")
    key = ""
    what = "path"
    doing = ""

    def __init__(
        self, path: str, rule: WriteRule | ReadRule | NetworkRule | DangerousCommand, *, possible: bool = False
    ) -> None:
        self.path = path
        self.rule = rule
        self.possible = possible

    @property
    def decision(self) -> Decision:
        """Returns what the rule says, at most ``prompt`` where the match is only possible."""
        return Decision.PROMPT if self.possible else self.rule.decision

    @property
    def pattern(self) -> str:
        """Returns what the rule covers."""
        return " ".join(getattr(self.rule, "paths", ())) or self.path

    def to_json(self) -> dict[str, Any]:
        """``{key: {"path", "host" or "command", "decision", "justification"?}}``: an extension of Codex's shapes."""
        body: dict[str, Any] = {self.what: self.path, "decision": self.decision.word}
        if self.rule.justification is not None:
            body["justification"] = self.rule.justification
        return {self.key: body}


class WriteMatch(EffectMatch):
    """A write rule covers a file that the command writes or deletes."""

    __slots__ = ()
    key = "writeRuleMatch"
    doing = "writing"


class ReadMatch(EffectMatch):
    """A read rule covers a file that the command reads."""

    __slots__ = ()
    key = "readRuleMatch"
    doing = "reading"


class ConnectMatch(EffectMatch):
    """A network rule covers a host that the command names."""

    __slots__ = ()
    key = "networkRuleMatch"
    what = "host"
    doing = "connecting to"


class DangerMatch(EffectMatch):
    """An entry that forbids says that the command is dangerous."""

    __slots__ = ()
    key = "dangerRuleMatch"
    what = "command"


@value
class CommandVerdict:
    """The verdict on one command of the input.

    Attributes:
        command: the command as read.
        argv: its words; a word that is only known at run time is as the script writes it.
        decision: ``matches`` put together.
        matches: every prompt and forbidden rule that sees the command or something inside it; the allow rules, if
            they grant it; otherwise the heuristics' answer.
        source: what settled it: ``rule``, ``heuristics``, ``wrapper`` (a transparent wrapper: what it runs decided) or
            ``nothing-to-run`` (a bare assignment or redirection).
        opinion: what the heuristics think of it (the worst of it and what it wraps).
        blocks: why it was not granted, when an allow rule or a safe entry covers its words.
        denied_grants: the allow rules that cover its words and were blocked.
        inner: what it would run itself.
        grounds: what an allow rests on; empty for any other decision.
        unknown: nothing restricts it, and only a record or a rule is missing.

    Raises:
        ValueError: an allow without grounds, or with something else in their place; an unknown prompt that something
            objects to.
    """

    command: Command
    argv: tuple[str, ...]
    decision: Decision
    matches: tuple[RuleMatch | EffectMatch, ...]
    source: Literal["rule", "heuristics", "wrapper", "nothing-to-run"]
    _: KW_ONLY
    opinion: Opinion | None = None
    blocks: tuple[Block, ...] = ()
    denied_grants: tuple[PrefixMatch, ...] = ()
    inner: tuple[CommandVerdict, ...] = ()
    grounds: tuple[Ground, ...] = ()
    unknown: bool = False

    def __post_init__(self) -> None:
        require_grounds(self.decision, self.grounds)
        if self.unknown and self._objections:
            raise ValueError(f"an unknown prompt has no objections: {self._objections}")

    @property
    def kind(self) -> Kind | None:
        """Of a prompt: ``unknown``, or else ``objected``; ``None`` for any other decision."""
        return ("unknown" if self.unknown else "objected") if self.decision is Decision.PROMPT else None

    @property
    def _objections(self) -> list[object]:
        """Returns what is more than a missing record or rule."""
        opinion = self.opinion
        return [
            *self.restrictions,
            *[block for block in self.blocks if not block.unknown],
            *[one for one in self.inner if one.kind == "objected" or one.decision is Decision.FORBIDDEN],
            *([opinion] if opinion is not None and opinion.objects and self.source != "wrapper" else []),
        ]

    @property
    def dangerous(self) -> bool:
        """True if it, or something that it would run, is a known destructive form."""
        own = self.opinion is not None and self.opinion.verdict == "dangerous"
        return own or any(one.dangerous for one in self.inner)

    def __repr__(self) -> str:
        return f"CommandVerdict({self.decision.word}, {list(self.argv)})"

    @property
    def restrictions(self) -> list[RuleMatch | EffectMatch]:
        """The rules that restrict it; what heuristics say of what it runs counts through the opinion alone."""
        return [
            match
            for match in self.matches
            if match.decision is not Decision.ALLOW and not isinstance(match, HeuristicsMatch)
        ]

    @property
    def granted(self) -> bool:
        """An allow rule covers it and nothing is in the way."""
        return self.decision is Decision.ALLOW and self.source == "rule"

    def to_json(self, *, grounds: bool = False) -> dict[str, Any]:
        """``{"argv": [word or null], "decision", "matchedRules", "span", "kind"?}``, and ``grounds`` if asked for."""
        span = self.command.span
        body: dict[str, Any] = {
            "argv": list(self.command.argv()),
            "decision": self.decision.word,
            "matchedRules": [match.to_json() for match in self.matches],
            "span": [span.start, span.end],
        }
        if self.kind is not None:
            body["kind"] = self.kind
        if grounds:
            body["grounds"] = [ground.to_json(span) for ground in self.grounds]
        return body


_GROUND = frozenset((Ground,))


def require_grounds(decision: Decision, grounds: object) -> None:
    """Check that an allow, and nothing else, has grounds, and nothing that only looks like some.

    Raises:
        ValueError: otherwise.
    """
    held = grounds.__class__ is tuple and _GROUND.issuperset(map(type, grounds))
    if not held or (decision is Decision.ALLOW) is not bool(grounds):
        allow = decision is Decision.ALLOW
        raise ValueError("an allow needs the grounds that it rests on" if allow else f"{decision} rests on no grounds")
