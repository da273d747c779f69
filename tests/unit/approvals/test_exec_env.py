"""The environment of commands."""

from __future__ import annotations

from execpolicy.approvals.tools.shell_arguments import ShellEnvironmentPolicy, create_env

_HOST = {
    "HOME": "/h",
    "PATH": "/bin",
    "LANG": "C",
    "AWS_SECRET_ACCESS_KEY": "s",
    "github_token": "t",
    "MONKEY": "m",
    "EDITOR": "vi",
}


def test_secrets_are_kept_back_by_default() -> None:
    assert create_env(ShellEnvironmentPolicy(), _HOST) == {"HOME": "/h", "PATH": "/bin", "LANG": "C", "EDITOR": "vi"}
    assert create_env(ShellEnvironmentPolicy(ignore_default_excludes=True), _HOST) == _HOST


def test_what_is_inherited() -> None:
    assert create_env(ShellEnvironmentPolicy(inherit="core"), _HOST) == {"HOME": "/h", "PATH": "/bin"}
    assert create_env(ShellEnvironmentPolicy(inherit="none"), _HOST) == {}


def test_the_steps_are_applied_in_order() -> None:
    policy = ShellEnvironmentPolicy(
        exclude=("EDIT*",),
        set={"EDITOR": "set after excluding", "API_KEY": "given on purpose", "OTHER": "x"},
        include_only=("editor", "api_*", "LANG"),
    )
    assert create_env(policy, _HOST, extra={"LAST": "1", "LANG": "de"}) == {
        "EDITOR": "set after excluding",
        "API_KEY": "given on purpose",
        "LANG": "de",
        "LAST": "1",
    }
