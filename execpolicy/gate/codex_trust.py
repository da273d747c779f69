"""Gives Codex's hook its trust: without it, ``codex exec`` passes the hook over and says nothing.

Codex notes who was trusted in its own settings, under the hash of the hook. It computes the hash itself, so it is
asked, over the protocol of ``codex app-server`` (JSON lines on its standard streams), as by its own ``/hooks`` screen.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Mapping
from typing import Any

from execpolicy.errors import ExecPolicyError
from execpolicy.gate.hook_entries import is_ours

_PATIENCE = 30.0
_EVENTS = ("preToolUse", "permissionRequest")


class CodexServer:
    """A ``codex app-server`` for as long as a ``with`` lasts.

    Raises:
        ExecPolicyError: it cannot be started, does not answer, or answers with an error.
    """

    def __init__(self, codex: str, cwd: str, environ: Mapping[str, str]) -> None:
        self._cwd = cwd
        self._last = 0
        try:
            self._child = subprocess.Popen(
                [codex, "app-server"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=cwd,
                env=dict(environ),
                encoding="utf-8",
            )
        except OSError as error:
            raise ExecPolicyError(f"cannot start {codex}: {error.strerror}") from None
        self._watch = threading.Timer(_PATIENCE, self._child.kill)

    def __enter__(self) -> CodexServer:
        self._watch.start()
        try:
            self._call("initialize", {"clientInfo": {"name": "execpolicy", "title": "execpolicy", "version": "0"}})
            self._send({"method": "initialized"})
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._watch.cancel()
        self._child.kill()
        self._child.communicate()

    def untrusted(self) -> list[dict[str, Any]]:
        """Our hooks that Codex passes over, for want of trust or because they are switched off.

        ``key``, ``currentHash``, ``trustStatus`` and more of each.
        """
        return [
            hook
            for hook in self.ours()
            if hook.get("trustStatus") not in ("trusted", "managed") or hook.get("enabled") is False
        ]

    def ours(self) -> list[dict[str, Any]]:
        """Our hooks that Codex knows."""
        return [hook for hook in self._hooks() if is_ours(hook)]

    def others(self) -> list[str]:
        """Where the hooks of others stand that are asked before a call."""
        return [
            f"{hook['sourcePath']} ({hook['eventName']})"
            for hook in self._hooks()
            if not is_ours(hook) and hook.get("eventName") in _EVENTS and hook.get("pluginId") is not None
        ]

    def trust(self) -> int:
        """Trust all hooks of ours, and switch them on; how many Codex passed over before."""
        hooks = self.untrusted()
        if hooks:
            edits = [
                {"keyPath": f"hooks.state.{json.dumps(hook['key'])}.{key}", "value": value, "mergeStrategy": "upsert"}
                for hook in hooks
                for key, value in (("trusted_hash", hook["currentHash"]), ("enabled", True))
                if key == "trusted_hash" or hook.get("enabled") is False
            ]
            self._call("config/batchWrite", {"edits": edits, "reloadUserConfig": True})
            if self.untrusted():
                raise ExecPolicyError("Codex did not take the trust for its hook: give it with `/hooks` in Codex")
        return len(hooks)

    def _hooks(self) -> list[dict[str, Any]]:
        found = self._call("hooks/list", {"cwds": [self._cwd]})["data"]
        return [hook for entry in found for hook in entry["hooks"]]

    def _send(self, message: dict[str, Any]) -> None:
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(json.dumps(message) + "\n")
            self._child.stdin.flush()
        except OSError:
            raise ExecPolicyError("`codex app-server` ended too early") from None

    def _call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self._child.stdout is not None
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        for line in self._child.stdout:
            message = json.loads(line)
            if message.get("id") == self._last and "method" not in message:
                if "error" in message:
                    raise ExecPolicyError(f"`codex app-server` refuses `{method}`: {message['error'].get('message')}")
                result: dict[str, Any] = message["result"]
                return result
        raise ExecPolicyError("`codex app-server` ended before it answered")
