"""What is in force at one moment, and what saving a rule changed."""

from __future__ import annotations

from dataclasses import dataclass

from execpolicy.amend.append import Appended
from execpolicy.core.policy import Policy
from execpolicy.diagnostics.model import Diagnostic
from execpolicy.judge.rulebook import Rulebook
from execpolicy.layers.layer import LoadedLayers
from execpolicy.validators import count, instance, optional, settle, text


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The rules at one moment. It never changes, however long it is held.

    Attributes:
        generation: 1 for the first; every swap adds 1.
        content_hash: equal for two snapshots iff the same rules of the same files are in force.
        layers: where every rule came from, and the problems of rule files.
        rulebook: what judging needs.
    """

    generation: int
    content_hash: str
    layers: LoadedLayers
    rulebook: Rulebook

    def __post_init__(self) -> None:
        settle(self, generation=count, content_hash=text, layers=instance(LoadedLayers), rulebook=instance(Rulebook))

    @property
    def policy(self) -> Policy:
        """Prefix rules, network rules and host executables."""
        return self.rulebook.policy

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The problems of rule files."""
        return self.layers.diagnostics


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """What saving rules did.

    Attributes:
        appended: what was added to which file.
        snapshot: the rules afterwards, read back from the files.
        not_in_force: why a saved rule has no effect; ``None`` if all of them are in force.
        warning: something beside the rule file that went wrong (the journal for ``undo``), or ``None``.
    """

    appended: Appended
    snapshot: Snapshot
    not_in_force: str | None = None
    warning: str | None = None

    def __post_init__(self) -> None:
        settle(self, appended=instance(Appended), snapshot=instance(Snapshot), not_in_force=optional(text))
        settle(self, warning=optional(text))
