"""``execpolicy run --network``: network rules, and the person, decide about connections from a real sandbox."""

from __future__ import annotations

import http.server
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from execpolicy.approvals.network import _forwarded, _is_local
from execpolicy.approvals.sandbox.bubblewrap import BubblewrapSandbox

pytestmark = pytest.mark.slow

_NO_SANDBOX = BubblewrapSandbox().problem()
_CONFINED = [
    pytest.mark.slow,
    pytest.mark.skipif(_NO_SANDBOX is not None, reason=f"commands cannot be confined here: {_NO_SANDBOX}"),
    pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed"),
]


class _Served:
    """A server of this machine that is asked for by name, and what it was asked."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str | None]] = []
        served = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                served.requests.append((self.path, self.headers.get("Host")))
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"hello from outside\n")

            def log_message(self, *args: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def served() -> Iterator[_Served]:
    found = _Served()
    yield found
    found.server.shutdown()
    found.server.server_close()


class _Place:
    def __init__(self, folder: Path) -> None:
        self.rules = folder / "test.rules"
        self.folder = folder
        self.env = {
            "HOME": str(folder),
            "PATH": "/usr/bin:/bin",
            "TERM": "dumb",
            "EXECPOLICY_SESSION": "test",
            "LANG": "C.UTF-8",
        }

    def argv(self, script: str, *options: str) -> list[str]:
        return ["-m", "execpolicy", "run", "-r", str(self.rules), *options, "--script", script]

    def run(self, rules: str, script: str, *options: str) -> tuple[str, int]:
        """What it printed, and its status; no one can be asked."""
        self.rules.write_text(rules)
        done = subprocess.run(
            [sys.executable, *self.argv(script, "--approval", "never", *(options or ("--network",)))],
            env=self.env,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
            start_new_session=True,
        )
        return done.stdout.decode(), done.returncode

    def asked(self, rules: str, script: str, *answers: str) -> tuple[list[str], str]:
        """The questions about connections, and what was printed at last."""
        self.rules.write_text(rules)
        child = pexpect.spawn(
            sys.executable,
            self.argv(script, "--approval", "on-request", "--network"),
            env=self.env,
            cwd=str(self.folder),
            encoding="utf-8",
            timeout=60,
            echo=False,
            dimensions=(50, 200),
        )
        questions = []
        for answer in answers:
            child.expect("answer: ")
            questions.append(str(child.before).replace("\r\n", "\n"))
            child.sendline(answer)
        child.expect(pexpect.EOF)
        child.close()
        return questions, str(child.before).replace("\r\n", "\n")


@pytest.fixture
def place(tmp_path: Path) -> _Place:
    return _Place(tmp_path)


def _rule(decision: str, protocol: str = "http", host: str = "localhost") -> str:
    return f'network_rule(host="{host}", protocol="{protocol}", decision="{decision}", justification="as agreed")\n'


def _get(served: _Served, *options: str) -> str:
    """A request that uses the proxy, as for any host but this one."""
    return f"curl -s --max-time 20 --noproxy '' {' '.join(options)} http://localhost:{served.port}/path?q=1"


def _unseen(place: _Place, served: _Served) -> str:
    """The same request, whose host no word of the command names."""
    (place.folder / "get.sh").write_text(_get(served))
    return "sh get.sh"


class TestByRules:
    pytestmark = _CONFINED

    def test_what_a_rule_allows_is_reached(self, place: _Place, served: _Served) -> None:
        assert place.run(_rule("allow"), _get(served)) == ("hello from outside\n", 0)
        assert served.requests == [("/path?q=1", f"localhost:{served.port}")]

    def test_what_a_rule_forbids_is_not(self, place: _Place, served: _Served) -> None:
        refused = "execpolicy: not run: connecting to `localhost` is forbidden: as agreed\n"
        assert place.run(_rule("deny"), _get(served)) == (refused, 126)
        assert place.run(_rule("deny"), _unseen(place, served)) == ("execpolicy: as agreed\n", 0)
        assert place.run(_rule("allow") + _rule("deny"), _unseen(place, served))[0] == "execpolicy: as agreed\n"
        assert served.requests == []

    def test_without_a_rule_and_without_a_person_nothing_is(self, place: _Place, served: _Served) -> None:
        said, _ = place.run(_rule("allow", host="other.test"), _get(served))
        assert said == "execpolicy: no rule allows http to localhost, and no one may be asked\n"
        assert served.requests == []

    def test_the_audit_says_what_was_connected_and_what_was_not(self, place: _Place, served: _Served) -> None:
        audit = place.folder / "audit.jsonl"
        twice = f"{_get(served)}; {_get(served)}; curl -s --max-time 20 --noproxy '' http://other.test/"
        place.run(_rule("allow"), twice, "--network", "--audit", str(audit))
        entries = [entry for entry in map(json.loads, audit.read_text().splitlines()) if entry["event"] == "network"]
        told = [(entry["host"], entry["protocol"], entry["decision"], entry["by"]) for entry in entries]
        assert told == [("localhost", "http", "allowed", "policy"), ("other.test", "http", "denied", "policy")]
        assert entries[1]["reason"] == "no rule allows http to other.test, and no one may be asked"

    def test_a_rule_speaks_for_its_protocol_alone(self, place: _Place, served: _Served) -> None:
        tunnel, socks = _get(served, "--proxytunnel"), _get(served, "--proxy", 'socks5h://"$EXECPOLICY_PROXY"')
        for script, protocol in ((tunnel, "https"), (socks, "socks5_tcp")):
            assert place.run(_rule("allow"), script)[0] == ""
            assert place.run(_rule("deny", protocol), script)[0] == ""
            assert place.run(_rule("allow", protocol), script) == ("hello from outside\n", 0)
        assert len(served.requests) == 2

    def test_what_does_not_use_the_proxy_reaches_nothing(self, place: _Place, served: _Served) -> None:
        direct = f"curl -s --max-time 5 --noproxy '*' http://127.0.0.1:{served.port}/; echo $?"
        assert place.run(_rule("allow") + _rule("allow", host="127.0.0.1"), direct)[0] == "7\n"
        assert served.requests == []

    def test_the_way_out_is_there_with_the_option_alone(self, place: _Place, served: _Served) -> None:
        script = f"echo ${{EXECPOLICY_PROXY:-none}}; {_get(served)}; echo $?"
        assert place.run(_rule("allow"), script, "--sandbox", "workspace-write")[0].startswith("none\n")
        assert served.requests == []
        unseen = f"echo ${{EXECPOLICY_PROXY:-none}}; {_unseen(place, served)}; echo $?"
        open_network = place.run(_rule("deny"), unseen, "--open-network")
        assert open_network[0] == "none\nhello from outside\n0\n"

    def test_a_rule_for_the_command_does_not_lead_around_them(self, place: _Place, served: _Served) -> None:
        curl = 'prefix_rule(pattern=["curl"])\n'
        for rules in (curl, curl + _rule("deny")):
            place.run(rules, f"curl -s --max-time 20 http://localhost:{served.port}/")
        assert served.requests == []
        assert place.run(curl + _rule("allow"), _get(served)) == ("hello from outside\n", 0)

    @pytest.mark.parametrize(
        "options", [("--sandbox", "danger-full-access"), ("--preset", "full-access"), ("--open-network",)]
    )
    def test_it_is_not_promised_where_nothing_asks_them(self, place: _Place, options: tuple[str, ...]) -> None:
        said, status = place.run("", "true", "--network", *options)
        assert (status, "no rule governs it otherwise" in " ".join(said.split())) == (2, True)

    @pytest.mark.parametrize(
        "program",
        [
            "curl -sS {}",
            "wget -qO- {}",
            'python3 -c \'import urllib.request as r; print(r.urlopen("{}").read().decode(), end="")\'',
        ],
    )
    def test_programs_reach_a_server_of_this_machine_that_a_rule_names(
        self, place: _Place, served: _Served, program: str
    ) -> None:
        if shutil.which(program.split()[0], path=place.env["PATH"]) is None:
            pytest.skip(f"{program.split()[0]} is not installed")
        url = f"http://localhost:{served.port}/"
        place.env["NO_PROXY"] = "*"
        assert place.run(_rule("allow"), program.format(url)) == ("hello from outside\n", 0)
        assert place.run(_rule("deny"), program.format(url))[1] != 0
        assert len(served.requests) == 1

    def test_a_server_of_the_command_is_reached_in_the_sandbox(self, place: _Place) -> None:
        own = "python3 -m http.server 8017 --bind 127.0.0.1 2> /dev/null & "
        fetch = "curl -s --retry 40 --retry-delay 1 --retry-connrefused http://localhost:8017/test.rules; kill $!"
        assert place.run("# mine\n", own + fetch) == ("# mine\n", 0)

    def test_many_connections_at_once_and_statuses_of_the_command(self, place: _Place, served: _Served) -> None:
        script = f"for i in 1 2 3 4 5 6 7 8; do {_get(served)} & done; wait; exit 7"
        assert place.run(_rule("allow"), script) == ("hello from outside\n" * 8, 7)
        assert place.run(_rule("allow"), "exec /nonexistent/program")[1] in (126, 127)

    def test_a_broken_request_is_answered_and_the_proxy_goes_on(self, place: _Place, served: _Served) -> None:
        script = (
            "exec 3<>/dev/tcp/127.0.0.1/${EXECPOLICY_PROXY#*:}; printf 'nonsense\\r\\n\\r\\n' >&3; head -1 <&3; "
            "exec 4<>/dev/tcp/127.0.0.1/${EXECPOLICY_PROXY#*:}; printf 'GET /x HTTP/1.1\\r\\n\\r\\n' >&4; head -1 <&4; "
            + _get(served)
        )
        said, _ = place.run(_rule("allow"), script)
        assert said == "HTTP/1.1 400 Bad Request\r\n" * 2 + "hello from outside\n"


class TestByThePerson:
    pytestmark = _CONFINED

    def test_one_question_for_all_connections_of_a_run(self, place: _Place, served: _Served) -> None:
        twice = f"{_get(served)}; {_get(served)}"
        questions, said = place.asked("", twice, "y")
        assert "may this connect?\n  │ http to localhost, port" in questions[0]
        assert said.count("hello from outside") == 2
        questions, said = place.asked("", twice, "n")
        assert (len(questions), said.count("execpolicy: http to localhost was denied")) == (1, 2)

    def test_for_the_session(self, place: _Place, served: _Served) -> None:
        assert "hello from outside" in place.asked("", _get(served), "s")[1]
        assert "hello from outside" in place.asked("", _get(served))[1]
        place.env["EXECPOLICY_SESSION"] = "another"
        assert "was denied" in place.asked("", _get(served), "n")[1]

    @pytest.mark.parametrize(("key", "decision"), [("p", "allow"), ("d", "deny")])
    def test_for_good(self, place: _Place, served: _Served, key: str, decision: str) -> None:
        place.asked("", _get(served), key)
        saved = place.rules.read_text()
        assert saved == f'network_rule(host="localhost", protocol="http", decision="{decision}")\n'
        assert bool(served.requests) is (decision == "allow")
        _, said = place.asked(saved, _get(served))
        assert ("hello from outside" in said) is (decision == "allow")

    def test_a_prompt_rule_says_why(self, place: _Place, served: _Served) -> None:
        questions, _ = place.asked(_rule("prompt"), _unseen(place, served), "n")
        assert "  ? as agreed\n" in questions[0]

    def test_stop_ends_the_command(self, place: _Place, served: _Served) -> None:
        _, said = place.asked("", f"{_get(served)}; echo went on", "q")
        assert "went on" not in said


@pytest.mark.parametrize(
    ("address", "host", "home"),
    [
        ("127.0.0.1", "evil.test", True),
        ("::1", "evil.test", True),
        ("::ffff:127.0.0.1", "evil.test", True),
        ("169.254.169.254", "metadata.test", True),
        ("fe80::1%eth0", "evil.test", True),
        ("0.0.0.0", "evil.test", True),
        ("127.0.0.1", "localhost", False),
        ("127.0.0.1", "127.0.0.1", False),
        ("127.0.0.1", "127.0.0.2", True),
        ("10.1.2.3", "git.corp.test", False),
        ("93.184.216.34", "example.test", False),
    ],
)
def test_a_name_that_leads_home_is_refused_unless_it_says_so(address: str, host: str, home: bool) -> None:
    assert _is_local(address, host) is home


def test_a_request_is_handed_on_to_its_host_alone() -> None:
    headers = b"Host: other.test\r\nProxy-Authorization: x\r\nAccept: */*\r\nConnection: keep-alive\r\n\r\n"
    assert _forwarded("GET", "http://me:pw@example.test:8080?q=1", "HTTP/1.1", headers) == (
        b"GET /?q=1 HTTP/1.1\r\nHost: example.test:8080\r\nAccept: */*\r\nConnection: close\r\n\r\n"
    )
