"""``check --jsonl``: one request a line in, one answer a line out, in order, as soon as it is known.

A bad line gets an error in its place and the stream goes on. Every request is decided by the rules that it names, or by
the layers of the folder that it names.
"""

from __future__ import annotations

import gc
import json
import os

from execpolicy.cli.judgement import Judging, situation_at
from execpolicy.cli.output import OK, write_line
from execpolicy.core.decision import Decision
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.judge.situation import Situation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TextIO

    from execpolicy.cli.check_options import CheckOptions
    from execpolicy.judge.rulebook import Rulebook

_FIELDS: dict[str, tuple[type, ...]] = {
    "argv": (list,),
    "script": (str,),
    "shell": (str,),
    "cwd": (str,),
    "rules": (list,),
    "approval_policy": (str, dict),
    "sandbox_mode": (str,),
    "sandbox_permissions": (str,),
    "prefix_rule": (list,),
    "justification": (str,),
    "login": (bool,),
    "grounds": (bool,),
}
_WORDS = {list: "a list of strings", str: "a string", dict: "an object", bool: "true or false"}
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
_LONGEST_LINE = 16 << 20
_TOGETHER = 16
"""Answers to requests that arrived together are written together, this many at a time."""
_DECISIONS = {"skip": Decision.ALLOW, "needs_approval": Decision.PROMPT, "forbidden": Decision.FORBIDDEN}
"""An approval policy has the last word: what it lets run unasked is allowed, what it may not ask about is forbidden."""
_COLLECT = 50_000
"""New objects between two collections of garbage, of which there is hardly any."""


