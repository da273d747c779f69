"""Arguments, environment and output of the tools that run commands."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Literal

from execpolicy.approvals.sandbox.sandboxing import SandboxPermissions
from execpolicy.approvals.tools.process import ExecOutput
from execpolicy.errors import UsageError
from execpolicy.strict_json import read_json
from execpolicy.validators import Checked, argv, instance, optional, positive, program_and_words, variables

MODEL_OUTPUT_BYTES = 10 * 1024
"""The limit in bytes for a command's output that the agent receives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput(Checked):
    """The content of a function call's output; ``success`` means that the command ran and ended with status 0."""

    content: str
    success: bool

    def to_json(self) -> dict[str, Any]:
        """``{content, success}``."""
        return {"content": self.content, "success": self.success}


def exec_envelope(output: ExecOutput) -> ToolOutput:
    """``{"output", "metadata": {"exit_code", "duration_seconds"}}`` as JSON, the output shortened in its middle."""
    text = output.text
    if output.timed_out:
        text = f"command timed out after {round(output.seconds * 1000)} milliseconds\n{text}"
    body = {
        "output": shortened(text, MODEL_OUTPUT_BYTES),
        "metadata": {"exit_code": output.exit_code, "duration_seconds": round(output.seconds, 1)},
    }
    return ToolOutput(content=json.dumps(body, ensure_ascii=False), success=output.exit_code == 0)


def live_envelope(text: str, seconds: float, session_id: int) -> ToolOutput:
    """The envelope of a command that is still open: ``session_id`` in place of ``exit_code``."""
    metadata = {"session_id": session_id, "duration_seconds": round(seconds, 1)}
    body = {"output": shortened(text, MODEL_OUTPUT_BYTES), "metadata": metadata}
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
class ShellEnvironmentPolicy(Checked):
    """Selects the variables that a command gets. The steps are applied in the order of the fields.

    Attributes:
        inherit: ``all`` of the host's variables, the ``core`` ones (home, path, user, temporary folder), or ``none``.
        ignore_default_excludes: also pass variables whose name contains KEY, SECRET or TOKEN.
        exclude: patterns (``*``, ``?``) of names to drop; ignores case, as does ``include_only``.
        set: variables to add or replace.
        include_only: patterns of names to keep; empty keeps all.
    """

    inherit: Literal["all", "core", "none"] = "all"
    ignore_default_excludes: bool = False
    exclude: tuple[str, ...] = ()
    set: Mapping[str, str] = field(default_factory=dict)
    include_only: tuple[str, ...] = ()


