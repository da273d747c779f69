"""The four programs that run on and on, each under a load whose every answer is counted and compared."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from execpolicy.core.answer import AnswerKind
from execpolicy.inbox.inbox_call import ask_inbox
from execpolicy.inbox.inbox_question import InboxQuestion
from tests.soak.gauge import Gauge, Held
from tests.support.ui_server import UiServer, environment_of

PROGRAM = [sys.executable, "-m", "execpolicy"]
WANTED_PER_S = 2000
CHANGES = 1000
ASKERS = 20
_PATIENCE_S = 120.0
"""For what has to come; however busy the machine is, more than that is lost."""
RULES = """\
prefix_rule(pattern=["build"], decision="allow")
prefix_rule(pattern=["touch"], decision="forbidden", justification="never touch")
"""
COMMANDS = (
    ("build {}", "allow"),
    ("touch {}", "deny"),
    ("build {} && touch x", "deny"),
    ("frobnicate {}", "deny"),
    ("git log -n {} | head", "allow"),
)
"""What is asked, with a number that never comes twice, and the decision where no one can be asked."""

AGENT = """
import json, os, sys, threading, time
wanted, seconds, commands = json.loads(sys.argv[1])
window, lost, wrong, asked, open_ids = threading.Semaphore(2000), 0, 0, 0, {}
out = sys.stdout.buffer
over = threading.Event()
def read():
    global wrong
    for line in sys.stdin.buffer:
        said = json.loads(line)
        if said["type"] == "policy.decision":
            expected = open_ids.pop(said["id"], None)
            wrong += expected != said["decision"]
            window.release()
reader = threading.Thread(target=read, daemon=True)
reader.start()
began = time.monotonic()
while time.monotonic() - began < seconds:
    due = min((time.monotonic() - began) * wanted, asked + 100)
    while asked < due:
        window.acquire()
        script, expected = commands[asked % len(commands)]
        id = str(asked)
        open_ids[id] = expected
        request = {"v": 1, "type": "tool.request", "ts": 0, "id": id, "tool": "shell", "requires_policy": True,
                   "args": {"command": script.format(asked)}}
        out.write(json.dumps(request).encode() + b"\\nline %d\\n" % asked)
        asked += 1
    out.flush()
    time.sleep(0.005)
over.set()
until = time.monotonic() + 120
while open_ids and time.monotonic() < until:
    time.sleep(0.05)
out.write(b"total " + json.dumps([asked, len(open_ids), wrong]).encode() + b"\\n")
out.flush()
os._exit(0)  # Python aborts where a thread still waits for standard input
"""
"""An agent that asks and asks, says something else in between, and counts what it is answered."""

MANAGER = """
import sys
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import PolicyManager
manager = PolicyManager(LayerOptions(cwd="/", codex_home=sys.argv[1], own_home=sys.argv[1], project=False))
def tell(snapshot):
    probes = [program for program in snapshot.policy.programs() if program.startswith("probe")]
    print("seen", snapshot.policy.check(["touch", "x"]).decision, *probes, flush=True)
manager.subscribe(tell)
with manager.watching():
    print("ready", flush=True)
    for line in sys.stdin:
        manager.amend(["kept", line.strip()])
        taken = manager.undo()
        print("amended", line.strip(), flush=True)
