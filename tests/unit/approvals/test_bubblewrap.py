"""The sandbox on Linux: its options, and what really happens inside."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import execpolicy
from execpolicy.approvals.orchestrator import SandboxUnavailableError
from execpolicy.approvals.sandbox import bubblewrap
from execpolicy.approvals.sandbox.bubblewrap import (
    BubblewrapSandbox,
    bubblewrap_arguments,
    only_confined_sockets,
    reserved,
    writable_roots,
)
from execpolicy.approvals.sandbox.sandboxing import SandboxMode, SandboxPolicy, own_paths
from execpolicy.approvals.tools.process import ExecOutput, run_process
from execpolicy.errors import UsageError
from execpolicy.hooks.agents import AGENTS
from execpolicy.layers.layer_options import MACHINE_FOLDER, SYSTEM_FOLDER
from execpolicy.safety.agent_places import PLACES
from tests.faults.stepping import can_step
from tests.support.socket_files import bind

_WORKING = BubblewrapSandbox().problem() is None
needs_bubblewrap = pytest.mark.skipif(not _WORKING, reason="bubblewrap is not installed or may not make namespaces")
needs_strace = pytest.mark.skipif(not can_step(), reason="strace is missing, which kills at a system call")
_ENV = {"PATH": "/usr/bin:/bin"}
_READ_ONLY, _WORKSPACE = SandboxPolicy.READ_ONLY, SandboxPolicy.WORKSPACE_WRITE


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("outside")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def _confined(script: str, policy: SandboxPolicy, cwd: Path, *, protected: tuple[str, ...] = ()) -> ExecOutput:
    sandbox = BubblewrapSandbox(protected=protected)
    # the folders of tests are in /tmp, which workspace-write would otherwise open
    policy = SandboxPolicy(
        mode=policy.mode, writable_roots=policy.writable_roots, network_access=policy.network_access, exclude_tmp=True
    )
    with sandbox.confine(["bash", "-c", script], policy=policy, cwd=str(cwd), env=_ENV) as confined:
        return asyncio.run(run_process(confined.argv, cwd=str(cwd), env=_ENV, timeout=60, fds=confined.fds))


def _wait_until(so: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not so():
        assert time.monotonic() < end
        time.sleep(0.05)


def _processes(mark: str) -> list[str]:
    """Those that have ``mark`` in their command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if mark in path.read_text(errors="replace"):
                found.append(path.parent.name)
    return found


