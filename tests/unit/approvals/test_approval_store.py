"""What a session remembers, and for exactly what (specification of approvals, sections 1 and 3.2)."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Callable

import pytest

from execpolicy.approvals.approval_store import (
    ApprovalKey,
    ApprovalStore,
    patch_keys,
    shell_keys,
    unified_exec_keys,
    with_cached_approval,
)
from execpolicy.approvals.requirement import ExecRequest
from execpolicy.approvals.review import Abort, Approved, ApprovedForSession, Denied, ReviewDecision, TimedOut
from execpolicy.approvals.sandbox.sandboxing import SandboxPermissions
from execpolicy.codex.profiles import canonical_command
from execpolicy.codex.shell_call import shell_argv

_A, _B, _C = (ApprovalKey.of({"key": name}) for name in "abc")


def _ask(store: ApprovalStore, keys: tuple[ApprovalKey, ...], answer: ReviewDecision) -> tuple[ReviewDecision, bool]:
    """The decision for ``keys`` and whether somebody was asked."""
    asked = False

    async def ask() -> ReviewDecision:
        nonlocal asked
        asked = True
        return answer

    return asyncio.run(with_cached_approval(store, keys, ask)), asked


def test_no_keys_always_asks() -> None:
    store = ApprovalStore()
    assert _ask(store, (), ApprovedForSession()) == (ApprovedForSession(), True)
    assert _ask(store, (), Denied()) == (Denied(), True)
    assert len(store) == 0


def test_all_keys_must_be_approved() -> None:
    store = ApprovalStore()
    _ask(store, (_A,), ApprovedForSession())
    assert _ask(store, (_A,), Denied()) == (ApprovedForSession(), False)
    assert _ask(store, (_A, _B), Denied()) == (Denied(), True)


def test_each_key_is_stored_by_itself() -> None:
    store = ApprovalStore()
    _ask(store, (_A, _B, _C), ApprovedForSession())
    for keys in [(_A,), (_B, _C), (_C, _A)]:
        assert _ask(store, keys, Denied()) == (ApprovedForSession(), False)


@pytest.mark.parametrize("answer", [Approved(), Denied("no"), Abort(), TimedOut()])
def test_other_answers_are_forgotten(answer: ReviewDecision) -> None:
    store = ApprovalStore()
    assert _ask(store, (_A,), answer) == (answer, True)
    assert len(store) == 0
    assert _ask(store, (_A,), Denied()) == (Denied(), True)


def test_a_failing_question_stores_nothing() -> None:
    store = ApprovalStore()

    async def ask() -> ReviewDecision:
        raise RuntimeError("gone")

    with pytest.raises(RuntimeError):
        asyncio.run(with_cached_approval(store, (_A,), ask))
    assert len(store) == 0


def test_keys_are_json_of_their_parts() -> None:
    assert ApprovalKey.of({"b": 1, "a": "é"}) == ApprovalKey.of({"a": "é", "b": 1})
    assert json.loads(ApprovalKey.of({"b": 1, "a": "é"}).text) == {"a": "é", "b": 1}


_REQUEST = ExecRequest(command=("bash", "-lc", "git status"), cwd="/srv")


@pytest.mark.parametrize("remembered_as", [None, canonical_command])
def test_a_shell_key_is_command_folder_and_permissions(
    remembered_as: Callable[[tuple[str, ...]], tuple[str, ...]] | None,
) -> None:
    key = shell_keys(_REQUEST, remembered_as=remembered_as)
    same = dataclasses.replace(
        _REQUEST, justification="please", prefix_rule=("git",), sandbox_permissions=SandboxPermissions.USE_DEFAULT
    )
    assert shell_keys(same, remembered_as=remembered_as) == key
    for change in (
        {"command": ("bash", "-lc", "git status -s")},
        {"command": ("sh", "-lc", "git status")},
        {"cwd": "/srv/sub"},
        {"sandbox_permissions": SandboxPermissions.REQUIRE_ESCALATED},
    ):
        assert shell_keys(dataclasses.replace(_REQUEST, **change), remembered_as=remembered_as) != key


def test_a_terminal_makes_another_key() -> None:
    with_terminal = unified_exec_keys(_REQUEST, tty=True)
    assert with_terminal != unified_exec_keys(_REQUEST, tty=False)
    assert with_terminal != shell_keys(_REQUEST)


def test_patch_keys_are_one_for_each_file() -> None:
    assert patch_keys(["/b", "/a", "/b"]) == patch_keys(["/a", "/b"])
    assert len(patch_keys(["/a", "/b"])) == 2
    assert set(patch_keys(["/a"])) < set(patch_keys(["/a", "/b"]))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("git status", "git  'status'", True),
        ("a && b", "a&&b", False),
        ("a > x", "a  > x", False),
        ("a > x", "a > x", True),
        ("git status", "git stash", False),
    ],
)
def test_canonical_keys_as_codex_makes_them(one: str, other: str, same: bool) -> None:
    """Measured: one plain command counts as itself, anything else as its exact text."""
    keys = [
        shell_keys(ExecRequest(command=shell_argv(script)), remembered_as=canonical_command) for script in (one, other)
    ]
    assert (keys[0] == keys[1]) is same


def test_the_login_flag_matters_only_for_scripts() -> None:
    def key(script: str, login: bool) -> tuple[ApprovalKey, ...]:
        return shell_keys(ExecRequest(command=shell_argv(script, login=login)), remembered_as=canonical_command)

    assert key("git status", True) == key("git status", False)
    assert key("a && b", True) != key("a && b", False)


def test_exact_keys_know_no_other_spelling() -> None:
    """A line continuation that Codex's splitter misreads must not borrow another command's approval."""
    harmless = ExecRequest(command=("bash", "-lc", "A x B y"))
    hidden = ExecRequest(command=("bash", "-lc", "A x\n\\\nB y"))
    assert shell_keys(harmless, remembered_as=canonical_command) == shell_keys(hidden, remembered_as=canonical_command)
    assert shell_keys(harmless) != shell_keys(hidden)
