"""The effective rules at one moment, and the result of saving a rule."""

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
    """The rules at one moment. Immutable.

    Attributes:
        generation: 1 for the first snapshot; each new one adds 1.
        content_hash: equal for two snapshots iff the same rules of the same files are effective.
        layers: the origin of every rule, and the problems of rule files.
        rulebook: the rules as the judge needs them.
    """

    generation: int
    content_hash: str
    layers: LoadedLayers
    rulebook: Rulebook

    def __post_init__(self) -> None:
        settle(self, generation=count, content_hash=text, layers=instance(LoadedLayers), rulebook=instance(Rulebook))

    @property
    def policy(self) -> Policy:
        """The prefix rules, network rules and host executables."""
        return self.rulebook.policy

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The problems of rule files."""
        return self.layers.diagnostics


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """The result of saving rules.

    Attributes:
        appended: the lines that were added, and the file.
        snapshot: the rules afterwards, read back from the files.
        not_in_force: the reason that a saved rule is not effective; ``None`` if all of them are.
        warning: a failure outside the rule file (the journal for ``undo``), or ``None``.
    """

    appended: Appended
    snapshot: Snapshot
    not_in_force: str | None = None
    warning: str | None = None

    def __post_init__(self) -> None:
        settle(self, appended=instance(Appended), snapshot=instance(Snapshot), not_in_force=optional(text))
        settle(self, warning=optional(text))
