"""A sandbox on Linux: ``bwrap`` mounts everything read-only except the writable folders, and cuts the network.

It does not hide files from reading, and does not limit processor time or memory. A network namespace does not cut every
socket: a socket file (an agent, a container daemon) can be connected to even on a read-only mount, and virtual machine
sockets reach the host. So a system-call filter allows only sockets that the namespace confines, and socket pairs. It
blocks ``io_uring``, which could open sockets without the ``socket`` call.

Placeholders that keep a command from creating protected paths: empty folders, which Git ignores.

``.env`` is an empty file, since programs that read an optional ``.env`` (a ``Makefile``) would fail on a folder.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import NamedTuple, Protocol

from execpolicy.approvals.orchestrator import SandboxUnavailableError
from execpolicy.approvals.sandbox import sandbox_entry
from execpolicy.approvals.sandbox.sandboxing import SandboxMode, SandboxPolicy, agent_paths, own_paths, secrets
from execpolicy.approvals.tools.process import ExecOutput
from execpolicy.processes.warden import give_back, signal_group
from execpolicy.system import why_not
from execpolicy.validators import every, folder, texts
from execpolicy.validators import name as not_empty

_FILES = (".env",)


@contextlib.contextmanager
def reserved(path: str) -> Iterator[None]:
    """Create ``path`` if it is missing, so that it can be mounted read-only and no command can create it.

    It is removed at the end if this function created it (marked by its sticky bit), it is still empty and no other
    command needs it. Each command, of this or another process, holds a shared lock on it.
    """
    descriptor = _open_reserved(path)
    try:
        yield
    finally:
        if descriptor is not None:
            give_back(path, descriptor)
            os.close(descriptor)


def _open_reserved(path: str) -> int | None:
    """A descriptor of ``path`` that holds the lock; ``None`` if the path cannot be locked or created."""
    is_file = os.path.basename(path) in _FILES
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | (0 if is_file else os.O_DIRECTORY)
    while True:
        made = False
        try:
            if is_file:
                os.mknod(path, stat.S_IFREG | stat.S_ISVTX | 0o644)
            else:
                os.mkdir(path, 0o755 | stat.S_ISVTX)
            made = True
        except FileExistsError:
            pass
        except OSError:  # a command cannot write to this folder either
            return None
        try:
            descriptor = os.open(path, flags)
        except OSError as error:
            if made and not isinstance(error, FileNotFoundError):  # another command may remove it at once
                os.unlink(path) if is_file else os.rmdir(path)
                raise SandboxUnavailableError(f"`{path}` cannot be kept as it is: {error.strerror}") from None
            if os.path.lexists(path):
                return None
            continue
        with contextlib.suppress(BlockingIOError):  # an exclusive lock of another process also prevents the removal
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        if os.path.exists(path) and os.path.samestat(os.fstat(descriptor), os.stat(path)):
            return descriptor
        os.close(descriptor)  # another command removed it before it was locked


def first_missing(path: str, roots: Sequence[str]) -> str:
    """The outermost folder of ``path`` that is missing or was created by :func:`reserved`; ``path`` if none is."""
    found = path
    while (path := os.path.dirname(path)) not in ("/", "", *roots):
        if not os.path.lexists(path) or _is_reserved(path):
            found = path
    return found


def _is_reserved(folder: str) -> bool:
    """True if ``folder`` is a placeholder of a command that still runs, or was killed."""
    try:
        mode = os.lstat(folder).st_mode
        return stat.S_ISDIR(mode) and mode & (stat.S_ISVTX | 0o022) == stat.S_ISVTX and not os.listdir(folder)
    except OSError:
        return False


_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_REFUSE = 0x00050000 | 1  # fails with EPERM
_ABSENT = 0x00050000 | 38  # fails with ENOSYS
_CONFINED_FAMILIES = (2, 10, 16)  # IPv4, IPv6, netlink
_IO_URING_SETUP = 425
_OTHER_ABI = 0x40000000  # x32 calls on x86-64 carry this bit

_MACHINES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""The audit number and the number of ``socket`` for each machine. Source: Linux's ``audit.h`` and ``unistd.h``."""


def only_confined_sockets(machine: str | None = None) -> bytes | None:
    """The filter in the format of ``bwrap --seccomp``; ``None`` for an unsupported machine."""
    known = _MACHINES.get(os.uname().machine if machine is None else machine)
    if known is None:
        return None
    architecture, socket = known
    families = len(_CONFINED_FAMILIES)
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, families + 3, 0, _OTHER_ABI),
        (_EQUAL, families + 4, 0, _IO_URING_SETUP),
        (_EQUAL, 0, families + 2, socket),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        *[(_EQUAL, families - at, 0, family) for at, family in enumerate(_CONFINED_FAMILIES)],
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ABSENT),
    ]
    return b"".join([struct.pack("=HBBI", *instruction) for instruction in program])


PROTECTED = (".git", ".codex")
"""Folders of a writable root that stay read-only: their files decide what later runs or is allowed."""

