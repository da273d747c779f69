"""Another user of the machine, who knows where everything lies and even has the secrets: nothing of it helps."""

import encodings.idna  # noqa: F401  # another user cannot read where Python lies
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from execpolicy.inbox.inbox_call import call_inbox
from execpolicy.inbox.peer import account_of, owner_of_connection, process_row
from execpolicy.inbox.waiting import InboxClosedError, connected_socket, listening_socket
from tests.e2e.test_inbox_terminal import listed, until
from tests.e2e.test_page_security import asked, without
from tests.support.ui_server import UiServer, environment_of

STRANGER = 54_321
"""A user without an account: the kernel asks for none."""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")


def stranger(work: Callable[[], object]) -> str:
    """What comes of ``work`` where another user does it: its value, or its exception."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(STRANGER, STRANGER, STRANGER)
            os.setresuid(STRANGER, STRANGER, STRANGER)
            said = repr(work())
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writing, said.encode(errors="replace")[:60_000])
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as file:
        said = file.read()
    os.waitpid(child, 0)
    return said


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A home that everybody may enter, as many are: what is in it has to protect itself."""
    folder = Path(tempfile.mkdtemp(prefix="execpolicy-home-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[UiServer]:
    started = UiServer(home)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def visitor(server: UiServer) -> dict[str, Any]:
    """The secrets of the user's own browser; a stranger tried the first address before, and did not use it up."""
    assert stranger(lambda: server.request("GET", f"/open?key={server.key}")[0]) == "403"
    return server.enter()


def folder_of(environment: dict[str, str]) -> Path:
    return Path(environment["HOME"], ".local/state/execpolicy/inbox")


@as_root
@pytest.mark.slow
def test_neither_folder_nor_socket_nor_trail_is_reachable(server: UiServer) -> None:
    folder = folder_of(server.environment)
    with closing(asked(server, "git push")):
        until(lambda: listed(server.environment))
        for work in (
            lambda: os.listdir(folder),
            lambda: (folder / "audit.jsonl").read_text(),
            lambda: (folder / "x").write_text("x"),
            lambda: os.rename(folder, f"{folder}2"),
            lambda: os.symlink("/tmp", f"{folder}/open.html"),
            lambda: socket.socket(socket.AF_UNIX).connect(str(folder / "socket")),
        ):
            assert stranger(work).startswith("PermissionError: "), stranger(work)
        for request in ({"do": "list"}, {"do": "address"}, {"do": "answer", "id": "x", "answer": "once"}):
            said = stranger(lambda request=request: call_inbox(request, server.environment))
            assert said.startswith("InboxClosedError: "), said
    assert (folder / "audit.jsonl").exists()


@as_root
@pytest.mark.slow
def test_the_secrets_of_the_page_open_nothing_for_another_user(server: UiServer, visitor: dict[str, Any]) -> None:
    """Cookies go to every port of an address, so another user's server may have been told one."""
    answer = json.dumps({"ids": ["x"], "answer": "once"}).encode()
    for headers in ({}, {"cookie": "execpolicy_1=x"}, without(visitor, "origin"), without(visitor)):
        for path in ("/inbox", "/inbox/questions", "/policy", "/events", "/static/page.js"):
            assert stranger(lambda path=path, headers=headers: server.request("GET", path, headers=headers)[0]) == "403"
        said = stranger(
            lambda headers=headers: server.request("POST", "/inbox/answer", body=answer, headers=headers)[0]
        )
        assert said == "403"
    assert server.request("GET", "/inbox", headers=without(visitor, "origin"))[0] == 200


@as_root
@pytest.mark.slow
def test_the_process_tells_nothing(server: UiServer, visitor: dict[str, Any]) -> None:
    place = Path(f"/proc/{server.process.pid}")
    for name in ("environ", "maps", "mem"):
        assert stranger(lambda name=name: (place / name).open("rb").read(1)).startswith("PermissionError: ")
    assert stranger(lambda: os.listdir(place / "fd")).startswith("PermissionError: ")
    assert stranger(lambda: os.kill(server.process.pid, 15)).startswith("PermissionError: ")
    command = stranger(lambda: (place / "cmdline").read_bytes())
    assert "execpolicy" in command
    for secret in (server.key, visitor["x-execpolicy-key"], visitor["cookie"].partition("=")[2]):
        assert secret not in command


@as_root
@pytest.mark.slow
def test_the_file_that_opens_the_browser_is_read_by_its_user_alone() -> None:
    home = Path(tempfile.mkdtemp(prefix="execpolicy-home-"))
    home.chmod(0o755)
    environment = {**environment_of(home), "BROWSER": "/bin/true"}
    started = subprocess.Popen(
        [sys.executable, "-m", "execpolicy", "ui"], env=environment, cwd=home, stdout=subprocess.PIPE
    )
    try:
        path = folder_of(environment) / "open.html"
        assert "/open?key=" in until(lambda: path.exists() and path.read_text())
        assert path.stat().st_mode & 0o777 == 0o600
        assert stranger(path.read_text).startswith("PermissionError: ")
        assert stranger(lambda: os.unlink(path)).startswith("PermissionError: ")
    finally:
        started.terminate()
        started.communicate(timeout=60)
        assert not path.exists()
        shutil.rmtree(home)


@as_root
@pytest.mark.parametrize("trick", ["folder", "symlink", "symlink to a folder of the user's", "open to all"])
def test_a_place_that_somebody_else_prepared_is_not_used(trick: str) -> None:
    """Where the state lies in a folder that all can write to (``XDG_STATE_HOME=/tmp/…``)."""
    base = Path(tempfile.mkdtemp(prefix="execpolicy-shared-"))
    try:
        base.chmod(0o777)
        folder = base / "inbox"
        own = base / "own"
        own.mkdir(mode=0o700)
        theirs = base / "theirs"
        preparing: dict[str, Callable[[], Any]] = {
            "folder": lambda: folder.mkdir(mode=0o700),
            "symlink": lambda: (theirs.mkdir(mode=0o777), folder.symlink_to(theirs)),
            "symlink to a folder of the user's": lambda: folder.symlink_to(own),
            "open to all": lambda: None,
        }
        stranger(preparing[trick])
        if trick == "open to all":
            folder.mkdir()
            folder.chmod(0o777)
        for using in (listening_socket, connected_socket):
            with pytest.raises(InboxClosedError, match=r"belongs to another user|is not a folder|others can enter"):
                using(str(folder))
        assert os.listdir(own) == []
    finally:
        shutil.rmtree(base)


@as_root
def test_whose_a_connection_is() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            assert owner_of_connection(client.getsockname()[1], port) == os.getuid()

        def owner_of_own() -> int | None:
            with socket.create_connection(("127.0.0.1", port)) as client:
                return owner_of_connection(client.getsockname()[1], port)

        assert stranger(owner_of_own) == str(STRANGER)
        assert owner_of_connection(1, port) is None


def test_a_user_and_a_terminal_by_their_names() -> None:
    assert account_of(0) == "root (uid 0)"
    assert account_of(STRANGER) == f"uid {STRANGER}"
    row = process_row(os.getpid())
    assert row is not None
    assert row._replace(terminal=136 << 8 | 3).terminal_name == "/dev/pts/3"
    assert row._replace(terminal=137 << 8 | 1).terminal_name == "/dev/pts/257"
    assert row._replace(terminal=4 << 8 | 1).terminal_name == "terminal 4:1"