@needs_bubblewrap
@needs_strace
def test_nothing_is_left_of_a_trial_that_was_killed_in_its_middle(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before its first write `bwrap` has a child that waits for it, with all of its streams, and would for ever."""
    program = work / "bwrap"
    inject = "strace -D -f -qq -o /dev/null -e trace=write -e inject=write:signal=SIGKILL:when=1"
    program.write_text(f'#!/bin/sh\nexec {inject} /usr/bin/bwrap --setenv TRIED {work} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr("execpolicy.approvals.sandbox.bubblewrap._TRIAL_S", 200.0)
    began = time.monotonic()
    assert "cannot make a sandbox here" in (BubblewrapSandbox(str(program)).problem() or "")
    assert time.monotonic() - began < 100  # and not when the trial would have been given up
    assert _processes(str(work)) == []


@needs_bubblewrap
def test_nor_if_whoever_tries_is_killed(work: Path) -> None:
    """With `--die-with-parent` that is the same moment."""
    program = work / "bwrap"
    program.write_text(f'#!/bin/sh\nkill -9 $PPID; exec /usr/bin/bwrap --setenv TRIED {work} "$@"\n')
    program.chmod(0o755)
    code = f"from execpolicy.approvals.sandbox.bubblewrap import *; BubblewrapSandbox({str(program)!r}).problem()"
    for _ in range(5):
        tried = subprocess.run([sys.executable, "-c", code], check=False, timeout=60)
        assert tried.returncode == -signal.SIGKILL
    until = time.monotonic() + 60
    while _processes(str(work)) and time.monotonic() < until:
        time.sleep(0.1)
    assert _processes(str(work)) == []


@needs_bubblewrap
@pytest.mark.parametrize(
    ("policy", "script", "works"),
    [
        (_READ_ONLY, "cat /etc/passwd", True),
        (_READ_ONLY, "echo x > file", False),
        (_READ_ONLY, "echo x > /dev/null", True),
        (_READ_ONLY, "mkdir folder", False),
        (_WORKSPACE, "echo x > file && mkdir -p a/b && rm file", True),
        (_WORKSPACE, "echo x > {outside}/file", False),
        (_WORKSPACE, "ln -s {outside} door && echo x > door/file", False),
        (_WORKSPACE, "rm -rf {outside}", False),
        (_WORKSPACE, "echo x > .git/config", False),
        (_WORKSPACE, "mv .git elsewhere", False),
        (_WORKSPACE, "mkdir -p .codex/rules && echo x > .codex/rules/x.rules", False),
        (_WORKSPACE, "rmdir .codex && mkdir .codex", False),
        (_WORKSPACE, "exec 3>>/proc/sys/kernel/core_pattern", False),
        (_WORKSPACE, "mount -o remount,rw /", False),
        (_WORKSPACE, "test $(ls /proc | grep -c '^[0-9]') -lt 8", True),
        (_WORKSPACE, "test $(grep CapEff /proc/self/status | cut -f2) = 0000000000000000", True),
        (_WORKSPACE, "grep -q lo: /proc/net/dev && ! grep -q eth /proc/net/dev", True),
    ],
)
def test_inside(policy: SandboxPolicy, script: str, works: bool, work: Path, outside: Path) -> None:
    (work / ".git").mkdir()
    (outside / "kept").write_text("kept")
    output = _confined(script.replace("{outside}", str(outside)), policy, work)
    assert (output.exit_code == 0) is works, output.text
    assert [path.name for path in outside.iterdir()] == ["kept"]
    assert not (work / ".codex").exists()


@needs_bubblewrap
def test_further_roots_are_writable_and_rule_folders_in_them_are_not(work: Path, outside: Path) -> None:
    rules = outside / "rules"
    rules.mkdir()
    policy = SandboxPolicy(mode=SandboxMode.WORKSPACE_WRITE, writable_roots=(str(outside),))
    assert _confined(f"echo x > {outside}/file", policy, work, protected=(str(rules),)).exit_code == 0
    denied = _confined(f"echo x > {rules}/default.rules", policy, work, protected=(str(rules),))
    assert denied.exit_code != 0
    assert BubblewrapSandbox().denied(denied)


@needs_bubblewrap
def test_a_rule_folder_that_is_missing_cannot_be_made(work: Path) -> None:
    rules = work / ".config" / "execpolicy" / "rules"
    script = f"mkdir -p {rules} && echo x > {rules}/x.rules"
    assert _confined(script, _WORKSPACE, work, protected=(str(rules),)).exit_code != 0
    assert list(work.iterdir()) == []
    (work / ".config").mkdir()
    assert _confined(f"echo x > {work}/.config/other", _WORKSPACE, work, protected=(str(rules),)).exit_code == 0
    assert _confined(script, _WORKSPACE, work, protected=(str(rules),)).exit_code != 0


@needs_bubblewrap
@pytest.mark.parametrize("name", [".codex", ".git", ".claude", "opencode.json"])
def test_a_link_that_decides_later_is_refused(work: Path, outside: Path, name: str) -> None:
    """It could be removed and something else put in its place."""
    for target in (outside, outside / "missing"):
        (work / name).symlink_to(target)
        with pytest.raises(SandboxUnavailableError, match="is a link"):
            _confined(f"rm {name}", _WORKSPACE, work)
        assert _confined("true", _READ_ONLY, work).exit_code == 0
        (work / name).unlink()


@needs_bubblewrap
@pytest.mark.parametrize("made", [True, False])
def test_what_agents_and_editors_obey_cannot_be_written(work: Path, made: bool) -> None:
    found = {path for place in PLACES.values() for path in place.files if not path.startswith("/")}
    found = {path.removeprefix("~/") + ("x" if path.endswith("/") else "") for path in found} - {"Documents/Cline/x"}
    files = [work / path for path in sorted({*found, ".vscode/tasks.json", ".envrc"})]
    for file in files if made else []:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("old")
    writing = ("echo new > {0}", "cp new {0}", "mv -T new {0}", "ln -sT new {0}", "rm -r {0}; ln new {0}")
    script = "".join(
        [
            f"mkdir -p {file.parent}; echo new > new; {one.format(file)} && echo WRITTEN {file}; "
            for file in files
            for one in writing
        ]
    )
    assert "WRITTEN" not in _confined(script, _WORKSPACE, work).text
    (work / "new").unlink()
    assert [file for file in files if file.exists() and file.read_text() != "old"] == []
    assert (sorted(work.iterdir()) != []) == made


@needs_bubblewrap
def test_the_program_itself_and_its_cache_cannot_be_written(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = (work / ".venv", work / "cache" / "rules")
    own[0].mkdir()
    monkeypatch.setattr(bubblewrap, "own_paths", lambda: tuple(map(str, own)))
    assert _confined("touch .venv/x", _WORKSPACE, work).exit_code != 0
    assert _confined("mkdir -p cache/rules", _WORKSPACE, work).exit_code != 0
    assert _confined("touch here", _WORKSPACE, work).exit_code == 0


@needs_bubblewrap
@pytest.mark.parametrize("policy", [_READ_ONLY, _WORKSPACE])
def test_the_secret_of_the_cache_cannot_be_read(
    work: Path, outside: Path, monkeypatch: pytest.MonkeyPatch, policy: SandboxPolicy
) -> None:
    monkeypatch.setenv("EXECPOLICY_HOME", str(outside))
    assert "Permission denied" in _confined(f"cat {outside}/cache.key", policy, work).text
    assert len((outside / "cache.key").read_bytes()) == 32
    assert _confined(f"rm -f {outside}/cache.key", policy, work).exit_code != 0


def test_what_the_program_itself_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXECPOLICY_CACHE", "somewhere")
    found = own_paths()
    package = Path(execpolicy.__file__).parent
    assert {str(package), str(package.parent / "rules"), os.path.abspath("somewhere")} <= {*found}
    if sys.prefix != sys.base_prefix:
        assert sys.prefix in found


def test_the_settings_of_the_machine_are_as_little_a_command_s_as_the_program() -> None:
    """They are writable where a container's user is root and `/etc` was opened."""
    assert {SYSTEM_FOLDER, MACHINE_FOLDER} <= {*own_paths()}
    machines = [agent.place.machine for agent in AGENTS.values() if agent.place.machine]
    assert {os.path.dirname(place) for place in machines} <= {*own_paths()}


@needs_bubblewrap
def test_the_repository_of_a_worktree_is_protected(work: Path) -> None:
    repository = work / "main.git"
    repository.mkdir()
    (work / ".git").write_text(f"gitdir: {repository}\n")
    assert _confined("echo x > main.git/hook", _WORKSPACE, work).exit_code != 0


@needs_bubblewrap
@pytest.mark.parametrize(("network", "works"), [(False, False), (True, True)])
def test_programs_outside_cannot_be_reached_by_socket_files(work: Path, network: bool, works: bool) -> None:
    path = work / "agent.sock"
    with socket.socket(socket.AF_UNIX) as server:
        bind(server, path)
        server.listen()
        policy = SandboxPolicy(mode=SandboxMode.READ_ONLY, network_access=network)
        script = "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"agent.sock\")'"
        assert (_confined(script, policy, work).exit_code == 0) is works


@needs_bubblewrap
@pytest.mark.skipif(not hasattr(socket, "AF_VSOCK"), reason="this Python knows no virtual machine sockets")
def test_the_host_of_a_virtual_machine_cannot_be_reached(work: Path) -> None:
    output = _confined("python3 -c 'import socket; socket.socket(socket.AF_VSOCK)'", _READ_ONLY, work)
    assert "Operation not permitted" in output.text


@needs_bubblewrap
def test_socket_pairs_still_work(work: Path) -> None:
    assert _confined("python3 -c 'import socket; socket.socketpair()'", _READ_ONLY, work).exit_code == 0


@needs_bubblewrap
def test_nothing_survives_a_timeout(work: Path) -> None:
    with BubblewrapSandbox().confine(
        ["sh", "-c", "sleep 600 & sleep 601"], policy=_WORKSPACE, cwd=str(work), env=_ENV
    ) as confined:
        output = asyncio.run(run_process(confined.argv, cwd=str(work), env=_ENV, timeout=0.5, fds=confined.fds))
    assert output.timed_out
    assert _processes_in(work) == []


def _processes_in(folder: Path) -> list[str]:
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/cwd") == str(folder):
                found.append(pid)
        except OSError:
            continue
    return found


def test_no_bubblewrap_is_refused_with_advice() -> None:
    sandbox = BubblewrapSandbox("/no/such/bwrap")
    with (
        pytest.raises(SandboxUnavailableError, match="danger-full-access") as caught,
        sandbox.confine(["true"], policy=_READ_ONLY, cwd="/", env={}),
    ):
        raise AssertionError("it must not get here")
    assert "/no/such/bwrap" in caught.value.reason


def test_a_bubblewrap_that_cannot_work_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'no namespaces' >&2\nexit 1\n")
    program.chmod(0o755)
    assert "no namespaces" in (BubblewrapSandbox(str(program)).problem() or "")


def test_nothing_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name, path=None: None)
    assert "install bubblewrap" in (BubblewrapSandbox().problem() or "")


