"""``execpolicy protocol-test``: the reference programs keep every rule, and one that breaks a rule is found by it."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from execpolicy.protocol.conformance import RULES, PeerRun, try_peer
from tests.e2e.protocol.arbiter_program import BOUND, PROGRAM, Arbitration
from tests.support.running import run_captured

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[3] / "docs" / "protocol" / "examples"
NODE = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed: its example cannot run")


@pytest.mark.parametrize(
    ("program", "options"),
    [
        pytest.param([sys.executable, str(EXAMPLES / "child.py")], [], id="child-python"),
        pytest.param(["node", str(EXAMPLES / "child.mjs")], [], id="child-node", marks=NODE),
        pytest.param([sys.executable, str(EXAMPLES / "host.py")], ["--host"], id="host-python"),
        pytest.param(["node", str(EXAMPLES / "host.mjs")], ["--host"], id="host-node", marks=NODE),
    ],
)
def test_the_reference_programs_keep_every_rule(program: list[str], options: list[str]) -> None:
    done = run_captured([*PROGRAM, "protocol-test", "--within", "20", *options, "--", *program], timeout=4 * BOUND)
    number = sum(("host" if options else "child") in rule.peers for rule in RULES)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"all {number} rules hold"), done.stdout
    assert "BROKEN" not in done.stdout


def test_a_host_is_reached_whatever_the_length_of_the_path(tmp_path: Path) -> None:
    """A socket's path holds a hundred characters."""
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    done = run_captured(
        [
            *PROGRAM,
            "protocol-test",
            "--within",
            "60",
            "--rule",
            "deny",
            "--host",
            "--",
            sys.executable,
            EXAMPLES / "host.py",
        ],
        env={**os.environ, "TMPDIR": str(folder)},
        timeout=4 * BOUND,
    )
    assert done.returncode == 0, (done.stdout, done.stderr)


BREAKS = [
    ("asks", "requires_policy=True", "requires_policy=False"),
    ("asks", "    gate = Gate()\n", "    subprocess.run(sys.argv[1:])\n    gate = Gate()\n"),
    ("asks", '{"argv": sys.argv[1:], "cwd"', '{"argv": sys.argv[1:], "script": "ls", "cwd"'),
    ("asks", '    id, why_not = gate.ask("shell"', '    return 0\n    id, why_not = gate.ask("shell"'),
    ("allow", '!= "allow"', '!= "permit"'),
    ("reports", '    say("tool.result", id, ok=status == 0)\n', ""),
    ("reports", '    say("tool.result", id, ok=status == 0)\n', '    say("tool.result", "mine", ok=status == 0)\n'),
    ("reports", '    say("tool.result", id, ok=status == 0)\n', '    say("tool.result", id, ok=True)\n' * 2),
    ("deny", '        return str(decision.get("reason"))\n', "        return None\n"),
    ("deny", "ok=False, error=why_not", "ok=True"),
    ("ask", '!= "allow"', 'not in ("allow", "ask")'),
    ("words", 'if decision.get("decision") != "allow"', 'if decision.get("decision") == "deny"'),
    ("words", 'if decision.get("decision") != "allow"', 'if str(decision.get("decision")).lower() != "allow"'),
    ("words", 'if decision.get("decision") != "allow"', 'if not decision.get("decision")'),
    ("other-id", 'message.get("id") == id and ', ""),
    ("first", "== nonce\n", '== nonce and message.get("decision") == "allow"\n'),
    ("nonce", ' and message.get("request_nonce", nonce) == nonce', ""),
    (
        "fresh",
        '    if why_not is not None:\n        say("tool',
        '    if why_not and gate.ask("x", {}, ""):\n        say("tool',
    ),
    ("silence", 'return id, "policy timeout"', "return id, None"),
    ("ping", 'kind == "policy.ping"', 'kind == "policy.pong"'),
    ("ping", 'str(message.get("id")), capabilities', '"mine", capabilities'),
    ("gone", 'return id, "the policy is gone"', "return id, None"),
    ("gone", "        self._messages.put((time.monotonic(), None))", "        time.sleep(0)"),
    ("expired", "holds is not None and", "holds and"),
    ("limited", 'if decision.get("constraints"):', "if False:"),
    ("abort", "self.aborted = True", "pass"),
    ("garbage", "except ValueError:", "except KeyError:"),
    ("garbage", "isinstance(message, dict) and ", ""),
    ("version", ' and message["v"] == 1', ""),
    ("version", 'type(message.get("v")) is int and message["v"] == 1', 'str(message.get("v")) == "1"'),
    ("pieces", "for line in sys.stdin.buffer:", "while line := os.read(0, 65536):"),
    ("prefix", "(PREFIX + json.dumps(body)", "(json.dumps(body)"),
    ("run-id", 'body["run_id"] = RUN_ID', 'body["run_id"] = "mine"'),
]


