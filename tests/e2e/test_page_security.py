"""Attacks on the page: each is refused. The server is the real one, in a process of its own."""

import json
import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_inbox_terminal import decision, listed, start_hook, until
from tests.support.ui_server import UiServer

pytestmark = pytest.mark.slow

ANSWER = json.dumps({"ids": ["x"], "answer": "once"}).encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UiServer]:
    started = UiServer(tmp_path_factory.mktemp("home"))
    yield started
    started.stop()


@pytest.fixture(scope="module")
def visitor(server: UiServer) -> dict[str, Any]:
    return server.enter()


def without(headers: dict[str, Any], *names: str) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in (*names, "set")}


def test_who_has_cookie_and_key_may_look_and_answer(server: UiServer, visitor: dict[str, Any]) -> None:
    for path in ("/inbox", "/try", "/policy", "/history", "/inbox/questions"):
        status, headers, _ = server.request("GET", path, headers=without(visitor, "origin"))
        assert status == 200, path
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert not [name for name in headers if name.startswith("access-control")]
    status, _, text = server.request("POST", "/inbox/answer", body=ANSWER, headers=without(visitor))
    assert (status, json.loads(text)["failed"]) == (200, ["no question `x` waits"])


def test_the_cookie_is_for_this_site_alone_and_no_script_reads_it(visitor: dict[str, Any]) -> None:
    parts = {part.strip().lower() for part in visitor["set"].split(";")[1:]}
    assert parts == {"httponly", "path=/", "samesite=strict"}


def test_the_first_address_works_once(server: UiServer, visitor: dict[str, Any]) -> None:
    for key in (server.key, "", "x", "é", "../.."):
        status, headers, _ = server.request("GET", f"/open?key={key.encode().hex() if key == 'é' else key}")
        assert status == 403
        assert "set-cookie" not in headers


@pytest.mark.parametrize(
    "path", ["/", "/inbox", "/inbox/questions", "/events", "/policy", "/static/page.js", "/nothing"]
)
def test_nobody_looks_without_the_cookie(server: UiServer, visitor: dict[str, Any], path: str) -> None:
    for cookie in ("", "execpolicy_1=x", f"execpolicy_{server.port}=wrong", "x" * 9000, "=;=;\x01"):
        status, _, text = server.request("GET", path, headers={"cookie": cookie} if cookie else {})
        assert status in (400, 403)
        assert "data-key" not in text


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1.evil.example:PORT",
        "[::1]:PORT",
        "LOCALHOST:PORT",
    ],
)
def test_a_name_that_leads_here_is_not_served(server: UiServer, visitor: dict[str, Any], host: str) -> None:
    headers = {**without(visitor), "host": host.replace("PORT", str(server.port))}
    for method, path in (("GET", "/inbox"), ("POST", "/inbox/answer"), ("GET", "/open?key=x")):
        assert server.request(method, path, body=ANSWER if method == "POST" else None, headers=headers)[0] == 403


@pytest.mark.parametrize(
    "origin",
    [None, "null", "http://evil.example", "http://localhost:PORT", "http://127.0.0.1:1", "https://127.0.0.1:PORT"],
)
def test_another_site_cannot_send(server: UiServer, visitor: dict[str, Any], origin: str | None) -> None:
    headers = without(visitor, "origin")
    if origin is not None:
        headers["origin"] = origin.replace("PORT", str(server.port))
    assert server.request("POST", "/inbox/answer", body=ANSWER, headers=headers)[0] == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_browser_says_comes_from_elsewhere_is_refused(
    server: UiServer, visitor: dict[str, Any], site: str
) -> None:
    headers = {**without(visitor), "sec-fetch-site": site}
    assert server.request("POST", "/inbox/answer", body=ANSWER, headers=headers)[0] == 403
    assert server.request("GET", "/inbox/questions", headers=headers)[0] == 403


