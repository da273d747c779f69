"""Makes Codex trust our hook: ``codex exec`` silently skips a hook without trust.

Codex stores trust in its own settings, under the hash of the hook. Only Codex computes the hash, so this module calls
the protocol of ``codex app-server`` (JSON lines on its standard streams), as Codex's ``/hooks`` screen does.

In Codex's ``requirements.toml``, the settings of the machine, our hooks are a marked block; every other byte is kept.
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
from execpolicy.gate.settings_edit import is_ours

_BEGIN = "# begin: written by `execpolicy install codex --scope machine`"
_END = "# end of execpolicy"
_MARK = "  # by execpolicy"
_BLOCK = re.compile(rf"(?:\r?\n)?{re.escape(_BEGIN)}\r?\n.*?{re.escape(_END)}\r?\n", re.DOTALL)
_LINE = re.compile(rf"^.*{re.escape(_MARK)}\r?\n", re.MULTILINE)
_PLACE = re.compile(r"^(.*) \(at line (\d+), column (\d+)\)$")


def with_block(path: str, text: str, events: Sequence[str], command: str, patience: int) -> str:
    """``text`` with ``command`` as the hook for ``events``, a timeout of ``patience`` seconds, and hooks switched on.

    Raises:
        ExecPolicyError: the text is broken, or switches hooks off.
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
    """``text`` without the lines that ``with_block`` adds."""
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
    """A ``codex app-server`` process that runs for the duration of a ``with`` statement.

    Raises:
        ExecPolicyError: the server cannot be started, does not answer, or answers with an error.
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
        """Our hooks that Codex skips, because they are not trusted or are switched off.

        Each has ``key``, ``currentHash``, ``trustStatus`` and more.
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
        """The places of the hooks of other programs that Codex runs before a call."""
        return [
            f"{hook['sourcePath']} ({hook['eventName']})"
            for hook in self._hooks()
            if not is_ours(hook) and hook.get("eventName") in _EVENTS and hook.get("pluginId") is not None
        ]

    def trust(self) -> int:
        """Trusts all our hooks and switches them on; returns the number that Codex skipped before."""
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
