"""Running scripts in a real shell with nothing but recording stubs.

:meth:`Judge.run` starts one shell for one script, as ``bash -c SCRIPT``. :meth:`Judge.run_many` starts one shell for
many: each script is read by ``eval`` in a subshell of its own, in a scratch folder of its own. bash reads the text of
``-c`` and of ``eval`` with the same function; a whole process for each script would cost three times as much.

The shell sits in a sandbox whose root is empty but for the programs and the scratch folders: what a script writes
elsewhere goes with the sandbox.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.bash_judge.generate import READABLE

_RECORD = (
    'local r; builtin printf -v r \'%s\\2|\\3\' "$(($#+{more}))" {name}"$@"; '
    "builtin printf '%s' \"${{r//$'\\n'/$'\\3|\\2'}}\" >> \"$__judge_log\"; "
)
"""One write for each record: bash flushes its output at every newline, and records of a pipeline would mix."""
_PROGRAMS = "ABCDEF"
_BASH = (
    "command_not_found_handle() { "
    + _RECORD.format(more=0, name="")
    + "[[ $1 != F ]]; }\n"
    + "".join(
        f"{name}() {{ {_RECORD.format(more=1, name=name + ' ')}{'return 1' if name == 'F' else ':'}; }}\n"
        for name in _PROGRAMS
    )
)
"""The usual programs are functions, because bash starts a process for the handler of unknown names."""
_STUB = '#!/bin/dash\nprintf \'%s\\0\' "$(($#+1))" "${0##*/}" "$@" >> "$__judge_log"\n[ "${0##*/}" != F ]\n'
_CONTENT = b"# one line\n"
TIMEOUT = 3.0
"""Seconds after which a script is given up."""
MANY = 100
"""Scripts that one shell runs."""
_MANY_TIMEOUT = 60.0
_LOG_SIZE = 32 * 1024


class Run:
    """What a script did: the argvs in the order in which they were recorded, and the files that it wrote."""

    def __init__(self, argvs: list[list[str]], written: list[str], *, finished: bool) -> None:
        self.argvs = argvs
        self.written = written
        self.finished = finished


class Judge:
    """Scratch folders and ways to run scripts in them. Use as a context manager."""

    def __init__(self, shell: str = "bash") -> None:
        self.shell = shell
        memory = "/dev/shm"
        self.root = Path(tempfile.mkdtemp(prefix="judge-", dir=memory if os.access(memory, os.W_OK) else None))
        self.stubs = self.root / "stubs"
        self.stubs.mkdir()
        (self.root / "home").mkdir()
        self.folders: list[str] = []
        self.marks: list[dict[str, int]] = []
        self.environment = {"HOME": str(self.root / "home"), "LC_ALL": "C.UTF-8", "FUNCNEST": "8"}
        if shell == "bash":
            self.environment["PATH"] = str(self.root / "none")
        else:
            self.environment["PATH"] = str(self.stubs)
            for name in _PROGRAMS:
                stub = self.stubs / name
                stub.write_text(_STUB)
                stub.chmod(0o755)

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    def run(self, script: str) -> Run:
        """One script in a shell of its own."""
        self._prepare(1)
        log = f"{self.folders[0]}.log"
        environment = {**self.environment, "__judge_log": log}
        if self.shell == "bash":
            body = "{ " + _RECORD.format(more=0, name="") + "[[ $1 != F ]]; }"
            environment["BASH_FUNC_command_not_found_handle%%"] = "() " + body
            argv = ["/bin/bash", "-c", "--", script]
        else:
            argv = ["/bin/dash", "-c", script]
        finished = self._execute(argv, environment, self.folders[0], TIMEOUT)
        records = _logged(log)
        return Run(records or [], self._written(0), finished=finished and records is not None)

    def run_many(self, scripts: Sequence[str]) -> list[Run]:
        """Every script in a subshell of its own; those that hang are found by running each alone."""
        runs: list[Run] = []
        for start in range(0, len(scripts), MANY):
            runs += self._run_batch(scripts[start : start + MANY])
        return runs

    def _run_batch(self, scripts: Sequence[str]) -> list[Run]:
        self._prepare(len(scripts))
        limit = f"ulimit -t 1; ulimit -f {_LOG_SIZE // (1024 if self.shell == 'bash' else 512)}"
        lines = [_BASH] if self.shell == "bash" else ["export __judge_log\n"]
        for at in range(len(scripts)):
            folder = self.folders[at]
            # Not a loop, in which `break` would have a meaning.
            lines.append(
                f"({limit}; __judge_log={folder}.log; cd {folder}; __judge_script=${{{at + 1}}}; set --; "
                f'eval {"-- " if self.shell == "bash" else ""}"$__judge_script")\n'
            )
        # bash counts blocks of 1,024 bytes, dash of 512.
        program = "/bin/bash" if self.shell == "bash" else "/bin/dash"
        driver = "".join(lines)
        finished = self._execute(
            [program, "-c", driver, program.rpartition("/")[2], *scripts], self.environment, "/", _MANY_TIMEOUT
        )
        runs = []
        for at, script in enumerate(scripts):
            log, written = _logged(f"{self.folders[at]}.log"), self._written(at)
            whole = finished and log is not None
            runs.append(Run(log or [], written, finished=True) if whole else self.run(script))
        return runs

    def _execute(self, argv: list[str], environment: dict[str, str], folder: str, timeout: float) -> bool:
        sandbox = [
            *(
                shutil.which("bwrap") or "bwrap",
                "--ro-bind",
                "/usr",
                "/usr",
                "--symlink",
                "usr/bin",
                "/bin",
                "--symlink",
                "usr/lib",
                "/lib",
            ),
            *("--symlink", "usr/lib64", "/lib64", "--dev", "/dev", "--proc", "/proc", "--bind", str(self.root)),
            *(str(self.root), "--unshare-net", "--unshare-pid", "--die-with-parent", "--chdir", folder),
        ]
        process = subprocess.Popen(
            [*sandbox, *argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        finished = True
        try:
            process.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            finished = False
        # Also the background jobs of a script that ended: they would write into the next one's folder.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return finished

    def _prepare(self, count: int) -> None:
        """Make the scratch folders that are not there yet."""
        while len(self.folders) < count:
            folder = str(self.root / f"work{len(self.folders)}")
            os.mkdir(folder)
            self.folders.append(folder)
            self.marks.append({})
            self._restore(len(self.folders) - 1)

    def _restore(self, at: int) -> None:
        for name in READABLE:
            path = Path(self.folders[at], name)
            path.write_bytes(_CONTENT)
            self.marks[at][name] = path.stat().st_mtime_ns

    def _written(self, at: int) -> list[str]:
        """Names of new or changed files; puts the folder back as it was."""
        written: list[str] = []
        seen = 0
        with os.scandir(self.folders[at]) as entries:
            for entry in entries:
                if self.marks[at].get(entry.name) == entry.stat().st_mtime_ns:
                    seen += 1
                    continue
                if entry.name in READABLE and Path(entry.path).read_bytes() == _CONTENT:
                    continue
                written.append(entry.name)
                os.unlink(entry.path)
        if seen != len(READABLE):
            self._restore(at)
        return sorted(written)


def _logged(log: str) -> list[list[str]] | None:
    """The argvs in a log; ``None`` for one in which long records were mixed."""
    try:
        with open(log, "rb") as file:
            data = file.read()
        os.unlink(log)
    except FileNotFoundError:
        return []
    try:
        records = _records(data.decode("utf-8", "surrogateescape"))
    except ValueError:
        return None
    # A script that never ends was stopped at the limit of the file's size, in the middle of a record.
    return records[:-1] if len(data) >= _LOG_SIZE else records


def _records(data: str) -> list[list[str]]:
    if "\2|\3" in data:
        data = data.replace("\2|\3", "\0").replace("\3|\2", "\n")
    fields = data.split("\0")[:-1]
    records = []
    at = 0
    while at < len(fields):
        count = int(fields[at])
        records.append(fields[at + 1 : at + 1 + count])
        at += 1 + count
    return records
