"""One claim that an allow decision rests on."""

from __future__ import annotations

from execpolicy.core.path_rules import WriteRule
from execpolicy.core.rules import NetworkRule
from execpolicy.source import Place, Span
from execpolicy.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@value
class AllowedTarget:
    """A file or a host by its ``name``, and the write rule or the network rule that allows it."""

    name: str
    rule: WriteRule | NetworkRule

    @property
    def place(self) -> Place | None:
        """Where the rule is."""
        return self.rule.place


@value
class Ground:
    """One claim that a grant rests on.

    Attributes:
        code: one of the kinds that :mod:`execpolicy.judge.grounds` lists.
        span: the range in the script, in code points of the text that holds it; ``None`` if the claim is about the
            whole command or the whole script.
        subject: the subject of the claim: a word, a path, a rule or an entry.
    """

    code: str
    span: Span | None = None
    subject: object = ""

    @property
    def detail(self) -> str:
        """The subject as text for people; a rule or an entry comes with its place."""
        subject = self.subject
        if isinstance(subject, str):
            return subject
        place = getattr(subject, "place", None)
        name = str(getattr(subject, "name", None) or getattr(subject, "pattern", subject))
        return name if place is None else f"{name} ({place})"

    def to_json(self, whole: Span) -> dict[str, Any]:
        """``{"code", "span", "detail"}``; ``whole`` is the span to use if the ground has none of its own."""
        span = self.span if self.span is not None else whole
        return {"code": self.code, "span": [span.start, span.end], "detail": self.detail}

    def __repr__(self) -> str:
        return f"Ground({self.code}: {self.detail})"
