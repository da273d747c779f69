import signal
import subprocess
import sys

import pytest

from execpolicy.approvals.tools import tty_entry


def entered(*command: str, typed: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    argv = (sys.executable, "-I", "-S", tty_entry.__file__, *command)
    return subprocess.run(argv, input=typed, capture_output=True, timeout=30, check=False)


@pytest.mark.parametrize("command", [("sleep", "30"), (sys.executable, "-c", "import signal; signal.pause()")])
def test_an_interrupt_typed_before_the_command_runs_ends_it_without_a_word_of_ours(command: tuple[str, ...]) -> None:
    ended = entered(*command, typed=b"\x03")
    assert ended.returncode == 130 or command[0] == sys.executable
    assert b"tty_entry" not in ended.stdout + ended.stderr
    if command[0] != sys.executable:  # Python has words of its own for an interrupt while it starts
        assert b"importlib" not in ended.stdout + ended.stderr


def test_what_is_typed_reaches_the_command_whole() -> None:
    ended = entered("bash", "-c", "read a; read b; echo got $a-$b; exit 7", typed=b"one\ntwo\n")
    assert (ended.returncode, b"got one-two" in ended.stdout) == (7, True)


def test_a_program_that_is_not_there_is_told_of() -> None:
    ended = entered("./no-such-program")
    said = ended.stdout + ended.stderr
    assert (ended.returncode, b"Traceback" in said) == (127, False)
    assert b"execpolicy: cannot run `./no-such-program`: No such file or directory" in said


def test_an_interrupt_of_its_own_ends_it_without_a_word() -> None:
    argv = (sys.executable, "-I", "-S", tty_entry.__file__, "sh", "-c", "echo up; sleep 30")
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().strip() == b"up"
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b""
        assert process.wait() == -signal.SIGINT
