"""The permissions of a sandboxed command, the further ones that a call requests, and the paths that stay read-only."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from execpolicy.errors import UsageError
from execpolicy.layers.compiled import key_path, make_key
from execpolicy.layers.layer_options import cache_folder
from execpolicy.resources import grammar_folder, package_folder, rules_folder
from execpolicy.safety.protected import protected_in, protected_on_machine
from execpolicy.validators import Checked, OneOf, instance, member, shown, text


def own_paths() -> tuple[str, ...]:
    """The absolute paths of this program, its environment, its compiled rules and the machine's settings."""
    found = [package_folder(), rules_folder(), grammar_folder(), *protected_on_machine()]
    if sys.prefix != sys.base_prefix:
        found.append(os.path.abspath(sys.prefix))
    cache = cache_folder()
    if cache is not None:
        found.append(os.path.abspath(cache))
    return tuple(found)


def secrets() -> tuple[str, ...]:
    """Files that commands must not read: the secret that signs the compiled rules."""
    path = key_path() if make_key() is not None else None  # created now, so that a command cannot see it appear later
    return () if path is None else (os.path.realpath(path),)


def agent_paths(root: str) -> tuple[str, ...]:
    """The paths that agents, editors and hooks read in ``root``, existing or not.

    A missing ``.git`` is left out, so that ``git init`` works.
    """
    found = [path.rstrip("/") for path in protected_in(root)]
    return tuple([path for path in found if os.path.lexists(path) or os.path.basename(path) != ".git"])


class SandboxMode(OneOf):
    """The kinds of sandbox policy, by their spelling in configuration."""

    READ_ONLY = "read-only"
    WORKSPACE_WRITE = "workspace-write"
    DANGER_FULL_ACCESS = "danger-full-access"
    EXTERNAL = "external-sandbox"


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxPolicy(Checked):
    """The permissions inside the sandbox.

    Attributes:
        writable_roots: absolute folders that are writable in addition to the working directory (``workspace-write``
            only).
        network_access: true if connections are possible inside the sandbox.
        exclude_tmp: keep ``/tmp`` and ``$TMPDIR`` read-only under ``workspace-write``.
        granted_roots: absolute folders that a person has opened for the session; writable under ``read-only`` too.
        network_rules: connections use a proxy that applies the network rules, and no other way; no effect if
            ``network_access`` is on.
    """

    mode: SandboxMode
    writable_roots: tuple[str, ...] = ()
    network_access: bool = False
    exclude_tmp: bool = False
    granted_roots: tuple[str, ...] = ()
    network_rules: bool = False

    def __post_init__(self) -> None:
        Checked.__post_init__(self)
        for name, roots in (("writable_roots", self.writable_roots), ("granted_roots", self.granted_roots)):
            for root in roots:
                if not root.startswith("/"):
                    raise UsageError(f"SandboxPolicy: `{name}` must be absolute, not {shown(root)}")

    READ_ONLY: ClassVar[SandboxPolicy]
    WORKSPACE_WRITE: ClassVar[SandboxPolicy]
    DANGER_FULL_ACCESS: ClassVar[SandboxPolicy]
    EXTERNAL: ClassVar[SandboxPolicy]

    @classmethod
    def parse(cls, word: str) -> SandboxPolicy:
        """The policy of the mode ``word`` without further settings.

        Raises:
            UsageError: ``word`` names no mode.
        """
        name = text(word, "a sandbox policy")
        return cls(mode=SandboxMode("external-sandbox" if name == "external" else name))

    def opened(self, roots: tuple[str, ...]) -> SandboxPolicy:
        """This policy with ``roots`` granted in addition."""
        return replace(self, granted_roots=(*self.granted_roots, *roots)) if roots else self

    @property
    def confined(self) -> bool:
        """True if this policy itself restricts the file system: read-only and workspace-write do."""
        return self.mode in (SandboxMode.READ_ONLY, SandboxMode.WORKSPACE_WRITE)

    @property
    def proxied(self) -> bool:
        """True if connections use a proxy that applies the network rules."""
        return self.network_rules and not self.network_access


def sandbox_in_words(sandbox: SandboxPolicy | None, *, retries_unasked: bool = False) -> str:
    """Describe how a command would run, for the person who decides. ``None`` means without a sandbox.

    Args:
        retries_unasked: the command runs again without the sandbox if that blocks it.
    """
    if sandbox is None:
        return "it runs WITHOUT a sandbox"
    network = "with the network" if sandbox.network_access else "without a network"
    if sandbox.proxied:
        network = "with connections that the network rules allow"
    again = "; if that prevents it, it runs AGAIN, WITHOUT a sandbox" if retries_unasked else ""
    return f"it runs in the sandbox {sandbox.mode.value}, {network}{again}"


SandboxPolicy.READ_ONLY = SandboxPolicy(mode=SandboxMode.READ_ONLY)
SandboxPolicy.WORKSPACE_WRITE = SandboxPolicy(mode=SandboxMode.WORKSPACE_WRITE)
SandboxPolicy.DANGER_FULL_ACCESS = SandboxPolicy(mode=SandboxMode.DANGER_FULL_ACCESS)
SandboxPolicy.EXTERNAL = SandboxPolicy(mode=SandboxMode.EXTERNAL)


class SandboxPermissions(OneOf):
    """The permissions that one call requests."""

    USE_DEFAULT = "use_default"
    REQUIRE_ESCALATED = "require_escalated"
    WITH_ADDITIONAL_PERMISSIONS = "with_additional_permissions"

    @classmethod
    def read(cls, word: str | None) -> SandboxPermissions:
        """The permissions spelled ``word``; the default for ``None``.

        Raises:
            UsageError: ``word`` is not such a spelling.
        """
        if word is None:
            return cls.USE_DEFAULT
        found: SandboxPermissions = member(cls)(word, "`sandbox_permissions`")
        return found

    @property
    def overrides(self) -> bool:
        """True if the call requests more than the sandbox policy gives."""
        return self is not SandboxPermissions.USE_DEFAULT


def sandbox_policy(value: Any, what: str) -> SandboxPolicy:
    """Validate a policy, or the word of a mode without further settings."""
    policy: SandboxPolicy = instance(SandboxPolicy)(
        SandboxPolicy.parse(value) if isinstance(value, str) else value, what
    )
    return policy
