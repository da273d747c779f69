"""Running one script in a real shell with nothing but recording stubs."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from tests.bash_judge.generate import READABLE

_HANDLER = (
    '() {{ local r; builtin printf -v r \'%s\\2\' "$#" "$@"; '
    "builtin printf '%s' \"${{r//$'\\n'/$'\\3'}}\" >> '{log}'; [[ $1 != F ]]; }}"
)
"""One write for each record: bash flushes its output at every newline, and records of a pipeline would mix."""
_STUB = '#!/bin/dash\nprintf \'%s\\0\' "$(($#+1))" "${{0##*/}}" "$@" >> \'{log}\'\n[ "${{0##*/}}" != F ]\n'
_PROGRAMS = "ABCDEF"
TIMEOUT = 3.0
"""Seconds after which a script is given up."""


class Run:
    """What a script did: the argvs in the order in which they were recorded, and the files that it wrote."""

    def __init__(self, argvs: list[list[str]], written: list[str], *, finished: bool) -> None:
        self.argvs = argvs
        self.written = written
        self.finished = finished


class Judge:
    """A scratch folder and a way to run scripts in it. Use as a context manager."""

    def __init__(self, shell: str = "bash") -> None:
        self.shell = shell
        self.root = Path(tempfile.mkdtemp(prefix="judge-"))
        self.folder = self.root / "work"
        self.stubs = self.root / "stubs"
        self.count = 0
        self.folder.mkdir()
        self.stubs.mkdir()
        (self.root / "home").mkdir()
        for name in READABLE:
            (self.folder / name).write_bytes(b"# one line\n")

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    def run(self, script: str) -> Run:
        self.count += 1
        log = self.root / f"log{self.count}"
        environment = {"HOME": str(self.root / "home"), "LC_ALL": "C.UTF-8", "FUNCNEST": "8"}
        if self.shell == "bash":
            environment["BASH_FUNC_command_not_found_handle%%"] = _HANDLER.format(log=log)
            environment["PATH"] = str(self.root / "none")
            program = "/bin/bash"
        else:
            for name in _PROGRAMS:
                stub = self.stubs / name
                stub.write_text(_STUB.format(log=log))
                stub.chmod(0o755)
            environment["PATH"] = str(self.stubs)
            program = "/bin/dash"
        finished = self._execute([program, "-c", *(["--"] if self.shell == "bash" else []), script], environment)
        try:
            data = log.read_bytes().decode("utf-8", "surrogateescape")
            log.unlink()
        except FileNotFoundError:
            data = ""
        return Run(_records(data), self._written(), finished=finished)

    def _execute(self, argv: list[str], environment: dict[str, str]) -> bool:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.folder,
            env=environment,
            start_new_session=True,
        )
        finished = True
        try:
            process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            finished = False
        # Also the background jobs of a script that ended: they would write into the next one's folder.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return finished

    def _written(self) -> list[str]:
        """Names of new or changed files; puts the folder back as it was."""
        written = []
        for entry in sorted(os.scandir(self.folder), key=lambda entry: entry.name):
            path = self.folder / entry.name
            if entry.name in READABLE and path.read_bytes() == b"# one line\n":
                continue
            written.append(entry.name)
            path.unlink()
        for name in READABLE:
            if not (self.folder / name).exists():
                (self.folder / name).write_bytes(b"# one line\n")
        return written


def _records(data: str) -> list[list[str]]:
    if "\2" in data:
        data = data.replace("\2", "\0").replace("\3", "\n")
    fields = data.split("\0")[:-1]
    records = []
    at = 0
    while at < len(fields):
        count = int(fields[at])
        records.append(fields[at + 1 : at + 1 + count])
        at += 1 + count
    return records
