"""Our block in Codex's ``requirements.toml``."""

from __future__ import annotations

import tomllib

import pytest

from execpolicy.errors import ExecPolicyError
from execpolicy.gate.codex_trust import with_block, without_block

PATH = "/etc/codex/requirements.toml"
EVENTS = ("PreToolUse", "PermissionRequest")
KEPT = [
    "",
    "# nothing\n",
    'allowed_approval_policies = ["on-request"]\n',
    'allowed_approval_policies = ["on-request"]',
    "[features]\nhooks = true\n",
    "[features]\n# mine\nshell = true\n\n[rules]\nprefix_rules = []\n",
    "[features] # on\nhooks = true\n[hooks] # ours\n",
    '[hooks]\nmanaged_dir = "/opt/hooks"\n',
    '[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "x"\n[hooks]\nmanaged_dir = "/x"\n',
    "[features]\r\nshell = true\r\n",
]


@pytest.mark.parametrize("text", KEPT)
def test_it_comes_and_goes(text: str) -> None:
    written = with_block(PATH, text, EVENTS, "guard 'x' \"y\"", 30)
    value = tomllib.loads(written)
    assert value["features"]["hooks"] is True
    assert "managed_dir" in value["hooks"]
    for event in EVENTS:
        assert value["hooks"][event][-1]["hooks"] == [{"type": "command", "command": "guard 'x' \"y\"", "timeout": 30}]
    assert with_block(PATH, written, EVENTS, "guard 'x' \"y\"", 30) == written
    assert without_block(written).rstrip("\r\n") == text.rstrip("\r\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[features]\nhooks = false\n", "switches hooks off"),
        ("[features\n", ":1:"),
        ("features = 3\n", "switches hooks off"),
        ("features.shell = true\n", "by hand"),
        ("features = { shell = true }\n", "by hand"),
    ],
)
def test_what_cannot_be_done_is_said(text: str, message: str) -> None:
    with pytest.raises(ExecPolicyError, match=message):
        with_block(PATH, text, EVENTS, "guard", 30)