"""
"""A manager that watches, says what each new snapshot forbids, and saves and undoes a rule when it is told to."""


@dataclass(frozen=True)
class Soak:
    """How one of them went.

    Attributes:
        what: what was counted.
        lost: of these, how many never came, or came otherwise than they had to.
    """

    name: str
    seconds: float
    what: str
    count: int
    lost: int
    held: Held

    @property
    def is_good(self) -> bool:
        """Nothing was lost, and nothing grew."""
        return not self.lost and not self.held.grew


def serve(folder: Path, seconds: float) -> Soak:
    """A host that sends so many requests a second, without waiting for answers, as far as they are read."""
    (folder / "r.rules").write_text(RULES)
    process = subprocess.Popen(
        [*PROGRAM, "serve", "-r", "r.rules"],
        cwd=folder,
        env=environment_of(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    gauge = Gauge(process.pid)
    waiting: dict[str, str] = {}
    room = threading.Semaphore(2 * WANTED_PER_S)
    wrong = 0

    def read() -> None:
        nonlocal wrong
        for line in process.stdout or ():
            said = json.loads(line)
            wrong += waiting.pop(said.get("id", ""), None) != said.get("decision")
            room.release()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    asked, began = 0, time.monotonic()
    while time.monotonic() - began < seconds:
        due = min((time.monotonic() - began) * WANTED_PER_S, asked + 100)
        batch: list[str] = []
        while asked < due:
            room.acquire()
            script, decision = COMMANDS[asked % len(COMMANDS)]
            waiting[str(asked)] = decision
            batch.append(_request(str(asked), script.format(asked)))
            asked += 1
        process.stdin.write("".join(batch).encode())
        process.stdin.flush()
        time.sleep(0.005)
    took = time.monotonic() - began
    held = gauge.stop()
    process.stdin.close()
    reader.join(_PATIENCE_S)
    status = process.wait(_PATIENCE_S)
    process.stdout.close()
    return Soak("serve", took, "requests", asked, len(waiting) + wrong + (status != 0), held)


def arbiter(folder: Path, seconds: float) -> Soak:
    """An agent that asks as often, and says a line of its own after every request."""
    (folder / "r.rules").write_text(RULES)
    told = json.dumps([WANTED_PER_S, seconds, COMMANDS])
    process = subprocess.Popen(
        [*PROGRAM, "arbiter", "-r", "r.rules", "--no-ask", "--no-ping", "--", sys.executable, "-c", AGENT, told],
        cwd=folder,
        env=environment_of(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    gauge = Gauge(process.pid)
    began, lines, total = time.monotonic(), 0, [0, 0, 1]
    for line in process.stdout or ():
        if line.startswith(b"line "):
            lines += line == b"line %d\n" % lines
        elif line.startswith(b"total "):
            total = json.loads(line.removeprefix(b"total "))
    took = time.monotonic() - began
    status = process.wait(_PATIENCE_S)
    assert process.stdout is not None
    process.stdout.close()
    asked, unanswered, wrong = total
    lost = unanswered + wrong + abs(asked - lines) + (status != 0)
    return Soak("arbiter", took, "requests, and as many lines of the agent", asked, lost, gauge.stop())


def manager(folder: Path, seconds: float) -> Soak:
    """A file that changes again and again, in each of the ways that programs change files, beside one that stays."""
    rules = folder / "rules"
    rules.mkdir()
    (rules / "kept.rules").write_text(RULES)
    process = subprocess.Popen(
        [sys.executable, "-c", MANAGER, str(folder)],
        env=environment_of(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdin is not None
    said: queue.Queue[list[str]] = queue.Queue()

    def read() -> None:
        for line in process.stdout or ():
            said.put(line.split())

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    _await(said, lambda words: words == ["ready"])
    gauge = Gauge(process.pid)
    changes = max(round(CHANGES * min(seconds / 600, 1)), 10)
    began, lost = time.monotonic(), 0
    for number in range(changes):
        if number % 5 == 4:
            process.stdin.write(f"{number}\n")
            process.stdin.flush()
            expected = ["amended", str(number)]
        else:
            _change(rules / "changing.rules", number)
            expected = ["seen", "forbidden", f"probe{number}"]
        good, laxer = _await(said, lambda words, expected=expected: words == expected)  # type: ignore[misc]  # mypy does not infer a lambda's default
        lost += (not good) + laxer
        time.sleep(max(0.0, began + (number + 1) * seconds / changes - time.monotonic()))
    took = time.monotonic() - began
    held = gauge.stop()
    process.stdin.close()
    lost += process.wait(_PATIENCE_S) != 0
    reader.join(_PATIENCE_S)
    assert process.stdout is not None
    process.stdout.close()
    return Soak("manager", took, "changes", changes, lost, held)


def inbox(folder: Path, seconds: float) -> Soak:
    """Many who ask at once, one person who answers, and every tenth who leaves before he is answered."""
    server = UiServer(folder)
    visitor = {**server.enter(), "content-type": "application/json"}
    del visitor["set"]
    gauge = Gauge(server.process.pid)
    began = time.monotonic()
    answers: queue.Queue[bool] = queue.Queue()

    def ask(name: int) -> None:
        number = 0
        while time.monotonic() - began < seconds:
            number += 1
            leaves = number % 10 == 0
            question = InboxQuestion(
                source="api",
                session=f"{name}",
                commands=(f"make {name}-{number}",),
                wait_s=0.05 if leaves else _PATIENCE_S,
            )
            answer = ask_inbox(question, server.environment)
            answers.put(leaves or answer.kind is AnswerKind.APPROVE)

    askers = [threading.Thread(target=ask, args=(name,), daemon=True) for name in range(ASKERS)]
    for asker in askers:
        asker.start()
    while any(asker.is_alive() for asker in askers):
        status, _, text = server.request("GET", "/inbox/questions", headers=visitor)
        ids = [one["id"] for one in json.loads(text)["questions"]] if status == 200 else []
        if ids:
            body = json.dumps({"ids": ids, "answer": "once"}).encode()
            server.request("POST", "/inbox/answer", body=body, headers=visitor)
        time.sleep(0.02)
    took = time.monotonic() - began
    held = gauge.stop()
    server.stop()
    good = [answers.get() for _ in range(answers.qsize())]
    return Soak("inbox", took, "questions", len(good), good.count(False), held)


SOAKS: dict[str, Callable[[Path, float], Soak]] = {
    "serve": serve,
    "arbiter": arbiter,
    "manager": manager,
    "inbox": inbox,
}


def _request(id: str, script: str) -> str:
    body: dict[str, Any] = {"v": 1, "type": "tool.request", "ts": 0, "id": id, "tool": "shell"}
    return json.dumps({**body, "args": {"command": script}, "requires_policy": True}) + "\n"


def _change(path: Path, number: int) -> None:
    """Rewrite, replace, append to or make anew the file."""
    text = f'prefix_rule(pattern=["probe{number}"], decision="forbidden")\n'
    match number % 5:
        case 0:
            path.write_text(text)
        case 1:
            draft = path.with_name("draft")
            draft.write_text(text)
            draft.rename(path)
        case 2:
            path.unlink()
            path.write_text(text)
        case _:
            with path.open("r+") as file:
                file.write(text)
                file.truncate()


def _await(said: queue.Queue[list[str]], is_it: Callable[[list[str]], bool]) -> tuple[bool, int]:
    """Whether what is waited for came, and how many snapshots before it were laxer than any state of the files."""
    laxer = 0
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            words = said.get(timeout=max(until - time.monotonic(), 0.001))
        except queue.Empty:
            return False, laxer
        laxer += words[0] == "seen" and words[1] != "forbidden"
        if is_it(words):
            return True, laxer