def test_a_form_of_another_site_is_refused(server: UiServer, visitor: dict[str, Any]) -> None:
    headers = {"content-type": "text/plain", "origin": "http://evil.example", "cookie": visitor["cookie"]}
    assert server.request("POST", "/inbox/answer", body=ANSWER, headers=headers)[0] == 403


def test_the_cookie_alone_changes_nothing(server: UiServer, visitor: dict[str, Any]) -> None:
    """A browser sends it to every port of the address: a server that an agent started gets to see it."""
    for path in ("/inbox/answer", "/inbox/undo", "/inbox/preview", "/policy/fix", "/policy/switch", "/history/replay"):
        for key in ({}, {"x-execpolicy-key": "wrong"}, {"x-execpolicy-key": visitor["cookie"].partition("=")[2]}):
            headers = {**without(visitor, "x-execpolicy-key"), **key}
            assert server.request("POST", path, body=ANSWER, headers=headers)[0] == 403


def test_a_page_never_holds_the_key(server: UiServer, visitor: dict[str, Any]) -> None:
    for path in ("/inbox", "/try", "/policy", "/history", "/static/page.js"):
        assert visitor["x-execpolicy-key"] not in server.request("GET", path, headers=without(visitor, "origin"))[2]


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "PATCH", "TRACE"])
def test_other_methods_are_refused(server: UiServer, visitor: dict[str, Any], method: str) -> None:
    status, headers, _ = server.request(method, "/inbox/answer", headers=without(visitor))
    assert status == 405
    assert not [name for name in headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "path",
    [
        "/static/../page_guard.py",
        "/static/..%2f..%2fcommands%2fui.py",
        "/static/%2e%2e/markup.py",
        "/static//etc/passwd",
        "/static/page.css%00.js",
        "/inbox/text/../../etc/passwd",
        "/inbox/question/%2e%2e%2f",
        "//etc/passwd",
    ],
)
def test_no_path_leads_out(server: UiServer, visitor: dict[str, Any], path: str) -> None:
    status, _, text = server.request("GET", path, headers=without(visitor, "origin"))
    assert status == 404
    assert "root:" not in text
    assert "import" not in text


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 50_000, b'{"ids": 7}', b'{"prefixes": [7]}'])
def test_nonsense_is_refused(server: UiServer, visitor: dict[str, Any], body: bytes) -> None:
    status, _, _ = server.request("POST", "/inbox/answer", body=body, headers=without(visitor))
    assert status in (200, 400)
    assert server.request("GET", "/inbox", headers=without(visitor, "origin"))[0] == 200


def test_a_body_without_end_is_refused(server: UiServer, visitor: dict[str, Any]) -> None:
    body = b'{"ids": ["' + b"x" * (3 << 20)
    assert server.request("POST", "/inbox/answer", body=body, headers=without(visitor))[0] == 413


def test_a_web_socket_is_refused(server: UiServer, visitor: dict[str, Any]) -> None:
    headers = {**without(visitor), "connection": "upgrade", "upgrade": "websocket", "sec-websocket-version": "13"}
    assert server.request("GET", "/events2", headers={**headers, "sec-websocket-key": "eA=="})[0] in (403, 404)


def test_only_the_loopback_address_listens(server: UiServer) -> None:
    with open("/proc/net/tcp", encoding="ascii") as file:
        rows = [line.split() for line in file][1:]
    local = {row[1] for row in rows if row[3] == "0A" and row[1].endswith(f":{server.port:04X}")}
    assert local == {f"0100007F:{server.port:04X}"}
    with socket.socket(socket.AF_INET6) as trial, pytest.raises(OSError, match=r"refused|assign|family"):
        trial.connect(("::1", server.port))