@pytest.mark.parametrize(("rule", "right", "wrong"), BREAKS, ids=[f"{one[0]}-{at}" for at, one in enumerate(BREAKS)])
def test_a_child_that_breaks_a_rule_is_found(rule: str, right: str, wrong: str, tmp_path: Path) -> None:
    text = (EXAMPLES / "child.py").read_text("utf-8")
    assert text.count(right) == 1
    if rule == "fresh":
        text = text.replace('f"call-{secrets.token_hex(4)}"', '"call"')
    broken = tmp_path / "child.py"
    broken.write_text(text.replace(right, wrong), "utf-8")
    [report] = try_peer([sys.executable, "-S", str(broken)], "child", within=4, names=[rule])
    assert report.holds is False, report


def test_the_last_words_of_a_child_are_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also on a machine so busy that they are read when the child has ended."""
    take = PeerRun._take

    def late(run: PeerRun, line: bytes) -> None:
        time.sleep(0.2)
        take(run, line)

    monkeypatch.setattr(PeerRun, "_take", late)
    test_a_child_that_breaks_a_rule_is_found("deny", "ok=False, error=why_not", "ok=True", tmp_path)


def test_every_rule_has_a_child_that_breaks_it() -> None:
    assert {rule for rule, _, _ in BREAKS} == {rule.name for rule in RULES if "child" in rule.peers}


HOST_BREAKS = [
    ("ask", 'gatekeeper.answer(decision, "unavailable")', '{**decision, "decision": "allow"}'),
    ("ask", 'gatekeeper.answer(decision, "unavailable")', 'gatekeeper.answer(decision, "once")'),
    ("deny", 'return decision.get("decision") == "allow"', 'return decision.get("decision")'),
    ("other-id", ' and message.get("id") == id', ""),
    ("limited", 'not decision.get("constraints")', "True"),
    ("gone", '"decision": "deny", "reason"', '"decision": "allow", "reason"'),
]


@pytest.mark.parametrize(("rule", "right", "wrong"), HOST_BREAKS)
def test_a_host_that_breaks_a_rule_is_found(rule: str, right: str, wrong: str, tmp_path: Path) -> None:
    text = (EXAMPLES / "host.py").read_text("utf-8")
    assert text.count(right) == 1
    broken = tmp_path / "host.py"
    broken.write_text(text.replace(right, wrong), "utf-8")
    [report] = try_peer([sys.executable, "-S", str(broken)], "host", within=2, names=[rule])
    assert report.holds is False, report


def test_the_report_as_json_the_place_of_the_marker_and_what_does_not_apply(tmp_path: Path) -> None:
    plain = tmp_path / "child.py"
    plain.write_text(
        (EXAMPLES / "child.py").read_text("utf-8").replace("requires_policy=True, nonce=nonce", "requires_policy=True")
    )
    done = run_captured(
        [*PROGRAM, "protocol-test", "--rule", "nonce", "--rule", "allow", "--format", "json", "--", sys.executable]
        + [str(plain), "sh", "-c", "echo > {marker}"],
        timeout=BOUND,
    )
    body = json.loads(done.stdout)
    assert (done.returncode, body["ok"]) == (0, True)
    assert [(rule["name"], rule["holds"], rule["detail"]) for rule in body["rules"]] == [
        ("allow", True, None),
        ("nonce", None, "it sends no nonce"),
    ]


def test_a_program_that_does_not_start_is_said() -> None:
    done = run_captured([*PROGRAM, "protocol-test", "--", "/nonexistent"], timeout=BOUND)
    assert (done.returncode, "cannot run `/nonexistent`" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "child",
    [
        pytest.param([sys.executable, str(EXAMPLES / "child.py")], id="python"),
        pytest.param(["node", str(EXAMPLES / "child.mjs")], id="node", marks=NODE),
    ],
)
def test_the_reference_children_work_under_the_arbiter(child: list[str], tmp_path: Path) -> None:
    arbitration = Arbitration(tmp_path)
    arbitration.rules.write_text('prefix_rule(pattern=["touch"], decision="allow")\n')

    def run(*command: str) -> tuple[int, bytes, bytes]:
        done = subprocess.run(
            arbitration.argv(child=[*child, *command]),
            cwd=tmp_path,
            env=arbitration.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=BOUND,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    assert run("touch", "made") == (0, b"", b"")
    assert (tmp_path / "made").exists()
    status, out, _ = run("rm", "-rf", "made")
    assert (status, out.startswith(b"not run: no one can be asked")) == (1, True)
    assert (tmp_path / "made").exists()
