"""Runs the page and the inbox in one process. The only module that imports uvicorn."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import webbrowser
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from types import FrameType

import uvicorn

from execpolicy.cli.page.page_app import PageApp
from execpolicy.cli.page.page_guard import LOOPBACK, PageKeys
from execpolicy.errors import UsageError
from execpolicy.inbox.waiting import inbox_folder
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.manager.policy_manager import PolicyManager

_OPENING_S = 60.0
_CLOSING_S = 5
"""Seconds that the server waits at its end for slow windows to receive their answers."""


_NOT_TOLD = ("timeout graceful shutdown exceeded", "Unsupported upgrade request", "No supported WebSocket library")
"""The server's messages about windows that were still open at its end, and about web sockets, which it refuses."""


def _is_told(record: logging.LogRecord) -> bool:
    return not any(part in record.getMessage() for part in _NOT_TOLD)


async def serve_page(port: int, *, browser: bool, say: Callable[[str], None]) -> None:
    """Serve until a signal arrives.

    Args:
        port: of the loopback address; 0 for any free one.
        browser: open it.
        say: receives the address.

    Raises:
        UsageError: the port is in use.
        InboxClosedError: another inbox is open already.
    """
    listener = _listener(port)
    keys = PageKeys(listener.getsockname()[1])
    app = PageApp(keys, PolicyManager(LayerOptions.of_process()), os.getcwd(), inbox_folder(os.environ))
    await app.inbox.start()
    config = uvicorn.Config(
        app.guarded,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_CLOSING_S,
    )
    logging.getLogger("uvicorn.error").addFilter(_is_told)
    server = _Server(config, app)
    opening = asyncio.create_task(_open_page(keys, app.inbox.folder, browser=browser, say=say))
    try:
        await server.serve(sockets=[listener])
    finally:
        opening.cancel()
        await app.inbox.close()
        listener.close()


class _Server(uvicorn.Server):
    """A server that shuts down in order on a signal, and closes and removes everything that it opened."""

    def __init__(self, config: uvicorn.Config, app: PageApp) -> None:
        super().__init__(config)
        self._app = app

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        self._app.close()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Handle signals while the context is open."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        yield


def _listener(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen()  # a client that reads the address may connect before the server has started
    except OSError as error:
        listener.close()
        raise UsageError(f"port {port} cannot be used ({error.strerror}): name another with --port") from None
    return listener


async def _open_page(keys: PageKeys, folder: str, *, browser: bool, say: Callable[[str], None]) -> None:
    """Open the first address through a file that only the user can read: program arguments are public."""
    if not browser:
        say(f"open {keys.address()}\n(it works once; `execpolicy ui` in another terminal gives another)")
        return
    say(f"the page is open at {keys.origin} (Ctrl-C ends it; `execpolicy ui --no-browser` prints an address)")
    path = os.path.join(folder, "open.html")
    with suppress(FileNotFoundError):
        os.unlink(path)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0;url={keys.address()}">\n')
    try:
        opened = await asyncio.to_thread(webbrowser.open, f"file://{path}")
        if not opened:
            say(f"no browser could be started: open {keys.address()}")
        await asyncio.sleep(_OPENING_S)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(path)