def test_roots_of_each_policy(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    env = {"TMPDIR": str(tmp_path / "missing")}
    assert writable_roots(_READ_ONLY, cwd=str(tmp_path), env=env) == ()
    assert writable_roots(_WORKSPACE, cwd=str(link), env=env) == (str(tmp_path), os.path.realpath("/tmp"))
    policy = SandboxPolicy(mode=SandboxMode.WORKSPACE_WRITE, writable_roots=("/", "/usr"), exclude_tmp=True)
    assert writable_roots(policy, cwd=str(tmp_path), env=env) == (str(tmp_path), "/usr")
    with pytest.raises(UsageError, match="must be absolute, not `relative`"):
        SandboxPolicy(mode=SandboxMode.WORKSPACE_WRITE, writable_roots=("relative",))


def test_parents_are_mounted_before_what_is_in_them() -> None:
    arguments = bubblewrap_arguments(_WORKSPACE, roots=["/a/b", "/a"], cwd="/a")
    binds = [arguments[at + 1] for at, word in enumerate(arguments) if word == "--bind"]
    assert binds == ["/a", "/a/b"]
    assert "--unshare-net" in arguments
    on = SandboxPolicy(mode=SandboxMode.READ_ONLY, network_access=True)
    assert "--unshare-net" not in bubblewrap_arguments(on, roots=[], cwd="/")


def test_a_reserved_folder_goes_when_the_last_user_is_done(tmp_path: Path) -> None:
    folder = tmp_path / ".codex"
    with reserved(str(folder)):
        with reserved(str(folder)):
            assert folder.is_dir()
        assert folder.is_dir()
    assert not folder.exists()


def test_a_folder_that_was_there_stays(tmp_path: Path) -> None:
    folder = tmp_path / ".codex"
    folder.mkdir()
    for _ in range(2):
        with reserved(str(folder)):
            pass
        assert folder.is_dir()


def test_a_lock_that_somebody_else_holds_does_not_stop_us(tmp_path: Path) -> None:
    folder = tmp_path / ".codex"
    folder.mkdir()
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with reserved(str(folder)):
            assert folder.is_dir()
    finally:
        os.close(descriptor)


def test_a_file_in_its_place_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".codex").write_text("a file")
    with reserved(str(tmp_path / ".codex")):
        pass
    assert (tmp_path / ".codex").read_text() == "a file"


