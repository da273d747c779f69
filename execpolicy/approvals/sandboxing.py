"""What a sandboxed command may do, and what a call asks for beyond that. Values only: nothing here runs anything."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from execpolicy.errors import UsageError


class SandboxMode(StrEnum):
    """The kinds of sandbox policy, by their spelling in configuration."""

    READ_ONLY = "read-only"
    WORKSPACE_WRITE = "workspace-write"
    DANGER_FULL_ACCESS = "danger-full-access"
    EXTERNAL = "external-sandbox"


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxPolicy:
    """What the sandbox allows.

    Attributes:
        writable_roots: absolute folders that may be written beside the working folder (``workspace-write`` only).
        network_access: whether connections are possible inside the sandbox.
        exclude_tmp: leave ``/tmp`` and ``$TMPDIR`` read-only under ``workspace-write``.
    """

    mode: SandboxMode
    writable_roots: tuple[str, ...] = ()
    network_access: bool = False
    exclude_tmp: bool = False

    READ_ONLY: ClassVar[SandboxPolicy]
    WORKSPACE_WRITE: ClassVar[SandboxPolicy]
    DANGER_FULL_ACCESS: ClassVar[SandboxPolicy]
    EXTERNAL: ClassVar[SandboxPolicy]

    @classmethod
    def parse(cls, word: str) -> SandboxPolicy:
        """The policy of that mode without further settings.

        Raises:
            UsageError: ``word`` names no mode.
        """
        try:
            return cls(mode=SandboxMode("external-sandbox" if word == "external" else word))
        except ValueError:
            modes = ", ".join(SandboxMode)
            raise UsageError(f"unknown sandbox mode {word!r}: write one of {modes}") from None

    @property
    def confined(self) -> bool:
        """Whether this policy itself restricts the file system: read-only and workspace-write do."""
        return self.mode in (SandboxMode.READ_ONLY, SandboxMode.WORKSPACE_WRITE)


SandboxPolicy.READ_ONLY = SandboxPolicy(mode=SandboxMode.READ_ONLY)
SandboxPolicy.WORKSPACE_WRITE = SandboxPolicy(mode=SandboxMode.WORKSPACE_WRITE)
SandboxPolicy.DANGER_FULL_ACCESS = SandboxPolicy(mode=SandboxMode.DANGER_FULL_ACCESS)
SandboxPolicy.EXTERNAL = SandboxPolicy(mode=SandboxMode.EXTERNAL)


class SandboxPermissions(StrEnum):
    """What one call asks for."""

    USE_DEFAULT = "use_default"
    REQUIRE_ESCALATED = "require_escalated"
    WITH_ADDITIONAL_PERMISSIONS = "with_additional_permissions"

    @classmethod
    def read(cls, word: str | None) -> SandboxPermissions:
        """The permissions spelled ``word``; the default for ``None``.

        Raises:
            UsageError: ``word`` is no such spelling.
        """
        if word is None:
            return cls.USE_DEFAULT
        try:
            return cls(word)
        except ValueError:
            raise UsageError(f"unknown sandbox_permissions {word!r}: write one of {', '.join(cls)}") from None

    @property
    def overrides(self) -> bool:
        """Whether the call asks for more than the sandbox policy gives."""
        return self is not SandboxPermissions.USE_DEFAULT
