"""What would make a decision *allow*, and what there is to say about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

_OURS = {"unless=": "`unless`", "write_rule(": "`write_rule`"}
"""What Codex does not know, by how it is written."""


class AdviceSection(NamedTuple):
    """A title with what stands below it.

    Attributes:
        lines: sentences.
        rules: lines for a rule file; ``notes`` are about them.
        careful: it is a warning.
    """

    title: str
    lines: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    careful: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The counterfactual: what would make the input *allow*.

    Attributes:
        rules: lines for a rule file that together would allow it and nothing else; empty if no rule can.
        wider: lines that would allow the same for other files of the project; empty where that may do harm.
        left_out: the worst that the wider ones do not allow, each as a command with what it does.
        proven: with these rules the input was judged again and is allowed.
        warnings: why saving them may be unwise.
        obstacles: what no allow rule can change.
    """

    rules: tuple[str, ...] = ()
    wider: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    proven: bool = False
    warnings: tuple[str, ...] = ()
    obstacles: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """All fields; ``left_out`` as ``leftOut``."""
        body = {name: list(v) if isinstance(v := getattr(self, name), tuple) else v for name in self.__slots__}
        body["leftOut"] = body.pop("left_out")
        return body

    def sections(self, told: Sequence[str]) -> list[AdviceSection]:
        """What there is to say, in the order in which it is read; ``told``: details of blocks that stand above."""
        found: list[AdviceSection] = []
        new = tuple([obstacle for obstacle in self.obstacles if not obstacle.endswith(tuple(told))])
        if new:
            found.append(AdviceSection("no allow rule changes", new))
        elif self.obstacles:
            found.append(AdviceSection("no allow rule changes what it is blocked by"))
        if self.rules and (self.proven or not self.obstacles):
            title = "would be allowed with" if self.proven else "would be closer to allowed with"
            ours = " or ".join([name for text, name in _OURS.items() if any(text in rule for rule in self.rules)])
            known = (f"(in `~/.config/execpolicy/rules`: Codex does not know {ours})",) if ours else ()
            found.append(AdviceSection(title, rules=self.rules, notes=known))
        if self.wider:
            notes = tuple([f"which leaves out {each}" for each in self.left_out])
            found.append(AdviceSection("or, with other files of the project too", rules=self.wider, notes=notes))
        return found + [AdviceSection(f"careful: {warning}", careful=True) for warning in self.warnings]
