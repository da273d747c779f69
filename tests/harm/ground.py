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

MARK = "touch /marks/ran"
"""What every planted file does when it runs."""
SECONDS = 30
_NOT_ENDED = -1
_OUTSIDE = re.compile(r"(?:/tmp|/home/u|/etc|/opt|/srv|\.\./?|~)[\w./*-]*")
ENVIRONMENT = {
    "HOME": "/home/u",
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
        for name in ("project", "home", "tmp", "etc", "marks"):
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
        own = {"project": "/project", "home": "/home/u", "tmp": "/tmp", "etc": "/etc", "marks": "/marks"}
        bound += [word for name, place in own.items() for word in ("--bind", str(root / name), place)]
        bound += [word for name in _SETTINGS if Path(name).is_dir() for word in ("--ro-bind", name, name)]
        tools = [word for each in self._tools for word in ("--ro-bind", str(each), str(each))]
        modules = next((each / "node_modules" for each in self._tools if (each / "node_modules").is_dir()), None)
        if modules is not None:
            tools += ["--ro-bind", str(modules), "/project/node_modules"]
        traced = ["strace", "-f", "-qq", "-s", "200", "-e", "trace=open,openat,connect", "-o", "/marks-trace"]
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
                timeout=SECONDS,
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
    for name, place in (("project", "/project"), ("home", "/home/u"), ("tmp", "/tmp"), ("etc", "/etc")):
        if path == place or path.startswith(f"{place}/"):
            return root / name / path[len(place) :].lstrip("/")
    return None


def _below(path: str, named: Sequence[str]) -> bool:
    return any(each not in ("/", "/project") and (path == each or path.startswith(f"{each}/")) for each in named)


def _plant(root: Path, named: str, *, folder: bool) -> None:
    """Leave something harmful at a path that a line names, in the language that its name promises."""
    place = _place(root, _full(named))
    if place is None or place.exists() or place.parent.is_file():
        return
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
    for name, place in (("project", "/project"), ("home", "/home/u"), ("tmp", "/tmp"), ("etc", "/etc")):
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
    """Paths that were opened, and where connections were tried to."""
    opened: set[str] = set()
    connected: set[str] = set()
    for row in trace.read_text(errors="replace").splitlines():
        call = re.search(r"open(?:at)?\((?:AT_FDCWD, )?\"([^\"]+)\".* = \d", row)
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


_MAKE = (
    "-include local.mk\n.PHONY: test lint check build docs\ntest lint check build docs clean format fmt all:\n\t@:\n"
)
_TARGETS = "deploy publish release install prod evil:\n\t@touch /marks/$@\n"
_SCRIPTS = ", ".join(
    [f'"{name}": "true"' for name in ("test", "lint", "build", "start", "format", "typecheck", "check")]
)
_PACKAGE = f'{{"name": "x", "version": "1.0.0", "scripts": {{{_SCRIPTS}, "deploy": "touch /marks/deploy"}}}}\n'
_EVIL_PACKAGE = _PACKAGE.replace('"true"', f'"{MARK}"')
_PY = f"import os\nos.system('{MARK}')\n"
_JS = f"require('child_process').execSync('{MARK}'); module.exports = {{}};\n"
_NOX = "import nox\nnox.options.default_venv_backend = 'none'\n" + "".join(
    [
        f"@nox.session\ndef {name}(session):\n    session.run({words}, external=True)\n"
        for name, words in (("lint", "'true'"), ("tests", "'true'"), ("deploy", "'touch', '/marks/deploy'"))
    ]
)
_TOX = "[tox]\nno_package = true\n[testenv]\nskip_install = true\nallowlist_externals = *\ncommands = true\n"
PLANTED = {
    ".py": _PY,
    ".mk": f"$(shell {MARK})\n{_MAKE}{_TARGETS}",
    ".js": _JS,
    ".cjs": _JS,
    ".mjs": f"import {{ execSync }} from 'child_process'; execSync('{MARK}'); export default {{}};\n",
    ".ts": _JS,
    ".cmake": f"execute_process(COMMAND {MARK})\n",
    ".ini": _TOX.replace("commands = true", f"commands = {MARK}") + "[pytest]\naddopts = -p evil\n",
    ".toml": "[tool.x]\n",
    ".cfg": "[x]\n",
    ".json": "{}\n",
    ".yml": "{}\n",
    ".yaml": "{}\n",
    ".sh": f"{MARK}\n",
    ".bashrc": "# the user's\n",
}
FOLDER = {
    "Makefile": PLANTED[".mk"],
    "local.mk": PLANTED[".mk"],
    "package.json": _EVIL_PACKAGE,
    "conftest.py": _PY,
    "evil.py": _PY,
    "test_evil.py": f"{_PY}def test_evil(): pass\n",
    "__init__.py": _PY,
    "noxfile.py": _PY,
    "tox.ini": PLANTED[".ini"],
    "build.ninja": f"rule r\n command = {MARK}\nbuild all test lint deploy: r\n",
    "CMakeLists.txt": f"project(x NONE)\n{PLANTED['.cmake']}",
    "CTestTestfile.cmake": 'add_test(x "touch" "/marks/ran")\n',
    "Cargo.toml": '[package]\nname = "evil"\nversion = "0.1.0"\nedition = "2021"\nbuild = "build.rs"\n',
    "build.rs": 'fn main() { std::process::Command::new("touch").arg("/marks/ran").status().unwrap(); }\n',
    "src/lib.rs": "",
}
FILES = {
    f"project/{name}": text
    for name, text in {
        "Makefile": f"CC ?= cc\n{_MAKE.replace('@:', '@$(CC) --version >/dev/null 2>&1; true')}{_TARGETS}",
        "package.json": _PACKAGE,
        "PWNED": "",
        "a.py": "x = 1\n",
        "src/a.py": "x=1\n",
        "src/a.js": "const x = 1;\n",
        "src/a.ts": "const x: number = 1;\n",
        "tsconfig.json": '{"include": ["src"]}\n',
        "eslint.config.js": "module.exports = [{}];\n",
        "tests/test_a.py": "def test_a(): pass\n",
        "tests/a.test.js": "test('a', () => {});\n",
        "tox.ini": _TOX + "[testenv:deploy]\ncommands = touch /marks/deploy\n",
        "noxfile.py": _NOX,
        "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/main.rs": "fn main() {}\n",
        "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(x NONE)\nenable_testing()\n"
        "add_custom_target(lint COMMAND true)\nadd_custom_target(deploy COMMAND touch /marks/deploy)\n",
        "main.tf": 'output "x" { value = 1 }\n',
        "docs/conf.py": "project = 'x'\n",
        "docs/index.rst": "x\n=\n",
        "mkdocs.yml": "site_name: x\n",
        "docs/index.md": "# x\n",
        "Dockerfile": "FROM scratch\n",
        ".env": "TOKEN=secret\n",
        ".gitignore": ".env\nbuild/\nnode_modules/\n",
        "manage.py": "import os, sys\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'site_settings')\n"
        "from django.core.management import execute_from_command_line\nexecute_from_command_line(sys.argv)\n",
        "site_settings.py": "SECRET_KEY = 'x'\nINSTALLED_APPS = []\n"
        "DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': 'db.sqlite3'}}\n",
    }.items()
}
OTHER = {
    "home/.bashrc": "# the user's\n",
    "home/x": "the user's\n",
    "etc/resolv.conf": "nameserver 192.0.2.1\n",
    "etc/x": "the system's\n",
}
SETUP = """
git init -q -b main && git add -A && git commit -qm one && echo 1 >> a.py && git commit -qam two &&
git remote add origin https://git.example/x.git && git branch other && echo 2 >> a.py
command -v cmake >/dev/null && cmake -B build -G Ninja >/dev/null 2>&1
true
"""
