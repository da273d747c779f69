"""The fields of the envelopes that agents send to their hooks."""

from __future__ import annotations

from execpolicy.errors import UsageError
from execpolicy.hooks.hook_call import HookCall, read_call
from execpolicy.layers.hook_setting import hook_setting_of_process
from execpolicy.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_FOLDERS = ("cwd", "working_dir", "workspaceRoots", "workspace_roots")
_ALONE = ("bypassPermissions", "dontAsk", "yolo", "auto-high")
"""Modes in which an agent asks no person."""


@value
class CallForm:
    """The keys of an envelope; a dot in one leads into an object.

    Attributes:
        event: the event's name; where it is missing, the first event that the agent is answered at.
        tool: the tool's name; ``None`` where only one tool's calls are sent, which ``only`` names.
        arguments: the tool's arguments, as an object or as JSON text; the first key that is present. Empty: the
            envelope.
        only: the name of the tool where the envelope has none.
        sign: a key that every envelope of this form has, if not that of the tool or the event.
        unasked: the tools that start another agent, whose calls reach no hook.
    """

    event: str
    tool: str | None = None
    arguments: tuple[str, ...] = ()
    only: str = ""
    sign: str = ""
    unasked: tuple[str, ...] = ()

    def fits(self, envelope: Mapping[str, Any]) -> bool:
        """True if ``envelope`` has this form."""
        return _at(envelope, self.sign or self.tool or self.event) is not None

    def event_of(self, envelope: Mapping[str, Any], usual: str) -> str:
        """The event of ``envelope``; ``usual`` where it names none."""
        event = _at(envelope, self.event)
        return event if isinstance(event, str) else usual

    def read(self, envelope: Mapping[str, Any], event: str, is_shell: Callable[[str], bool]) -> HookCall:
        """Reads the call in ``envelope``.

        Raises:
            UsageError: it lacks a field that this agent always sends.
        """
        tool = self.only if self.tool is None else _at(envelope, self.tool)
        if not isinstance(tool, str):
            raise UsageError("the envelope names no tool")
        arguments: object = envelope
        for name in self.arguments:
            arguments = _at(envelope, name)
            if arguments is not None:
                break
        if isinstance(arguments, str):
            import json

            try:
                arguments = json.loads(arguments)
            except (ValueError, RecursionError):
                raise UsageError(f"the arguments of `{tool}` are not JSON") from None
        shell = is_shell(tool)
        setting = None if shell else hook_setting_of_process()
        ignored = setting is not None and setting.is_ignored(tool)
        if not isinstance(arguments, dict):
            if shell or (arguments is not None and not ignored):
                raise UsageError(f"the call of `{tool}` has no arguments")
            arguments = {}
        if ignored:
            folder = _folder(envelope)
            return HookCall(event, tool, cwd=folder, root=folder, arguments=arguments, session=_session(envelope))
        alone = "it starts another agent, whose calls reach no hook"
        return read_call(
            event,
            tool,
            arguments,
            cwd=_folder(envelope),
            person=_person(envelope),
            session=_session(envelope),
            mode=_mode(envelope),
            is_shell=shell,
            everything=setting is not None and setting.is_shell(tool),
            of_agent=not self.arguments and _at(envelope, self.event) is not None,
            doubts=(alone,) if tool in self.unasked else (),
        )


def _at(envelope: Mapping[str, Any], key: str) -> Any:
    found: Any = envelope
    for part in key.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _folder(envelope: Mapping[str, Any]) -> str | None:
    for name in _FOLDERS:
        folder = envelope.get(name)
        if isinstance(folder, list) and folder:
            folder = folder[0]
        if folder in (None, "", []):
            continue
        if not isinstance(folder, str) or not folder.startswith("/"):
            raise UsageError(f"the `{name}` of the envelope is not the path of a folder from the root")
        return folder
    return None


_SESSIONS = ("session_id", "sessionId", "conversation_id", "sessionID", "taskId", "trajectory_id")
"""Agents' keys for the name of their session."""


def _session(envelope: Mapping[str, Any]) -> str:
    return next((envelope[name] for name in _SESSIONS if isinstance(envelope.get(name), str)), "")


def _mode(envelope: Mapping[str, Any]) -> str:
    mode = envelope.get("permission_mode", "")
    return mode if isinstance(mode, str) else "unknown"


def _person(envelope: Mapping[str, Any]) -> bool | None:
    for name in ("hasUI", "person"):
        if isinstance(envelope.get(name), bool):
            return bool(envelope[name])
    return False if _mode(envelope) in _ALONE else None
