"""Random calls that a safe entry accepts are run under strace: no file changes, no other program starts.

The calls are written from the entry's own grammar with a fixed seed. A program that is not installed says so. git and
tools with sub-commands have their own tests.
"""

from __future__ import annotations

import random
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from execpolicy.core.text import word_set
from tests.support.each import share
from tests.support.entries import built_in_entries
from tests.support.generating import argv_for
from tests.support.tracing import effects_of, installed, scratch

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from pathlib import Path

TRACED = word_set(
    "ls tree find fd stat file du df paths nm objdump readelf bat bat-piped exa tokei unzip-list 7z-list zipinfo "
    "rsync-dry-run echo printf nothing test let cd shell-check pwd dirs which lookup command-v hash exit wait jobs "
    "sleep read read-array umask ulimit shopt declare-p kill-0 tput sync set mapfile unset trap-reset shell-help id "
    "identity arch nproc uname hostname date cal uptime free vmstat kernel-state hardware block-devices namespaces "
    "mounts ps getent pgrep pidof sockets network-tables kernel-log mounted sysctl at-list process-tree top-once load "
    "logins last-login host-number manual-names lsof ip route ifconfig locale getconf printenv dpkg-query "
    "dpkg-query-format dpkg-list-piped rpm-query sw-vers ssh-algorithms temporary-name cat tac head tail wc cut paste "
    "tr rev nl uniq sort comm join diff cmp grep rgrep rg sed awk gawk-long awk-about jq yq base64 checksums od "
    "hexdump xxd strings fold-and-fmt pr column tee yes shuf tsort numfmt seq factor expr iconv look miller sd"
)
"""Names of entries for files, text, the shell and the system."""
RUNS = 4 // share(4)
ENTRIES = [
    (entry, program)
    for entry in built_in_entries()
    if entry.kind == "safe_command" and entry.name in TRACED
    for program in entry.programs
]
OWN_PARTS = {
    "egrep": "a shell script around grep",
    "fgrep": "a shell script around grep",
    "rgrep": "a shell script around grep",
    "dpkg": "hands queries to dpkg-query",
    "lsb_release": "a shell script around cut and tr",
    "yq": "the Python yq hands the program to jq",
    "which": "may be a shell script",
    "7z": "Debian's script starts the program",
    "7za": "Debian's script starts the program",
    "7zr": "Debian's script starts the program",
}
"""Programs that start parts of themselves, and why."""
OWN_SIGNALS = {"rsync": ", SIGUSR2) "}
"""Programs of which one process tells another of its own that it is done."""
SETTINGS = {"top": ".config/procps"}
"""Programs that make an empty folder of their settings below a home that has none, which is all that they change."""


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize(("entry", "program"), ENTRIES, ids=[f"{entry.name}-{program}" for entry, program in ENTRIES])
def test_an_accepted_call_leaves_no_trace(entry: Any, program: str, tmp_path: Path) -> None:
    if not installed(program):
        pytest.skip(f"{program} is not installed")
    rng = random.Random(program)
    folder = scratch(tmp_path / "work")
    made = SETTINGS.get(program)
    if made is not None:  # its first call there makes that folder and leaves it empty; the others find it
        first = effects_of(entry.match[0].split(), folder, tmp_path / "trace")
        assert first
        assert all(": mkdir(" in line and made.partition("/")[0] in line for line in first)
        assert list((tmp_path / made).iterdir()) == []
    found: list[str] = []
    for _ in range(RUNS):
        argv = next((call for _ in range(50) if (call := argv_for(entry, program, rng)) is not None), None)
        assert argv is not None, "no accepted call could be written"
        found += effects_of(argv, folder, tmp_path / "trace")
    if program in OWN_PARTS:
        found = [line for line in found if ": started " not in line]
    if program in OWN_SIGNALS:
        found = [line for line in found if not (": kill(" in line and OWN_SIGNALS[program] in line)]
    assert found == []