def create_env(
    policy: ShellEnvironmentPolicy, environ: Mapping[str, str], *, extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment under ``policy`` for a host that has ``environ``; ``extra`` is merged last.

    Raises:
        UsageError: an argument has the wrong type.
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


DEFAULT_EXEC_COMMAND_TIMEOUT_MS = 10_000
"""The time limit in milliseconds for a command whose call sets none."""
DEFAULT_WRITE_STDIN_YIELD_TIME_MS = 250
"""Milliseconds that ``write_stdin`` waits for output by default."""
_MAX_YIELD_TIME_MS = 30_000
_MAX_TIMEOUT_MS = 24 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellToolCallParams(Checked, command=program_and_words, timeout_ms=positive, prefix_rule=argv):
    """A call of the tool.

    Attributes:
        command: argv, at least one word.
        workdir: relative to the turn's working directory, or absolute; ``None`` for that directory.
        timeout_ms: the time limit in milliseconds; positive.
        sandbox_permissions: ``None`` if the call does not set them.
        tty: true if the command gets its own terminal; ``None`` for a tool without this option.
        yield_time_ms: milliseconds after which the call returns while the command stays open; ``None`` runs it to its
            end.
    """

    command: tuple[str, ...]
    workdir: str | None = None
    timeout_ms: int = DEFAULT_EXEC_COMMAND_TIMEOUT_MS
    sandbox_permissions: SandboxPermissions | None = None
    justification: str | None = None
    prefix_rule: tuple[str, ...] = ()
    tty: bool | None = None
    yield_time_ms: int | None = None

    @classmethod
    def parse(cls, arguments: str | dict[str, Any]) -> ShellToolCallParams:
        """Parse ``arguments``, a JSON text or an object. Unknown fields are ignored.

        Raises:
            UsageError: it is not a JSON object, or a field is missing or has the wrong type. The agent receives the
                message.
        """
        fields = _decoded(arguments)
        command = _field(fields, "command", list)
        if command is None:
            raise _invalid("missing field `command`")
        if not command or not command[0]:
            raise _invalid("`command` needs a program as its first string")
        return cls._of(fields, command, None)

    @classmethod
    def parse_script(
        cls, arguments: str | dict[str, Any], argv_of: Callable[[str, str | None, bool | None], tuple[str, ...]]
    ) -> ShellToolCallParams:
        """Parse the arguments of ``exec_command``: ``cmd``, ``shell``, ``login`` and ``tty`` in place of ``command``.

        Args:
            argv_of: returns the argv that runs a script, from ``(script, shell or None, login or None)``.

        Raises:
            UsageError: as for :meth:`parse`.
        """
        fields = _decoded(arguments)
        script = _field(fields, "cmd", str)
        if script is None:
            raise _invalid("missing field `cmd`")
        command = argv_of(script, _field(fields, "shell", str), _field(fields, "login", bool))
        return replace(cls._of(fields, command, _field(fields, "tty", bool) or False), yield_time_ms=_wait(fields))

    @classmethod
    def _of(cls, fields: dict[str, Any], command: tuple[str, ...], tty: bool | None) -> ShellToolCallParams:
        name = "timeout_ms" if "timeout_ms" in fields else "timeout"
        timeout = _whole(fields, name, 1, "a positive whole number")
        permissions = _field(fields, "sandbox_permissions", str)
        try:
            wanted = None if permissions is None else SandboxPermissions.read(permissions)
        except UsageError as error:
            raise _invalid(str(error)) from None
        return cls(
            command=command,
            workdir=_folder(fields),
            timeout_ms=DEFAULT_EXEC_COMMAND_TIMEOUT_MS if timeout is None else min(timeout, _MAX_TIMEOUT_MS),
            sandbox_permissions=wanted,
            justification=_field(fields, "justification", str),
            prefix_rule=_field(fields, "prefix_rule", list) or (),
            tty=tty,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteStdinParams(Checked):
    """A call of ``write_stdin``.

    Attributes:
        session_id: the open command, as returned by ``exec_command``.
        chars: the text to send; if empty, the call only returns new output.
    """

    session_id: int
    chars: str = ""
    yield_time_ms: int = DEFAULT_WRITE_STDIN_YIELD_TIME_MS

    @classmethod
    def parse(cls, arguments: str | dict[str, Any]) -> WriteStdinParams:
        """Parse ``arguments``, a JSON text or an object. Unknown fields are ignored.

        Raises:
            UsageError: as for :meth:`ShellToolCallParams.parse`.
        """
        fields = _decoded(arguments)
        wait = _wait(fields)
        session = _whole(fields, "session_id", 0, "the number of an open command")
        if session is None:
            raise _invalid("missing field `session_id`")
        return cls(
            session_id=session,
            chars=_field(fields, "chars", str) or "",
            yield_time_ms=DEFAULT_WRITE_STDIN_YIELD_TIME_MS if wait is None else wait,
        )


def _invalid(problem: str) -> UsageError:
    return UsageError(f"failed to parse function arguments: {problem}")


def _wait(fields: dict[str, Any]) -> int | None:
    wait = _whole(fields, "yield_time_ms", 0, "a whole number from 0")
    return None if wait is None else min(wait, _MAX_YIELD_TIME_MS)


def _decoded(arguments: str | dict[str, Any]) -> dict[str, Any]:
    try:
        value = read_json(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError) as error:
        raise _invalid(str(error)) from None
    if not isinstance(value, dict):
        raise _invalid("expected a JSON object")
    return value


_FORMS: dict[type, str] = {str: "a string", bool: "true or false", list: "a list of strings"}


def _field(fields: dict[str, Any], name: str, kind: type) -> Any:
    """The field ``name``, a list as a tuple; ``None`` if it is absent."""
    value = fields.get(name)
    if value is None:
        return None
    texts: list[Any] = value if isinstance(value, list) else [value] if kind is str else []
    if type(value) is not kind or not all(isinstance(text, str) for text in texts):
        raise _invalid(f"`{name}` must be {_FORMS[kind]}")
    if any("\0" in text for text in texts):
        raise _invalid(f"`{name}` holds a NUL character")
    return tuple(texts) if kind is list else value


def _whole(fields: dict[str, Any], name: str, least: int, what: str) -> int | None:
    value: int | None = fields.get(name)
    if value is not None and (type(value) is not int or value < least):
        raise _invalid(f"`{name}` must be {what}")
    return value


def _folder(fields: dict[str, Any]) -> str | None:
    """The value of ``workdir``, which ``local_shell`` calls ``working_directory``."""
    given = {found for name in ("workdir", "working_directory") if (found := _field(fields, name, str)) is not None}
    if len(given) > 1:
        raise _invalid("`workdir` and `working_directory` differ")
    return given.pop() if given else None
