"""The environment that commands get: what is inherited, kept back and set.

What the agent gets back from a tool: the envelope around a command's output.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

from execpolicy.approvals.tools.process import ExecOutput
from execpolicy.validators import flag, instance, one_of, optional, settle, text, texts, variables

MODEL_OUTPUT_BYTES = 10 * 1024
"""More than this of a command's output is not given back to the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput:
    """The content of a function call's output.

    Attributes:
        success: whether the command ran and ended with status 0.
    """

    content: str
    success: bool

    def __post_init__(self) -> None:
        settle(self, content=text, success=flag)

    def to_json(self) -> dict[str, Any]:
        """``{content, success}``."""
        return {"content": self.content, "success": self.success}


def exec_envelope(output: ExecOutput, *, limit: int = MODEL_OUTPUT_BYTES) -> ToolOutput:
    """``{"output", "metadata": {"exit_code", "duration_seconds"}}`` as JSON text, the output shortened in its middle.

    Args:
        limit: bytes of output to keep.
    """
    text = output.text
    if output.timed_out:
        text = f"command timed out after {round(output.seconds * 1000)} milliseconds\n{text}"
    body = {
        "output": shortened(text, limit),
        "metadata": {"exit_code": output.exit_code, "duration_seconds": round(output.seconds, 1)},
    }
    return ToolOutput(content=json.dumps(body, ensure_ascii=False), success=output.exit_code == 0)


def live_envelope(text: str, seconds: float, session_id: int, *, limit: int = MODEL_OUTPUT_BYTES) -> ToolOutput:
    """The same while the command is open: ``session_id`` in place of ``exit_code``."""
    metadata = {"session_id": session_id, "duration_seconds": round(seconds, 1)}
    body = {"output": shortened(text, limit), "metadata": metadata}
    return ToolOutput(content=json.dumps(body, ensure_ascii=False), success=True)


def shortened(text: str, limit: int) -> str:
    """``text`` if it has at most ``limit`` bytes in UTF-8, else its start and end, cut at line ends where possible."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return text
    head = data[: limit // 2].decode("utf-8", "ignore")
    tail = data[-(limit - limit // 2) :].decode("utf-8", "ignore")
    head = head[: head.rfind("\n") + 1] or head
    tail = tail[tail.find("\n") + 1 :] if "\n" in tail[:-1] else tail
    omitted = len(data) - len(head.encode()) - len(tail.encode())
    return f"{head}[… {omitted} bytes omitted …]\n{tail}"


_CORE = frozenset({"HOME", "LOGNAME", "PATH", "SHELL", "USER", "USERNAME", "TMPDIR", "TEMP", "TMP"})
_SECRETS = ("*KEY*", "*SECRET*", "*TOKEN*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellEnvironmentPolicy:
    """Which variables a command gets. The steps are applied in the order of the fields.

    Attributes:
        inherit: ``all`` of the host's variables, the ``core`` ones (home, path, user, temporary folder), or ``none``.
        ignore_default_excludes: also pass variables whose name holds KEY, SECRET or TOKEN.
        exclude: patterns (``*``, ``?``) of names to drop; case does not matter, here and in ``include_only``.
        set: variables to add or replace.
        include_only: patterns of names to keep; empty keeps all.
    """

    inherit: Literal["all", "core", "none"] = "all"
    ignore_default_excludes: bool = False
    exclude: tuple[str, ...] = ()
    set: Mapping[str, str] = field(default_factory=dict)
    include_only: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        settle(self, inherit=one_of("all", "core", "none"), ignore_default_excludes=flag, exclude=texts)
        settle(self, set=variables, include_only=texts)


def create_env(
    policy: ShellEnvironmentPolicy, environ: Mapping[str, str], *, extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment under ``policy`` for a host that has ``environ``; ``extra`` is merged last.

    Raises:
        UsageError: something is of another kind.
    """
    instance(ShellEnvironmentPolicy)(policy, "the environment policy")
    variables(environ, "the environment")
    optional(variables)(extra, "what is merged last")
    if policy.inherit == "none":
        env: dict[str, str] = {}
    elif policy.inherit == "core":
        env = {name: value for name, value in environ.items() if name in _CORE}
    else:
        env = dict(environ)
    dropped = policy.exclude if policy.ignore_default_excludes else _SECRETS + policy.exclude
    env = {name: value for name, value in env.items() if not _matches(name, dropped)}
    env.update(policy.set)
    if policy.include_only:
        env = {name: value for name, value in env.items() if _matches(name, policy.include_only)}
    env.update(extra or {})
    return env


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name.upper(), pattern.upper()) for pattern in patterns)
