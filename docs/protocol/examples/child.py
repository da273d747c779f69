"""An agent's side of the policy protocol: it asks before it runs a command. Standard library only.

execpolicy arbiter -- python child.py touch made
"""

import json
import os
import queue
import secrets
import subprocess
import sys
import threading
import time

PREFIX = os.environ.get("EXECPOLICY_EVENT_PREFIX", "")
RUN_ID = os.environ.get("EXECPOLICY_RUN_ID")
PATIENCE = 300.0
"""Seconds to wait for a decision, until a ping says better."""


def say(type: str, id: str, **fields: object) -> None:
    """Write one event line, in one write."""
    body = {"v": 1, "type": type, "ts": int(time.time() * 1000), "id": id, **fields}
    if RUN_ID is not None:
        body["run_id"] = RUN_ID
    os.write(1, (PREFIX + json.dumps(body) + "\n").encode())


class Gate:
    """Asks, and waits for the decision. One call at a time."""

    def __init__(self) -> None:
        self.patience = PATIENCE
        self.aborted = False
        self._messages: queue.Queue = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        """Standard input is the control channel. What is not understood is passed over."""
        for line in sys.stdin.buffer:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict) and type(message.get("v")) is int and message["v"] == 1:
                self._messages.put((time.monotonic(), message))
        self._messages.put((time.monotonic(), None))  # no decision can come any more

    def ask(self, tool: str, args: dict, rationale: str) -> tuple[str, str | None]:
        """The call's id, and why it must not run; ``None`` if it may. Whatever is not clearly a yes is a no."""
        id, nonce = f"call-{secrets.token_hex(4)}", secrets.token_hex(8)
        say("tool.request", id, tool=tool, args=args, requires_policy=True, nonce=nonce, rationale=rationale)
        started = time.monotonic()
        while not self.aborted:
            try:
                left = started + self.patience - time.monotonic()
                arrived, message = self._messages.get(timeout=max(left, 0))
            except queue.Empty:
                return id, "policy timeout"
            if message is None:
                return id, "the policy is gone"
            kind = message.get("type")
            ours = message.get("id") == id and message.get("request_nonce", nonce) == nonce
            if kind == "policy.abort":
                self.aborted = True
            elif kind == "policy.ping":
                if isinstance(message.get("timeout_ms"), int):
                    self.patience = message["timeout_ms"] / 1000 + 1  # its own denial comes first
                say("policy.ping", str(message.get("id")), capabilities=["policy.decision.v1"])
            elif kind == "policy.decision" and ours:
                return id, refusal(message, arrived)
        return id, "the session is aborted"


def refusal(decision: dict, arrived: float) -> str | None:
    """Why ``decision`` does not let this program run its command."""
    if decision.get("decision") != "allow":
        return str(decision.get("reason"))
    if decision.get("constraints"):
        return "this program cannot keep to constraints"
    holds = decision.get("expires_in_ms")
    if holds is not None and time.monotonic() >= arrived + holds / 1000:
        return "the decision has expired"
    return None


def main() -> int:
    gate = Gate()
    id, why_not = gate.ask("shell", {"argv": sys.argv[1:], "cwd": os.getcwd()}, "the user asked for it")
    if why_not is not None:
        say("tool.result", id, ok=False, error=why_not)
        print(f"not run: {why_not}", flush=True)
        return 3 if gate.aborted else 1
    status = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL).returncode
    say("tool.result", id, ok=status == 0)
    return status


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # not waiting for the thread that reads standard input
