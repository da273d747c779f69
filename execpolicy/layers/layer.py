"""Layers, their files, and the result of loading them."""

from __future__ import annotations

import os
from _blake2 import blake2b

from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.value import KW_ONLY, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypeAlias

    from execpolicy.diagnostics.model import Diagnostic
    from execpolicy.lang.statements import Statement

    LayerName: TypeAlias = Literal[
        "built-in", "system", "user", "own", "workspace", "project", "given", "session", "environment", "requirements"
    ]
    """Lowest first, in the order of Codex's configuration stack."""
    Status: TypeAlias = Literal["ok", "broken", "stale"]


class FileInParts:
    """An open file that is read in parts, on demand.

    It stays open, because an upgrade may replace the file at its path.
    """

    __slots__ = ("_fd",)

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def __call__(self, start: int, end: int) -> bytes:
        """The bytes from ``start`` up to ``end``.

        Raises:
            OSError: the bytes cannot be read.
        """
        return os.pread(self._fd, end - start, start)

    def whole(self) -> bytes:
        """The whole content."""
        return self(0, os.fstat(self._fd).st_size)

    def __del__(self) -> None:
        os.close(self._fd)


CODEX_LAYERS = frozenset({"system", "user", "project"})
"""Layers whose folders Codex reads too. Codex rejects a file there that uses our extensions."""


def is_known_to_codex(statement: Statement) -> bool:
    """True if ``statement`` is no extension of ours."""
    if isinstance(statement, PrefixRule):
        return not (statement.exact or statement.unless)
    if isinstance(statement, NetworkRule):
        return not (statement.sends or statement.ports_not)
    return isinstance(statement, HostExecutable)


@value
class Layer:
    """One source of rules.

    Attributes:
        name: several project layers share one name.
        folder: the folder that holds the rule files, or ``None`` for rules that come from memory or from a TOML file.
        trusted: true if its rules may grant. A rule of an untrusted layer is effective only if it tightens.
        enabled: true if its rules are read.
        reason: the reason that it is not trusted or not enabled; ``None`` if it is both.
        root: the folder that ``./`` means in its write rules; ``None`` for the folder of the judgement.
    """

    name: LayerName
    folder: str | None = None
    _: KW_ONLY
    trusted: bool = True
    enabled: bool = True
    reason: str | None = None
    root: str | None = None

    def __repr__(self) -> str:
        root = "" if self.root is None else f", root={self.root!r}"
        return f"Layer({self.name!r}, {self.folder!r}, trusted={self.trusted}, enabled={self.enabled}{root})"


@value
class IgnoredFile:
    """A directory entry that looks like a rule file but is not read.

    Attributes:
        looks_meant: true if its name contains ``.rule``, so that a person may believe it to be effective.
    """

    path: str
    reason: str
    _: KW_ONLY
    looks_meant: bool


@value
class LoadedFile:
    """One file (or text in memory) of a layer.

    Attributes:
        path: its path, or the name of the text.
        text: the text that was read; ``None`` if it could not be read.
        statements: its statements; for a broken file those of the last good version, if there is one.
        status: ``ok``, ``broken`` (its rules are not effective) or ``stale`` (broken; the last good version is
            effective).
        warnings: the warnings from compiling it.
        hosts: the host executables that its examples were checked against.
    """

    path: str
    layer: Layer
    text: str | None
    statements: tuple[Statement, ...]
    status: Status
    warnings: tuple[Diagnostic, ...] = ()
    hosts: Mapping[str, HostExecutable] | None = None

    def reusable(self, text: str, layer: Layer, hosts: Mapping[str, HostExecutable]) -> bool:
        """True if compiling ``text`` for ``layer`` would give the same statements and warnings."""
        return self.status == "ok" and self.text == text and self.layer.trusted == layer.trusted and self.hosts == hosts

    def __repr__(self) -> str:
        return f"LoadedFile({self.path!r}, {self.status!r}, {len(self.statements)} statements)"


@value
class LoadedRule:
    """A statement with its layer.

    Attributes:
        path: the file or text that contains it.
        inert: the reason that it has no effect; ``None`` if it is effective.
    """

    statement: Statement
    layer: Layer
    path: str
    inert: str | None = None

    def __repr__(self) -> str:
        return f"LoadedRule({self.statement!r}, {self.layer.name!r}, inert={self.inert!r})"


@value
class RuleGroup:
    """The statements of one file, kept together because most loads do not need them one by one.

    Attributes:
        inert: for each statement the reason that it has no effect, or ``None``; ``None`` as a whole if all are
            effective.
    """

    layer: Layer
    path: str
    statements: tuple[Statement, ...]
    inert: tuple[str | None, ...] | None = None

    def in_force(self) -> tuple[Statement, ...]:
        """The effective statements."""
        if self.inert is None:
            return self.statements
        return tuple([one for one, why in zip(self.statements, self.inert, strict=True) if why is None])

    def rules(self) -> list[LoadedRule]:
        """The statements one by one."""
        inert = self.inert or (None,) * len(self.statements)
        return [LoadedRule(one, self.layer, self.path, why) for one, why in zip(self.statements, inert, strict=True)]


@value
class LoadedLayers:
    """The result of a load. Immutable.

    Attributes:
        layers: lowest first, including disabled and empty ones.
        files: in the order in which they apply.
        ignored: directory entries that were not read, with the reason.
        groups: the statements of each file, in the same order.
        diagnostics: problems, with file, line and column where they are known.
        fail_closed: true if something unreadable may have contained a prompt or forbid rule; a command without a
            matching rule is then judged *prompt* or stricter.
    """

    layers: tuple[Layer, ...]
    files: tuple[LoadedFile, ...]
    ignored: tuple[IgnoredFile, ...]
    groups: tuple[RuleGroup, ...]
    diagnostics: tuple[Diagnostic, ...]
    _: KW_ONLY
    fail_closed: bool

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Every effective statement, in order."""
        statements: list[Statement] = []
        for group in self.groups:
            statements += group.in_force()
        return tuple(statements)

    @property
    def rules(self) -> tuple[LoadedRule, ...]:
        """Every statement in order, including inert ones, with its layer."""
        return tuple([rule for group in self.groups for rule in group.rules()])

    @property
    def own_files(self) -> list[str]:
        """The paths of the rule files that are not the package's."""
        return [file.path for file in self.files if file.layer.name not in ("built-in", "workspace")]

    @property
    def human_only(self) -> tuple[PrefixRule, ...]:
        """The prompt rules that a person must answer, never an automatic reviewer (``prompt-user`` of the overlay)."""
        return tuple([rule for rule in self.statements if isinstance(rule, PrefixRule) and rule.human_only])

    @property
    def content_hash(self) -> str:
        """A digest: equal iff the layers, their files and texts, and the effective statements are equal."""
        digest = blake2b(digest_size=16)
        for layer in self.layers:
            digest.update(f"{layer!r}\0".encode("utf-8", "surrogateescape"))
        for file in self.files:
            head = f"{file.layer.name}\0{file.path}\0{file.status}\0{len(file.text or '')}\0"
            digest.update((head + (file.text or "")).encode("utf-8", "surrogatepass"))
            if file.status == "stale":
                digest.update(repr(file.statements).encode("utf-8", "surrogatepass"))
        digest.update(b"closed" if self.fail_closed else b"open")
        return digest.hexdigest()

    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of severity ``error``."""
        return tuple([found for found in self.diagnostics if found.severity == "error"])
