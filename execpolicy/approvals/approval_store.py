"""The remembered approvals of a session, in memory or in a file of the state folder; each covers one exact request."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from execpolicy.approvals.requirement import ExecRequest
from execpolicy.approvals.review import ApprovedForSession, ReviewDecision, decision_from_json
from execpolicy.permissions.audit import state_folder
from execpolicy.permissions.tool_use import DoomLoops
from execpolicy.validators import Checked, every, flag, folder, function, instance, mapping, name, texts

_LIFETIME = 7 * 24 * 60 * 60


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _words_of_own_file(path: str) -> list[str]:
    """The words in the file if this user owns it; else an empty list."""
    with contextlib.suppress(OSError), open(path, encoding="ascii", errors="replace") as file:
        if os.fstat(file.fileno()).st_uid == os.getuid():
            return file.read().split()
    return []


def _write_private(path: str, how: int, text: str) -> None:
    """Write ``text`` in one ``write``, which needs no lock. Errors are ignored."""
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | how | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def session_file(name: str | None, environ: Mapping[str, str]) -> str | None:
    """The file that holds the approvals of a session, in ``$XDG_STATE_HOME/execpolicy/sessions`` (``~/.local/state``).

    Args:
        name: the session's name; by default the terminal session of this process.

    Returns:
        The path; ``None`` without a home, or if the terminal session cannot be distinguished from a later one.
    """
    folder = state_folder(environ)
    identity = _terminal_session() if name is None else f"name {name}"
    if folder is None or identity is None:
        return None
    return os.path.join(folder, "sessions", _digest(identity)[:32])


def forget_old_sessions(folder: str, *, now: float | None = None) -> None:
    """Remove the files of sessions that are unchanged for a week."""
    limit = (time.time() if now is None else now) - _LIFETIME
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_mtime < limit:
                os.unlink(entry.path)


def _terminal_session() -> str | None:
    """The session leader's process id and start time. Ids are reused; the pair is unique until the next boot."""
    leader = os.getsid(0)
    try:
        with open(f"/proc/{leader}/stat", encoding="utf-8", errors="replace") as file:
            started = file.read().rpartition(")")[2].split()[19]
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return f"terminal {leader} {started} {file.read().strip()}"
    except (OSError, IndexError):
        return None


@dataclass(frozen=True, slots=True)
class ApprovalKey(Checked, text=name):
    """Identifies an approved request: equal keys are the same request. ``text`` is canonical JSON."""

    text: str

    @classmethod
    def of(cls, parts: dict[str, Any]) -> ApprovalKey:
        """The key with these parts. Their order does not matter."""
        parts = dict(mapping(parts, "the parts of a key"))
        return cls(json.dumps(parts, sort_keys=True, ensure_ascii=True, separators=(",", ":")))


def shell_keys(
    request: ExecRequest, *, remembered_as: Callable[[tuple[str, ...]], tuple[str, ...]] | None = None
) -> tuple[ApprovalKey, ...]:
    """The key of a command: argv, working directory and requested permissions.

    Args:
        remembered_as: replaces the argv in the key, which then also holds the program; see
            :class:`execpolicy.approvals.profile.Profile`. The script parser has gaps, so the exact argv is safer.
    """
    instance(ExecRequest)(request, "the request")
    command: dict[str, Any] = {"command": list(remembered_as(request.command) if remembered_as else request.command)}
    if remembered_as is not None:
        command["executable"] = request.command[0] if request.command else ""
    return (ApprovalKey.of({"kind": "shell", **command, "cwd": request.cwd, "permissions": request.permissions.value}),)


def unified_exec_keys(
    request: ExecRequest, *, tty: bool, remembered_as: Callable[[tuple[str, ...]], tuple[str, ...]] | None = None
) -> tuple[ApprovalKey, ...]:
    """The key of a command in a session that stays open: :func:`shell_keys` and the terminal flag."""
    (key,) = shell_keys(request, remembered_as=remembered_as)
    return (ApprovalKey.of({"kind": "unified_exec", "shell": key.text, "tty": flag(tty, "`tty`")}),)


