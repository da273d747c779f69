"""``execpolicy ui`` itself: how the browser is opened, the second call, the end, and what ``install`` writes for it."""

import json
import os
import re
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.e2e.test_inbox_terminal import EXECPOLICY, at_a_terminal, until
from tests.support.running import run_captured
from tests.support.ui_server import UiServer, environment_of

pytestmark = pytest.mark.slow

BROWSER = """#!/bin/sh
path=${1#file://}
stat -c %a "$path" > "$HOME/mode"
cp "$path" "$HOME/opened"
"""


def test_the_browser_is_opened_by_way_of_a_file_of_the_users(tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(BROWSER)
    browser.chmod(0o755)
    environment = {**environment_of(tmp_path), "BROWSER": f"{browser} %s"}
    ui = subprocess.Popen([*EXECPOLICY, "ui"], env=environment, stdout=subprocess.PIPE, encoding="utf-8", cwd=tmp_path)
    try:
        opened = tmp_path / "opened"
        text = until(lambda: opened.exists() and opened.read_text())
        assert re.search(r"url=http://127\.0\.0\.1:\d+/open\?key=\S{40,}", text)
        assert (tmp_path / "mode").read_text() == "600\n"
        key = text.partition("key=")[2].partition('"')[0]
        assert key.encode() not in Path(f"/proc/{ui.pid}/cmdline").read_bytes()
        assert ui.stdout is not None
        assert key not in ui.stdout.readline()
    finally:
        ui.terminate()
        ui.communicate(timeout=120)
    assert ui.returncode == 0
    folder = tmp_path / ".local/state/execpolicy/inbox"
    assert [path.name for path in folder.iterdir() if path.name != "audit.jsonl"] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_in_order_while_a_window_is_open(tmp_path: Path, number: int) -> None:
    server = UiServer(tmp_path)
    cookie = server.enter()["cookie"]
    with socket.create_connection(("127.0.0.1", server.port)) as window:
        window.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nCookie: {cookie}\r\n\r\n".encode())
        assert b"200 OK" in window.recv(1000)
        server.process.send_signal(number)
        server.wait()
    assert server.process.returncode == 0
    assert not (tmp_path / ".local/state/execpolicy/inbox/socket").exists()


def test_it_ends_at_once_while_a_long_replay_runs(tmp_path: Path) -> None:
    rows = [json.dumps({"command": f"make t{at} && cat f{at} | grep x{at} > out{at}"}) for at in range(40_000)]
    (tmp_path / "long.jsonl").write_text("\n".join(rows))
    server = UiServer(tmp_path)
    visitor = server.enter()
    headers = {name: value for name, value in visitor.items() if name != "set"}
    body = json.dumps({"histories": str(tmp_path / "long.jsonl")}).encode()
    with ThreadPoolExecutor(1) as asking:
        answer = asking.submit(server.request, "POST", "/history/replay", body=body, headers=headers)
        until(lambda: server.processor_seconds() > 2)
        assert not answer.done()
        started = time.monotonic()
        server.process.send_signal(signal.SIGINT)
        server.wait()
        assert (
            time.monotonic() - started < 40
        )  # it takes a moment; the replay would take a minute, and longer on a busy machine
        assert answer.result()[0] == 503
    assert server.process.returncode == 0


def test_a_second_call_gives_a_person_another_address(tmp_path: Path) -> None:
    server = UiServer(tmp_path)
    try:
        status, said = at_a_terminal(server.environment, "ui", "--no-browser")
        assert status == 0
        address = re.search(rf"{server.origin}(/open\?key=\S+)", said)
        assert address is not None
        assert server.request("GET", address[1])[0] == 200
        alone = subprocess.run(
            [*EXECPOLICY, "ui"], env=server.environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        if b"/open?key=" in alone.stdout:  # the tests themselves run at a terminal
            assert os.isatty(0)
        else:
            assert b"for a person" in alone.stderr
    finally:
        server.stop()


def test_a_port_that_is_taken_is_an_error(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run_captured(
            [*EXECPOLICY, "ui", "--no-browser", "--port", str(taken.getsockname()[1])], env=environment_of(tmp_path)
        )
    assert done.returncode == 2
    assert "name another with --port" in done.stderr


def test_without_its_libraries_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "starlette.py").write_text("raise ImportError('no', name='starlette')")
    environment = environment_of(tmp_path)
    environment["PYTHONPATH"] = f"{tmp_path}{os.pathsep}{environment['PYTHONPATH']}"
    done = run_captured([*EXECPOLICY, "ui"], env=environment, cwd=tmp_path)
    assert done.returncode == 1
    assert "pip install 'execpolicy[ui]'" in done.stderr


def test_install_gives_the_agent_the_patience_for_it(tmp_path: Path) -> None:
    environment = environment_of(tmp_path)
    for agent, file, found in (
        ("claude", ".claude/settings.json", '"timeout": 330'),
        ("gemini", ".gemini/settings.json", '"timeout": 330000'),
        ("opencode", ".config/opencode/plugin/execpolicy.js", "PATIENCE = 320000 "),
    ):
        run_captured([*EXECPOLICY, "install", agent, "--on-prompt", "inbox"], env=environment, check=True)
        text = (tmp_path / file).read_text()
        assert found in text
        assert "inbox" in text
    for agent in ("cline", "amp", "windsurf"):
        done = run_captured([*EXECPOLICY, "install", agent, "--on-prompt", "inbox"], env=environment)
        assert (done.returncode, "cannot be told to wait" in done.stderr) == (1, True)
    settings = json.loads((tmp_path / ".claude/settings.json").read_text())
    (entry,) = settings["hooks"]["PreToolUse"]
    call = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "make"},
        "cwd": str(tmp_path),
    }
    done = run_captured(["/bin/sh", "-c", entry["hooks"][0]["command"]], input=json.dumps(call), env=environment)
    assert "execpolicy ui" in json.loads(done.stdout)["hookSpecificOutput"]["permissionDecisionReason"]
