"""The system-call filter of the sandbox without a network: no sockets but those that the empty network confines.

A network namespace does not cut every socket. A socket file (an agent, a container daemon, a terminal multiplexer) can
be connected to even on a read-only mount, and virtual machine sockets reach the host. Socket pairs stay possible;
``io_uring``, which could open sockets past the filter, does not.
"""

from __future__ import annotations

import os
import struct

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_REFUSE = 0x00050000 | 1  # fails with EPERM
_ABSENT = 0x00050000 | 38  # fails with ENOSYS
_CONFINED_FAMILIES = (2, 10, 16)  # IPv4, IPv6, netlink
_IO_URING_SETUP = 425
_OTHER_ABI = 0x40000000  # x32 calls on x86-64 carry this bit

_MACHINES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""For each machine its audit number and the number of ``socket``. Source: Linux's ``audit.h`` and ``unistd.h``."""


def only_confined_sockets(machine: str | None = None) -> bytes | None:
    """The filter as ``bwrap --seccomp`` reads it; ``None`` for a machine that it is not known for."""
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