def test_the_secret_is_on_no_disk_and_in_no_list_of_processes(server: UiServer, visitor: dict[str, Any]) -> None:
    folder = Path(server.environment["HOME"], ".local/state/execpolicy/inbox")
    assert stat.S_IMODE(os.lstat(folder).st_mode) == 0o700
    for path in folder.iterdir():
        assert stat.S_IMODE(os.lstat(path).st_mode) == 0o600
    assert sorted(path.name for path in folder.iterdir()) in (["socket"], ["audit.jsonl", "socket"])
    assert server.key.encode() not in Path(f"/proc/{server.process.pid}/cmdline").read_bytes()


HOSTILE = "git push '<script>alert(1)</script>' \"&quot;><img src=x onerror=alert(2)>\" \x1b[2J \u202e \u3164 ${x}"


def test_a_command_is_text_whatever_stands_in_it(server: UiServer, visitor: dict[str, Any]) -> None:
    call = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": HOSTILE},
        "session_id": "<b>",
    }
    hook = start_hook(server.environment, call=call)
    (one,) = until(lambda: listed(server.environment))
    fragment = server.request("GET", f"/inbox/question/{one['id']}", headers=without(visitor, "origin"))[2]
    rows = server.request("GET", "/inbox/questions", headers=without(visitor, "origin"))[2]
    for text in (fragment, rows):
        assert not {"\x1b", "\u202e", "\u3164"} & set(text)
    assert "<script" not in fragment
    assert "<img" not in fragment
    assert "<b>" not in fragment
    assert r"\u{202e}" in fragment
    body = json.dumps({"ids": [one["id"]], "answer": "deny", "message": "no </script>"}).encode()
    status, _, text = server.request("POST", "/inbox/answer", body=body, headers=without(visitor))
    assert (status, json.loads(text)["done"]) == (200, [f"{one['id']}: deny"])
    assert decision(hook) == ("deny", "execpolicy: denied by the user: no </script>")


def asked(server: UiServer, command: str, question: dict[str, Any] | None = None) -> socket.socket:
    """A question in the inbox, which waits as long as the connection is open."""
    folder = os.open(Path(server.environment["HOME"], ".local/state/execpolicy/inbox"), os.O_RDONLY)
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(f"/proc/self/fd/{folder}/socket")
    os.close(folder)
    usual = {"source": "hook", "agent": "claude", "commands": [command], "cwd": "/"}
    connection.sendall(json.dumps({"do": "ask", "question": question or usual}).encode() + b"\n")
    return connection


def take(connection: socket.socket) -> None:
    """Take the answer as who asks does."""
    said = b""
    while b'"answer"' not in said:
        block = connection.recv(1 << 16)
        assert block
        said += block
    connection.sendall(b'{"taken": true}\n')


@pytest.mark.parametrize(
    "question",
    [
        {"commands": ["git push \ud800"], "reason": "\udfff", "cwd": "/\udc80"},
        {"commands": ["git push"], "cwd": "/a\0b"},
        {"commands": ["git push"], "cwd": "relative/../.."},
        {"commands": ["git push"], "rules": ["FIFO"]},
        {"commands": ["git push"], "rules": ["/dev/zero"]},
        {"commands": ["git push"], "shell": "no\nshell"},
        {"commands": [["", "a"]], "root": "\0"},
        {"commands": ["(" * 50_000]},
        {"commands": [], "tool": "\ud800", "arguments": {"\udc00": ["<b>"] * 100}},
        {"changes": {"/a\0": {"kind": 7, "unified_diff": ["x"], "content": None}}},
        {"agent": "\x1b[2J", "session": "\u202e", "commands": ["\n" * 1000]},
    ],
)
def test_whatever_is_asked_can_be_looked_at_and_denied(
    server: UiServer, visitor: dict[str, Any], question: dict[str, Any], tmp_path: Path
) -> None:
    if question.get("rules") == ["FIFO"]:
        os.mkfifo(tmp_path / "fifo.rules")
        question = {**question, "rules": [str(tmp_path / "fifo.rules")]}
    connection = asked(server, "", {"source": "hook", **question})
    headers = without(visitor, "origin")
    try:
        rows = until(lambda: json.loads(server.request("GET", "/inbox/questions", headers=headers)[2])["questions"])
        (one,) = rows
        started = server.processor_seconds()
        status, _, fragment = server.request("GET", f"/inbox/question/{one['id']}", headers=headers)
        assert (status, "answer-deny" in fragment) == (200, True)
        assert server.processor_seconds() - started < 5
        assert server.request("GET", f"/inbox/text/{one['id']}", headers=headers)[0] == 200
        taking = threading.Thread(target=take, args=(connection,))
        taking.start()
        body = json.dumps({"ids": [one["id"]], "answer": "deny"}).encode()
        text = server.request("POST", "/inbox/answer", body=body, headers=without(visitor))[2]
        taking.join()
        assert json.loads(text)["done"] == [f"{one['id']}: deny"]
    finally:
        connection.close()
        until(lambda: not listed(server.environment))