@pytest.mark.parametrize(
    ("code", "text", "timed_out", "denied"),
    [
        (1, "touch: cannot touch 'x': Read-only file system", False, True),
        (1, "mkdir: PERMISSION DENIED", False, True),
        (6, "curl: (6) Could not resolve host: example.com", False, True),
        (128 + 31, "", False, True),
        (0, "permission denied", False, False),
        (124, "permission denied", True, False),
        (1, "2 tests failed", False, False),
        (127, "sh: foo: not found", False, False),
    ],
)
def test_what_looks_like_a_denial(code: int, text: str, timed_out: bool, denied: bool) -> None:
    output = ExecOutput(exit_code=code, text=text, omitted=0, seconds=0.1, timed_out=timed_out)
    assert BubblewrapSandbox().denied(output) is denied


def _verdict(program: bytes, architecture: int, number: int, argument: int) -> int:
    """Runs the filter as the kernel would."""
    data = struct.pack("=IIQQ", number, architecture, 0, argument)
    accumulator, at = 0, 0
    while True:
        code, when_true, when_false, value = struct.unpack_from("=HBBI", program, at * 8)
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif code == 0x15:
            at += when_true if accumulator == value else when_false
        elif code == 0x35:
            at += when_true if accumulator >= value else when_false
        else:
            return int(value)
        at += 1


