"""The arguments of the shell tool (specification of the shell tool, section 2)."""

from __future__ import annotations

import json

import pytest

from execpolicy.approvals.sandbox.sandboxing import SandboxPermissions
from execpolicy.approvals.tools.shell_arguments import DEFAULT_EXEC_COMMAND_TIMEOUT_MS, ShellToolCallParams
from execpolicy.errors import UsageError


def test_defaults() -> None:
    assert ShellToolCallParams.parse('{"command": ["ls"]}') == ShellToolCallParams(command=("ls",))
    assert ShellToolCallParams(command=("ls",)).timeout_ms == DEFAULT_EXEC_COMMAND_TIMEOUT_MS == 10_000


def test_everything() -> None:
    arguments = {
        "command": ["bash", "-lc", "ls"],
        "workdir": "sub",
        "timeout_ms": 500,
        "sandbox_permissions": "require_escalated",
        "justification": "because",
        "prefix_rule": ["ls"],
        "unknown": 1,
    }
    expected = ShellToolCallParams(
        command=("bash", "-lc", "ls"),
        workdir="sub",
        timeout_ms=500,
        sandbox_permissions=SandboxPermissions.REQUIRE_ESCALATED,
        justification="because",
        prefix_rule=("ls",),
    )
    assert ShellToolCallParams.parse(arguments) == expected
    assert ShellToolCallParams.parse(json.dumps(arguments)) == expected


def test_null_is_absent() -> None:
    names = ["workdir", "timeout_ms", "sandbox_permissions", "justification", "prefix_rule"]
    assert ShellToolCallParams.parse({"command": ["ls"], **dict.fromkeys(names)}) == ShellToolCallParams(
        command=("ls",)
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("{", "failed to parse function arguments"),
        ("[]", "expected a JSON object"),
        ("[" * 100_000, "failed to parse function arguments"),
        ({}, "missing field `command`"),
        ({"command": "ls"}, "`command` must be a list of strings"),
        ({"command": []}, "`command` needs a program"),
        ({"command": [""]}, "`command` needs a program"),
        ({"command": ["ls", 1]}, "`command` must be a list of strings"),
        ({"command": ["ls\0"]}, "NUL"),
        ({"command": ["ls"], "workdir": 1}, "`workdir` must be a string"),
        ({"command": ["ls"], "workdir": "a\0"}, "NUL"),
        ({"command": ["ls"], "timeout_ms": 0}, "`timeout_ms` must be a positive whole number"),
        ({"command": ["ls"], "timeout_ms": -1}, "`timeout_ms`"),
        ({"command": ["ls"], "timeout_ms": "10"}, "`timeout_ms`"),
        ({"command": ["ls"], "timeout_ms": True}, "`timeout_ms`"),
        ({"command": ["ls"], "timeout_ms": 1.5}, "`timeout_ms`"),
        ({"command": ["ls"], "sandbox_permissions": "root"}, "`sandbox_permissions` must be one of `use_default`"),
        ({"command": ["ls"], "justification": []}, "`justification` must be a string"),
        ({"command": ["ls"], "prefix_rule": "ls"}, "`prefix_rule` must be a list of strings"),
    ],
)
def test_errors_say_which_field(arguments: object, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        ShellToolCallParams.parse(arguments)
    assert said in str(caught.value)


def test_a_day_is_the_longest() -> None:
    assert ShellToolCallParams.parse({"command": ["ls"], "timeout_ms": 10**30}).timeout_ms == 86_400_000
