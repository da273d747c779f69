"""Approvals that outlive a process."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from execpolicy.approvals.approval_store import ApprovalKey, RememberedApprovals, forget_old_sessions, session_file
from execpolicy.approvals.review import Approved, ApprovedForSession

_KEY = ApprovalKey.of({"command": ["git", "push", "secret-host"]})


def test_they_come_back_in_the_same_scope_only(tmp_path: Path) -> None:
    path = str(tmp_path / "state" / "sessions" / "one")
    RememberedApprovals(path, scope="read-only").put(_KEY, ApprovedForSession())
    assert RememberedApprovals(path, scope="read-only").approved(_KEY)
    assert not RememberedApprovals(path, scope="danger-full-access").approved(_KEY)
    assert not RememberedApprovals(path + "2", scope="read-only").approved(_KEY)


def test_other_answers_leave_no_trace(tmp_path: Path) -> None:
    store = RememberedApprovals(str(tmp_path / "one"), scope="x")
    store.put(_KEY, Approved())
    assert not store.approved(_KEY)
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_private_and_tells_nothing(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "one"
    store = RememberedApprovals(str(path), scope="x")
    store.put(_KEY, ApprovedForSession())
    store.put(_KEY, ApprovedForSession())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    lines = path.read_text().splitlines()
    assert len(lines) == 1
    assert "secret" not in lines[0]


def test_a_file_that_cannot_be_written_only_forgets(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = RememberedApprovals(str(tmp_path / "file" / "one"), scope="x")
    store.put(_KEY, ApprovedForSession())
    assert store.approved(_KEY)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("")
    (tmp_path / "one").symlink_to(target)
    RememberedApprovals(str(tmp_path / "one"), scope="x").put(_KEY, ApprovedForSession())
    assert target.read_text() == ""


def test_where_a_session_is_kept() -> None:
    home = {"HOME": "/h"}
    named = session_file("mine", home)
    assert named is not None
    assert named.startswith("/h/.local/state/execpolicy/sessions/")
    assert session_file("mine", {"XDG_STATE_HOME": "/s"}) == named.replace("/h/.local/state", "/s")
    assert session_file("../../etc", home) != named
    assert os.path.dirname(session_file("../../etc", home) or "") == os.path.dirname(named)
    assert session_file(None, home) == session_file(None, home)
    assert session_file(None, home) != named
    assert session_file("mine", {}) is None
    assert session_file("mine", {"HOME": "relative"}) is None


def test_old_sessions_are_forgotten(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / name).write_text("")
    os.utime(tmp_path / "old", (0, 0))
    forget_old_sessions(str(tmp_path), now=(tmp_path / "new").stat().st_mtime + 60)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    forget_old_sessions(str(tmp_path / "missing"))
