"""The exit of a sandbox without a network, and the decision about each of its connections.

The proxy speaks HTTP, tunnels (``CONNECT``) and SOCKS 5. It sees the requested host and port only, neither paths inside
TLS nor another name that an allowed server also answers to. Programs that do not use the proxy reach no network.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import struct
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import urlsplit

from execpolicy.approvals.approval_session import ApprovalSession, Turn
from execpolicy.approvals.approval_store import network_keys
from execpolicy.approvals.events import LAST_PORT, NetworkDecisionEvent, NetworkTarget
from execpolicy.approvals.requirement import AskForApproval, AskKind, ExecRequest
from execpolicy.approvals.review import is_approval
from execpolicy.core.decision import Decision
from execpolicy.core.hosts import normalise_host
from execpolicy.core.network import rule_for
from execpolicy.core.rules import NetworkRule
from execpolicy.errors import InvalidRuleError, RuleStoreError

Permits: TypeAlias = Callable[[NetworkTarget], Awaitable[str | None]]
"""Returns the reason to refuse a connection, or ``None``."""

_LONGEST_HEAD = 64 * 1024
_BLOCK = 64 * 1024
_CONNECT_SECONDS = 30.0
_HOP_BY_HOP = frozenset({b"proxy-connection", b"proxy-authorization", b"connection", b"keep-alive"})


class _RefusedError(Exception):
    """The connection is refused; the message gives the reason."""


class NetworkProxy:
    """The proxy of one run.

    Args:
        channel: the socket on which the sandbox sends its listening socket; closed by :meth:`close`.
        permits: called for each connection.
    """

    def __init__(self, channel: socket.socket, permits: Permits) -> None:
        self._channel = channel
        self._permits = permits
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._opening = asyncio.create_task(self._open(), name="network proxy")

    async def close(self) -> None:
        """Close the proxy and every connection."""
        tasks = [self._opening, *self._connections]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._server is not None:
            self._server.close()
        self._channel.close()

    async def _open(self) -> None:
        loop = asyncio.get_running_loop()
        self._channel.setblocking(False)
        arrived = asyncio.Event()
        loop.add_reader(self._channel, arrived.set)
        try:
            await arrived.wait()
        finally:
            loop.remove_reader(self._channel)
        _, descriptors, _, _ = socket.recv_fds(self._channel, 16, 1)
        if descriptors:  # none if the command never started
            listening = socket.socket(fileno=descriptors[0])
            self._server = await asyncio.start_server(self._accept, sock=listening, limit=_LONGEST_HEAD)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await self._converse(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # the client closed the connection, or speaks an unknown protocol
        finally:
            self._connections.discard(task)
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = await reader.readexactly(1)
        if first == b"\x05":
            await self._socks(reader, writer)
            return
        head = first + await reader.readuntil(b"\r\n\r\n")
        line, _, rest = head.partition(b"\r\n")
        try:
            method, url, version = line.decode("ascii").split(" ")
            target = _target(method, url)
        except (UnicodeDecodeError, ValueError, InvalidRuleError):
            await _refuse(writer, b"400 Bad Request", "this is a proxy for HTTP and CONNECT")
            return
        try:
            out = await self._connect(target)
        except _RefusedError as why:
            await _refuse(writer, b"403 Forbidden", str(why))
            return
        except OSError as error:
            await _refuse(writer, b"502 Bad Gateway", f"{target.host} cannot be reached: {error.strerror or error}")
            return
        if method == "CONNECT":
            writer.write(f"{version} 200 Connection established\r\n\r\n".encode())
        else:
            out[1].write(_forwarded(method, url, version, rest))
        await _relay((reader, writer), out)

    async def _socks(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """SOCKS 5 (RFC 1928): no authentication, ``CONNECT`` only."""
        await reader.readexactly((await reader.readexactly(1))[0])
        writer.write(b"\x05\x00")
        _, command, _, kind = await reader.readexactly(4)
        if kind == 3:
            host = (await reader.readexactly((await reader.readexactly(1))[0])).decode("ascii", "replace")
        else:
            host = str(ipaddress.ip_address(await reader.readexactly(4 if kind == 1 else 16)))
        (port,) = struct.unpack(">H", await reader.readexactly(2))
        refused = b"\x05%c\x00\x01" + bytes(6)
        if command != 1:
            writer.write(refused % 7)
            return
        try:
            out = await self._connect(NetworkTarget(host=normalise_host(host), protocol="socks5_tcp", port=port))
        except (_RefusedError, InvalidRuleError):
            writer.write(refused % 2)
            return
        except OSError:
            writer.write(refused % 4)
            return
        writer.write(refused % 0)
        await _relay((reader, writer), out)

    async def _connect(self, to: NetworkTarget) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a connection to ``to``.

        Raises:
            _RefusedError: it is not permitted, or the name resolves to this machine.
            OSError: the host cannot be reached.
        """
        why_not = await self._permits(to)
        if why_not is not None:
            raise _RefusedError(why_not)
        found = await asyncio.get_running_loop().getaddrinfo(to.host, to.port, type=socket.SOCK_STREAM)
        failure: OSError = OSError(0, "it has no address")
        for _, _, _, _, address in found:
            if _is_local(str(address[0]), to.host):
                raise _RefusedError(f"{to.host} leads to this machine or its neighbours ({address[0]})")
            try:
                async with asyncio.timeout(_CONNECT_SECONDS):
                    return await asyncio.open_connection(str(address[0]), to.port)
            except OSError as error:
                failure = error
        raise failure


