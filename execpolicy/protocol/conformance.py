"""Conformance rules for an agent's side of the protocol (``docs/protocol``), each tried on a run of the program."""

from __future__ import annotations

import json
import os
import secrets
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias, TypeVar

from execpolicy.permissions.audit import now_rfc3339
from execpolicy.protocol.codec import MessageError, parse_line
from execpolicy.protocol.framing import classify
from execpolicy.protocol.messages import CAPABILITIES, Message, PolicyAnswer, PolicyPing, ToolRequest, ToolResult

Peer: TypeAlias = Literal["child", "host"]
_Kind = TypeVar("_Kind", ToolRequest, ToolResult)
MARKER = "{marker}"
"""The placeholder in the arguments for the file that the command creates; without it ``touch FILE`` is appended."""

_LAST_WORDS = 1.0
"""The time in seconds to read a program's last output after its end; others may hold its output open longer."""


class NoRequestError(Exception):
    """A program that sent no request in time; the message says what it sent instead."""


class PeerRun:
    """A run of the program. Use it as a context manager: it ends all processes of the program on exit.

    Args:
        within: the time limit of each step in seconds.
        prefix: the required start of event lines (for a child only).
    """

    def __init__(self, argv: Sequence[str], peer: Peer, *, within: float, prefix: str = "") -> None:
        self.peer = peer
        self.within = within
        self.run_id = f"r-{secrets.token_hex(4)}"
        self.heard: list[Message] = []
        self.broken: list[str] = []
        self._argv = argv
        self._prefix = prefix
        self._folder = Path(tempfile.mkdtemp(prefix="execpolicy-run-"))
        self._marker = self._folder / "ran"
        self._news = threading.Condition()
        self._silent = False
        self._taken = 0
        self._out: IO[bytes] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None

    def __enter__(self) -> PeerRun:
        argv = [word.replace(MARKER, str(self._marker)) for word in self._argv]
        if argv == list(self._argv):
            argv += ["touch", str(self._marker)]
        if self.peer == "child":
            variables = {"EXECPOLICY_ARBITER": "1", "EXECPOLICY_RUN_ID": self.run_id}
            if self._prefix:
                variables["EXECPOLICY_EVENT_PREFIX"] = self._prefix
        else:
            variables = self._of_host()
        environment = {**os.environ, **variables}
        piped = subprocess.PIPE if self.peer == "child" else subprocess.DEVNULL
        self._process = subprocess.Popen(
            argv, stdin=piped, stdout=piped, stderr=subprocess.DEVNULL, env=environment, start_new_session=True
        )
        if self.peer == "child":
            self._out = self._process.stdin
            assert self._process.stdout is not None
            self._reader = threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True)
        else:
            self._reader = threading.Thread(target=self._converse, daemon=True)
        self._reader.start()
        return self

    def __exit__(self, *error: object) -> None:
        assert self._process is not None
        self.hang_up()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self.peer == "host":
            with suppress(OSError):  # wakes a thread that waits for the program
                os.close(os.open(self._folder / "up", os.O_WRONLY | os.O_NONBLOCK))
        if self._reader is not None:
            self._reader.join(self.within)
        shutil.rmtree(self._folder, ignore_errors=True)

    def say(self, type: str, **fields: Any) -> None:
        """Sends a message; the envelope has default values for the fields that ``fields`` does not contain."""
        body = {"v": 1, "type": type, "ts": now_rfc3339(), "run_id": self.run_id, **fields}
        self.write(json.dumps(body).encode() + b"\n")

    def write(self, data: bytes) -> None:
        """Sends bytes unchanged."""
        with suppress(OSError, ValueError):
            if self._out is not None:
                self._out.write(data)
                self._out.flush()

    def ping(self, seconds: float) -> None:
        """Sends a ping that promises decisions within ``seconds``."""
        self.say("policy.ping", id="ping-1", capabilities=list(CAPABILITIES), timeout_ms=round(seconds * 1000))

    def decide(self, request: ToolRequest, word: object, **fields: Any) -> None:
        """Answers ``request``."""
        body = {"id": request.id, "request_nonce": request.nonce, "decision": word, "reason": "test", **fields}
        self.say("policy.decision", **{name: value for name, value in body.items() if value is not None})

    def request(self) -> ToolRequest:
        """The next request.

        Raises:
            NoRequestError: no request came in time.
        """
        request = self._next(ToolRequest, self.within)
        if request is not None:
            return request
        said = f"; a line that is no message: {self.broken[0]}" if self.broken else ""
        raise NoRequestError(f"no tool.request came{said}")

    def result(self) -> ToolResult | None:
        """The next result, if one comes in time."""
        return self._next(ToolResult, self.within)

    def ran(self, *, wait: bool = False) -> bool:
        """True if the command ran; with ``wait``, waits for it within the time limit of a step."""
        self._wait(self._marker.exists, self.within if wait else 0)
        return self._marker.exists()

    def ran_after_all(self, seconds: float = 1.0) -> bool:
        """True if the command ran within ``seconds``; later requests are denied."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self._marker.exists() and not self.over():
            request = self._next(ToolRequest, 0.05)
            if request is not None:
                self.decide(request, "deny")
        return self._marker.exists()

    def over(self, *, wait: bool = False) -> bool:
        """True if the program has ended; ``wait`` allows time for the end (one step) and for the last output."""
        process = self._process
        assert process is not None
        ended = self._wait(lambda: process.poll() is not None, self.within if wait else 0)
        if ended and wait:
            self._wait(lambda: self._silent, min(self.within, _LAST_WORDS))
        return ended

    def hang_up(self) -> None:
        """Closes the program's input."""
        with suppress(OSError, ValueError):
            if self._out is not None:
                self._out.close()

    def _of_host(self) -> dict[str, str]:
        """The environment of a host that finds a program ``execpolicy`` whose input and output lead to this run."""
        up, down = self._folder / "up", self._folder / "down"
        os.mkfifo(up)
        os.mkfifo(down)
        self._out = os.fdopen(os.open(down, os.O_RDWR), "wb")
        program = self._folder / "execpolicy"
        # it ends when this run hangs up, as `serve` would
        to, given = shlex.quote(str(up)), shlex.quote(str(down))
        program.write_text(f"#!/bin/sh\nexec 3<&0 <{given}\ncat <&3 3<&- >{to} &\nexec cat 3<&-\n")
        program.chmod(0o755)
        return {"EXECPOLICY": str(program), "PATH": f"{self._folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}

    def _converse(self) -> None:
        with suppress(OSError), open(self._folder / "up", "rb") as line:
            self._read(line)
            self.hang_up()  # `serve` ends with its input too

    def _read(self, stream: IO[bytes]) -> None:
        with stream, suppress(OSError, ValueError):
            for line in stream:
                self._take(line)
        with self._news:
            self._silent = True
            self._news.notify_all()

    def _take(self, line: bytes) -> None:
        """Stores a message. Only event lines of a child's output count; every line of a host is a message."""
        found: Message | MessageError | None
        if self.peer == "child":
            found = classify(line, prefix=self._prefix.encode())
        else:
            try:
                found = parse_line(line)
            except MessageError as error:
                found = error
        with self._news:
            if isinstance(found, MessageError):
                self.broken.append(str(found))
            elif found is not None:
                self.heard.append(found)
            self._news.notify_all()

    def _next(self, kind: type[_Kind], seconds: float) -> _Kind | None:
        """The next message of ``kind`` after the last one that was taken; others are skipped."""
        end = time.monotonic() + seconds
        with self._news:
            while True:
                while self._taken < len(self.heard):
                    self._taken += 1
                    message = self.heard[self._taken - 1]
                    if isinstance(message, kind):
                        return message
                left = end - time.monotonic()
                if left <= 0 or self._silent:
                    return None
                self._news.wait(left)

    def _wait(self, holds: Callable[[], bool], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() >= end:
                return False
            time.sleep(0.01)
        return True


def words_of(request: ToolRequest) -> Mapping[str, Any]:
    """The arguments of a shell call that contain its command."""
    return {name: request.args[name] for name in ("command", "argv", "script") if request.args.get(name) is not None}


_BOTH: tuple[Peer, ...] = ("child", "host")


class NotApplicableError(Exception):
    """A rule that does not apply to the program; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class PeerRule:
    """A conformance rule.

    Attributes:
        says: the requirement for the program.
        shows: tests a run; returns the fault, or ``None``.
        peers: the sides of the protocol that the rule is for.
        prefix: the required start of event lines in this run.
    """

    name: str
    says: str
    shows: Callable[[PeerRun], str | None]
    peers: tuple[Peer, ...] = _BOTH
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class PeerReport:
    """The result of one run.

    Attributes:
        holds: true if the program keeps the rule; ``None`` if the rule does not apply.
        detail: the fault, or the reason why the rule does not apply.
    """

    rule: PeerRule
    holds: bool | None
    detail: str | None = None

    def to_json(self) -> dict[str, Any]:
        """``{name, says, holds, detail}``."""
        return {"name": self.rule.name, "says": self.rule.says, "holds": self.holds, "detail": self.detail}


_RAN = "the command ran"


def _asks(run: PeerRun) -> str | None:
    request = run.request()
    if run.ran_after_all(0.5):
        return "the command ran before it was decided"
    if not request.requires_policy:
        return "`requires_policy` is not true"
    if len(words_of(request)) != 1:
        return "`args` of a shell tool needs exactly one of `command`, `argv` and `script`"
    run.decide(request, "deny")
    return None


def _runs(run: PeerRun) -> str | None:
    run.decide(run.request(), "allow")
    return None if run.ran(wait=True) else "the command did not run"


def _reports(run: PeerRun) -> str | None:
    request = run.request()
    run.decide(request, "allow")
    if not run.ran(wait=True):
        return "the command did not run"
    result = run.result()
    if result is None:
        return "no tool.result came"
    run.over(wait=True)
    results = [message for message in run.heard if isinstance(message, ToolResult)]
    if (result.id, result.ok, len(results)) != (request.id, True, 1):
        return f"{len(results)} results, the first for `{result.id}` with `ok` {str(result.ok).lower()}"
    return None


def _denied(run: PeerRun) -> str | None:
    run.decide(run.request(), "deny")
    if run.ran_after_all():
        return _RAN
    run.over(wait=True)
    if any(isinstance(message, ToolResult) and message.ok for message in run.heard):
        return "it reported a result with `ok` true"
    return None


def _refused(*decisions: tuple[object, dict[str, Any]]) -> Callable[[PeerRun], str | None]:
    """A test that nothing runs after these decisions about a request, each a word and further fields."""

    def shows(run: PeerRun) -> str | None:
        request = run.request()
        for word, fields in decisions:
            run.decide(request, word, **fields)
        return _RAN if run.ran_after_all() else None

    return shows


def _asked(run: PeerRun) -> str | None:
    request = run.request()
    run.decide(request, "ask", choices=["once", "deny", "abort", "unavailable"])
    if run.ran_after_all():
        return _RAN
    answers = [message for message in run.heard if isinstance(message, PolicyAnswer)]
    if run.peer == "child" and answers:
        return "it answered for the person"
    if any(answer.answer in ("once", "session", "keep") for answer in answers):
        return "it said that a person agreed, and no one was there"
    return None


def _other_id(run: PeerRun) -> str | None:
    request = run.request()
    run.decide(request, "allow", id=f"{request.id}-other")
    if run.ran_after_all():
        return _RAN
    run.decide(request, "allow")
    return None if run.ran(wait=True) else "the decision behind it, for the right id, was not taken"


def _nonce(run: PeerRun) -> str | None:
    request = run.request()
    if request.nonce is None:
        run.decide(request, "deny")
        raise NotApplicableError("it sends no nonce")
    run.decide(request, "allow", request_nonce=f"{request.nonce}-other")
    return _RAN if run.ran_after_all() else None


def _fresh(run: PeerRun) -> str | None:
    request = run.request()
    run.decide(request, "allow", expires_in_ms=0)
    run.ran_after_all()
    requests = [message for message in run.heard if isinstance(message, ToolRequest)]
    if len({message.id for message in requests}) != len(requests):
        return "two requests have the same id"
    nonces = [message.nonce for message in requests if message.nonce is not None]
    return "two requests have the same nonce" if len(set(nonces)) != len(nonces) else None


def _silence(run: PeerRun) -> str | None:
    run.ping(0.3)
    run.request()
    return _RAN if run.ran_after_all(3.0) else None


def _gone(run: PeerRun) -> str | None:
    run.request()
    run.hang_up()
    if run.ran_after_all():
        return _RAN
    return None if run.over(wait=True) else "it goes on waiting when no decision can come any more"


def _aborted(run: PeerRun) -> str | None:
    request = run.request()
    run.say("policy.abort", id="abort-1", reason="test", code="user_cancel")
    run.decide(request, "allow")
    if run.peer == "host":
        run.hang_up()  # as `serve` does
    if run.ran_after_all():
        return _RAN
    return None if run.over(wait=True) else "it does not end"


def _garbage(run: PeerRun) -> str | None:
    run.write(b"\nno JSON\n[1]\n\xff\xfe\n{}\n" + b'{"v":1,"type":"policy.news","ts":0,"id":"x"}\n')
    run.ping(60)
    run.decide(run.request(), "allow", **{"x-unknown": {"a": [1]}})
    return None if run.ran(wait=True) else "the decision behind them was not taken"


def _pinged(run: PeerRun) -> str | None:
    request = run.request()
    run.say("policy.ping", id="ping-1", capabilities=["policy.decision.v1"])
    run.decide(request, "deny")
    run.result()  # wait until everything before the result has been received
    run.over(wait=True)
    answers = sum(isinstance(message, PolicyPing) and message.id == "ping-1" for message in run.heard)
    return None if answers == 1 else f"{answers} pings of its id came back"


def _pieces(run: PeerRun) -> str | None:
    request = run.request()
    line = b'{"v":1,"type":"policy.decision","ts":0,"id":%s,"decision":"allow","reason":"\xc3\xa4"}\n'
    data = line % json.dumps(request.id).encode()
    run.write(data[:40])
    time.sleep(0.2)
    run.write(data[40:-3])
    time.sleep(0.2)
    if run.ran():
        return "the command ran before the line was complete"
    run.write(data[-3:] + data)
    return None if run.ran(wait=True) else "a decision that came in pieces was not taken"


def _run_id(run: PeerRun) -> str | None:
    request = run.request()
    run.decide(request, "deny")
    if request.run_id is None:
        raise NotApplicableError("it names no session")
    return None if request.run_id == run.run_id else f"it names the session `{request.run_id}`"


RULES: tuple[PeerRule, ...] = (
    PeerRule("asks", "asks with `tool.request` and `requires_policy`, and runs nothing before the decision", _asks),
    PeerRule("allow", "runs what was allowed", _runs),
    PeerRule("reports", "reports once with `tool.result`, for the id that it asked with", _reports),
    PeerRule("deny", "runs nothing that was denied, and does not report that it ran", _denied),
    PeerRule("ask", "takes `ask` for a no while no person has agreed", _asked),
    PeerRule(
        "words",
        "takes nothing but the word `allow` for a yes",
        _refused(*[(word, {}) for word in ("ALLOW", "allowed", "yes", True, 1, ["allow"])]),
    ),
    PeerRule("other-id", "ignores decisions for other ids", _other_id),
    PeerRule("first", "keeps to the first decision", _refused(("deny", {}), ("allow", {}))),
    PeerRule("nonce", "ignores a decision that repeats another nonce than the request's", _nonce),
    PeerRule("fresh", "asks with a fresh id and nonce each time", _fresh),
    PeerRule("silence", "runs nothing when no decision comes", _silence),
    PeerRule("gone", "runs nothing and ends when no decision can come any more", _gone),
    PeerRule("expired", "runs nothing when the decision has expired", _refused(("allow", {"expires_in_ms": 0}))),
    PeerRule(
        "limited",
        "runs nothing when it cannot keep to `constraints`",
        _refused(("allow", {"constraints": {"paths": ["/nonexistent/only"], "x-unknown": True}})),
    ),
    PeerRule("abort", "runs nothing after `policy.abort`, and ends", _aborted),
    PeerRule("garbage", "passes over lines that it does not understand, and over unknown fields", _garbage),
    PeerRule(
        "version",
        "takes no decision of a version that it does not speak",
        _refused(("allow", {"v": 2}), ("allow", {"v": "1"})),
    ),
    PeerRule("ping", "answers `policy.ping` with one ping of the same id", _pinged, peers=("child",)),
    PeerRule("pieces", "reads lines whole, however they arrive", _pieces),
    PeerRule(
        "prefix",
        "puts `EXECPOLICY_EVENT_PREFIX` in front of its event lines",
        _runs,
        peers=("child",),
        prefix="@test-1 ",
    ),
    PeerRule("run-id", "names the session that `EXECPOLICY_RUN_ID` names", _run_id, peers=("child",)),
)


def try_peer(argv: Sequence[str], peer: Peer, *, within: float, names: Sequence[str] = ()) -> Iterator[PeerReport]:
    """A report on each rule for ``peer``, as soon as it is known; each rule needs a run of its own.

    Args:
        argv: the program. ``{marker}`` in it is replaced by the file that its command creates; without it ``touch
            FILE`` is appended.
        within: the time limit of each step in seconds.
        names: the names of the rules to test; all rules if empty.

    Raises:
        OSError: the program cannot be started.
    """
    for rule in RULES:
        if peer not in rule.peers or (names and rule.name not in names):
            continue
        with PeerRun(argv, peer, within=within, prefix=rule.prefix) as run:
            try:
                wrong = rule.shows(run)
            except NoRequestError as error:
                wrong = str(error)
            except NotApplicableError as error:
                yield PeerReport(rule, None, str(error))
                continue
        yield PeerReport(rule, wrong is None, wrong)
