"""A host that embeds ``execpolicy serve``: it asks before it runs a tool. Standard library only.

python host.py ls -la
"""

import json
import os
import shlex
import subprocess
import sys
import time

SERVE = shlex.split(os.environ.get("EXECPOLICY", "execpolicy")) + ["serve", "--ask", "host"]


class Gatekeeper:
    """Sends requests, hands out decisions. One thread; several requests may be under way."""

    def __init__(self, *options: str) -> None:
        self._process = subprocess.Popen([*SERVE, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0

    def _send(self, body: dict) -> None:
        line = json.dumps({"v": 1, "ts": int(time.time() * 1000), **body})
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()

    def decide(self, tool: str, args: dict) -> dict:
        """The decision on one call. Without an answer it is *deny*."""
        self._number += 1
        id = f"call-{self._number}"
        self._send({"type": "tool.request", "id": id, "tool": tool, "args": args, "requires_policy": True})
        for line in self._process.stdout:
            message = json.loads(line)
            if message["type"] == "policy.decision" and message["id"] == id:
                return message
            if message["type"] == "policy.abort":
                break
        return {"id": id, "decision": "deny", "reason": "the policy is not available"}

    def report(self, id: str, ok: bool) -> None:
        """Say how the call ended; this completes it."""
        self._send({"type": "tool.result", "id": id, "ok": ok})

    def close(self) -> int:
        """End the conversation."""
        self._process.stdin.close()
        self._process.stdout.close()
        return self._process.wait(10)


def main() -> int:
    gatekeeper = Gatekeeper()
    decision = gatekeeper.decide("shell", {"argv": sys.argv[1:]})
    print(f"{decision['decision']}: {decision['reason']}", flush=True)
    allowed = decision["decision"] == "allow"
    if decision["decision"] == "ask" and sys.stdin.isatty():
        allowed = input("run it? [y/N] ").strip().lower() == "y"
    ok = allowed and subprocess.run(sys.argv[1:]).returncode == 0
    gatekeeper.report(decision["id"], ok)
    gatekeeper.close()
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
