"""Where the sweep runs its calls: a scratch folder inside bubblewrap, with no network and no processes around."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.support.running import run_captured
from tests.sweep.implementations import Implementation

SECRET = "tOpSeCrEt-4711"
"""Stands in every secret of the folder and in the environment."""
TIMEOUTS = (5.0, 30.0)
"""Seconds after which a call is tried once more, and after which it is taken for one that does not end."""


class Trace(NamedTuple):
    """What one call did: the lines of strace, what it printed, and whether it ended by itself."""

    trace: list[str]
    output: str
    finished: bool


class Place:
    """One sandbox with a driver in it. Use as a context manager."""

    def __init__(self, without: Sequence[str] = ()) -> None:
        """The folder holds no file of the names ``without``."""
        self._files = tempfile.TemporaryDirectory(prefix="sweep-")
        self.root = Path(self._files.name)
        _furnish(self.root)
        for name in without:
            (self.root / "w" / name).unlink(missing_ok=True)

    def __enter__(self) -> Place:
        root = str(self.root)
        self._process = subprocess.Popen(
            [
                *("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
                *("--bind", root, root, "--unshare-net", "--unshare-pid", "--die-with-parent", "--chdir", root),
                *(sys.executable, "-I", "-S", str(Path(__file__).with_name("driver.py")), root),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            errors="surrogateescape",
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._files.cleanup()

    def run(self, call: list[str], implementation: Implementation, *, terminal: bool) -> Trace:
        """What ``call`` does where its first word is ``implementation``; ``terminal``: its output goes to one."""
        return self._watched(self._started(call, implementation), terminal=terminal)

    def run_script(self, script: str) -> Trace:
        """What bash does with ``script``."""
        return self._watched(["bash", "--norc", "--noprofile", "-c", script], terminal=False)

    def _watched(self, argv: list[str], *, terminal: bool) -> Trace:
        for timeout in TIMEOUTS:
            done = self._run(argv, terminal=terminal, timeout=timeout)
            if done.finished:
                break
        return done

    def _run(self, argv: list[str], *, terminal: bool, timeout: float) -> Trace:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"argv": argv, "timeout": timeout, "terminal": terminal, "secret": SECRET}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the sandbox went down over {argv}")
        found = json.loads(answer)
        if "error" in found:
            return Trace([], "", finished=True)
        return Trace(**found)

    def _started(self, call: list[str], implementation: Implementation) -> list[str]:
        if implementation.builtin:
            from execpolicy.core.quoting import join

            shell = str(shutil.which(implementation.target))
            plain = ["--norc", "--noprofile"] if implementation.target == "bash" else []
            return [shell, *plain, "-c", join(call)]
        folder = self.root / "as" / Path(implementation.target).name
        folder.mkdir(parents=True, exist_ok=True)
        link = folder / call[0]
        if not link.is_symlink():
            link.symlink_to(implementation.target)
        return [str(link), *call[1:]]


def _furnish(root: Path) -> None:
    folder = root / "w"
    home = root / "home"
    for path in (folder / "sub", folder / ".ssh", home / ".ssh", home / ".config", root / "bin"):
        path.mkdir(parents=True)
    evil = root / "bin" / "evil"
    evil.write_text("#!/bin/dash\n: > evil-ran\n")
    evil.chmod(0o755)
    (folder / "evil").symlink_to("../bin/evil")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    for name in (".env", ".ssh/id_rsa", ".netrc", "sub/.env"):
        (folder / name).write_text(f"TOKEN={SECRET}\n")
    (home / ".ssh" / "id_rsa").write_text(SECRET + "\n")
    (folder / "link").symlink_to("sub")
    shutil.copy(os.path.realpath("/bin/true"), folder / "a.out")
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr("inside.txt", "text")
    (folder / ".npmrc").write_text("logs-dir=npm-logs\ncache=npm-cache\n")
    (folder / ".erlang").write_text('os:cmd("evil").\n')
    (folder / "a.gz").write_bytes(gzip.compress(b"one\ntwo\n"))
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    person = ("-c", "user.name=n", "-c", "user.email=e@x")
    for words in (
        ("init", "-q", "-b", "main"),
        ("add", "a.txt", "main.go", "sub"),
        (*person, "commit", "-qm", "one"),
        (*person, "tag", "-a", "-m", "t", "v1"),
        (*person, "commit", "--allow-empty", "-qm", "two"),
        ("config", "gpg.program", "evil"),
        ("config", "alias.x", "!evil"),
    ):
        run_captured(["git", *words], cwd=folder, env=environment, check=True)
    _sign(folder, environment)


def _sign(folder: Path, environment: dict[str, str]) -> None:
    """Give the repository a commit and a tag that look signed, so that whatever shows signatures starts gpg."""
    signature = "-----BEGIN PGP SIGNATURE-----\n\nx\n-----END PGP SIGNATURE-----\n"

    def git(*words: str, text: str = "") -> str:
        ran = run_captured(["git", *words], cwd=folder, env=environment, input=text, check=True)
        return ran.stdout.strip()

    tree, parent = git("rev-parse", "HEAD^{tree}"), git("rev-parse", "HEAD")
    shown = "\n ".join(signature.rstrip("\n").split("\n"))
    commit = (
        f"tree {tree}\nparent {parent}\nauthor n <e@x> 1 +0000\ncommitter n <e@x> 1 +0000\ngpgsig {shown}\n\nthree\n"
    )
    name = git("hash-object", "-t", "commit", "-w", "--stdin", text=commit)
    git("update-ref", "refs/heads/main", name)
    tag = f"object {name}\ntype commit\ntag v2\ntagger n <e@x> 1 +0000\n\nt\n{signature}"
    git("update-ref", "refs/tags/v2", git("hash-object", "-t", "tag", "-w", "--stdin", text=tag))


FILES = {
    "a.txt": "one\ntwo\nthree: 3\n",
    "big.txt": "".join(f"{n} line\n" for n in range(400)),
    "a.json": '{"a": 1, "b": [1, 2]}\n',
    "a.yaml": "a: {b: 1}\n",
    "sums.txt": "d41d8cd98f00b204e9800998ecf8427e  a.txt\n",
    "opts": "-o\nout\n--output=out\n",
    "main.go": "package main\n\nfunc main() {}\n",
    "go.mod": "module x\n\ngo 1.19\n",
    "sub/c.txt": "c\n",
    "-oout": "x\n",
    "@opts": "x\n",
    "%(evil)": "x\n",
    "+3f": "x\n",
}
