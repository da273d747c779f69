"""Another site in the same browser, where the page is open: it learns nothing and changes nothing."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome

from tests.e2e.test_inbox_terminal import decision, listed, start_hook, until
from tests.e2e.test_page import press, see, text
from tests.e2e.test_page import server as server  # a fixture
from tests.support.browser import browser
from tests.support.ui_server import UiServer

pytestmark = pytest.mark.slow

ATTACK = Path(__file__).parents[1] / "data" / "page" / "another_site.html"


class _Evil(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = ATTACK.read_bytes()
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chrome]:
    with browser("--host-resolver-rules=MAP evil.example 127.0.0.1") as started:
        yield started


@pytest.fixture
def evil() -> Iterator[int]:
    """The port of a server as an agent may start one."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Evil) as started:
        threading.Thread(target=started.serve_forever, daemon=True).start()
        yield started.server_port
        started.shutdown()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "evil.example"])
def test_another_site_neither_reads_nor_answers(chromium: Chrome, server: UiServer, evil: int, host: str) -> None:
    """On the same address, the browser sends the cookie along: another port is the same site to it."""
    hook = start_hook(server.environment)
    (one,) = until(lambda: listed(server.environment))
    chromium.get(f"http://{host}:{evil}/?target={server.origin}&id={one['id']}")
    results: dict[str, str] = see(lambda: chromium.execute_script("return window.over"))
    assert len(results) == 12
    unseen = {"beacon": ("",), "frame": ("undefined",), "form": ("undefined",)}
    for name, result in results.items():
        assert result in unseen.get(name, ("refused: TypeError", "refused: Error")), (name, result)
    assert [each["id"] for each in listed(server.environment)] == [one["id"]]
    chromium.get(f"{server.origin}/inbox")
    see(lambda: chromium.execute_script("return state.loaded !== null && performance.now() - state.moved > 300"))
    press(chromium, "n")
    assert decision(hook)[0] == "deny"


def test_a_name_that_is_made_to_lead_here_shows_nothing(chromium: Chrome, server: UiServer) -> None:
    for path in ("/inbox", "/open?key=x", "/static/page.js", "/inbox/questions"):
        chromium.get(f"http://evil.example:{server.port}{path}")
        assert text(chromium, "body") == "this host is not served"
    said = chromium.execute_async_script(
        "fetch('/inbox/answer', {method: 'POST', body: arguments[0]}).then((a) => a.text()).then(arguments[1])",
        json.dumps({"ids": ["x"], "answer": "once"}),
    )
    assert said == "this host is not served\n"
