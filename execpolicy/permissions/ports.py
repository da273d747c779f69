"""What this package needs from the world: somebody who judges commands, somebody who reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol, TypeAlias

from execpolicy.validators import every, instance, optional, settle, text

Shell: TypeAlias = str | Sequence[str]
"""A script, or an argv."""


class Risk(IntEnum):
    """How bad running a command could be; the risk of several is their ``max``."""

    ORDINARY = 0
    HIGH = 1
    """Destructive, ruled to be asked about, or not understood: a mode alone never lets it run."""
    BANNED = 2
    """A rule forbids it: it does not run, whoever agrees."""


@dataclass(frozen=True, slots=True)
class RiskAssessment:
    """A command's risk and, if it is not ordinary, why: one line."""

    risk: Risk
    reason: str = ""

    def __post_init__(self) -> None:
        settle(self, risk=instance(Risk), reason=text)


class CommandJudge(Protocol):
    """Reads a command as the shell would and says how risky it is."""

    def assess(self, command: Shell, /) -> RiskAssessment:
        """The risk of everything that ``command`` can run. What it raises counts as :attr:`Risk.HIGH`."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The commands that a script can be seen to run, wrappers (``sudo``, ``env`` …) looked through.

    Attributes:
        commands: one argv each, ``None`` for a word that is only known at run time.
        unreadable: why there may be more than can be seen; ``None`` if everything was understood.
    """

    commands: tuple[tuple[str | None, ...], ...]
    unreadable: str | None = None

    def __post_init__(self) -> None:
        settle(self, commands=every(every(optional(text))), unreadable=optional(text))


class CommandReader(Protocol):
    """Reads a command as the shell would."""

    def read(self, command: Shell, /) -> Reading:
        """Every command that can be seen in ``command``."""
