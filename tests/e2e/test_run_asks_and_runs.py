"""``execpolicy run`` in a real sandbox: what a yes covers, patches, granted folders, escalation."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pexpect
import pytest

from execpolicy.approvals.sandbox.bubblewrap import BubblewrapSandbox

_SECONDS = 60
_NO_SANDBOX = BubblewrapSandbox().problem()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(_NO_SANDBOX is not None, reason=f"commands cannot be confined here: {_NO_SANDBOX}"),
]


class _Place:
    """A home and a project under it, outside the temporary folders that the sandbox lets be written."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = self.home / "project"
        self.other = folder / "other"
        for path in (self.home / ".codex", self.project, self.other):
            path.mkdir(parents=True)
        self.env = {
            "HOME": str(self.home),
            "PATH": "/usr/bin:/bin",
            "TERM": "dumb",
            "EXECPOLICY_SESSION": "test",
            "LANG": "C.UTF-8",
        }

    def run(self, *arguments: str) -> pexpect.spawn[str]:
        return pexpect.spawn(
            sys.executable,
            ["-m", "execpolicy", "run", *arguments],
            env=self.env,
            cwd=str(self.project),
            encoding="utf-8",
            timeout=_SECONDS,
            echo=False,
            dimensions=(50, 200),
        )

    def answered(self, child: pexpect.spawn[str], *answers: str) -> tuple[list[str], str, int]:
        """The questions, what was still printed, and the exit status."""
        questions = []
        for answer in answers:
            child.expect("answer: ")
            questions.append(str(child.before).replace("\r\n", "\n"))
            child.sendline(answer)
        child.expect(pexpect.EOF)
        child.close()
        return questions, str(child.before), int(child.exitstatus or 0)


@pytest.fixture
def place() -> object:
    import shutil
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="execpolicy-", dir="/var/tmp"))  # not below /tmp, which may be written
    yield _Place(folder)
    shutil.rmtree(folder)


def test_the_question_names_the_sandbox_and_a_second_run_without_it_is_asked_about(place: _Place) -> None:
    script = f"echo ran >> log; echo x > {place.other}/made"
    questions, said, status = place.answered(place.run("--script", script), "y", "n")
    assert "execpolicy: not run again without the sandbox: rejected by user" in said
    assert "it runs in the sandbox workspace-write, without a network\n" in questions[0]
    assert "WITHOUT" not in questions[0]
    assert "it runs WITHOUT a sandbox\n  ? command failed; retry without sandbox?" in questions[1]
    assert (status, (place.project / "log").read_text()) == (126, "ran\n")
    assert not (place.other / "made").exists()
    _, _, status = place.answered(place.run("--script", script), "y", "y")
    assert (status, (place.other / "made").read_text()) == (0, "x\n")


def test_a_yes_for_the_session_inside_the_sandbox_does_not_cover_outside(place: _Place) -> None:
    script = f"echo x > {place.other}/made"
    questions, _, _ = place.answered(place.run("--script", script), "s", "n")
    assert len(questions) == 2
    questions, _, status = place.answered(place.run("--script", script), "s")
    assert "it runs WITHOUT a sandbox" in questions[0]
    assert (status, (place.other / "made").exists()) == (0, True)


def test_where_one_yes_covers_both_runs_the_question_says_so(place: _Place) -> None:
    script = f"echo x > {place.other}/made"
    questions, _, status = place.answered(place.run("--profile", "codex-0.169", "--script", script), "y")
    assert "if that prevents it, it runs AGAIN, WITHOUT a sandbox" in questions[0]
    assert (status, (place.other / "made").exists()) == (0, True)


def test_what_is_merely_safe_does_not_leave_the_sandbox_unasked(place: _Place) -> None:
    _, said, status = place.answered(place.run("--approval", "on-request", "--", "ls"))
    assert (status, "may this run" in said) == (0, False)
    questions, _, status = place.answered(place.run("--approval", "on-request", "--escalate", "--", "ls"), "n")
    assert ("it runs WITHOUT a sandbox" in questions[0], status) == (True, 126)


def test_an_allow_rule_still_leaves_it_unasked(place: _Place) -> None:
    (place.home / ".codex" / "rules").mkdir()
    (place.home / ".codex" / "rules" / "default.rules").write_text('prefix_rule(pattern=["ls"], decision="allow")\n')
    _, said, status = place.answered(place.run("--approval", "on-request", "--escalate", "--", "ls"))
    assert (status, "may this run" in said) == (0, False)


