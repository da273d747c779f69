"""The conformance rules for an agent's side of the protocol (``docs/protocol``), each with a test run."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from execpolicy.protocol.conformance_run import NoRequestError, Peer, PeerRun, words_of
from execpolicy.protocol.messages import PolicyAnswer, PolicyPing, ToolRequest, ToolResult

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


def _asked(run: PeerRun) -> str | None:
    request = run.request()
    run.decide(request, "ask", choices=["once", "deny", "abort", "unavailable"])
    if run.ran_after_all():
        return _RAN
    answers = [message for message in run.heard if isinstance(message, PolicyAnswer)]
    if run.peer == "child" and answers:
        return "it answered for the person"
    if any(answer.answer in ("once", "session", "keep") for answer in answers):
        return "it said that a person agreed, and nobody was there"
    return None


def _words(run: PeerRun) -> str | None:
    request = run.request()
    for word in ("ALLOW", "allowed", "yes", True, 1, ["allow"]):
        run.decide(request, word)
    return _RAN if run.ran_after_all() else None


def _other_id(run: PeerRun) -> str | None:
    request = run.request()
    run.decide(request, "allow", id=f"{request.id}-other")
    if run.ran_after_all():
        return _RAN
    run.decide(request, "allow")
    return None if run.ran(wait=True) else "the decision behind it, for the right id, was not taken"


def _first(run: PeerRun) -> str | None:
    request = run.request()
    run.decide(request, "deny")
    run.decide(request, "allow")
    return _RAN if run.ran_after_all() else None


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


def _expired(run: PeerRun) -> str | None:
    run.decide(run.request(), "allow", expires_in_ms=0)
    return _RAN if run.ran_after_all() else None


def _limited(run: PeerRun) -> str | None:
    run.decide(run.request(), "allow", constraints={"paths": ["/nonexistent/only"], "x-unknown": True})
    return _RAN if run.ran_after_all() else None


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


def _version(run: PeerRun) -> str | None:
    request = run.request()
    run.decide(request, "allow", v=2)
    run.decide(request, "allow", v="1")
    return _RAN if run.ran_after_all() else None


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
    PeerRule("words", "takes nothing but the word `allow` for a yes", _words),
    PeerRule("other-id", "ignores decisions for other ids", _other_id),
    PeerRule("first", "keeps to the first decision", _first),
    PeerRule("nonce", "ignores a decision that repeats another nonce than the request's", _nonce),
    PeerRule("fresh", "asks with a fresh id and nonce each time", _fresh),
    PeerRule("silence", "runs nothing when no decision comes", _silence),
    PeerRule("gone", "runs nothing and ends when no decision can come any more", _gone),
    PeerRule("expired", "runs nothing when the decision has expired", _expired),
    PeerRule("limited", "runs nothing when it cannot keep to `constraints`", _limited),
    PeerRule("abort", "runs nothing after `policy.abort`, and ends", _aborted),
    PeerRule("garbage", "passes over lines that it does not understand, and over unknown fields", _garbage),
    PeerRule("version", "takes no decision of a version that it does not speak", _version),
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
