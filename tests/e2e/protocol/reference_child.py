"""A child of the policy protocol: a real agent's side of it, driven by a list of steps.

    python reference_child.py '[["request", "t-1", "shell", {"command": "ls"}], ["exit", 0]]'
    python reference_child.py @steps.json

Steps:

* ``["out", text]``, ``["err", text]``, ``["hex", bytes]`` (to standard output), ``["flood", bytes]``;
* ``["line", object]``: an event as it is;
* ``["request", id, tool, args]``: ask, wait for the decision, "run" the tool, report;
* ``["send", id, tool, args]``, ``["burst", n, tool, args]``: ask and go on;
* ``["collect", n]``: wait for n decisions in any order; ``["ping"]``: wait for the ping;
* ``["wait", seconds]``, ``["ignore", signal]``, ``["close_stdin"]``;
* ``["spawn", seconds, detached]``: leave a process behind;
* ``["exit", status]``, ``["die"]`` (by SIGKILL).

It needs nothing but the standard library: it is the example for people who write such a child.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time

TIMEOUT = float(os.environ.get("REFERENCE_CHILD_TIMEOUT", "20"))
PREFIX = os.environ.get("EXECPOLICY_EVENT_PREFIX", "")


def emit(body):
    """Write one event line, in one write."""
    line = PREFIX + json.dumps({"v": 1, "ts": int(time.time() * 1000), **body}) + "\n"
    sys.stdout.flush()
    os.write(1, line.encode())


class Control:
    """Reads decisions from standard input on a thread; each id is answered once."""

    def __init__(self):
        self.arrived = queue.Queue()
        self.decisions = {}
        self.ping = None
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in sys.stdin.buffer:
            message = json.loads(line)
            if message["type"] == "policy.abort":
                os.write(2, f"child: aborted {message.get('code')}\n".encode())
                if not os.environ.get("REFERENCE_CHILD_STUBBORN"):
                    os._exit(3)
            elif message["type"] == "policy.ping":
                self.ping = message
            elif message["type"] == "policy.decision" and message["id"] not in self.decisions:
                self.decisions[message["id"]] = message
                self.arrived.put(message)

    def wait_for(self, id):
        """The decision for ``id``; ``None`` when it does not come in time."""
        deadline = time.monotonic() + TIMEOUT
        while id not in self.decisions:
            if time.monotonic() > deadline:
                return None
            try:
                self.arrived.get(timeout=0.05)
            except queue.Empty:
                continue
        return self.decisions[id]


def request(control, id, tool, args):
    emit({"type": "tool.request", "id": id, "tool": tool, "args": args, "requires_policy": True, "nonce": f"n-{id}"})
    decision = control.wait_for(id)
    if decision is None:
        emit({"type": "tool.result", "id": id, "ok": False, "error": "policy timeout"})
        print(f"{id}: timeout", flush=True)
    elif decision["decision"] == "allow":
        print(f"{id}: ran", flush=True)
        emit({"type": "tool.result", "id": id, "ok": True})
    else:
        emit({"type": "tool.result", "id": id, "ok": False, "error": decision["reason"]})
        print(f"{id}: {decision['decision']} ({decision['reason']})", flush=True)


def main():
    control = Control() if os.environ.get("REFERENCE_CHILD_DEAF") is None else None
    text = sys.argv[1]
    if text.startswith("@"):
        with open(text[1:]) as file:
            text = file.read()
    for name, *rest in json.loads(text):
        if name == "out":
            os.write(1, rest[0].encode())
        elif name == "err":
            os.write(2, rest[0].encode())
        elif name == "hex":
            os.write(1, bytes.fromhex(rest[0]))
        elif name == "line":
            emit(rest[0])
        elif name == "request":
            request(control, *rest)
        elif name == "send":
            id, tool, args = rest
            emit({"type": "tool.request", "id": id, "tool": tool, "args": args, "requires_policy": True})
        elif name == "burst":
            lines = [
                PREFIX + json.dumps({
                    "v": 1, "ts": 0, "type": "tool.request", "id": f"b{n}", "tool": rest[1], "args": rest[2],
                    "requires_policy": True,
                }) + "\n"
                for n in range(rest[0])
            ]  # fmt: skip
            sys.stdout.write("".join(lines))
            sys.stdout.flush()
        elif name == "collect":
            words = {}
            deadline = time.monotonic() + TIMEOUT
            while sum(words.values()) < rest[0] and time.monotonic() < deadline:
                try:
                    word = control.arrived.get(timeout=0.2)["decision"]
                except queue.Empty:
                    continue
                words[word] = words.get(word, 0) + 1
            print("collected", json.dumps(words, sort_keys=True), flush=True)
        elif name == "wait":
            time.sleep(rest[0])
        elif name == "ping":
            deadline = time.monotonic() + TIMEOUT
            while control.ping is None and time.monotonic() < deadline:
                time.sleep(0.01)
            print("ping", json.dumps(control.ping and control.ping["capabilities"]), flush=True)
        elif name == "close_stdin":
            os.close(0)
        elif name == "ignore":
            signal.signal(getattr(signal, rest[0]), signal.SIG_IGN)
        elif name == "spawn":
            seconds, detached = rest
            left = subprocess.Popen(["sleep", str(seconds)], start_new_session=detached)
            print(f"left {left.pid}", flush=True)
        elif name == "flood":
            chunk = (b"x" * 99 + b"\n") * 10_000
            for _ in range(rest[0] // len(chunk)):
                os.write(1, chunk)
        elif name == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif name == "exit":
            sys.stdout.flush()
            os._exit(rest[0])
    sys.stdout.flush()
    os._exit(0)  # not waiting for the thread that reads standard input


try:
    main()
except KeyboardInterrupt:
    time.sleep(1)  # the abort that comes with the signal says more
    os._exit(130)
