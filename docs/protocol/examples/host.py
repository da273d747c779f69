"""A host that embeds ``execpolicy serve``: it asks before it runs a tool. Standard library only.

python host.py ls -la
"""

import json
import os
import secrets
import shlex
import subprocess
import sys
import time
from contextlib import suppress

SERVE = shlex.split(os.environ.get("EXECPOLICY", "execpolicy")) + ["serve", "--ask", "host"]


class Gatekeeper:
    """Sends requests, hands out decisions. One call at a time."""

    def __init__(self, *options: str) -> None:
        self._process = subprocess.Popen([*SERVE, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def _send(self, body: dict) -> None:
        line = json.dumps({"v": 1, "ts": int(time.time() * 1000), **body})
        with suppress(BrokenPipeError):  # the policy is gone: no decision comes, which is a no
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()

    def request(self, tool: str, args: dict) -> dict:
        """The policy's decision on one call: ``allow``, ``deny``, or ``ask`` for :meth:`answer`."""
        id, nonce = f"call-{secrets.token_hex(4)}", secrets.token_hex(8)
        body = {"type": "tool.request", "id": id, "nonce": nonce, "tool": tool, "args": args, "requires_policy": True}
        self._send(body)
        return self._decision(id, nonce)

    def answer(self, decision: dict, choice: str) -> dict:
        """The decision after a person has answered the question in ``decision``: one of its ``choices``."""
        self._send({"type": "policy.answer", "id": decision["id"], "answer": choice})
        return self._decision(decision["id"], decision.get("request_nonce"))

    def report(self, id: str, ok: bool) -> None:
        """Say how the call ended; this completes it."""
        self._send({"type": "tool.result", "id": id, "ok": ok})

    def close(self) -> int:
        """End the conversation."""
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()
        return self._process.wait(10)

    def _decision(self, id: str, nonce: str | None) -> dict:
        """The next decision on this call. Whatever is not understood is passed over; without one it is a no."""
        for line in self._process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if not isinstance(message, dict) or type(message.get("v")) is not int or message["v"] != 1:
                continue
            if message.get("type") == "policy.abort":
                break
            ours = message.get("type") == "policy.decision" and message.get("id") == id
            if ours and message.get("request_nonce", nonce) == nonce:
                return message
        return {"id": id, "decision": "deny", "reason": "the policy is not available"}


def may_run(decision: dict) -> bool:
    """Whether a call may run at once, by a program that can keep to no constraints."""
    expired = decision.get("expires_in_ms") == 0
    return decision.get("decision") == "allow" and not decision.get("constraints") and not expired


def main() -> int:
    gatekeeper = Gatekeeper()
    decision = gatekeeper.request("shell", {"argv": sys.argv[1:], "cwd": os.getcwd()})
    print(f"{decision['decision']}: {decision['reason']}", flush=True)
    if decision["decision"] == "ask" and sys.stdin.isatty():
        yes = input("run it? [y/N] ").strip().lower() == "y"
        decision = gatekeeper.answer(decision, "once" if yes else "deny")
    elif decision["decision"] == "ask":
        decision = gatekeeper.answer(decision, "unavailable")
    ok = may_run(decision) and subprocess.run(sys.argv[1:]).returncode == 0
    gatekeeper.report(decision["id"], ok)
    gatekeeper.close()
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
