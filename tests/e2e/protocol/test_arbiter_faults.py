"""What can go wrong, with real processes: nothing hangs, nothing is allowed by accident, the exit status says it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pexpect
import pytest

from tests.e2e.protocol.arbiter_program import PROGRAM, Arbitration, alive, finish, read_until

pytestmark = pytest.mark.slow


@pytest.fixture
def arbitration(tmp_path: Path) -> Arbitration:
    return Arbitration(tmp_path)


BUILD = {"command": "build"}
DEPLOY = {"command": "deploy"}


def left_behind(out: bytes) -> list[int]:
    return [int(pid) for pid in re.findall(rb"left (\d+)", out)]


def test_the_child_dies_in_the_middle_of_a_line(arbitration: Arbitration) -> None:
    ran = arbitration.run([["send", "t", "shell", DEPLOY], ["out", '{"v":1,"type":"tool.request","id":'], ["die"]])
    assert ran.status == 137
    assert ran.out.endswith(b'{"v":1,"type":"tool.request","id":')
    assert len(arbitration.entries("parse_error")) == 1


def test_the_child_closes_its_standard_input_and_asks_on(arbitration: Arbitration) -> None:
    """Section 5.1, point 4: decisions cannot reach it, so the session ends."""
    steps = [["close_stdin"], ["wait", 0.3], ["send", "t", "shell", BUILD], ["wait", 300]]
    ran = arbitration.run(steps, "--grace", "0.2", env={"REFERENCE_CHILD_DEAF": "1"})
    assert ran.status == 125
    assert ran.seconds < 100
    assert b"fatal_error" in ran.err


def test_a_child_that_closes_its_standard_input_and_asks_nothing_is_left_alone(arbitration: Arbitration) -> None:
    ran = arbitration.run([["close_stdin"], ["wait", 0.5], ["out", "fine"]], env={"REFERENCE_CHILD_DEAF": "1"})
    assert (ran.status, ran.out) == (0, b"fine")


def test_a_child_that_never_reads_and_asks_and_leaves(arbitration: Arbitration) -> None:
    steps = [["burst", 2_000, "shell", BUILD], ["exit", 5]]
    ran = arbitration.run(steps, env={"REFERENCE_CHILD_DEAF": "1"})
    assert ran.status == 5


def test_ten_thousand_requests_at_once(arbitration: Arbitration) -> None:
    ran = arbitration.run(
        [["burst", 10_000, "shell", BUILD], ["collect", 10_000]], env={"REFERENCE_CHILD_TIMEOUT": "45"}
    )
    assert ran.lines == ['collected {"allow": 10000}']
    assert len(arbitration.entries("decision")) == 10_000


def test_a_thousand_questions_that_nobody_answers(arbitration: Arbitration) -> None:
    ran = arbitration.run([["burst", 1_000, "shell", DEPLOY], ["collect", 1_000]])
    assert ran.lines == ['collected {"deny": 1000}']


def test_a_flood_of_output_passes_and_decisions_still_come(arbitration: Arbitration) -> None:
    ran = arbitration.run([["flood", 100_000_000], ["request", "t", "shell", BUILD], ["flood", 1_000_000]])
    assert len(ran.out) == 101_000_000 + len(b"t: ran\n")
    assert ran.out[100_000_000:][:7] == b"t: ran\n"
    assert ran.status == 0


def test_output_that_nobody_reads_any_more_ends_the_child(arbitration: Arbitration) -> None:
    process = arbitration.start([["flood", 2_000_000_000]])
    assert process.stdout is not None
    process.stdout.read(1000)
    process.stdout.close()
    assert process.stderr is not None
    process.wait(120)
    assert process.returncode != 0
    process.stderr.close()


def test_a_line_without_end(arbitration: Arbitration) -> None:
    steps = [["hex", (b'{"type":"tool.request"' + b" " * 3_000).hex()], *[["hex", (b" " * 30_000).hex()]] * 3]
    ran = arbitration.run(steps)
    assert len(ran.out) == 22 + 3_000 + 90_000
    assert ran.status == 0


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131)]
)
def test_signals_are_handed_on_and_leave_nothing_behind(arbitration: Arbitration, number: int, status: int) -> None:
    steps = [["spawn", 300, False], ["spawn", 300, True], ["send", "t", "shell", DEPLOY], ["wait", 300]]
    process = arbitration.start(steps)
    out = b""
    while len(left_behind(out)) < 2:
        out += read_until(process, b"\n")
    started = time.monotonic()
    process.send_signal(number)
    ran = finish(process, started)
    assert ran.status == status
    assert ran.seconds < 100
    assert not any(alive(pid) for pid in left_behind(out))
    assert [entry["code"] for entry in arbitration.entries("abort")] == ["user_cancel"]


def test_a_child_that_ignores_everything_is_killed(arbitration: Arbitration) -> None:
    steps = [["ignore", "SIGINT"], ["ignore", "SIGTERM"], ["out", "ready"], ["wait", 300]]
    process = arbitration.start(steps, "--grace", "0.3", env={"REFERENCE_CHILD_STUBBORN": "1"})
    read_until(process, b"ready")
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    ran = finish(process, started)
    assert ran.status == 130
    assert ran.seconds < 100


def children_of(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def process_state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def wait_for_state(pids: list[int], stopped: bool) -> bool:
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline:
        if all((process_state(pid) == "T") is stopped for pid in pids):
            return True
        time.sleep(0.02)
    return False


def test_other_signals_are_handed_on_and_job_control_stops_both(arbitration: Arbitration) -> None:
    script = 'trap "echo got; exit 6" USR1; echo ready; while :; do sleep 0.05; done'
    process = subprocess.Popen(
        arbitration.argv(child=["sh", "-c", script]),
        cwd=arbitration.folder,
        env=arbitration.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    read_until(process, b"ready")
    (warden,) = children_of(process.pid)
    (child,) = children_of(warden)
    process.send_signal(signal.SIGTSTP)
    assert wait_for_state([process.pid, child], stopped=True)
    process.send_signal(signal.SIGCONT)
    assert wait_for_state([process.pid, child], stopped=False)
    process.send_signal(signal.SIGUSR1)
    ran = finish(process, time.monotonic())
    assert (ran.status, ran.out.strip()) == (6, b"got")


def test_a_second_signal_does_not_wait(arbitration: Arbitration) -> None:
    steps = [["ignore", "SIGINT"], ["ignore", "SIGTERM"], ["out", "ready"], ["wait", 300]]
    process = arbitration.start(steps, "--grace", "200", env={"REFERENCE_CHILD_STUBBORN": "1"})
    read_until(process, b"ready")
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    ran = finish(process, started)
    assert ran.status == 130
    assert ran.seconds < 100


def test_what_the_child_leaves_behind_is_ended(arbitration: Arbitration) -> None:
    ran = arbitration.run([["spawn", 300, False], ["spawn", 300, True], ["exit", 9]])
    assert ran.status == 9
    left = left_behind(ran.out)
    assert len(left) == 2
    assert not any(alive(pid) for pid in left)
    assert ran.seconds < 100


@pytest.mark.parametrize("victims", ["arbiter", "warden"])
def test_nothing_outlives_a_kill(arbitration: Arbitration, victims: str) -> None:
    """SIGKILL of either ends the agent, its child and what that hid in a session of its own."""
    process = arbitration.start([["spawn", 300, False], ["spawn", 300, True], ["wait", 300]])
    out = b""
    while len(left_behind(out)) < 2:
        out += read_until(process, b"\n")
    (warden,) = children_of(process.pid)
    below = [*children_of(warden), *left_behind(out)]
    os.kill(process.pid if victims == "arbiter" else warden, signal.SIGKILL)
    process.wait(120)
    assert process.returncode == (-9 if victims == "arbiter" else 137)
    deadline = time.monotonic() + 100
    while any(alive(pid) for pid in [warden, *below]) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(alive(pid) for pid in [warden, *below])
    for pipe in (process.stdout, process.stderr):
        assert pipe is not None
        pipe.close()


def test_a_child_signal_that_is_ignored_hides_no_status(arbitration: Arbitration) -> None:
    argv = arbitration.argv(child=["sh", "-c", "sleep 300 & exit 7"])
    done = subprocess.run(
        ["bash", "-c", 'trap "" CHLD PIPE; exec "$@"', "bash", *argv],
        cwd=arbitration.folder,
        env=arbitration.environment(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 7, done.stderr


def test_a_decision_that_nobody_makes_times_out(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, [["request", "t", "shell", DEPLOY]], "--timeout", "0.5")
    terminal.expect("q  no, and stop")
    terminal.expect_exact("t: deny (policy timeout)")
    terminal.ends(0)
    assert terminal.arbitration.entries("decision")[0]["decision"] == "denied_timeout"


class Terminal:
    """An arbiter on a pseudo-terminal."""

    def __init__(self, folder: Path, steps: list[list[object]], *options: str, nohup: bool = False) -> None:
        self.arbitration = Arbitration(folder)
        child = [sys.executable, "-S", str(Path(__file__).with_name("reference_child.py")), json.dumps(steps)]
        argv = self.arbitration.argv(*options, child=child)
        self.process = pexpect.spawn(
            argv[0],
            argv[1:],
            cwd=str(folder),
            env=self.arbitration.environment({"TERM": "dumb"}),
            encoding="utf-8",
            timeout=120,
            dimensions=(50, 200),
            ignore_sighup=nohup,
        )

    def expect(self, pattern: str) -> str:
        self.process.expect(pattern)
        return str(self.process.before)

    def expect_exact(self, text: str) -> str:
        self.process.expect_exact(text)
        return str(self.process.before)

    def expect_all(self, *texts: str) -> None:
        """Each of ``texts``, in any order: the arbiter's words and the agent's output come by threads of their own."""
        waiting = list(texts)
        while waiting:
            del waiting[self.process.expect_exact(waiting)]

    def answer(self, line: str) -> None:
        self.process.sendline(line)

    def ends(self, status: int) -> None:
        self.process.expect(pexpect.EOF)
        self.process.close()
        found = self.process.exitstatus if self.process.signalstatus is None else 128 + self.process.signalstatus
        assert found == status


def test_7_the_terminal_is_asked_and_the_answer_decides(tmp_path: Path) -> None:
    deploy = {"command": "deploy --password hunter2 \x1b[31m"}
    terminal = Terminal(
        tmp_path,
        [
            ["request", "a", "shell", deploy],
            ["request", "b", "shell", DEPLOY],
            ["request", "c", "shell", DEPLOY],
            ["request", "d", "shell", {"command": "deploy d"}],
            ["request", "e", "shell", {"command": "deploy e"}],
            ["request", "f", "shell", {"command": "deploy f"}],
            ["wait", 300],
        ],
    )
    shown = terminal.expect_exact("answer: ")
    assert "execpolicy: may this run?\r\n  │ deploy --password [redacted] \\e[31m\r\n  · shell\r\n" in shown
    assert "needs approval: ask the release team" in " ".join(shown.replace("\r\n  ?", "").split())
    terminal.answer("y")
    terminal.expect_exact("a: ran")
    terminal.expect_exact("answer: ")
    terminal.answer("s")
    terminal.expect_exact("b: ran")
    terminal.expect_exact("c: ran")
    terminal.expect_exact("answer: ")
    terminal.answer("")
    terminal.expect_exact("d: deny (denied by the user)")
    terminal.expect_exact("answer: ")
    terminal.answer("perhaps")
    terminal.expect_exact("please answer")
    terminal.answer("n use the staging area")
    terminal.expect_exact("e: deny (denied by the user: use the staging area)")
    terminal.expect_exact("answer: ")
    terminal.answer("a")
    terminal.expect_exact("child: aborted user_cancel")
    terminal.ends(125)
    by = [entry["by"] for entry in terminal.arbitration.entries("decision")]
    assert by == ["user", "user", "session", "user", "user", "user"]


def test_7_a_prefix_can_be_saved_and_settles_the_other_questions(tmp_path: Path) -> None:
    terminal = Terminal(
        tmp_path,
        [
            ["send", "a", "shell", {"command": ["frobnicate", "run", "one"]}],
            ["send", "b", "shell", {"command": ["frobnicate", "run", "one"]}],
            ["request", "c", "shell", {"command": ["frobnicate", "run", "one"]}],
        ],
    )
    shown = terminal.expect_exact("answer: ")
    assert "p  yes, and save a rule that allows every command starting with: frobnicate run" in shown
    terminal.answer("p")
    terminal.expect_all("from now on `frobnicate run", "c: ran")
    terminal.ends(0)
    assert "frobnicate" in terminal.arbitration.rules.read_text()
    by = sorted((entry["id"], entry["by"]) for entry in terminal.arbitration.entries("decision"))
    assert by == [("a", "user"), ("b", "policy"), ("c", "policy")]


def test_7_what_was_typed_before_the_question_is_no_answer(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, [["wait", 1.0], ["request", "t", "shell", DEPLOY]], "--timeout", "2")
    terminal.answer("y")
    terminal.expect_exact("t: deny (policy timeout)")
    terminal.ends(0)


def test_ctrl_c_at_a_question_ends_the_session(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, [["request", "t", "shell", DEPLOY], ["wait", 300]])
    terminal.expect_exact("answer: ")
    terminal.process.sendintr()
    terminal.expect_exact("child: aborted user_cancel")
    terminal.ends(130)


def test_a_lost_terminal_ends_the_session(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, [["spawn", 300, True], ["request", "t", "shell", DEPLOY], ["wait", 300]])
    out = terminal.expect_exact("answer: ")
    left = left_behind(out.encode())
    pid = terminal.process.pid
    os.close(terminal.process.child_fd)
    deadline = time.monotonic() + 100
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(pid)
    assert not any(alive(one) for one in left)
    decisions = terminal.arbitration.entries("decision")
    assert [entry["decision"] for entry in decisions] == ["denied"]


def test_a_lost_terminal_under_nohup_answers_by_default_and_the_session_goes_on(tmp_path: Path) -> None:
    steps = [["request", "t", "shell", DEPLOY], ["request", "u", "shell", BUILD], ["request", "v", "shell", DEPLOY]]
    terminal = Terminal(tmp_path, steps, nohup=True)
    terminal.expect_exact("answer: ")
    pid = terminal.process.pid
    os.close(terminal.process.child_fd)
    deadline = time.monotonic() + 100
    while len(terminal.arbitration.entries("decision")) < 3 and alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    decisions = terminal.arbitration.entries("decision")
    assert [(entry["id"], entry["decision"], entry["by"]) for entry in decisions[:1]] == [("t", "denied", "default")]
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(pid)


def test_no_ask_asks_nobody_even_at_a_terminal(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, [["request", "t", "shell", DEPLOY]], "--no-ask")
    terminal.expect_exact("needs approval: ask the release team")
    terminal.ends(0)


def test_a_full_standard_error_that_nobody_reads_delays_no_decision(arbitration: Arbitration) -> None:
    """The warnings pile up in a pipe that is never read; decisions come all the same."""
    steps = [
        *[["line", {"type": "tool.result", "id": f"unknown-{n}" + "x" * 400, "ok": True}] for n in range(300)],
        ["request", "t", "shell", BUILD],
    ]
    process = arbitration.start(steps)
    assert b"t: ran" in read_until(process, b"t: ran")
    assert process.wait(40) == 0
    for pipe in (process.stdout, process.stderr):
        assert pipe is not None
        pipe.close()


def test_the_audit_trail_on_a_full_disk_denies(arbitration: Arbitration) -> None:
    process = subprocess.Popen(
        [
            *PROGRAM,
            "arbiter",
            "-r",
            str(arbitration.rules),
            "--audit",
            "/dev/full",
            "--",
            sys.executable,
            "-S",
            str(Path(__file__).with_name("reference_child.py")),
            json.dumps([["request", "t", "shell", BUILD]]),
        ],
        cwd=arbitration.folder,
        env=arbitration.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    ran = finish(process, time.monotonic())
    assert ran.lines == ["t: deny (the decision could not be written to the audit trail)"]
    assert ran.status == 1
