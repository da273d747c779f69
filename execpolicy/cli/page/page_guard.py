"""Controls access to the page: only the browser that opened the first address is admitted.

* The server listens on the loopback address only.
* ``Host`` must be that address: a name that resolves to it (DNS rebinding) is refused.
* A request must come from the page itself (``Origin``, ``Sec-Fetch-Site``); there are no CORS answers.
* The connection must belong to the user, if the kernel reports its owner: a secret that another user obtained opens
  nothing. The superuser's connections are admitted: they may be tunnels and relays into virtual machines.
* The first address holds a secret that works once and becomes a cookie (``SameSite=Strict``, ``HttpOnly``). Browsers
  send a cookie to every port of a host, so a server that an agent started may see it. So reading takes the cookie, and
  changes take a second secret as well, which the browser keeps for this port alone.
* The content security policy runs scripts of this server only, and nothing inline.
"""

from __future__ import annotations

import hmac
import os
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, NamedTuple, TypeAlias

from execpolicy.inbox.peer import owner_of_connection

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = "127.0.0.1"
OPENING = "/open"
KEY_HEADER = "x-execpolicy-key"
VISITOR = "execpolicy.visitor"
"""The key in a request's scope for the name of its sender."""
MAX_BODY = 2 << 20
_OPENS_S = 600.0
_MOST_VISITORS = 100
_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        b"form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


class _Visitor(NamedTuple):
    """An admitted browser.

    Attributes:
        key: the second secret.
        name: its name in the audit trail.
    """

    key: str
    name: str


class PageKeys:
    """The secrets of one run of the server, in memory only.

    Args:
        port: the port of the page.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.origin = f"http://{LOOPBACK}:{port}"
        self.cookie = f"execpolicy_{port}"
        self._openings: dict[str, float] = {}
        self._visitors: dict[str, _Visitor] = {}

    def address(self) -> str:
        """A first address, which opens the page once within ten minutes."""
        now = time.monotonic()
        self._openings = {key: ends for key, ends in self._openings.items() if ends > now}
        key = secrets.token_urlsafe(32)
        self._openings[key] = now + _OPENS_S
        return f"{self.origin}{OPENING}?key={key}"

    def enter(self, key: str) -> tuple[str, str] | None:
        """The cookie and the second secret, for the secret of a first address; ``None`` if ``key`` is not valid."""
        ends = next((self._openings.pop(known) for known in list(self._openings) if _same(known, key)), 0.0)
        if ends <= time.monotonic():
            return None
        while len(self._visitors) >= _MOST_VISITORS:
            self._visitors.pop(next(iter(self._visitors)))
        cookie, changing = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self._visitors[cookie] = _Visitor(changing, secrets.token_hex(4))
        return cookie, changing

    def visitor(self, cookies: str) -> _Visitor | None:
        """The visitor with these cookies."""
        try:
            found = SimpleCookie(cookies).get(self.cookie)
        except CookieError:
            return None
        given = "" if found is None else found.value
        return next((visitor for known, visitor in self._visitors.items() if _same(known, given)), None)


class PageGuard:
    """Passes requests of the page to ``app``, and sets the headers of every answer."""

    def __init__(self, app: App, keys: PageKeys) -> None:
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return

        async def send_guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _ in _HEADERS}
                kept = [(name, value) for name, value in message.get("headers", []) if name.lower() not in names]
                message["headers"] = [*kept, *_HEADERS]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send_guarded)
            return
        status, why = refusal
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
        await send_guarded({"type": "http.response.start", "status": status, "headers": headers})
        await send_guarded({"type": "http.response.body", "body": f"{why}\n".encode()})

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the message for a refused request; ``None`` for an admitted one."""
        client = scope.get("client")
        if client is None or client[0] != LOOPBACK:
            return 403, "only this machine is served"
        given = _headers(scope)
        if given is None or f"http://{given.get('host', '')}" != self._keys.origin:
            return 403, "this host is not served"
        method, path = scope["method"], scope["path"]
        if method not in ("GET", "HEAD", "POST"):
            return 405, "unknown method"
        origin, site = given.get("origin"), given.get("sec-fetch-site")
        if origin not in ((self._keys.origin,) if method == "POST" else (None, self._keys.origin)):
            return 403, "another site sent this"
        if owner_of_connection(client[1], self._keys.port) not in (None, 0, os.getuid()):
            return 403, "only the user who runs `execpolicy ui` is served"
        if path == OPENING and method == "GET":
            return None
        if site not in (None, "none", "same-origin") or (method == "POST" and site == "none"):
            return 403, "another site sent this"
        visitor = self._keys.visitor(given.get("cookie", ""))
        if visitor is None:
            return 403, "open the page with the address that `execpolicy ui` gives: it is good for one browser"
        if method == "POST" and not _same(visitor.key, given.get(KEY_HEADER, "")):
            return 403, "this window may look and not answer: open the page with an address of `execpolicy ui`"
        scope[VISITOR] = visitor.name
        return None


def _headers(scope: Scope) -> dict[str, str] | None:
    """The headers by name; ``None`` if a header that the guard checks occurs twice."""
    found: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name = raw.decode("latin-1").lower()
        if name in found and name in ("host", "origin", "cookie", "sec-fetch-site", KEY_HEADER):
            return None
        found[name] = value.decode("latin-1")
    return found


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode("utf-8", "surrogatepass"))
