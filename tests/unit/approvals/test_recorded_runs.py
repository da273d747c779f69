"""Profile ``codex-0.169``: the recorded runs, through session, orchestrator and rule file, with a scripted tool."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from execpolicy.approvals.approval_session import ApprovalSession
from execpolicy.approvals.events import ExecApprovalRequestEvent, WarningEvent
from execpolicy.approvals.exec_command import refuse_call
from execpolicy.approvals.orchestrator import Attempt, RunOutcome, ToolOrchestrator, ToolRejectedError
from execpolicy.approvals.review import (
    Approved,
    ApprovedExecpolicyAmendment,
    Denied,
    ReviewDecision,
    decision_from_json,
)
from execpolicy.approvals.tools.shell_runtime import ShellRequest, ShellRuntime
from execpolicy.codex.profiles import CODEX_0_169
from execpolicy.core.policy import Policy
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import PolicyAmender, PolicyManager
from tests.support.approval_fakes import OpenSandbox, ScriptedReviewer
from tests.support.recorded_approvals import files_of, policy_for, request_of, sequences, single


class _Runtime(ShellRuntime):
    """The real one, except that nothing is run."""

    async def run(self, request: ShellRequest, attempt: Attempt) -> Any:
        return "output"


class _Codex:
    """A thread of the program: rule files, memory and a client that answers as recorded."""

    def __init__(self, policy: Policy | None = None, home: Path | None = None) -> None:
        """Rules come from ``policy`` or, where it is not given, from the rule files in ``home``."""
        self.events: list[Any] = []
        self.reviewer = ScriptedReviewer(Denied())
        self.folder = None if home is None else home / "rules"
        manager = None
        if home is not None:
            manager = PolicyManager(LayerOptions(cwd=str(home), codex_home=str(home), mode="codex", project=False))
        self.session = ApprovalSession(
            emit=self.events.append,
            reviewer=self.reviewer,
            amender=None if manager is None else PolicyAmender(manager),
            takes_any_amendment=CODEX_0_169.takes_any_amendment,
        )
        self.runtime = _Runtime(
            session=self.session,
            sandbox=OpenSandbox(),
            profile=CODEX_0_169,
            rules=lambda: policy if manager is None else manager.current().policy,
        )

    async def run(self, case: dict[str, Any]) -> dict[str, Any]:
        """What happened, in the words of the recording."""
        request = request_of(case)
        self.reviewer.answer = lambda event: _answer(case, event)
        self.events.clear()
        seen: dict[str, Any] = {"outcome": "ran", "reason": None, "proposed_amendment": None, "rejection": None}
        outcome: RunOutcome[Any] | None = None
        try:
            refusal = refuse_call(request, profile=CODEX_0_169)
            if refusal is not None:
                raise ToolRejectedError(refusal)
            outcome = await ToolOrchestrator(CODEX_0_169).run(
                self.runtime,
                ShellRequest(call_id="call", turn=self.session.begin_turn("turn"), exec=request, timeout=1.0, env={}),
                turn=self.session.begin_turn("turn"),
                policy=request.approval_policy,
                sandbox=request.sandbox_policy,
            )
        except ToolRejectedError as error:
            seen.update(outcome="rejected", rejection=error.reason)
        asked = [event for event in self.events if isinstance(event, ExecApprovalRequestEvent)]
        if asked:
            amendment = asked[0].proposed_execpolicy_amendment
            seen.update(outcome="approval", reason=asked[0].reason, rejection=None)
            seen["proposed_amendment"] = None if amendment is None else list(amendment.prefix)
        seen["ran_sandboxed"] = None if outcome is None else outcome.attempt.sandbox is not None
        seen["rules_after"] = self._files()
        return seen

    def _files(self) -> dict[str, str]:
        if self.folder is None or not self.folder.is_dir():
            return {}
        return {path.name: path.read_bytes().decode() for path in self.folder.iterdir()}


def _answer(case: dict[str, Any], event: ExecApprovalRequestEvent) -> ReviewDecision:
    answer = case.get("decision", "decline")
    if answer == "acceptWithProposed":
        if event.proposed_execpolicy_amendment is None:
            return Approved()  # as the recording client did where nothing was offered to be saved
        return ApprovedExecpolicyAmendment(event.proposed_execpolicy_amendment)
    return decision_from_json(answer)


def _differences(case: dict[str, Any], seen: dict[str, Any]) -> dict[str, Any]:
    expect = {"rejection": None, **case["expect"]}
    expect.pop("rules_dropped", None)
    return {key: (seen[key], wanted) for key, wanted in expect.items() if seen[key] != wanted}


def test_every_recorded_run() -> None:
    async def work() -> list[Any]:
        found = []
        for case in single():
            seen = await _Codex(policy_for(case)).run(case)
            different = _differences(case, seen)
            if different:
                found.append((case["id"], different))
        return found

    assert asyncio.run(work()) == []


@pytest.mark.parametrize("name", sorted(sequences()))
def test_every_recorded_sequence_of_amendments(name: str, tmp_path: Path) -> None:
    steps = sequences()[name]

    async def work() -> None:
        codex: _Codex | None = None
        for step in range(1, max(steps) + 1):
            case = steps.get(step)
            if case is None:
                codex = None  # a step that was not recorded: go on from what the next one found
                continue
            if codex is None:
                _write(tmp_path / "rules", _found_by(case, first=step == 1))
                codex = _Codex(home=tmp_path)
            seen = await codex.run(case)
            assert _differences(case, seen) == {}, case["id"]

    asyncio.run(work())


def _found_by(case: dict[str, Any], *, first: bool) -> dict[str, str]:
    """The rule files before a step. A step that only declined or ran left them as it found them."""
    if first or "rules_after" not in case["expect"]:
        return files_of(case)
    return dict(case["expect"]["rules_after"])


def _write(folder: Path, files: dict[str, str]) -> None:
    if files:
        folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())


def test_an_empty_amendment_warns_and_the_command_runs(tmp_path: Path) -> None:
    async def work() -> None:
        codex = _Codex(home=tmp_path)
        seen = await codex.run(sequences()["empty"][1])
        assert seen["ran_sandboxed"] is True
        (warning,) = [event.message for event in codex.events if isinstance(event, WarningEvent)]
        assert warning == (
            f"Failed to apply execpolicy amendment: failed to update rules file {tmp_path}/rules/default.rules: "
            "prefix rule requires at least one token"
        )

    asyncio.run(work())
