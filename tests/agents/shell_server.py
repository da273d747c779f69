"""An MCP server on standard streams with one tool, ``run``, that is a shell: what does a hook see of it?"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

_SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
_TOOL = {"name": "run", "description": "run a command", "inputSchema": _SCHEMA}


def _answer(method: str, parameters: dict[str, Any]) -> dict[str, Any] | None:
    """The result of a call; ``None`` for a method that it does not have."""
    if method == "initialize":
        version = parameters.get("protocolVersion", "2025-06-18")
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "sh", "version": "0"}}
    if method == "tools/list":
        return {"tools": [_TOOL]}
    if method == "tools/call":
        done = subprocess.run(
            parameters["arguments"]["command"], shell=True, capture_output=True, text=True, check=False
        )
        return {"content": [{"type": "text", "text": done.stdout + done.stderr + f"status {done.returncode}"}]}
    return {} if method == "ping" else None


for line in sys.stdin:
    message = json.loads(line)
    if message.get("id") is not None:
        result = _answer(message["method"], message.get("params") or {})
        unknown = {"error": {"code": -32601, "message": "method not found"}}
        said = unknown if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **said}), flush=True)
