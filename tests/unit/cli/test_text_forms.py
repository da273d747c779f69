"""What people see at 80 columns, with and without colour, in golden files; `!` leads lines of standard error."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from execpolicy.cli.main import main
from tests.support.command_line import make_command_line
from tests.support.golden import assert_golden

RULES = """\
prefix_rule(pattern=["ship", "release"], decision="forbidden", justification="releases are made elsewhere")
prefix_rule(pattern=["ship", "plan"], match=["ship plan"])
prefix_rule(pattern=["ship", "plan", "-v"])
prefix_rule(pattern=["bash", "-c"])
prefix_rule(pattern=["a"], justification="")
prefix_rule(pattern=["b" "c"])
"""
SETTINGS = """\
{"permissions": {"allow": ["Bash(npm ci)", "Bash(npm run lint*)", "Read"], "deny": ["Bash(rm:*)"], "ask": ["WebFetch"]}}
"""
FORMS: dict[str, tuple[list[str], ...]] = {
    "lint": (
        ["lint", "--ignore", "EP3", "my.rules"],
        ["lint", "--ignore", "EP3", "good.rules", "my.rules"],
        ["lint", "--ignore", "EP3", "good.rules"],
        ["lint", "--statistics", "--ignore", "EP3", "my.rules"],
        ["lint", "--diff", "--ignore", "EP3", "fixable.rules"],
    ),
    "explain": (
        ["explain", "-r", "good.rules", "--script", "ship plan && sudo ship release"],
        ["explain", "-r", "good.rules", "--script", "ship plan > out.txt"],
        ["explain", "-r", "good.rules", "--", "ship", "status"],
        ["explain", "--permissions", "permissions.json", "--script", "ls > kept/a"],
        ["explain", "--permissions", "permissions.json", "--", "ls"],
    ),
    "test": (["test", "good.rules", "good.cases"], ["test", "--cov", "good.rules", "bad.cases"]),
    "split": (["split", 'cd src && x=1 cat "$1" > out'],),
    "diff": (["diff", "good.rules", "fixable.rules"],),
    "list": (["list"], ["list", "-r", "good.rules"], ["list", "-r", "empty.rules"]),
    "replay": (
        ["replay", "-r", "good.rules", "history.txt"],
        ["replay", "-r", "good.rules", "--against", "fixable.rules", "--suggest", "0", "history.txt"],
    ),
    "doctor": (["doctor", "crush"],),
    "config": (["config", "show"],),
    "trust": (["trust", "--yes"], ["trust", "--yes"], ["trust", "--revoke", "--yes"]),
    "allow": (
        ["allow", "--yes", "--", "ship", "deploy", "-x"],
        ["allow", "--yes", "--", "ship", "deploy", "-x"],
        ["undo"],
        ["undo"],
    ),
    "network": (["network", "deny", "example.com"],),
    "install": (["install", "--dry-run", "gemini"], ["uninstall", "gemini"]),
    "import": (["import", "settings.json", "--from", "claude", "--to", "imported.rules"],),
    "fmt": (["fmt", "--check", "--diff", "loose.rules"], ["fmt", "--check", "fixable.rules"]),
    "init": (["init", "--project", "--with", "git"], ["init", "--project", "--with", "git"]),
    "help": (["help"], ["check", "--help"]),
    "export": (["export", "--to", "claude", "-r", "good.rules"], ["export", "--to", "codex", "-r", "good.rules"]),
    "faults": (
        ["check", "-r", "my.rules", "--", "ls"],
        ["list", "-r", "my.rules"],
        ["fmt", "my.rules"],
        ["test", "my.rules"],
        ["check", "-r", "nowhere.rules", "--", "ls"],
    ),
    "usage": (
        ["chekc"],
        ["lint", "--formt", "json"],
        ["install", "cluade"],
        ["lint", "nowhere"],
        ["help", "teem"],
        ["check", "--format", "json", "--shell", "bsh", "--script", "ls"],
    ),
    "not-run": (["run", "-r", "good.rules", "--", "ship", "release"],),
    "protocol-test": (["protocol-test", "--rule", "allow", "--rule", "deny", "--", "true"],),
    "schemas": (["config", "schema", "names"],),
    "starters": (["init", "--list"],),
    "codes": (["lint", "--list"], ["lint", "--explain", "EP205"]),
    "inbox": (["inbox", "list"], ["inbox", "show", "k7vwz2q"], ["inbox", "show", "n3twrk5"]),
}
UNCOLORED = frozenset(
    ["split", "list", "config", "trust", "allow", "network", "install", "import", "fmt", "init", "help"]
    + ["export", "inbox", "usage", "not-run", "protocol-test", "schemas", "starters", "codes"]
)
"""Forms that look the same on a terminal."""
ROOT = Path(__file__).parents[3]


def inbox(request: dict[str, str]) -> dict[str, Any]:
    """What an inbox with two questions says; that it is what a real one says, the schemas hold."""
    waiting = [
        {
            "id": "k7vwz2q", "agent": "claude", "source": "hook", "session": "s1", "cwd": "/srv/project",
            "command": "git push origin main\necho \x1b[31mdone", "seconds_left": 240.4,
        },
        {
            "id": "n3twrk5", "agent": "", "source": "run", "session": "", "cwd": "/srv/other",
            "command": "curl https://api.example.com/" + "x" * 90, "seconds_left": 12.0,
        },
    ]  # fmt: skip
    if request["do"] == "list":
        return {"questions": waiting}
    one = next(each for each in waiting if each["id"] == request["id"])
    connects = one["id"] == "n3twrk5"
    rule = 'network_rule(host="api.example.com", protocol="https", decision="allow")'
    question = {**one, "tool": "", "commands": [one["command"]], "changes": {}, "reason": "nobody said so before"}
    part = {"decision": "prompt", "command": "git push origin main", "reason": "no rule mentions it"}
    return {
        **one,
        "question": question,
        "choices": ["once", "session", "always", "deny"],
        "explanations": [] if connects else [{"commands": [part]}],
        "proposals": []
        if connects
        else [
            {
                "command": "git push origin",
                "exact": ["git", "push", "origin"],
                "words": ["git", "push", "origin"],
                "rule": 'prefix_rule(pattern=["git", "push", "origin"], decision="allow", unless=["*"])',
                "reusable": None,
            }
        ],
        "target": "~/.codex/rules/default.rules" if connects else "~/.config/execpolicy/rules/default.rules",
        "network_rule": rule if connects else None,
    }


class _Stream(io.TextIOWrapper):
    terminal = False

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize("color", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_text_at_80_columns(
    form: str, color: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    make_command_line(tmp_path, monkeypatch, capfd)
    monkeypatch.setattr("execpolicy.cli.commands.inbox.call_inbox", inbox)
    for name, value in (("COLUMNS", "80"), ("TERM", "xterm"), ("EXECPOLICY_CACHE", str(tmp_path / "cache"))):
        monkeypatch.setenv(name, value)
    for name in ("NO_COLOR", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    good = "".join(RULES.splitlines(keepends=True)[:2])
    for name, text in (
        ("my.rules", RULES),
        ("good.rules", good),
        ("fixable.rules", 'prefix_rule(pattern=["ls"])\nprefix_rule(pattern=["ls", "-l"])\n'),
        ("good.cases", "allow: ship plan\nforbidden: sudo ship release\n"),
        ("bad.cases", "allow: ship release\n"),
        ("empty.rules", ""),
        ("loose.rules", 'prefix_rule( pattern = ["ls"] )\n'),
        ("history.txt", "ship plan\nship status\nship status\nsudo ship release\nls | wc -l\nnpm test\n"),
        ("execpolicy.toml", '[lint]\nignore = ["EP304"]\n'),
        ("settings.json", SETTINGS),
        ("permissions.json", '{"edit": {"kept/*": "deny"}}'),
        (".codex/rules/team.rules", good),
    ):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    seen = ""
    for arguments in FORMS[form]:
        said: dict[str, str] = {}
        streams = {}
        for name in ("stdout", "stderr"):
            stream = streams[name] = _Stream(io.BytesIO(), encoding="utf-8", write_through=True)
            stream.terminal = color
            monkeypatch.setattr(sys, name, stream)
        status = main(arguments)
        for name, stream in streams.items():
            stream.flush()
            stream.buffer.seek(0)
            said[name] = stream.buffer.read().decode()
        told = "".join(f"! {line}" for line in said["stderr"].splitlines(keepends=True))
        seen += f"$ execpolicy {' '.join(arguments)}\n{said['stdout']}{told}[{status}]\n\n"
    assert ("\x1b[" in seen) is (color and form not in UNCOLORED)
    seen = (
        seen.replace(str(tmp_path.resolve()), "…").replace(sys.executable, "‹python›").replace(str(ROOT), "‹checkout›")
    )
    seen = re.sub(r"\d+ entries; show", "‹number› entries; show", seen)
    seen = re.sub(r'"execpolicy-[0-9a-f]{16}"', '"execpolicy-‹random›"', seen)
    assert_golden(f"{form}-color" if color and form not in UNCOLORED else form, seen)
