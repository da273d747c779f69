"""The approval policy: ``AskForApproval`` and its granular settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from execpolicy.errors import UsageError
from execpolicy.validators import Checked, OneOf, closest, member, plain


class AskKind(OneOf):
    """The five approval policies, by their spelling in configuration."""

    NEVER = "never"
    ON_FAILURE = "on-failure"
    ON_REQUEST = "on-request"
    UNLESS_TRUSTED = "untrusted"
    GRANULAR = "granular"


@dataclass(frozen=True, slots=True, kw_only=True)
class GranularSettings(Checked):
    """The kinds of question that are allowed under ``granular``; the others are refused without asking.

    Attributes:
        sandbox_approval: leaving the sandbox, beforehand or after a failure.
        rules: commands that a rule prompts for.
        mcp_elicitations: questions of MCP servers.
        skill_approval: running a skill's scripts.
        request_permissions: widening the sandbox by named permissions.
    """

    sandbox_approval: bool
    rules: bool
    mcp_elicitations: bool
    skill_approval: bool = False
    request_permissions: bool = False


_SPELLINGS = {
    **{kind.value: kind for kind in AskKind if kind is not AskKind.GRANULAR},
    "unless-trusted": AskKind.UNLESS_TRUSTED,
}
_REQUIRED = ("sandbox_approval", "rules", "mcp_elicitations")
_OPTIONAL = ("skill_approval", "request_permissions")
_RUST_FIELDS = ("sandbox_approval", "rules", "skill_approval", "request_permissions", "mcp_elicitations")


def _kind(value: Any, what: str) -> AskKind:
    is_alias = isinstance(value, str) and plain(value) == "unless-trusted"
    kind: AskKind = member(AskKind)(AskKind.UNLESS_TRUSTED if is_alias else value, what)
    return kind


@dataclass(frozen=True, slots=True)
class AskForApproval(Checked, kind=_kind):
    """Decides when a person is asked. ``granular`` is set only for that kind; ``kind`` may be given by its word."""

    kind: AskKind
    granular: GranularSettings | None = None

    NEVER: ClassVar[AskForApproval]
    ON_FAILURE: ClassVar[AskForApproval]
    ON_REQUEST: ClassVar[AskForApproval]
    UNLESS_TRUSTED: ClassVar[AskForApproval]

    def __post_init__(self) -> None:
        Checked.__post_init__(self)
        if (self.kind is AskKind.GRANULAR) != (self.granular is not None):
            raise UsageError("granular settings belong to the approval policy `granular`, and to no other")

    @classmethod
    def with_settings(cls, settings: GranularSettings) -> AskForApproval:
        """The granular policy with ``settings``."""
        return cls(AskKind.GRANULAR, settings)

    @classmethod
    def parse(cls, value: object) -> AskForApproval:
        """Parse a policy from a word, ``{"granular": {…}}`` or ``{"reject": {…}}``. A policy is returned unchanged.

        ``reject`` is the older form: a true flag means that this kind of question is refused.

        Raises:
            UsageError: ``value`` has none of these forms; the message lists the accepted ones.
        """
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            kind = _SPELLINGS.get(value)
            if kind is not None:
                return cls(kind)
        elif isinstance(value, dict) and len(value) == 1:
            ((form, settings),) = value.items()
            if form in ("granular", "reject") and isinstance(settings, dict):
                return cls.with_settings(_settings(settings, refused=form == "reject"))
        near = closest(value, _SPELLINGS)
        meant = f" (did you mean `{near}`?)" if near is not None else ""
        raise UsageError(
            f"unknown approval policy {value!r}{meant}: write never, on-failure, on-request, untrusted "
            'or {"granular": {"sandbox_approval": …, "rules": …, "mcp_elicitations": …}}'
        )

    def to_json(self) -> str | dict[str, dict[str, bool]]:
        """The form that :meth:`parse` reads."""
        if self.granular is None:
            return self.kind.value
        return {"granular": {name: getattr(self.granular, name) for name in (*_REQUIRED, *_OPTIONAL)}}

    def debug(self) -> str:
        """The spelling in Codex's messages (Rust's debug format)."""
        if self.granular is None:
            return self.kind.name.title().replace("_", "")
        fields = ", ".join(f"{name}: {str(getattr(self.granular, name)).lower()}" for name in _RUST_FIELDS)
        return f"Granular(GranularApprovalConfig {{ {fields} }})"


AskForApproval.NEVER = AskForApproval(AskKind.NEVER)
AskForApproval.ON_FAILURE = AskForApproval(AskKind.ON_FAILURE)
AskForApproval.ON_REQUEST = AskForApproval(AskKind.ON_REQUEST)
AskForApproval.UNLESS_TRUSTED = AskForApproval(AskKind.UNLESS_TRUSTED)


def _settings(values: Mapping[Any, Any], *, refused: bool) -> GranularSettings:
    known = _REQUIRED + _OPTIONAL
    for name, switch in values.items():
        if name not in known:
            raise UsageError(f"unknown setting `{name}` of a granular approval policy: known are {', '.join(known)}")
        if not isinstance(switch, bool):
            raise UsageError(f"setting `{name}` of a granular approval policy must be true or false, not {switch!r}")
    missing = [name for name in _REQUIRED if name not in values]
    if missing:
        raise UsageError(f"a granular approval policy needs the setting `{missing[0]}`")
    return GranularSettings(**{name: values[name] != refused for name in known if name in values})


def ask_for_approval(value: Any, what: str) -> AskForApproval:
    """Validate a policy or a value that :meth:`AskForApproval.parse` reads."""
    try:
        return AskForApproval.parse(value)
    except UsageError as error:
        raise UsageError(f"{what}: {error}") from None
