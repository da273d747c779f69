"""Finds a patch in a command: ``apply_patch PATCH``, or a script that only calls it. Applies a plan, all or nothing."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from execpolicy.approvals.patch.patch_plan import FileState, PatchPlan, read_state
from execpolicy.approvals.patch.patch_text import PatchError
from execpolicy.atomic_write import make_draft, usual_mode
from execpolicy.programs.launcher import launched_script


def apply_plan(plan: PatchPlan) -> None:
    """Write the files of ``plan`` in the order of ``plan.after``, all of them or none.

    Raises:
        PatchError: a file changed since the plan was made, or could not be written. Nothing has changed then, unless
            the message names a file for which undoing failed.
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
    """Restore the file to ``before``. True if that succeeded."""
    try:
        if before.content is None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        else:
            os.replace(_stage(path, before), path)
    except OSError:
        return False
    return True


_NAMES = frozenset({"apply_patch", "applypatch"})

_CALL = re.compile(
    r"""[ \t\n]*
    (?: cd [ \t]+ (?: '(?P<single>[^']+)' | "(?P<double>[^"\\$`]+)" | (?P<bare>[^\s'"\\*?\[\]{}~$`=;&|<>()\#]+) )
        [ \t]* && [ \t\n]* )?
    (?: apply_patch | applypatch ) [ \t]* << [ \t]*
    (?: '(?P<quoted>[^'\n]+)' | "(?P<in_double>[^"\\$`\n]+)" | (?P<word>\w[\w.-]*) ) [ \t]* \n""",
    re.VERBOSE,
)
"""``[cd FOLDER &&] apply_patch <<DELIMITER`` up to the end of its line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchCall:
    """A patch that a command contains.

    Attributes:
        patch: the text of the patch, not yet parsed.
        cwd: the absolute folder that its paths are relative to.
        explicit: false for a bare patch in place of a command, which is reported as a mistake.
    """

    patch: str
    cwd: str
    explicit: bool = True


def intercept_apply_patch(command: Sequence[str], *, cwd: str) -> PatchCall | None:
    """The patch that ``command`` would apply; ``None`` for any other command.

    Accepted are ``[apply_patch, PATCH]`` and the scripts ``apply_patch <<'EOF'…`` and
    ``cd DIR && apply_patch <<'EOF'…`` without anything before or after. The here-document is taken literally, even if
    its delimiter is not quoted.
    """
    if len(command) == 2 and command[0] in _NAMES:
        return PatchCall(patch=command[1], cwd=cwd)
    launched = launched_script(tuple(command))
    if launched is None:
        if len(command) == 1 and command[0].lstrip().startswith("*** Begin Patch"):
            return PatchCall(patch=command[0], cwd=cwd, explicit=False)
        return None
    if launched.positional or launched.odd:
        return None
    if launched.script.lstrip().startswith("*** Begin Patch"):
        return PatchCall(patch=launched.script, cwd=cwd, explicit=False)
    return _in_script(launched.script, cwd)


def _in_script(script: str, cwd: str) -> PatchCall | None:
    call = _CALL.match(script)
    if call is None:
        return None
    lines = script[call.end() :].split("\n")
    delimiter = call["quoted"] or call["in_double"] or call["word"]
    if delimiter not in lines:
        return None
    last = lines.index(delimiter)
    if any(line.strip(" \t") for line in lines[last + 1 :]):
        return None
    folder = call["single"] or call["double"] or call["bare"]
    if folder is not None:
        if folder.startswith("-"):
            return None
        cwd = os.path.normpath(os.path.join(cwd, folder))
    return PatchCall(patch="".join([line + "\n" for line in lines[:last]]), cwd=cwd)