def _is_local(address: str, host: str) -> bool:
    """True if ``address`` is local to this machine or its link, and ``host`` does not say so itself."""
    found = ipaddress.ip_address(address.partition("%")[0])
    found = getattr(found, "ipv4_mapped", None) or found
    inside = found.is_loopback or found.is_link_local or found.is_unspecified or found.is_multicast
    if not inside or host == "localhost":
        return False
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host) != found  # a rule or a person has named the address itself
    return True


def _target(method: str, url: str) -> NetworkTarget:
    """The target of a request.

    Raises:
        ValueError, InvalidRuleError: ``url`` is not one that this method takes.
    """
    if method == "CONNECT":
        host, _, port = url.rpartition(":")
        if not (port.isascii() and port.isdigit() and 0 < int(port) <= LAST_PORT):
            raise ValueError(port)
        return NetworkTarget(host=normalise_host(host), protocol="https", port=int(port))
    parts = urlsplit(url)
    if parts.scheme.lower() != "http" or not parts.hostname:
        raise ValueError(url)
    return NetworkTarget(host=normalise_host(parts.hostname), protocol="http", port=parts.port or 80)


def _forwarded(method: str, url: str, version: str, headers: bytes) -> bytes:
    """The request as sent to the server. Each connection carries one request, since the next may name another host."""
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    kept = [line for line in headers.split(b"\r\n") if line.partition(b":")[0].strip().lower() not in _HOP_BY_HOP]
    kept = [line for line in kept if line and not line.lower().startswith(b"host:")]
    lines = [f"{method} {path} {version}".encode(), b"Host: " + parts.netloc.rpartition("@")[2].encode(), *kept]
    return b"\r\n".join([*lines, b"Connection: close", b"", b""])


async def _refuse(writer: asyncio.StreamWriter, status: bytes, why: str) -> None:
    body = f"execpolicy: {why}\n".encode()
    writer.write(
        b"HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n" % (status, len(body))
    )
    writer.write(b"X-Proxy-Error: denied-by-execpolicy\r\nConnection: close\r\n\r\n" + body)
    await writer.drain()


_Ends: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _relay(one: _Ends, other: _Ends) -> None:
    """Forward data in both directions until both ends close."""
    try:
        await asyncio.gather(_copy(one[0], other[1]), _copy(other[0], one[1]))
    finally:
        other[1].close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while block := await reader.read(_BLOCK):
        writer.write(block)
        await writer.drain()
    with contextlib.suppress(OSError):
        writer.write_eof()


_MAX_REPORTED = 1_000
"""Limit of targets remembered as reported; a command can invent any number of targets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkApproval:
    """Decides the connections of one run. An answer holds for all its connections to the same host and port.

    Args:
        rules: returns the effective network rules; called each time, since an answer may have saved one.
        policy: the effective approval policy, with aliases resolved.
    """

    request: ExecRequest
    session: ApprovalSession
    turn: Turn
    call_id: str
    rules: Callable[[], Iterable[NetworkRule]]
    policy: AskForApproval
    _answers: dict[NetworkTarget, str | None] = field(default_factory=dict, init=False)
    _reported: dict[NetworkTarget, str | None] = field(default_factory=dict, init=False)
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def why_not(self, to: NetworkTarget) -> str | None:
        """The reason to refuse the connection, worded for the command; ``None`` if it is allowed."""
        rule = rule_for(self.rules(), to.host, to.protocol)
        if rule is not None and rule.decision is not Decision.PROMPT:
            refusal = rule.justification or f"a rule forbids {rule.protocol} to {rule.host}"
            return self._report(to, None if rule.decision is Decision.ALLOW else refusal, by="policy")
        async with self._asking:  # one question for many connections at once
            if to not in self._answers:
                self._answers[to] = await self._ask(to, rule)
            return self._answers[to]

    async def _ask(self, to: NetworkTarget, rule: NetworkRule | None) -> str | None:
        granular = self.policy.granular
        may_ask = granular is None or (granular.sandbox_approval if rule is None else granular.rules)
        if self.policy.kind is AskKind.NEVER or not may_ask:
            why_not = f"no rule allows {to.protocol} to {to.host}, and no one may be asked"
            return self._report(to, why_not, by="policy")
        keys = network_keys(to.host, to.protocol, to.port)
        by = "session" if all(map(self.session.store.approved, keys)) else "user"
        decision = await self.session.request_command_approval(
            turn=self.turn,
            call_id=self.call_id,
            command=self.request.command,
            cwd=self.request.cwd,
            network=to,
            reason=rule.justification if rule is not None else None,
            keys=keys,
        )
        if self.turn.aborted:  # the command is being ended: an answer would let it continue for a moment
            await asyncio.get_running_loop().create_future()
        return self._report(to, None if is_approval(decision) else f"{to.protocol} to {to.host} was denied", by=by)

    def _report(self, to: NetworkTarget, why_not: str | None, *, by: str) -> str | None:
        """Report the decision to the host once and return ``why_not``. A failed report refuses the connection."""
        if to in self._reported and self._reported[to] == why_not:
            return why_not
        ids = {"call_id": self.call_id, "turn_id": self.turn.id}
        try:
            self.session.emit(NetworkDecisionEvent(**ids, to=to, allowed=why_not is None, by=by, reason=why_not or ""))
        except RuleStoreError as error:
            return why_not or str(error)
        if len(self._reported) >= _MAX_REPORTED:
            self._reported.clear()
        self._reported[to] = why_not
        return why_not


_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


def no_proxy_hosts(rules: Iterable[NetworkRule]) -> str:
    """The hosts inside the sandbox (``NO_PROXY``), so that a server of the command is reached directly.

    A host with a network rule that does not forbid it belongs to the machine instead.
    """
    let_out = {rule.host for rule in rules if rule.decision is not Decision.FORBIDDEN}
    return ",".join([host for host in _LOCAL_HOSTS if host not in let_out])
