"""An allow rule that may be saved: the words of a command, and what may not follow them."""

from __future__ import annotations

from typing import NamedTuple

from execpolicy.amend.preview import why_too_broad
from execpolicy.amend.validate import why_not_savable
from execpolicy.core.exclusion import NOTHING_MORE
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.lang.render import render_prefix_rule


class Grant(NamedTuple):
    """An allow rule: a pattern, and what it leaves out."""

    pattern: tuple[str, ...]
    unless: tuple[str, ...] = ()

    @property
    def is_exact(self) -> bool:
        """True if the rule covers the words of the pattern and no further word."""
        return self.unless == NOTHING_MORE

    @property
    def why_not(self) -> str | None:
        """Why it should not be saved; ``None`` if it may be."""
        return why_not_savable(self.pattern) or why_too_broad(self.pattern, exact=self.is_exact)

    def rule(self) -> PrefixRule:
        """The rule."""
        return PrefixRule(PrefixPattern.of(self.pattern), unless=self.unless)

    def line(self) -> str:
        """The line that saves it."""
        return render_prefix_rule(self.pattern, unless=self.unless)


def exactly(words: tuple[str, ...]) -> Grant:
    """The rule that covers ``words`` and no further word."""
    return Grant(words, NOTHING_MORE)
