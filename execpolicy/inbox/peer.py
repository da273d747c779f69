"""Identifies the process at the other end of the socket by the kernel's data, which a process cannot forge.

Linux only: it needs ``SO_PEERCRED`` and ``/proc``.
"""

from __future__ import annotations

import os
import pwd
import socket
import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_FURTHEST = 64
"""The maximum number of ancestor processes that are examined."""
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "fish", "env", "timeout", "nice"))
_INIT = 1
_SOCK_DIAG = 4
_BY_FAMILY = 20
_ANY = 0xFFFFFFFF
_PSEUDO_TERMINALS = range(136, 144)
"""The device numbers that the kernel gives to ``/dev/pts``."""


class Peer(NamedTuple):
    """The process that opened a connection."""

    pid: int
    uid: int


class Kin(NamedTuple):
    """A process, identified for comparisons of ancestry. A pid can be reused; a pid with its start time cannot."""

    pid: int
    started: int


class ProcessRow(NamedTuple):
    """The data of a process in ``/proc``.

    Attributes:
        session, group: of processes; ``foreground`` is the group that the terminal belongs to now.
        terminal: the number of the controlling terminal, 0 for none.
    """

    kin: Kin
    parent: int
    group: int
    session: int
    terminal: int
    foreground: int
    argv: tuple[str, ...]

    @property
    def program(self) -> str:
        """Its name: the last part of its first word."""
        return self.argv[0].rpartition("/")[2].lstrip("-") if self.argv else ""

    @property
    def terminal_name(self) -> str:
        """The controlling terminal by the kernel's data; the process itself may choose where its descriptors lead."""
        major, minor = os.major(self.terminal), os.minor(self.terminal)
        if major in _PSEUDO_TERMINALS:
            return f"/dev/pts/{(major - _PSEUDO_TERMINALS.start) * 256 + minor}"
        return f"terminal {major}:{minor}"

    def is_called(self, name: str) -> bool:
        """True if ``name`` is its program, or the script that an interpreter runs."""
        return any(word.rpartition("/")[2].partition(".")[0] == name for word in self.argv[:3])


def peer_of(connection: socket.socket) -> Peer:
    """The process that opened ``connection``.

    Raises:
        OSError: the kernel does not report it.
    """
    size = struct.calcsize("3i")
    pid, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return Peer(pid, uid)


def owner_of_connection(client: int, server: int) -> int | None:
    """The user whose socket on the loopback address is connected from port ``client`` to port ``server``.

    ``None`` if the kernel does not report it. The query is for this one connection (``sock_diag``), because reading all
    of ``/proc/net/tcp`` takes milliseconds.
    """
    address = socket.inet_aton("127.0.0.1").ljust(16, b"\0")
    wanted = struct.pack("=BBBxI", socket.AF_INET, socket.IPPROTO_TCP, 0, _ANY)
    wanted += struct.pack("!HH", client, server) + address + address + struct.pack("=III", 0, _ANY, _ANY)
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
            kernel.settimeout(1)
            kernel.send(struct.pack("=IHHII", 16 + len(wanted), _BY_FAMILY, 1, 0, 0) + wanted)
            said = kernel.recv(1 << 13)
        kind, uid = struct.unpack_from("=4xH", said)[0], struct.unpack_from("=80xI", said)[0]
    except (OSError, struct.error):
        return None
    return int(uid) if kind == _BY_FAMILY else None


def account_of(uid: int) -> str:
    """The name of a user account."""
    try:
        return f"{pwd.getpwuid(uid).pw_name} (uid {uid})"
    except KeyError:
        return f"uid {uid}"


def process_row(pid: int) -> ProcessRow | None:
    """The data of a process; ``None`` if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        with open(f"/proc/{pid}/cmdline", "rb") as raw:
            argv = raw.read().decode(errors="replace").rstrip("\0").split("\0")
    except OSError:
        return None
    parent, group, session, terminal, foreground = (int(field) for field in fields[1:6])
    return ProcessRow(Kin(pid, int(fields[19])), parent, group, session, terminal, foreground, tuple(argv))


def line_of(pid: int) -> Iterator[ProcessRow]:
    """The process and its ancestors, without the first process of the system."""
    for _ in range(_FURTHEST):
        row = process_row(pid) if pid > _INIT else None
        if row is None:
            return
        yield row
        pid = row.parent


def side_of(pid: int, agent: str, persons: frozenset[Kin] = frozenset()) -> frozenset[Kin]:
    """The processes on the agent's side of a question that ``pid`` asks: itself, shells, and the agent above them.

    The agent is the nearest ancestor of that name, or else the nearest that is no shell. A shell that leads a
    terminal's session is a person's and ends the search. A process among ``persons`` ends it too: these started the
    inbox itself.
    """
    found: list[ProcessRow] = []
    guessed: int | None = None
    for at, row in enumerate(line_of(pid)):
        found.append(row)
        if at and agent and row.is_called(agent):
            return frozenset([each.kin for each in found])
        if at and guessed is None:
            if row.kin in persons or (row.program in _SHELLS and row.terminal and row.session == row.kin.pid):
                guessed = at - 1
            elif row.program not in _SHELLS:
                guessed = at
    return frozenset([each.kin for each in found[: 1 if guessed is None else guessed + 1]])


def started_by(pid: int, side: frozenset[Kin]) -> ProcessRow | None:
    """The process of ``side`` that is ``pid`` or an ancestor of it."""
    return next((row for row in line_of(pid) if row.kin in side), None)


def agents_own(agent: str) -> frozenset[Kin]:
    """The agent above this process, if one is called ``agent``."""
    line = line_of(os.getpid())
    next(line, None)
    return frozenset([row.kin for row in line if agent and row.is_called(agent)])


def why_not_in_person(pid: int, sides: Iterable[frozenset[Kin]]) -> str | None:
    """The reason why the process ``pid`` does not act for a person at a terminal; ``None`` if it does.

    Args:
        sides: for each question that waits, the processes on the agent's side of it.
    """
    line = list(line_of(pid))
    if not line:
        return "the process that answers is gone"
    row = line[0]
    if not row.terminal:
        return "it has no terminal"
    if row.group != row.foreground:
        return "it runs in the background of its terminal"
    for side in sides:
        above = started_by(pid, side)
        if above is not None:
            return f"it was started by `{above.program}` (process {above.kin.pid}), which also started what asks"
    return None


def same_user(peer: Peer) -> bool:
    """True if the peer belongs to the user of this process."""
    return peer.uid == os.getuid()