_ALLOW, _EPERM, _ENOSYS, _KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000


@pytest.fixture(params=[("x86_64", 0xC000003E, 41), ("aarch64", 0xC00000B7, 198)])
def machine(request: pytest.FixtureRequest) -> Iterator[tuple[bytes, int, int]]:
    name, architecture, number = request.param
    program = only_confined_sockets(name)
    assert program is not None
    return program, architecture, number


def test_the_filter(machine: tuple[bytes, int, int]) -> None:
    program, architecture, number = machine
    for family in range(64):
        confined = family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
        assert _verdict(program, architecture, number, family) == (_ALLOW if confined else _EPERM)
    assert _verdict(program, architecture, number + 1, socket.AF_UNIX) == _ALLOW
    assert _verdict(program, architecture, 425, 0) == _ENOSYS
    assert _verdict(program, architecture, 0x40000000 + number, socket.AF_INET) == _EPERM
    assert _verdict(program, 0x40000003, number, socket.AF_INET) == _KILL


def test_an_unknown_machine_has_no_filter() -> None:
    assert only_confined_sockets("pdp11") is None


@needs_bubblewrap
def test_what_a_killed_run_reserved_is_gone_after_the_next(work: Path) -> None:
    """Also where it is the folder of a folder: of `.config/execpolicy`, only `.config` had been missing."""
    inner = work / ".config" / "execpolicy"
    inner.parent.mkdir()
    inner.parent.chmod(0o1755)
    assert _confined("mkdir .config/x", _WORKSPACE, work, protected=(str(inner),)).exit_code != 0
    assert list(work.iterdir()) == []


@needs_bubblewrap
def test_what_stands_for_a_missing_file_is_in_nobody_s_way(work: Path) -> None:
    """git does not see it, and a Makefile that includes `.env` if it is there finds an empty one."""
    (work / "Makefile").write_text("ifneq (,$(wildcard ./.env))\ninclude .env\nendif\nall:\n\techo made\n")
    (work / ".gitignore").write_text(".env\n")
    subprocess.run(["git", "init", "-q"], cwd=work, check=True)
    found = _confined("make; git status --short", _WORKSPACE, work)
    assert found.text.splitlines() == ["echo made", "made", "?? .gitignore", "?? Makefile"]


@needs_bubblewrap
def test_an_own_file_stays(work: Path) -> None:
    (work / ".env").write_text("")
    (work / "opencode.json").write_text("{}")
    assert _confined("cat .env opencode.json", _WORKSPACE, work).text == "{}"
    assert sorted(path.name for path in work.iterdir()) == [".env", "opencode.json"]


@needs_bubblewrap
@pytest.mark.parametrize("mode", [0o755, 0o1777])
def test_a_folder_of_the_user_stays(work: Path, mode: int) -> None:
    inner = work / ".config" / "execpolicy"
    inner.parent.mkdir()
    inner.parent.chmod(mode)
    assert _confined("mkdir .config/x && rmdir .config/x", _WORKSPACE, work, protected=(str(inner),)).exit_code == 0
    assert list(work.iterdir()) == [inner.parent]


@needs_bubblewrap
def test_a_run_that_is_killed_leaves_nothing_behind(work: Path, tmp_path: Path) -> None:
    """What the warden of its command is there for, too."""
    words = ["--cwd", str(work), "--approval", "never", "--script", "touch begun; sleep 60"]
    argv = [str(Path(sys.executable).with_name("execpolicy")), "run", *words]
    with subprocess.Popen(argv, env={**_ENV, "HOME": str(tmp_path)}) as process:
        _wait_until(lambda: (work / "begun").exists())
        assert {"opencode.json", ".env", ".claude"} <= {path.name for path in work.iterdir()}
        process.kill()
    _wait_until(lambda: [path.name for path in work.iterdir()] == ["begun"])


def test_a_folder_that_cannot_be_held_is_not_left_behind(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(os, "open", full)
    with pytest.raises(SandboxUnavailableError, match="Too many open files"), reserved(str(work / ".codex")):
        pass
    assert list(work.iterdir()) == []
