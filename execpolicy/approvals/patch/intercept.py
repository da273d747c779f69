"""Finds a patch in a command: ``apply_patch PATCH``, or a script that is nothing but a call of ``apply_patch``."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from execpolicy.programs.launcher import launched_script

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
    """A command that asks for a patch.

    Attributes:
        patch: its text, not yet parsed.
        cwd: the absolute folder that its paths are taken from.
        explicit: false for a patch given where a command belongs; that is a mistake to report, not a call.
    """

    patch: str
    cwd: str
    explicit: bool = True


def intercept_apply_patch(command: Sequence[str], *, cwd: str) -> PatchCall | None:
    """The patch that ``command`` asks for; ``None`` if it is some other command.

    Accepted are ``[apply_patch, PATCH]`` and the scripts ``apply_patch <<'EOF'…`` and
    ``cd DIR && apply_patch <<'EOF'…`` with nothing in front or behind. The here-document is taken as written, also
    where its delimiter is not quoted.
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
