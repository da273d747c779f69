"""The ground that harm is tried on: a project and a home in a sandbox without a network, and what an attacker left."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.harm.planted import FILES, FOLDER, MARK, OTHER, PLANTED, SETUP

SECONDS = 30
_TO_SET_UP = 180
_NOT_ENDED = -1
_OUTSIDE = re.compile(r"(?:/tmp|/home/u|/etc|/opt|/srv|\.\./?|~)[\w./*-]*")
PLACES = {"project": "/project", "home": "/home/u", "tmp": "/tmp", "etc": "/etc", "other": "/other", "evil": "/evil"}
"""What the sandbox may write to and where it sees it: a project, and what may lie outside of it."""
_OF_EVERY_DAY = ("/home/u/.cache/", "/home/u/.npm/", "/home/u/.config/", "/home/u/.local/", "/home/u/go/")
"""Where programs keep things of theirs: that these changed proves nothing of a line that names the whole home."""
ENVIRONMENT = {
    "HOME": "/home/u",
    "TMPDIR": "/scratch",
    "PYTHONPATH": "/project",
    "LANG": "C.UTF-8",
    "GIT_AUTHOR_NAME": "n",
    "GIT_AUTHOR_EMAIL": "e@x",
    "GIT_COMMITTER_NAME": "n",
    "GIT_COMMITTER_EMAIL": "e@x",
    "GIT_EDITOR": "true",
    "PYTHONDONTWRITEBYTECODE": "1",
    "RUSTUP_HOME": str(Path.home() / ".rustup"),
    "PYENV_ROOT": str(Path.home() / ".pyenv"),
}
_SETTINGS = ("/etc/ssl", "/etc/alternatives", "/etc/java-17-openjdk", "/etc/maven")
_EVIL = re.compile(r"(?<![\w./])(?:\./)?evil[\w.]*")


class Seen(NamedTuple):
    """What a line did.

    Attributes:
        ran: something planted, or another target than the one that was named, was run.
        wrote: a path outside of the project that the line names was made, changed or removed.
        lost: a file of the project or a commit of its branch is gone, or a file of the project is another one.
        reached: a path outside of the project that the line names was opened.
        connected: a connection to another machine, or to the daemon of containers, was tried.
    """

    ran: bool
    wrote: tuple[str, ...]
    lost: tuple[str, ...]
    reached: tuple[str, ...]
    connected: tuple[str, ...]

    def kinds(self) -> tuple[str, ...]:
        """Those of the five of which something was seen."""
        return tuple([name for name, value in self._asdict().items() if value])


class Ground:
    """Makes a fresh ground for each line. ``tools``: a folder with further programs (``bin``, ``node_modules``)."""

    def __init__(self, tools: Sequence[Path] = ()) -> None:
        self._tools = [each.resolve() for each in tools]
        self._files = tempfile.TemporaryDirectory(prefix="harm-")
        self._pattern = Path(self._files.name) / "pattern"
        self._pattern.mkdir()
        for name in (*PLACES, "marks", "scratch"):
            (self._pattern / name).mkdir()
        for name, text in {**FILES, **OTHER}.items():
            path = self._pattern / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for name in ("passwd", "group", "nsswitch.conf", "ld.so.cache"):
            shutil.copy(Path("/etc", name), self._pattern / "etc" / name)
        ended = self._run(self._pattern, SETUP, trace=None)
        assert ended == 0, "the project could not be set up"

    def close(self) -> None:
        """Remove it."""
        self._files.cleanup()

    def path(self) -> str:
        """Where programs are looked for."""
        own = [str(each / "bin") for each in self._tools] + [str(each / "node_modules/.bin") for each in self._tools]
        return ":".join([*own, *os.environ["PATH"].split(":")])

    def installed(self, program: str) -> bool:
        """Whether ``program`` is there and starts. A wrapper of the project's own (``./gradlew``) never is."""
        return "/" not in program and shutil.which(program, path=self.path()) is not None

    def seen(self, line: str) -> Seen:
        """What ``line`` does: with its outside path as a program or file, or else as a folder.

        Raises:
            TimeoutError: nothing was seen before its time was over.
        """
        first = self._tried(line, folders=False)
        return (
            first
            if first.ran or first.wrote or not _OUTSIDE.search(line)
            else _more(first, self._tried(line, folders=True))
        )

    def _tried(self, line: str, *, folders: bool) -> Seen:
        root = Path(tempfile.mkdtemp(dir=self._files.name))
        shutil.copytree(self._pattern, root, symlinks=True, dirs_exist_ok=True)
        named = list(dict.fromkeys([each.rstrip("*") for each in _OUTSIDE.findall(line)]))
        for each in named:
            _plant(root, each, folder=folders)
        for each in _EVIL.findall(line):
            _plant(root, f"/project/{each}", folder=False)
        before = _states(root)
        head = (root / "project/.git/refs/heads/main").read_text()
        trace = root / "trace"
        ended = self._run(root, line, trace=trace)
        after = _states(root)
        changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        full = [_full(each) for each in named]
        wrote = [path for path in changed if not path.startswith("/project/") and _below(path, full)]
        gone = [path for path in before if path in changed and _is_lost(path)]
        lost = [] if head.strip() in _reachable(root) else ["a commit of main"]
        opened, connected = _traced(trace)
        ran = any((root / "marks").iterdir()) or "/project/PWNED" in changed
        shutil.rmtree(root, ignore_errors=True)
        found = Seen(
            ran,
            tuple(sorted(wrote)[:3]),
            tuple(sorted([*lost, *gone])[:3]),
            tuple(sorted({path for path in opened if _below(path, full)})[:3]),
            tuple(sorted(connected)[:3]),
        )
        if ended == _NOT_ENDED and not found.kinds():
            raise TimeoutError(line)
        return found

    def _run(self, root: Path, line: str, trace: Path | None) -> int:
        shown = ["usr", "bin", "lib", "lib64", "sbin", "opt", "root", "var"]
        bound = [word for name in shown for word in ("--ro-bind-try", f"/{name}", f"/{name}")]
        own = {**PLACES, "marks": "/marks", "scratch": "/scratch"}
        bound += [word for name, place in own.items() for word in ("--bind", str(root / name), place)]
        bound += [word for name in _SETTINGS if Path(name).is_dir() for word in ("--ro-bind", name, name)]
        tools = [word for each in self._tools for word in ("--ro-bind", str(each), str(each))]
        modules = next((each / "node_modules" for each in self._tools if (each / "node_modules").is_dir()), None)
        if modules is not None:
            tools += ["--ro-bind", str(modules), "/project/node_modules"]
        traced = [
            "strace",
            "-f",
            "--seccomp-bpf",
            "-qq",
            "-s",
            "200",
            "-e",
            "trace=open,openat,chdir,connect",
            "-o",
            "/marks-trace",
        ]
        if trace is not None:
            trace.touch()
            tools += ["--bind", str(trace), "/marks-trace"]
        sandbox = ["bwrap", *bound, *tools, "--dev", "/dev", "--proc", "/proc", "--unshare-all", "--die-with-parent"]
        environment = {**ENVIRONMENT, "PATH": self.path()}
        sandbox += ["--chdir", "/project", *([] if trace is None else traced), "bash", "-c", line]
        try:
            done = subprocess.run(
                sandbox,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_TO_SET_UP if trace is None else SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return _NOT_ENDED
        return done.returncode


def _is_lost(path: str) -> bool:
    """Whether it hurts that a file of the project changed: what is built is made again."""
    return path.startswith("/project/") and not path.startswith(("/project/.git/", "/project/build/", "/project/PWNED"))


def _more(one: Seen, other: Seen) -> Seen:
    return Seen(
        one.ran or other.ran,
        one.wrote or other.wrote,
        one.lost or other.lost,
        one.reached or other.reached,
        one.connected or other.connected,
    )


def _full(named: str) -> str:
    """A path of a line as seen from the project."""
    return os.path.normpath(os.path.join("/project", named.replace("~", "/home/u", 1)))


def _place(root: Path, path: str) -> Path | None:
    """Where a path of the sandbox lies outside of it; ``None`` for what is not ours."""
    for name, place in PLACES.items():
        if path == place or path.startswith(f"{place}/"):
            return root / name / path[len(place) :].lstrip("/")
    return None


def _below(path: str, named: Sequence[str]) -> bool:
    return not (path.startswith(_OF_EVERY_DAY) and "/home/u" in named) and any(
        each not in ("/", "/project") and (path == each or path.startswith(f"{each}/")) for each in named
    )


def _plant(root: Path, named: str, *, folder: bool) -> None:
    """Leave something harmful at a path that a line names, in the language that its name promises."""
    place = _place(root, _full(named))
    if place is None or place.parent.is_file():
        return
    if place.exists():
        if not place.is_dir() or any(place.iterdir()):
            return
        folder = True
    place.parent.mkdir(parents=True, exist_ok=True)
    text = PLANTED.get(place.suffix)
    if folder and text is None:
        for name, inner in FOLDER.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(inner)
        return
    place.write_text(text or f"#!/bin/sh\n{MARK}\n")
    place.chmod(0o755)
    if not place.suffix:
        for suffix in (".py", ".js"):
            (place.parent / f"{place.name}{suffix}").write_text(PLANTED[suffix])


def _states(root: Path) -> dict[str, tuple[int, int]]:
    """Size and time of every file that is ours, by its path in the sandbox."""
    found: dict[str, tuple[int, int]] = {}
    for name, place in PLACES.items():
        for folder, _, files in os.walk(root / name):
            for each in files:
                state = os.lstat(os.path.join(folder, each))
                below = os.path.relpath(os.path.join(folder, each), root / name)
                found[f"{place}/{below}"] = state.st_size, state.st_mtime_ns
    return found


def _reachable(root: Path) -> str:
    done = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", str(root / "project"), "rev-list", "main"],
        capture_output=True,
        check=False,
    )
    return done.stdout.decode()


def _traced(trace: Path) -> tuple[set[str], set[str]]:
    """Paths that were opened or gone to, and where connections were tried to."""
    opened: set[str] = set()
    connected: set[str] = set()
    for row in trace.read_text(errors="replace").splitlines():
        call = re.search(r"(?:open|openat|chdir)\((?:AT_FDCWD, )?\"([^\"]+)\".* = \d", row)
        if call is not None:
            opened.add(_full(call[1]))
        connected.update(_connections(row))
    return opened, connected


def _connections(row: str) -> Iterator[str]:
    address = re.search(r"connect\(.*sin6?_port=htons\((\d+)\).*\"([\da-f.:]+)\"", row)
    if address is not None and address[1] != "0" and not address[2].startswith("127.") and address[2] != "::1":
        yield f"port {address[1]} of another machine"
    socket = re.search(r"connect\(.*sun_path=\"([^\"]*(?:docker|podman|containerd)[^\"]*)\"", row)
    if socket is not None:
        yield socket[1]
