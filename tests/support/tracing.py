"""Runs a command in a scratch folder and says what it did: files changed, programs started, files opened to write."""

from __future__ import annotations

import hashlib
import os
import re
import select
import shutil
import signal
import subprocess
import time
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

BUILTINS = frozenset(("cd", "pushd", "popd", "dirs", "pwd", "type", "command", "hash", "exit", "return", "break"))
BUILTINS |= {"continue", "shift", "wait", "jobs", "times", "read", "umask", "ulimit", "shopt", "declare", "typeset"}
BUILTINS |= {"kill", "echo", "printf", "test", "[", "true", "false", ":"}
_CALLS = (
    "execve,execveat,open,openat,openat2,creat,truncate,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,"
)
_CALLS += (
    "link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,chown,fchown,fchownat,lchown,utime,utimes,utimensat,mknod,"
)
_CALLS += "mknodat,kill,connect,setxattr,settimeofday,clock_settime,sethostname,mount,umount2,reboot"
_HARMLESS = re.compile(
    r'hsperfdata|"/proc/self/coredump_filter"|"/dev/(null|tty|pts/\d+)"|"/proc/self/(task/\d+/)?(comm|oom_score_adj)"'
)
_ASKS = re.compile(r"kill\(-?\d+, 0\)")
"""Signal 0 is sent to nobody: it asks whether there is somebody."""
TIMEOUT = 4.0
"""Seconds that a call may run, and that it may take to end when nobody reads it any more."""
_WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")


def scratch(folder: Path) -> Path:
    """Fill ``folder`` with the few files that generated commands name."""
    (folder / "src").mkdir(parents=True)
    (folder / "a.txt").write_text("one\ntwo\nthree: 3\n")
    (folder / "b.txt").write_text("one\nfour\n")
    (folder / "nums.txt").write_text("".join(f"{n}\n" for n in range(1, 40)))
    (folder / "a.json").write_text('{"a": 1, "b": [1, 2]}')
    (folder / "src" / "main.py").write_text("print(1)\n")
    digest = hashlib.md5(b"one\nfour\n").hexdigest()
    (folder / "sums.txt").write_text(f"{digest}  b.txt\n")
    shutil.copy("/bin/true", folder / "a.out")
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr("inside.txt", "text")
    return folder


def snapshot(folder: Path) -> dict[str, tuple[int, int, int, str]]:
    """Every path below ``folder`` with mode, size, modification time and content."""
    found: dict[str, tuple[int, int, int, str]] = {}
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        content = hashlib.md5(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[str(path.relative_to(folder))] = (state.st_mode, state.st_size, state.st_mtime_ns, content)
    return found


def installed(program: str) -> bool:
    """Whether ``program`` can be run here."""
    return program in BUILTINS or shutil.which(program) is not None


def _ends(argv: list[str], folder: Path, environment: dict[str, str]) -> bool:
    """Whether ``argv`` ends by itself, or when nobody reads it any more, as ``yes`` and ``tail -f`` do."""
    process = subprocess.Popen(
        argv,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None
    deadline = time.monotonic() + TIMEOUT
    while (left := deadline - time.monotonic()) > 0 and select.select([process.stdout], [], [], left)[0]:
        if not os.read(process.stdout.fileno(), 65536):
            break
    process.stdout.close()
    try:
        process.wait(TIMEOUT)
        return True
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False


def effects_of(argv: list[str], folder: Path, log: Path) -> list[str]:
    """What running ``argv`` in ``folder`` did that a reader must not do, one line each."""
    before = snapshot(folder)
    command = argv
    if argv[0] in BUILTINS and not (
        argv[0] in ("echo", "printf", "test", "[", "kill", "pwd") and shutil.which(argv[0])
    ):
        from execpolicy.core.quoting import join

        command = ["bash", "--norc", "--noprofile", "-c", join(argv)]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "LC_ALL": "C", "TERM": "dumb"}
    tracer = ["strace", "-f", "-qq", "-e", f"trace={_CALLS}", "-e", "signal=none", "-o", str(log)]
    if not _ends([*tracer, *command], folder, environment):
        return [f"{argv}: did not end"]
    found = []
    if snapshot(folder) != before:
        found.append(f"{argv}: changed files")
    started = 0
    for line in log.read_text(errors="replace").splitlines():
        call = line.split(None, 1)[-1]
        if " = -1 " in call or "unfinished" in call:
            continue
        name = call.partition("(")[0]
        if name in ("execve", "execveat"):
            started += 1
            if started > 1:
                found.append(f"{argv}: started {call[:120]}")
        elif name.startswith("open") or name == "creat":
            if _WRITING.search(call) and not _HARMLESS.search(call):
                found.append(f"{argv}: opened to write {call[:160]}")
        elif name != "connect" and not name.startswith(("<", "+++")) and not _ASKS.match(call):
            found.append(f"{argv}: {call[:160]}")
    return found