_DENIAL_WORDS = (
    "operation not permitted", "permission denied", "read-only file system", "seccomp", "sandbox", "landlock",
    "failed to write file", "network is unreachable", "temporary failure in name resolution", "could not resolve host",
)  # fmt: skip
_BAD_SYSTEM_CALL = 128 + 31
_TRIAL_S = 10.0


class Confined(NamedTuple):
    """A confined command.

    Attributes:
        fds: descriptors that the process inherits.
        reserved: placeholder paths that exist while the command runs and are always removed afterwards.
        network: the socket on which the sandbox sends a proxy's listening socket, if connections use a proxy. The
            caller
            closes it.
    """

    argv: Sequence[str]
    fds: tuple[int, ...] = ()
    network: socket.socket | None = None
    reserved: tuple[str, ...] = ()


class Sandbox(Protocol):
    """Confines commands to a sandbox policy."""

    def confine(
        self, argv: Sequence[str], *, policy: SandboxPolicy, cwd: str, env: Mapping[str, str]
    ) -> AbstractContextManager[Confined]:
        """The confined form of ``argv``, valid while the context is open.

        Raises:
            SandboxUnavailableError: this machine has no usable sandbox.
        """

    def denied(self, output: ExecOutput) -> bool:
        """True if ``output`` of a confined run suggests that the sandbox blocked it."""


_FOLDERS = every(folder)


class BubblewrapSandbox:
    """Confines with the program ``bwrap``.

    Args:
        program: the path of ``bwrap``. By default it is searched in the system's folders, then in ``PATH``, which may
            hold folders that an agent can write to.
        protected: absolute folders that stay read-only in writable roots, for rules and approvals. ``.git``, this
            program and the settings of agents are always protected. A command cannot create a missing one.
        hidden: absolute folders whose content a command cannot see, even if it may read everything else.
    """

    def __init__(
        self, program: str | None = None, *, protected: tuple[str, ...] = (), hidden: tuple[str, ...] = ()
    ) -> None:
        self._hidden = _FOLDERS(texts(hidden, "BubblewrapSandbox: `hidden`"), "BubblewrapSandbox: `hidden`")
        given = texts(protected, "BubblewrapSandbox: `protected`")
        self._protected = (*_FOLDERS(given, "BubblewrapSandbox: `protected`"), *own_paths())
        found = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin") or shutil.which("bwrap")
        self._program = found if program is None else not_empty(program, "BubblewrapSandbox: `program`")

    def problem(self) -> str | None:
        """The reason that commands cannot be confined here, in words for a person, or ``None``. Tested once."""
        return self._problem

    @cached_property
    def _problem(self) -> str | None:
        advice = "or choose the sandbox `danger-full-access` to run without one"
        elsewhere = why_not("the sandbox")
        if elsewhere is not None:
            return f"{elsewhere}, {advice}"
        if only_confined_sockets() is None:
            return f"no sandbox on this machine: its processor (`{os.uname().machine}`) is not supported, {advice}"
        if self._program is None:
            return f"no sandbox on this machine: install bubblewrap (the program `bwrap`), {advice}"
        arguments = [each for each in _BASE if each not in ("--die-with-parent", "--new-session")]  # see `_ended`
        try:
            status, said = _ended([self._program, *arguments, "--unshare-net", "--", self._program, "--version"])
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"`{self._program}` does not start ({error}): repair bubblewrap, {advice}"
        if status == 0:
            return None
        return f"`{self._program}` cannot make a sandbox here ({said}): allow user namespaces, {advice}"

    @contextlib.contextmanager
    def confine(
        self, argv: Sequence[str], *, policy: SandboxPolicy, cwd: str, env: Mapping[str, str]
    ) -> Iterator[Confined]:
        """See :class:`Sandbox`."""
        problem = self.problem()
        if problem is not None or self._program is None:
            raise SandboxUnavailableError(problem or "no sandbox on this machine")
        roots = writable_roots(policy, cwd=cwd, env=env)
        own = [root for root in roots if root not in _temporary_folders(env)]  # the others are writable for every user
        _refuse_links(own)
        with contextlib.ExitStack() as stack:
            kept = [path for root in own for path in agent_paths(root)]
            kept += [path for path in self._protected if _inside(path, roots)]
            kept = list(dict.fromkeys([first_missing(path, roots) for path in kept]))
            for path in kept:
                stack.enter_context(reserved(path))
            hidden = (*secrets(), *self._hidden)
            arguments = bubblewrap_arguments(policy, roots=roots, cwd=cwd, protected=kept, hidden=hidden)
            fds: tuple[int, ...] = ()
            if not policy.network_access:
                descriptor = os.memfd_create("seccomp")
                stack.callback(os.close, descriptor)
                os.write(descriptor, only_confined_sockets() or b"")
                os.lseek(descriptor, 0, os.SEEK_SET)
                arguments += ["--seccomp", str(descriptor)]
                fds = (descriptor,)
            network = None
            if policy.proxied:
                network, theirs = socket.socketpair()
                stack.callback(theirs.close)
                fds = (*fds, theirs.fileno())
                argv = [sys.executable, "-I", "-S", sandbox_entry.__file__, str(theirs.fileno()), *argv]
            yield Confined([self._program, *arguments, "--", *argv], fds, network, tuple(kept))

    def denied(self, output: ExecOutput) -> bool:
        """See :class:`Sandbox`. A guess from status and messages: no sandbox on Linux reports its refusals."""
        if output.exit_code == 0 or output.timed_out or output.lost is not None:
            return False
        said = output.text.lower()
        return output.exit_code == _BAD_SYSTEM_CALL or any(word in said for word in _DENIAL_WORDS)


