"""Gives Codex's hook its trust: without it, ``codex exec`` passes the hook over and says nothing.

Codex notes who was trusted in its own settings, under the hash of the hook. It computes the hash itself, so it is
asked, over the protocol of ``codex app-server`` (JSON lines on its standard streams), as by its own ``/hooks`` screen.

Our hooks in Codex's ``requirements.toml``, the settings of the machine: a marked block, all else stays as it is.
"""

from __future__ import annotations

import json
import re
import subprocess
import threading
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from execpolicy.errors import ExecPolicyError
from execpolicy.gate.hook_entries import is_ours

_BEGIN = "# begin: written by `execpolicy install codex --scope machine`"
_END = "# end of execpolicy"
_MARK = "  # by execpolicy"
_BLOCK = re.compile(rf"(?:\r?\n)?{re.escape(_BEGIN)}\r?\n.*?{re.escape(_END)}\r?\n", re.DOTALL)
_LINE = re.compile(rf"^.*{re.escape(_MARK)}\r?\n", re.MULTILINE)
_PLACE = re.compile(r"^(.*) \(at line (\d+), column (\d+)\)$")


def with_block(path: str, text: str, events: Sequence[str], command: str, patience: int) -> str:
    """``text`` with ``command``, given ``patience`` seconds, as the hook for ``events``, and with hooks switched on.

    Raises:
        ExecPolicyError: it is broken, or says the opposite.
    """
    table = _parsed(path, text)
    bare = without_block(text)
    table = _parsed(path, bare)
    features, hooks = table.get("features", {}), table.get("hooks", {})
    if not isinstance(features, dict) or not isinstance(hooks, dict) or features.get("hooks") is False:
        raise ExecPolicyError(f"{path}: it switches hooks off; set `hooks = true` under `[features]` first")
    block = [_BEGIN]
    for name, there, lines in (
        ("features", features, {"hooks": "true"}),
        ("hooks", hooks, {"managed_dir": json.dumps(path.rpartition("/")[0])}),
    ):
        missing = [f"{key} = {value}" for key, value in lines.items() if key not in there]
        if name not in table:
            block += [f"[{name}]", *missing]
        elif missing:
            bare = _under_header(path, bare, name, missing)
    for event in events:
        block += [f"[[hooks.{event}]]", f"[[hooks.{event}.hooks]]", 'type = "command"']
        block += [f"command = {json.dumps(command, ensure_ascii=False)}", f"timeout = {patience}"]
    newline = "\r\n" if "\r\n" in bare else "\n"
    gap = "" if not bare else newline if bare.endswith("\n") else newline * 2
    written = bare + gap + newline.join([*block, _END, ""])
    try:
        tomllib.loads(written)
    except tomllib.TOMLDecodeError:
        raise ExecPolicyError(
            f"{path}: the hooks cannot be added to it; add this by hand\n" + "\n".join(block)
        ) from None
    return written


def without_block(text: str) -> str:
    """``text`` without what ``with_block`` adds."""
    return _LINE.sub("", _BLOCK.sub("", text))


def _parsed(path: str, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.match(str(error))
        where = f"{path}:{found[2]}:{found[3]}: {found[1]}" if found is not None else f"{path}: {error}"
        raise ExecPolicyError(f"{where}; it is left as it is") from None


def _under_header(path: str, text: str, name: str, lines: Sequence[str]) -> str:
    found = re.search(rf"^[ \t]*\[[ \t]*{name}[ \t]*\][ \t]*(?:#[^\n]*)?\r?\n", text, re.MULTILINE)
    if found is None:
        wanted = " and ".join(lines)
        raise ExecPolicyError(f"{path}: there is no `[{name}]` of its own to add {wanted} to; add it by hand")
    newline = "\r\n" if found[0].endswith("\r\n") else "\n"
    return text[: found.end()] + "".join([f"{line}{_MARK}{newline}" for line in lines]) + text[found.end() :]


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
