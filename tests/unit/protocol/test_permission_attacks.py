"""Permissions, as an agent would get round them: other names of a file, odd patches, ways out of the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from execpolicy.permissions.ruleset import Action, ruleset_from_config
from execpolicy.protocol.messages import ToolRequest
from execpolicy.protocol.policy_decider import PolicyDecider, RulebookShellJudge
from tests.support.rulebooks import rulebook_of

RULES = """
prefix_rule(pattern=[["cat", "grep", "git", "cd"]], decision="allow")
prefix_rule(pattern=[["tee", "sponge", "cp", "mv", "ln", "install", "dd", "touch", "truncate", "rm", "unlink", "sed",
    "perl", "awk", "sort", "curl", "wget", "gzip", "patch", "tar", "rsync", "scp", "env", "find", "xargs"]])
"""
EDIT = {"edit": {"*": "allow", "secret/*": "deny"}}
OUTSIDE = {"external_directory": "deny", "read": "allow"}


def patch(*lines: str) -> str:
    return "*** Begin Patch\n" + "\n".join(lines) + "\n*** End Patch\n"


ADDED = patch("*** Add File: secret/b", "+x")
MOVED = patch("*** Update File: a", "*** Move to: secret/b", "@@", "-a", "+b")
ODD = (ADDED.replace("\n", "\r\n"), "\ufeff" + ADDED, "some words\n" + ADDED, "\n \t" + ADDED)
DIFF = "--- a/src/a\n+++ b/secret/b\n@@ -1 +1 @@\n-a\n+b\n"

DENIED: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    *[(EDIT, tool, {"path": "secret/a"}) for tool in ("Write", "EDIT", "edit ", "multiedit", "patch", "fs.write")],
    *[(EDIT, "edit", {"path": path}) for path in ("src/../secret/a", "./secret//a", "link/a", "secret\\a")],
    (EDIT, "edit", {"edits": [{"where": {"x": "secret/a"}}]}),
    *[(EDIT, "apply_patch", {"input": text}) for text in (ADDED, MOVED, *ODD)],
    (EDIT, "apply_patch", {"text": "words\n" + ADDED}),
    (EDIT, "apply_patch", {"command": ["apply_patch", ADDED]}),
    (EDIT, "apply_patch", {"diff": DIFF}),
    (EDIT, "patch", {"text": "diff --git a/x b/y\nrename from src/a\nrename to secret/b\n"}),
    (EDIT, "bash", {"command": ["apply_patch", MOVED]}),
    (EDIT, "bash", {"command": "echo x > secret/a"}),
    (EDIT, "bash", {"command": "bash -c 'echo x > secret/a'"}),
    (EDIT, "bash", {"command": "echo x &> 'sec'ret/a"}),
    *[
        (EDIT, "bash", {"command": command})
        for command in (
            "tee secret/a", "cat x | tee -a out secret/a", "sponge secret/a", "cp y secret/a", "cp y secret",
            "cp -rt secret y z", "cp y link/a", 'cp "$x" secret/a', "mv y secret/a", "mv secret/a y", "mv secret x",
            "mv secret/a -t src",
            "ln -s y secret/a", "install -m 644 y secret/a", "install -d secret/x", "dd if=y of=secret/a",
            "touch secret/a", "truncate -s 0 secret/a", "rm secret/a", "rm -rf secret", "unlink secret/a",
            "sed -i s/a/b/ secret/a", "sed -ni.bak -e p secret/a", "sed --in-place s/a/b/ secret/a",
            "perl -pi -e s/a/b/ secret/a", "awk -i inplace 1 secret/a", "sort -o secret/a y", "curl -sSLo secret/a u",
            "wget -O secret/a u", "git checkout -- secret/a", "git -C . rm secret/a", "gzip secret/a",
            "cd secret && tee a", "f=secret/a; tee $f", "env tee secret/a", "bash -c 'tee secret/a'",
            "xargs tee secret/a", r"find . -exec tee secret/a \;", "tee src/../secret/a",
            "awk '{print > \"secret/a\"}' a", "sed 'w secret/a' a", "tar cf secret/a a", "find . -fprint secret/a",
            "rsync -a y secret/a",
        )
    ],
    ({"edit": {"src/*": "deny"}}, "bash", {"command": "tee a", "workdir": "src"}),
    ({"edit": {"src/*": "deny"}}, "bash", {"command": "cat a > b", "cwd": "src"}),
    (OUTSIDE, "read", {"path": "/etc/passwd"}),
    (OUTSIDE, "read", {"path": "out"}),
    *[
        (OUTSIDE, "bash", {"command": command})
        for command in (
            "cat /etc/passwd", "cat out", "grep -f/etc/passwd x", "grep --file=/etc/passwd x", "cat < /etc/passwd",
            "bash -c 'cat < /etc/passwd'", "cd .. && cat x", "git -C/etc status", "git -C.. status",
            "cat 5<> /etc/passwd", "cat <out",
        )
    ],
]  # fmt: skip

ASKED: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({"edit": "allow"}, "bash", {"command": "rm -rf ."}),  # and the settings of agents with it
    *[
        (EDIT, "bash", {"command": command})
        for command in (
            'tee "$x"',
            "rm -rf .",
            "rm secret/*",
            "rm src/.*",
            "perl -ne print secret/a",
            "awk '{print > $1}' a",
            "tar xf a.tar",
            "perl x.pl --to=secret/a",
            "patch secret/a",
            "patch -p1",
            "tar xf a.tar -x",
            "tee --unknown secret/a",
            "env -C secret tee a",
            "cd secret; cd ..; tee a",
            "find secret -delete",
            "git apply p",
            "if cat x; then f=secret/a; else f=src/a; fi; tee $f",
        )
    ],
    (EDIT, "apply_patch", {"what": "nobody knows"}),
    (EDIT, "write", {}),
    (EDIT, "apply_patch", {"input": "*** Begin Patch\nnonsense\n"}),
    (OUTSIDE, "bash", {"command": "cat $HOME/x"}),
    (OUTSIDE, "bash", {"command": "cat ~/x"}),
    (OUTSIDE, "bash", {"command": "cd; cat x"}),
    (OUTSIDE, "bash", {"command": "cd -; cat x"}),
    (OUTSIDE, "bash", {"command": "cat < $x"}),
]

ALLOWED: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    *[
        (EDIT, "bash", {"command": command})
        for command in (
            "tee src/a",
            "tee /dev/null",
            "cp secret/a src/a",
            "cp secret/a src",
            "mv a b",
            "sed p secret/a",
            "sort secret/a",
            "rm -rf src",
            "rm src/*",
            "curl u",
            "scp y host:secret/a",
            "gzip -c secret/a",
            "cd src && tee a",
            "git status",
            "perl -ne print src/a",
            "awk '{print > \"src/b\"}' a",
            "dd if=secret/a",
        )
    ],
    ({"edit": "allow"}, "bash", {"command": 'tee "$x"'}),
    ({"read": "deny"}, "bash", {"command": 'tee "$x"'}),
    ({"edit": "allow"}, "bash", {"command": "patch -p1; rm -rf src"}),
    ({"read": "deny"}, "bash", {"command": "patch -p1; rm -rf src"}),
    ({"edit": {"*": "ask", "src/*": "allow"}}, "bash", {"command": "rm -r src/x; cp -r src/a src/b"}),
    (EDIT, "edit", {"path": "src/a"}),
    (EDIT, "apply_patch", {"input": patch("*** Add File: src/b", "+x")}),
    (EDIT, "apply_patch", {"diff": DIFF.replace("secret", "src")}),
    (EDIT, "write", {"path": "src/a", "content": "--- no\ndiff\n"}),
    ({"edit": "allow"}, "apply_patch", {"what": "nobody knows"}),
    (OUTSIDE, "bash", {"command": "cat src/a"}),
    (OUTSIDE, "bash", {"command": "cat < src/a"}),
    (OUTSIDE, "bash", {"command": "grep x src/a --include=a.py 2> /dev/null"}),
    (OUTSIDE, "bash", {"command": "cd src && cat a"}),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project = tmp_path / "p"
    (project / "secret").mkdir(parents=True)
    (project / "src").mkdir()
    (project / "src" / "a").write_text("a\n")
    (project / "link").symlink_to(project / "secret")
    (project / "out").symlink_to("/etc/passwd")
    return project


def said(folder: Path, section: dict[str, Any], tool: str, args: dict[str, Any]) -> str:
    judge = RulebookShellJudge(lambda: rulebook_of(RULES), home="/home/u")
    decider = PolicyDecider(judge, cwd=str(folder), ruleset=ruleset_from_config(section, home="/home/u"))
    asked = ToolRequest(id="t", ts=0, tool=tool, args=args, requires_policy=True)
    return Action.of(decider.decide(asked).decision).value


@pytest.mark.parametrize(
    ("section", "tool", "args", "expected"),
    [(*row, "deny") for row in DENIED] + [(*row, "ask") for row in ASKED] + [(*row, "allow") for row in ALLOWED],
)
def test_what_is_said(folder: Path, section: dict[str, Any], tool: str, args: dict[str, Any], expected: str) -> None:
    assert said(folder, section, tool, args) == expected