def retry_keys(keys: Sequence[ApprovalKey]) -> tuple[ApprovalKey, ...]:
    """The keys of a second attempt, outside the sandbox. An approval of the first attempt does not cover it."""
    return tuple([ApprovalKey.of({"kind": "retry", "of": key.text}) for key in keys])


def network_keys(host: str, protocol: str, port: int) -> tuple[ApprovalKey, ...]:
    """The key of connections to a host."""
    return (ApprovalKey.of({"kind": "network", "host": host, "protocol": protocol, "port": port}),)


def patch_keys(paths: Sequence[str]) -> tuple[ApprovalKey, ...]:
    """One key for each absolute path that a patch changes.

    Raises:
        UsageError: a path is not absolute.
    """
    absolute = {folder(path, "a path") for path in texts(paths, "the paths")}
    return tuple([ApprovalKey.of({"kind": "apply_patch", "path": path}) for path in sorted(absolute)])


class ApprovalStore:
    """The approvals of one session. Only :class:`ApprovedForSession` is stored."""

    def __init__(self) -> None:
        self._approved: set[str] = set()
        self._roots: list[str] = []

    def approved(self, key: ApprovalKey) -> bool:
        """True if ``key`` was approved for the session."""
        return instance(ApprovalKey)(key, "a key") is key and key.text in self._approved

    def put(self, key: ApprovalKey, decision: ReviewDecision) -> None:
        """Remember ``decision`` for ``key`` if it is for the session; ignore other decisions."""
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


class RememberedApprovals(ApprovalStore):
    """Keeps session approvals in a file, one line each: requests as digests, granted folders in plain text.

    Args:
        path: the file; created for its owner only, with the first approval.
        scope: the sandbox under which the approvals were given; they do not apply in another scope.
    """

    def __init__(self, path: str, *, scope: str) -> None:
        super().__init__()
        self._path = path
        self._scope = scope
        self._mark = f"root:{_digest(scope)}:"  # the first part of a line that grants a folder under this scope
        words = _words_of_own_file(path)
        self._approved.update(words)
        granted = [word.removeprefix(self._mark) for word in words if word.startswith(self._mark)]
        self._roots += [unquote(root, errors="surrogateescape") for root in granted]

    def approved(self, key: ApprovalKey) -> bool:
        """True if ``key`` was approved for the session under this scope."""
        return _digest(f"{self._scope}\0{key.text}") in self._approved

    def put(self, key: ApprovalKey, decision: ReviewDecision) -> None:
        """Remember ``decision`` if it is for the session. An unwritable file loses it at the end of the process."""
        if not isinstance(decision, ApprovedForSession) or self.approved(key):
            return
        digest = _digest(f"{self._scope}\0{key.text}")
        self._approved.add(digest)
        _write_private(self._path, os.O_APPEND, f"{digest}\n")

    def grant(self, root: str) -> None:
        """Remember the folder ``root``, in plain text because the sandbox needs the path."""
        if root not in self.granted():
            super().grant(root)
            _write_private(self._path, os.O_APPEND, f"{self._mark}{quote(os.fsencode(root))}\n")


class RememberedCalls(DoomLoops):
    """Keeps the last calls of a session in the file ``path``, one digest per line; only its owner can read it."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def _noted(self, session_id: str, call: str) -> list[str]:
        """Note a call. If the file cannot be read or written, the earlier calls are forgotten."""
        recent = [*self._recent(session_id), self._stored_form(session_id, call)][
            -self._threshold * self._longest_cycle :
        ]
        _write_private(self._path, os.O_TRUNC, "".join([f"{one}\n" for one in recent]))
        return recent

    def _recent(self, session_id: str) -> list[str]:
        return _words_of_own_file(self._path)

    def _stored_form(self, session_id: str, call: str) -> str:
        return _digest(f"{session_id}\0{call}")


async def with_cached_approval(
    store: ApprovalStore, keys: Sequence[ApprovalKey], fetch: Callable[[], Awaitable[ReviewDecision]]
) -> ReviewDecision:
    """The answer for ``keys``: the remembered one if every key was approved for the session, else that of ``fetch``.

    An approval for the session is stored for each key separately, so that it covers later requests for fewer keys.

    Raises:
        UsageError: a key is not an :class:`ApprovalKey`, or ``fetch`` returned neither a decision nor its wire form.
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
