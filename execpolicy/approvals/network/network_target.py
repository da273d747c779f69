"""The target of a connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from execpolicy.errors import UsageError
from execpolicy.validators import count, name, one_of, settle

_LAST_PORT = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkTarget:
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
        settle(self, host=name, protocol=one_of("http", "https", "socks5_tcp"), port=count)
        if self.port > _LAST_PORT:
            raise UsageError(f"NetworkTarget: port must be at most {_LAST_PORT}, not {self.port}")

    def to_json(self) -> dict[str, Any]:
        """``{host, protocol, port}``."""
        return {"host": self.host, "protocol": self.protocol, "port": self.port}
