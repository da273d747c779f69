"""``execpolicy ui`` as a process of its own, with a home of its own, and a client that speaks to it like a browser."""

import http.client
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def environment_of(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "EXECPOLICY_CACHE")}
    return {**kept, "HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}


class UiServer:
    """The server. ``address`` is the first address, which opens the page once."""

    def __init__(self, home: Path, port: int = 0, *, cwd: Path | None = None) -> None:
        self.environment = environment_of(home)
        self._errors = home / "errors-of-the-server"
        with self._errors.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "execpolicy", "ui", "--no-browser", "--port", str(port)],
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=errors,
                encoding="utf-8",
                cwd=cwd or home,
            )
        assert self.process.stdout is not None
        found = re.match(r"open (http://127\.0\.0\.1:(\d+)/open\?key=(\S+))", self.process.stdout.readline())
        assert found is not None
        self.address = found[1]
        self.port = int(found[2])
        self.key = found[3]
        self.origin = f"http://127.0.0.1:{self.port}"

    def stop(self, *, kill: bool = False) -> None:
        """End it. Whatever was done to it, it has nothing to complain about."""
        (self.process.kill if kill else self.process.terminate)()
        self.wait()

    def wait(self) -> None:
        """Wait for its end."""
        self.process.communicate(timeout=120)
        assert self._errors.read_text() == ""

    def processor_seconds(self) -> float:
        """What it has used so far: the same however busy the machine is."""
        row = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(row[11]) + int(row[12])) / os.sysconf("SC_CLK_TCK")

    def request(
        self, method: str, path: str, *, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers (lower case) and text of one answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, found, answer.read().decode()
        finally:
            connection.close()

    def enter(self) -> dict[str, Any]:
        """Open the first address: the headers of whoever may look and answer."""
        status, headers, text = self.request("GET", f"/open?key={self.key}")
        assert status == 200, text
        cookie = headers["set-cookie"].partition(";")[0]
        key = re.search(r'data-key="([^"]+)"', text)
        assert key is not None
        return {"cookie": cookie, "origin": self.origin, "x-execpolicy-key": key[1], "set": headers["set-cookie"]}
