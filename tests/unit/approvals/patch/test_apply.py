"""Working out what a patch does, and doing all of it or nothing."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from execpolicy.approvals import patch as apply
from execpolicy.approvals.events import FileChange
from execpolicy.approvals.patch import PatchError, PatchPlan, apply_plan, parse_patch, plan_patch


def _plan(folder: Path, body: str) -> PatchPlan:
    return plan_patch(parse_patch(f"*** Begin Patch\n{body}\n*** End Patch"), cwd=str(folder))


def _files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


_BODY = (
    "*** Add File: sub/deep/new.txt\n+hello\n"
    "*** Delete File: old.txt\n"
    "*** Update File: a.py\n-one\n+1\n"
    "*** Update File: from.py\n*** Move to: to.py\n-x\n+y"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "old.txt").write_text("old\n")
    (tmp_path / "a.py").write_text("one\ntwo\n")
    (tmp_path / "from.py").write_text("x\n")
    return tmp_path


def test_everything_at_once(folder: Path) -> None:
    (folder / "a.py").chmod(0o755)
    (folder / "from.py").chmod(0o600)
    plan = _plan(folder, _BODY)
    apply_plan(plan)
    assert _files(folder) == {"a.py": "1\ntwo\n", "sub/deep/new.txt": "hello\n", "to.py": "y\n"}
    assert stat.S_IMODE((folder / "a.py").stat().st_mode) == 0o755
    assert stat.S_IMODE((folder / "to.py").stat().st_mode) == 0o600
    assert plan.summary() == (
        "Success. Updated the following files:\n"
        f"A {folder}/sub/deep/new.txt\nA {folder}/to.py\nM {folder}/a.py\nD {folder}/from.py\nD {folder}/old.txt\n"
    )


def test_planning_writes_nothing(folder: Path) -> None:
    before = _files(folder)
    plan = _plan(folder, _BODY)
    assert _files(folder) == before
    assert plan.changes() == {
        f"{folder}/a.py": FileChange(kind="update", unified_diff="@@ -1,2 +1,2 @@\n-one\n+1\n two\n"),
        f"{folder}/from.py": FileChange(
            kind="update", unified_diff="@@ -1 +1 @@\n-x\n+y\n", move_path=f"{folder}/to.py"
        ),
        f"{folder}/old.txt": FileChange(kind="delete", content="old\n"),
        f"{folder}/sub/deep/new.txt": FileChange(kind="add", content="hello\n"),
    }


def test_sections_see_what_earlier_ones_did(folder: Path) -> None:
    apply_plan(
        _plan(
            folder,
            "*** Update File: a.py\n-one\n+1\n*** Update File: a.py\n-1\n+uno\n"
            "*** Delete File: old.txt\n*** Add File: old.txt\n+again",
        )
    )
    assert _files(folder)["a.py"] == "uno\ntwo\n"
    assert _files(folder)["old.txt"] == "again\n"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("*** Add File: a.py\n+x", "a.py: cannot add a file that exists already"),
        ("*** Delete File: none", "none: cannot delete a file that does not exist"),
        ("*** Update File: none\n-x", "none: cannot update a file that does not exist"),
        ("*** Update File: from.py\n*** Move to: a.py\n-x", "from.py: cannot move to `a.py`"),
        ("*** Update File: a.py\n-nowhere", "a.py: cannot find these lines"),
        ("*** Update File: binary\n-x", "binary: not a UTF-8 text file (byte 1)"),
        ("*** Delete File: .", "not a regular file"),
        ("*** Add File: a.py/x\n+x", "cannot read it: Not a directory"),
    ],
)
def test_what_does_not_fit_changes_nothing(folder: Path, body: str, message: str) -> None:
    (folder / "binary").write_bytes(b"a\xff")
    with pytest.raises(PatchError) as caught:
        _plan(folder, f"*** Add File: first\n+x\n{body}")
    assert message in str(caught.value)
    assert not (folder / "first").exists()


def test_a_file_that_changed_meanwhile_stops_everything(folder: Path) -> None:
    plan = _plan(folder, _BODY)
    (folder / "a.py").write_text("somebody else\n")
    before = _files(folder)
    with pytest.raises(PatchError, match=r"a\.py: it changed since"):
        apply_plan(plan)
    assert _files(folder) == before


def test_a_folder_that_became_a_link_stops_everything(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (folder / "sub").mkdir()
    plan = _plan(folder, "*** Add File: sub/x\n+x")
    (folder / "sub").rmdir()
    (folder / "sub").symlink_to(elsewhere)
    with pytest.raises(PatchError):
        apply_plan(plan)
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("failing", range(1, 6))
def test_a_failure_half_way_undoes_everything(folder: Path, monkeypatch: pytest.MonkeyPatch, failing: int) -> None:
    """Whichever of the five steps that change a file fails, nothing is left changed."""
    plan = _plan(folder, _BODY)
    before = _files(folder)
    steps = 0

    def counted(name: str) -> None:
        real = getattr(os, name)

        def step(*arguments: object) -> object:
            nonlocal steps
            steps += 1
            if steps == failing:
                raise OSError(28, "No space left on device", str(arguments[0]))
            return real(*arguments)

        monkeypatch.setattr(apply.os, name, step)

    counted("replace")
    counted("unlink")
    with pytest.raises(PatchError, match="No space left on device"):
        apply_plan(plan)
    monkeypatch.undo()
    assert _files(folder) == before
    assert not (folder / "sub").exists()


def test_links_are_followed_to_what_is_really_written(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "target").write_text("x\n")
    (folder / "link").symlink_to(elsewhere / "target")
    (folder / "door").symlink_to(elsewhere)
    plan = _plan(folder, "*** Update File: link\n-x\n+y\n*** Add File: door/new\n+z")
    assert plan.paths() == (f"{elsewhere}/new", f"{elsewhere}/target")
