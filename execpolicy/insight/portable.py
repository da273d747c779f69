"""A policy that can be sent to worker processes and to the nodes of a cluster, and is restored once in each."""

from __future__ import annotations

import os
import sys
from _blake2 import blake2b
from dataclasses import dataclass, field
from functools import lru_cache

from execpolicy.errors import UsageError
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.judge.stored import EQUAL, restored, store
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers
from execpolicy.resources import records_folder
from execpolicy.source import Source
from execpolicy.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.judge.grounds import Reach

_MAKER = f"execpolicy {__version__}, Python {sys.version_info[0]}.{sys.version_info[1]}"


@dataclass(frozen=True, slots=True, repr=False)
class PortablePolicy:
    """A rulebook as bytes, with the context that it judges for. It can be pickled.

    Attributes:
        data: the rulebook as encoded by :func:`execpolicy.judge.stored.store`, without ``fail_closed`` and ``grants``.
        cwd: absolute working directory of the commands.
        home: their home directory, if there is one.
        key: hexadecimal hash of all of that.
    """

    data: bytes
    fail_closed: bool
    cwd: str
    home: str | None
    grants: Reach
    maker: str = _MAKER
    key: str = field(init=False)

    def __post_init__(self) -> None:
        named = repr(self.plain()[1:]).encode("utf-8", "surrogatepass")
        object.__setattr__(self, "key", blake2b(named + b"\n" + self.data, digest_size=16).hexdigest())

    @classmethod
    def of(cls, rules: Rulebook | str | PortablePolicy, *, situation: Situation | None = None) -> PortablePolicy:
        """The portable form of ``rules``: a rulebook, or the text of a rule file that is put above the built-in layer.

        Args:
            situation: the context of the commands; that of this process if not given.

        Raises:
            RuleFileError: the text has a problem.
        """
        if isinstance(rules, PortablePolicy):
            return rules
        where = situation if situation is not None else Situation.of_process()
        book = rules if isinstance(rules, Rulebook) else _compiled(rules, where)
        return cls(store(book, EQUAL), book.fail_closed, where.cwd, where.home, book.grants)

    def rulebook(self) -> Rulebook:
        """The rulebook, restored once in a process.

        Raises:
            UsageError: it was made by another version of Python or of this package, which may read it differently.
        """
        return _restored(self)

    def situation(self) -> Situation:
        """The execution context of its commands."""
        return Situation(self.cwd, home=self.home)

    def plain(self) -> tuple[bytes, bool, str, str | None, Reach, str]:
        """The arguments for ``PortablePolicy(*plain)``."""
        return (self.data, self.fail_closed, self.cwd, self.home, self.grants, self.maker)

    def __repr__(self) -> str:
        return f"PortablePolicy({self.key}, {len(self.data)} bytes)"


@lru_cache(maxsize=8)
def _restored(policy: PortablePolicy) -> Rulebook:
    if policy.maker != _MAKER:
        raise UsageError(f"this policy was made by {policy.maker} and cannot be used by {_MAKER}")
    book = restored(policy.data)
    if policy.fail_closed:
        book = Rulebook(book.statements, fail_closed=True)
    return book.with_grants(policy.grants)


def _compiled(text: str, where: Situation) -> Rulebook:
    options = LayerOptions(
        cwd=where.cwd,
        home=where.home,
        builtin_folder=records_folder(),
        project=False,
        mode="strict",
        texts=[Source("<rules>", text)],
    )
    return Rulebook(load_layers(options).statements)


def cores() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
