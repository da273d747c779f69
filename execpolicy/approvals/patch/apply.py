"""Carries a plan out: every file is written beside its place first, then all are moved in; a failure undoes all."""

from __future__ import annotations

import contextlib
import os

from execpolicy.approvals.patch.hunks import PatchError
from execpolicy.approvals.patch.patch_plan import FileState, PatchPlan, read_state
from execpolicy.atomic_write import make_draft, usual_mode


def apply_plan(plan: PatchPlan) -> None:
    """Write what ``plan`` says, all of it or nothing, file by file in the order of ``plan.after``.

    Raises:
        PatchError: a file changed since the plan was made, or could not be written. Nothing has changed then, unless
            the message says that undoing failed, and for which file.
    """
    for path, before in plan.before.items():
        if os.path.realpath(path) != path or read_state(path) != before:
            raise PatchError(f"{path}: it changed since the patch was checked; read it again and make a new patch")
    folders: list[str] = []
    staged: dict[str, str] = {}
    done: list[str] = []
    try:
        for path, after in plan.after.items():
            if after.content is not None:
                _make_folders(os.path.dirname(path), folders)
                staged[path] = _stage(path, after)
        for path in plan.after:
            done.append(path)
            if path in staged:
                os.replace(staged[path], path)
                del staged[path]
            else:
                os.unlink(path)
    except OSError as error:
        for temporary in staged.values():
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        lost = [path for path in reversed(done) if not _restore(path, plan.before[path])]
        for folder in reversed(folders):
            with contextlib.suppress(OSError):
                os.rmdir(folder)
        undone = f"; undoing failed for {', '.join(lost)}" if lost else ""
        raise PatchError(f"{error.filename or 'a file'}: cannot write it: {error.strerror}{undone}") from error


def _make_folders(folder: str, made: list[str]) -> None:
    missing: list[str] = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for path in reversed(missing):
        os.mkdir(path)
        made.append(path)


def _stage(path: str, state: FileState) -> str:
    return make_draft(path, state.content or b"", usual_mode() if state.mode is None else state.mode)


def _restore(path: str, before: FileState) -> bool:
    """Put the file back as it was; whether that worked."""
    try:
        if before.content is None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        else:
            os.replace(_stage(path, before), path)
    except OSError:
        return False
    return True