def answer_requests(options: CheckOptions, stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
    """Answer every line of ``stdin``; blank lines are passed over."""
    stream = _Stream(options, stderr)
    gc.freeze()  # what was loaded so far stays
    gc.set_threshold(_COLLECT)
    gc.enable()
    for lines in _batches(stdin):
        answers = [_encode(stream.answer(line)) for line in lines if line.strip()]
        if answers:
            write_line(stdout, "\n".join(answers))
    return OK


def _encode(answer: dict[str, Any]) -> str:
    return "".join(_CHUNKS(answer, 0)) if _CHUNKS is not None else _ENCODER.encode(answer)


def _chunks() -> Callable[[object, int], tuple[str, ...]] | None:
    """The C function behind ``JSONEncoder.encode``, which makes it anew for every call."""
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    quote: Any = getattr(json.encoder, "encode_basestring", None)
    if make is None or quote is None:
        return None
    made: Callable[[object, int], tuple[str, ...]] = make(
        None, _ENCODER.default, quote, None, ":", ",", False, False, True
    )
    return made


_CHUNKS = _chunks()


def _batches(stdin: TextIO) -> Iterator[list[bytes]]:
    """The lines that are there, a few at a time: nobody waits for an answer that is known, nor for a write per line."""
    buffer = getattr(stdin, "buffer", None)
    if buffer is None:
        for line in stdin:
            yield [line.encode("utf-8", "surrogateescape")]
        return
    rest = b""
    while chunk := buffer.read1(1 << 16):
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        if len(rest) > _LONGEST_LINE:
            rest = rest[: _LONGEST_LINE + 1]  # kept just long enough to be refused when it ends
        for start in range(0, len(lines), _TOGETHER):
            yield lines[start : start + _TOGETHER]
    yield [rest]


class _Stream:
    """From a line to its answer, with what is kept between them."""

    def __init__(self, options: CheckOptions, stderr: TextIO) -> None:
        self.options = options
        self.judging = Judging.asked_for(options, stderr)
        self.here = situation_at(options.cwd)
        if options.rules:  # files that were named on the command line must load before anything is answered
            self.judging.rulebook(self.here)

    def answer(self, raw: bytes) -> dict[str, Any]:
        """The answer to one line; ``{"id"?, "error"}`` if it is no request."""
        head: dict[str, Any] = {}
        if len(raw) > _LONGEST_LINE:
            return {"error": f"the line is longer than {_LONGEST_LINE >> 20} MiB"}
        try:
            request = json.loads(raw.decode("utf-8"))
            if not isinstance(request, dict):
                raise UsageError("a request is one JSON object on one line")
            if "id" in request:
                head["id"] = request["id"]
            return {**head, **self.decide(request)}
        except UnicodeDecodeError as error:
            return {**head, "error": f"the line is not UTF-8 (byte {error.start})"}
        except json.JSONDecodeError as error:
            return {**head, "error": f"the line is not JSON: {error.msg} (column {error.colno})"}
        except RecursionError:
            return {**head, "error": "the line is not a request: it is nested too deep"}
        except ExecPolicyError as error:
            return {**head, "error": str(error)}

    def decide(self, request: dict[str, Any]) -> dict[str, Any]:
        """The decision on one request.

        Raises:
            ExecPolicyError: the request is incomplete or contradicts itself, or its rules have a problem.
        """
        _check_fields(request)
        script: str | None = request.get("script")
        command: str | tuple[str, ...] = script if script is not None else tuple(request["argv"])
        situation = self.situation(request.get("cwd"))
        texts = tuple(request["rules"]) if "rules" in request else None
        shell: str = request.get("shell", self.options.shell)
        grounds = request.get("grounds", False)
        body, _ = self.judging.answer(command, situation, shell=shell, texts=texts, grounds=grounds)
        if "approval_policy" in request:
            requirement = self.requirement(request, command, self.judging.rulebook(situation, texts), situation)
            body["decision"] = _DECISIONS[requirement["kind"]].word
            body["requirement"] = requirement
        return body

    def requirement(
        self, request: dict[str, Any], command: str | tuple[str, ...], rulebook: Rulebook, situation: Situation
    ) -> dict[str, Any]:
        """What must happen before the command runs under the approval policy of the request."""
        from execpolicy.approvals.ask import AskForApproval
        from execpolicy.approvals.exec_command import requirement_json
        from execpolicy.approvals.exec_request import ExecRequest
        from execpolicy.approvals.sandboxing import SandboxPermissions, SandboxPolicy
        from execpolicy.codex.profiles import profile_named

        profile = profile_named(self.options.profile)
        permissions = request.get("sandbox_permissions")
        shell: str = request.get("shell", self.options.shell)
        return requirement_json(
            ExecRequest(
                command=(
                    profile.argv_of(command, shell, request.get("login", True)) if isinstance(command, str) else command
                ),
                approval_policy=AskForApproval.parse(request["approval_policy"]),
                sandbox_policy=SandboxPolicy.parse(request.get("sandbox_mode", "read-only")),
                cwd=situation.cwd,
                home=situation.home,
                sandbox_permissions=None if permissions is None else SandboxPermissions.read(permissions),
                justification=request.get("justification"),
                prefix_rule=tuple(request.get("prefix_rule", ())),
            ),
            rulebook,
            profile=profile,
        )

    def situation(self, cwd: str | None) -> Situation:
        """Where the command would run. A folder that a request names need not exist here."""
        if cwd is None:
            return self.here
        if not os.path.isabs(cwd):
            raise UsageError("`cwd` must be an absolute path")
        return Situation(cwd, home=os.environ.get("HOME"))


def _check_fields(request: dict[str, Any]) -> None:
    """A missing or mistyped field is an error; an unknown one too, since it may have been meant to restrict."""
    for name, value in request.items():
        if name == "id":
            continue
        accepted = _FIELDS.get(name)
        if accepted is None:
            raise UsageError(f"unknown field `{name}`: known are id, {', '.join(_FIELDS)}")
        if not isinstance(value, accepted):
            raise UsageError(f"`{name}` must be {' or '.join([_WORDS[kind] for kind in accepted])}")
        if isinstance(value, list) and not all(isinstance(item, str) for item in value):
            raise UsageError(f"`{name}` must be a list of strings")
    if ("argv" in request) == ("script" in request):
        raise UsageError("a request needs exactly one of `argv` and `script`")
    if "argv" in request and not request["argv"]:
        raise UsageError("`argv` needs at least one word")