def _ended(argv: Sequence[str]) -> tuple[int, str]:
    """Run a trial and return its status and error output; no process of it is left.

    If ``bwrap`` is killed before it releases its child, the child waits forever and keeps the streams open. It could be
    killed with its parent, for instance. So the trial runs without that option, and its process group is killed at the
    end.

    Raises:
        OSError: it cannot be started.
        TimeoutExpired: it does not end.
    """
    process = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, process_group=0
    )
    with process:
        try:
            status = process.wait(_TRIAL_S)
        finally:
            signal_group(process.pid, signal.SIGKILL)
        said = b"" if process.stderr is None else process.stderr.read()
    return status, said.decode("utf-8", "replace").strip()


_BASE = (
    "--ro-bind", "/", "/",
    "--dev", "/dev",
    "--proc", "/proc",
    "--ro-bind-try", "/proc/sys", "/proc/sys",  # root's own user id may write kernel settings without any capability
    "--ro-bind-try", "/proc/irq", "/proc/irq",
    "--ro-bind-try", "/proc/bus", "/proc/bus",
    "--ro-bind-try", "/proc/fs", "/proc/fs",
    "--ro-bind-try", "/proc/sysrq-trigger", "/proc/sysrq-trigger",
    "--unshare-user-try",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--cap-drop", "ALL",
    "--die-with-parent",
    "--new-session",
)  # fmt: skip


def _temporary_folders(env: Mapping[str, str]) -> tuple[str, ...]:
    folders = [folder for folder in ("/tmp", env.get("TMPDIR", "")) if folder.startswith("/")]
    return tuple([os.path.realpath(folder) for folder in folders])


def writable_roots(policy: SandboxPolicy, *, cwd: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """The folders that are writable under ``policy``, with symbolic links resolved; missing ones are left out."""
    roots = [os.path.realpath(root) for root in policy.granted_roots if root.startswith("/")]
    if policy.mode is SandboxMode.WORKSPACE_WRITE:
        roots += [os.path.realpath(root) for root in (cwd, *policy.writable_roots) if root.startswith("/")]
        if not policy.exclude_tmp:
            roots += _temporary_folders(env)
    return tuple([root for root in dict.fromkeys(roots) if os.path.isdir(root) and root != "/"])


def bubblewrap_arguments(
    policy: SandboxPolicy, *, roots: Sequence[str], cwd: str, protected: Sequence[str] = (), hidden: Sequence[str] = ()
) -> list[str]:
    """The options of ``bwrap`` for ``policy`` with these writable roots. Parents are mounted before their children."""
    arguments = list(_BASE)
    if not policy.network_access:
        arguments.append("--unshare-net")
    for root in sorted(roots):
        arguments += ["--bind", root, root]
    kept = [path for root in roots for path in protected_paths(root)]
    kept += [path for path in protected if os.path.exists(path) and _inside(path, roots)]
    for path in sorted(set(kept)):
        arguments += ["--ro-bind", path, path]
    for path in hidden:
        arguments += ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
    return [*arguments, "--chdir", cwd]


def _inside(path: str, roots: Sequence[str]) -> bool:
    real = os.path.realpath(path)
    return any(real == root or real.startswith(root + "/") for root in roots)


def _refuse_links(roots: Sequence[str]) -> None:
    """Raise if a path that must stay read-only is a link: a mount protects the target, but not the link."""
    for root in roots:
        for path in (*[os.path.join(root, name) for name in PROTECTED], *agent_paths(root)):
            if os.path.islink(path):
                raise SandboxUnavailableError(
                    f"`{path}` is a link, which the sandbox cannot keep from being replaced: put what it leads to in "
                    "its place, or choose the sandbox `read-only` or `danger-full-access`"
                )


def protected_paths(root: str) -> list[str]:
    """The paths that stay read-only in a writable root: ``PROTECTED`` and the repository of a ``.git`` file."""
    found: list[str] = []
    for name in PROTECTED:
        path = os.path.join(root, name)
        if os.path.exists(path):
            found.append(path)
            if name == ".git" and os.path.isfile(path):
                found += _git_folder(path)
    return found


def _git_folder(pointer: str) -> list[str]:
    try:
        with open(pointer, encoding="utf-8") as file:
            kind, _, folder = file.readline().strip().partition(": ")
    except (OSError, UnicodeDecodeError):
        return []
    target = os.path.realpath(os.path.join(os.path.dirname(pointer), folder))
    return [target] if kind == "gitdir" and os.path.isdir(target) else []