def _patch(path: str, text: str) -> str:
    return f"*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch"


@pytest.mark.parametrize("form", ["argv", "script"])
def test_a_patch_is_applied_and_not_run(place: _Place, form: str) -> None:
    patch = _patch("made.txt", "hello")
    script = ["--script", f"apply_patch <<'EOF'\n{patch}\nEOF\n"]
    arguments = ["--", "apply_patch", patch] if form == "argv" else script
    _, said, status = place.answered(place.run("--approval", "on-request", *arguments))
    assert (status, (place.project / "made.txt").read_text()) == (0, "hello\n")
    assert "made.txt" in said
    questions, _, status = place.answered(place.run("--", "apply_patch", _patch("b.txt", "x")), "n")
    assert "may this be written?" in questions[0]
    assert "│ add " in questions[0]
    assert (status, (place.project / "b.txt").exists()) == (126, False)


def test_a_patch_that_does_not_fit_is_said(place: _Place) -> None:
    _, said, status = place.answered(place.run("--", "apply_patch", "*** Begin Patch\nnonsense\n*** End Patch"))
    assert (status, "apply_patch verification failed" in said) == (126, True)


def test_a_granted_folder_may_be_written_in_the_whole_session(place: _Place) -> None:
    def patch(name: str) -> tuple[str, ...]:
        return ("--approval", "on-request", "--", "apply_patch", _patch(f"{place.other}/{name}", "x"))

    write = ("--approval", "on-request", "--script", f"echo x > {place.other}/by-command")
    _, said, status = place.answered(place.run(*write))
    assert (status != 0, "denied" in said) == (True, True)
    questions, _, status = place.answered(place.run(*patch("a")), "s")
    assert f"s  yes, and let this session write everything in {place.other}\n" in questions[0]
    assert status == 0
    assert place.answered(place.run(*patch("b")))[2] == 0
    assert place.answered(place.run(*write))[2] == 0
    assert {path.name for path in place.other.iterdir()} >= {"a", "b", "by-command"}
    place.env["EXECPOLICY_SESSION"] = "another"
    assert place.answered(place.run(*write))[2] != 0
    assert len(place.answered(place.run(*patch("c")), "n")[0]) == 1


def test_once_grants_nothing_and_a_home_is_never_granted(place: _Place) -> None:
    def patch(path: object) -> tuple[str, ...]:
        return ("--approval", "on-request", "--", "apply_patch", _patch(str(path), "x"))

    place.answered(place.run(*patch(place.other / "a")), "y")
    assert len(place.answered(place.run(*patch(place.other / "b")), "n")[0]) == 1
    questions, _, _ = place.answered(place.run(*patch(place.home / "notes")), "n")
    assert "s  yes, and the same files again in this session" in questions[0]
    questions, _, _ = place.answered(place.run(*patch(place.other / ".git" / "config")), "n")
    assert "let this session write" not in questions[0]
    assert os.listdir(place.other) == ["a"]


def test_presets_choose_approval_and_sandbox(place: _Place) -> None:
    write = ("--script", f"echo x > {place.project}/made")
    for preset, made in (("read-only", False), ("auto", True)):
        place.answered(place.run("--preset", preset, *write))
        assert (place.project / "made").exists() is made
    outside = ("--script", f"echo x > {place.other}/made")
    assert place.answered(place.run("--preset", "full-access", *outside))[2] == 0
    questions, _, status = place.answered(
        place.run("--preset", "full-access", "--approval", "untrusted", *outside), "n"
    )
    assert (len(questions), status) == (1, 126)


def test_a_patch_is_written_down_as_a_run_is(place: _Place) -> None:
    import json

    audit = ("--approval", "on-request", "--audit", "audit.jsonl", "--")
    assert place.answered(place.run(*audit, "apply_patch", _patch("a.txt", "x")))[2] == 0
    place.answered(place.run(*audit, "apply_patch", _patch(f"{place.other}/a", "x")), "n")
    entries = [json.loads(line) for line in (place.project / "audit.jsonl").read_text().splitlines()]
    said = [(entry["event"], entry.get("decision"), entry.get("by"), entry.get("ok")) for entry in entries]
    assert said == [
        ("decision", "allowed", "policy", None),
        ("result", None, None, True),
        ("decision", "denied", "user", None),
    ]
    place.answered(place.run(*audit[:-2], "/dev/full", "--", "apply_patch", _patch("b.txt", "x")))
    assert not (place.project / "b.txt").exists()
