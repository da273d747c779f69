"""The exit of a sandbox without a network: a proxy for HTTP, tunnels (``CONNECT``) and SOCKS 5.

It sees the requested host and port only. It does not see paths inside TLS, or another name that an allowed server
also answers to. Programs that do not use the proxy reach no network.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from execpolicy.core.hosts import normalise_host
from execpolicy.errors import InvalidRuleError, UsageError
from execpolicy.validators import Checked, name, one_of

_LAST_PORT = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkTarget(Checked, host=name, protocol=one_of("http", "https", "socks5_tcp")):
    """The target of a connection.

    Attributes:
        host: normalised, without a port.
        protocol: ``http``, ``https`` or ``socks5_tcp``.
        port: 0 to 65535.
    """

    host: str
    protocol: str
    port: int

    def __post_init__(self) -> None:
        Checked.__post_init__(self)
        if self.port > _LAST_PORT:
            raise UsageError(f"NetworkTarget: port must be at most {_LAST_PORT}, not {self.port}")

    def to_json(self) -> dict[str, Any]:
        """``{host, protocol, port}``."""
        return {"host": self.host, "protocol": self.protocol, "port": self.port}


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
        if not (port.isascii() and port.isdigit() and 0 < int(port) <= _LAST_PORT):
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