def test_a_megabyte_of_command_is_shown_in_part(server: UiServer, visitor: dict[str, Any]) -> None:
    command = "rm -rf '" + "<b>" * 333_000 + "'"
    connection = asked(server, command)
    (one,) = until(lambda: listed(server.environment))
    assert one["cut"] > 900_000
    started = server.processor_seconds()
    fragment = server.request("GET", f"/inbox/question/{one['id']}", headers=without(visitor, "origin"))[2]
    assert server.processor_seconds() - started < 2
    assert len(fragment) < 300_000
    assert "characters are not shown here" in fragment
    status, headers, text = server.request("GET", f"/inbox/text/{one['id']}", headers=without(visitor, "origin"))
    assert (status, headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert text == command
    connection.close()
    until(lambda: not listed(server.environment))


def test_a_thousand_questions_and_an_answer_within_a_tenth_of_a_second(
    server: UiServer, visitor: dict[str, Any]
) -> None:
    asking = [asked(server, f"make t{at}") for at in range(1_000)]
    ids = until(lambda: len(found := listed(server.environment)) == 1_000 and [one["id"] for one in found])
    headers = without(visitor, "origin")
    server.request("GET", f"/inbox/question/{ids[0]}", headers=headers)
    times = []
    for _ in range(7):
        started = server.processor_seconds()
        assert server.request("GET", "/inbox/questions", headers=headers)[0] == 200
        times.append(server.processor_seconds() - started)
    assert sorted(times)[3] < 0.1, times
    body = json.dumps({"ids": ids, "answer": "deny"}).encode()
    taking = threading.Thread(target=lambda: [take(connection) for connection in asking])
    taking.start()
    text = server.request("POST", "/inbox/answer", body=body, headers=without(visitor))[2]
    taking.join()
    assert len(json.loads(text)["done"]) == 1_000
    for connection in asking:
        connection.close()


def test_what_agents_run_to_reach_the_page_is_asked_about(server: UiServer) -> None:
    for script in (
        f"curl -s {server.origin}/inbox",
        f"curl -s {server.address}",
        "curl --unix-socket ~/.local/state/execpolicy/inbox/socket http://x/",
        "cat ~/.local/state/execpolicy/inbox/open.html",
        "head -1 ~/.local/state/execpolicy/inbox/audit.jsonl > ~/.local/state/execpolicy/inbox/x",
        "execpolicy ui --no-browser",
        "execpolicy inbox answer x once",
        "script -qc 'execpolicy inbox answer x once' /dev/null",
        f"wget -qO- {server.origin}",
        "nc -U ~/.local/state/execpolicy/inbox/socket",
        f"chromium {server.address}",
    ):
        done = subprocess.run(
            [sys.executable, "-m", "execpolicy", "check", "--script", script],
            env=server.environment,
            capture_output=True,
            check=True,
        )
        assert json.loads(done.stdout)["decision"] == "prompt", script
