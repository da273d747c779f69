"""A request to run a command, and its requirement before it may run: none, an approval, or a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, TypeAlias

from execpolicy.approvals.sandbox.sandboxing import SandboxPermissions, SandboxPolicy, sandbox_policy
from execpolicy.errors import UsageError
from execpolicy.validators import Checked, OneOf, argv, folder, member, optional, plain, unknown_word
from execpolicy.validators import prefix as words


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


_SETTINGS = ("sandbox_approval", "rules", "skill_approval", "request_permissions", "mcp_elicitations")
"""The settings in Codex's order."""


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
    def parse(cls, value: Any) -> AskForApproval:
        """Parse a policy from a word, ``{"granular": {…}}`` or ``{"reject": {…}}``. A policy is returned unchanged.

        ``reject`` is the older form: a true flag means that this kind of question is refused.

        Raises:
            UsageError: ``value`` has none of these forms; the message lists the accepted ones.
        """
        if isinstance(value, cls):
            return value
        if isinstance(value, dict) and len(value) == 1:
            ((form, settings),) = value.items()
            if form in ("granular", "reject") and isinstance(settings, dict):
                return cls.with_settings(_settings(settings, refused=form == "reject"))
        return cls(value)

    def to_json(self) -> str | dict[str, dict[str, bool]]:
        """The form that :meth:`parse` reads."""
        if self.granular is None:
            return self.kind.value
        return {"granular": asdict(self.granular)}

    def debug(self) -> str:
        """The spelling in Codex's messages (Rust's debug format)."""
        if self.granular is None:
            return self.kind.name.title().replace("_", "")
        fields = ", ".join(f"{name}: {str(getattr(self.granular, name)).lower()}" for name in _SETTINGS)
        return f"Granular(GranularApprovalConfig {{ {fields} }})"


AskForApproval.NEVER = AskForApproval(AskKind.NEVER)
AskForApproval.ON_FAILURE = AskForApproval(AskKind.ON_FAILURE)
AskForApproval.ON_REQUEST = AskForApproval(AskKind.ON_REQUEST)
AskForApproval.UNLESS_TRUSTED = AskForApproval(AskKind.UNLESS_TRUSTED)


def _settings(values: Mapping[Any, Any], *, refused: bool) -> GranularSettings:
    for name in values:
        if name not in _SETTINGS:
            raise unknown_word(name, _SETTINGS, "a setting of a granular approval policy")
    try:
        found = GranularSettings(**values)
    except TypeError:
        needed = "`sandbox_approval`, `rules` and `mcp_elicitations`"
        raise UsageError(f"a granular approval policy needs the settings {needed}") from None
    return replace(found, **{name: not value for name, value in values.items()}) if refused else found


def ask_for_approval(value: Any, what: str) -> AskForApproval:
    """Validate a policy or a value that :meth:`AskForApproval.parse` reads."""
    try:
        return AskForApproval.parse(value)
    except UsageError as error:
        raise UsageError(f"{what}: {error}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecRequest(
    Checked,
    command=argv,
    approval_policy=ask_for_approval,
    sandbox_policy=sandbox_policy,
    cwd=folder,
    home=optional(folder),
    prefix_rule=argv,
):
    """A request to run a command. Every field is untrusted. Policies may be given by their words.

    Attributes:
        command: argv; a script has the form ``(shell, "-c" | "-lc", script)``.
        cwd: absolute working directory; relative program paths are relative to it.
        home: the value of ``~`` in a program path.
        sandbox_permissions: ``None`` if the call does not set them, which Codex distinguishes.
        justification: the caller's own words for the person who decides.
        prefix_rule: the prefix that the caller wants to save; empty for none.
    """

    command: tuple[str, ...]
    approval_policy: AskForApproval = AskForApproval.ON_REQUEST
    sandbox_policy: SandboxPolicy = SandboxPolicy.READ_ONLY
    cwd: str = "/"
    home: str | None = None
    sandbox_permissions: SandboxPermissions | None = None
    justification: str | None = None
    prefix_rule: tuple[str, ...] = ()

    @property
    def permissions(self) -> SandboxPermissions:
        """The requested permissions; the default if the call sets none."""
        return self.sandbox_permissions or SandboxPermissions.USE_DEFAULT


@dataclass(frozen=True, slots=True)
class ExecPolicyAmendment(Checked, prefix=words):
    """A program and further words that could be saved as an allow rule. In JSON a bare list of strings.

    A client of Codex may send an empty list: the request is approved, with a warning that nothing could be saved.
    """

    prefix: tuple[str, ...]

    def to_json(self) -> list[str]:
        """The words of the prefix."""
        return list(self.prefix)


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip(Checked):
    """Run without a question.

    Attributes:
        bypass_sandbox: allow rules cover every command, so the first attempt needs no sandbox.
        proposed_execpolicy_amendment: offered only if the sandboxed run fails and a retry outside needs approval.
        reason: why no question is asked; ``None`` where Codex's profile decides. No part of the comparison.
    """

    bypass_sandbox: bool = False
    proposed_execpolicy_amendment: ExecPolicyAmendment | None = None
    reason: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsApproval(Checked):
    """Ask a person first.

    Attributes:
        reason: the reason, one paragraph for that person; ``None`` uses the caller's justification.
        proposed_execpolicy_amendment: the prefix that an answer may save.
        human_only: an administrator's rule requires that a person answers each time. Automatic reviewers and remembered
            answers do not count.
    """

    reason: str | None = None
    proposed_execpolicy_amendment: ExecPolicyAmendment | None = None
    human_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Forbidden(Checked):
    """Do not run. ``reason`` is the message for the caller."""

    reason: str

    @property
    def proposed_execpolicy_amendment(self) -> None:
        """Always ``None``: no saved rule would allow the command."""
        return None


ExecApprovalRequirement: TypeAlias = Skip | NeedsApproval | Forbidden
"""One of the three requirements; usable with ``isinstance``."""

NOTHING_REQUIRED = Skip()


def stricter(one: ExecApprovalRequirement, other: ExecApprovalRequirement) -> ExecApprovalRequirement:
    """Combine two requirements: the stricter one applies. If both prompt, no amendment is offered."""
    if isinstance(one, Forbidden) or isinstance(other, Skip):
        return one
    if isinstance(other, Forbidden) or isinstance(one, Skip):
        return other
    reasons = [reason for reason in (one.reason, other.reason) if reason is not None]
    return NeedsApproval(reason="; ".join(reasons) or None, human_only=one.human_only or other.human_only)


def requirement_to_json(requirement: ExecApprovalRequirement, *, justification: str | None = None) -> dict[str, Any]:
    """``{kind, reason, proposed_execpolicy_amendment, bypass_sandbox}`` in the form of the question.

    ``reason`` falls back to the caller's ``justification``, as in the question. A prefix is reported only if a question
    offers it. The amendment that :class:`Skip` keeps for a later retry is ``null`` here.
    """
    reason, amendment = requirement.reason, None
    if isinstance(requirement, NeedsApproval):
        reason = reason if reason is not None else justification
        amendment = requirement.proposed_execpolicy_amendment
    return {
        "kind": {Skip: "skip", NeedsApproval: "needs_approval", Forbidden: "forbidden"}[type(requirement)],
        "reason": reason,
        "proposed_execpolicy_amendment": None if amendment is None else amendment.to_json(),
        "bypass_sandbox": isinstance(requirement, Skip) and requirement.bypass_sandbox,
    }
