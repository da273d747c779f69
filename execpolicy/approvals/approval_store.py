"""What a session remembers: approvals for exactly the same thing, and nothing wider."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from execpolicy.approvals.requirement import ExecRequest
from execpolicy.approvals.review import ApprovedForSession, ReviewDecision, decision_from_json
from execpolicy.validators import every, flag, folder, function, instance, mapping, name, settle, texts


@dataclass(frozen=True, slots=True)
class ApprovalKey:
    """What an approval is remembered for: equal keys are the same request. ``text`` is canonical JSON."""

    text: str

    def __post_init__(self) -> None:
        settle(self, text=name)

    @classmethod
    def of(cls, parts: dict[str, Any]) -> ApprovalKey:
        """The key with these parts, whatever their order."""
        return cls(
            json.dumps(mapping(parts, "the parts of a key"), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        )


def shell_keys(
    request: ExecRequest, *, remembered_as: Callable[[tuple[str, ...]], tuple[str, ...]] | None = None
) -> tuple[ApprovalKey, ...]:
    """The key of a command: argv, working folder and the permissions asked for.

    Args:
        remembered_as: what stands for the argv beside its program, see :class:`execpolicy.approvals.profile.Profile`.
            A reading of scripts has blind spots, so the exact argv is the safe choice.
    """
    instance(ExecRequest)(request, "the request")
    command: dict[str, Any] = {"command": list(remembered_as(request.command) if remembered_as else request.command)}
    if remembered_as is not None:
        command["executable"] = request.command[0] if request.command else ""
    return (ApprovalKey.of({"kind": "shell", **command, "cwd": request.cwd, "permissions": request.permissions.value}),)


def unified_exec_keys(
    request: ExecRequest, *, tty: bool, remembered_as: Callable[[tuple[str, ...]], tuple[str, ...]] | None = None
) -> tuple[ApprovalKey, ...]:
    """:func:`shell_keys` of a command in a session that is kept open: a terminal makes another key."""
    (key,) = shell_keys(request, remembered_as=remembered_as)
    return (ApprovalKey.of({"kind": "unified_exec", "shell": key.text, "tty": flag(tty, "`tty`")}),)


def retry_keys(keys: Sequence[ApprovalKey]) -> tuple[ApprovalKey, ...]:
    """The keys of a second attempt, outside the sandbox: what was approved inside it does not cover that."""
    return tuple([ApprovalKey.of({"kind": "retry", "of": key.text}) for key in keys])


def network_keys(host: str, protocol: str, port: int) -> tuple[ApprovalKey, ...]:
    """The key of connections to a host."""
    return (ApprovalKey.of({"kind": "network", "host": host, "protocol": protocol, "port": port}),)


def patch_keys(paths: Sequence[str]) -> tuple[ApprovalKey, ...]:
    """One key for each absolute path that a patch touches.

    Raises:
        UsageError: one is no absolute path.
    """
    absolute = {folder(path, "a path") for path in texts(paths, "the paths")}
    return tuple([ApprovalKey.of({"kind": "apply_patch", "path": path}) for path in sorted(absolute)])


class ApprovalStore:
    """The approvals of one session. Only :class:`ApprovedForSession` is ever kept."""

    def __init__(self) -> None:
        self._approved: set[str] = set()
        self._roots: list[str] = []

    def approved(self, key: ApprovalKey) -> bool:
        """Whether ``key`` was approved for the session."""
        return instance(ApprovalKey)(key, "a key") is key and key.text in self._approved

    def put(self, key: ApprovalKey, decision: ReviewDecision) -> None:
        """Remember ``decision`` for ``key`` if it is for the session; any other leaves no trace."""
        instance(ApprovalKey)(key, "a key")
        if isinstance(decision_from_json(decision), ApprovedForSession):
            self._approved.add(key.text)

    def grant(self, root: str) -> None:
        """Remember that everything in the folder ``root`` (absolute) may be written in this session."""
        if folder(root, "a root") not in self._roots:
            self._roots.append(root)

    def granted(self) -> tuple[str, ...]:
        """The folders that were granted."""
        return tuple(self._roots)

    def __len__(self) -> int:
        return len(self._approved)


async def with_cached_approval(
    store: ApprovalStore, keys: Sequence[ApprovalKey], fetch: Callable[[], Awaitable[ReviewDecision]]
) -> ReviewDecision:
    """The answer for ``keys``: remembered if every one of them was approved for the session, else asked for.

    An approval for the session is stored for each key by itself, so that later requests for fewer of them are covered.

    Raises:
        UsageError: a key is none, or what was fetched is no decision (its wire form is one).
    """
    instance(ApprovalStore)(store, "the store")
    function(fetch, "what asks")
    keys = every(instance(ApprovalKey))(keys, "the keys")
    if keys and all(store.approved(key) for key in keys):
        return ApprovedForSession()
    decision = decision_from_json(await fetch())
    for key in keys:
        store.put(key, decision)
    return decision
