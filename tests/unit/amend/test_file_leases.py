"""Asking who has a file open, while others open it."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from execpolicy.amend.append import append_lines
from execpolicy.lang.render import render_prefix_rule
from execpolicy.layers.rule_file import read_rule_file
from execpolicy.safe_open import open_named

ASKER = """
import os, sys
from execpolicy.atomic_write import only_opened_here
fd = os.open(sys.argv[1], os.O_RDWR)
print("ready", flush=True)
answers = {only_opened_here(fd) for _ in range(20_000)}
print(answers)
"""
READER = """
import os, sys
from execpolicy.atomic_write import is_being_written
fd = os.open(sys.argv[1], os.O_RDONLY)
print("ready", flush=True)
answers = {is_being_written(fd) for _ in range(20_000)}
print(answers)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "a.rules"
    file.write_text("# x\n")
    return file


@pytest.fixture(params=[ASKER, READER], ids=["only_opened_here", "is_being_written"])
def asker(request: pytest.FixtureRequest, path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that asks again and again who has the file open."""
    code = [sys.executable, "-c", request.param, path]
    with subprocess.Popen(code, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process


def test_who_opens_the_file_meanwhile_ends_nobody(path: Path, asker: subprocess.Popen[str]) -> None:
    """A lease that is broken brings a signal, whose usual kind ends the process."""
    while asker.poll() is None:
        os.close(os.open(path, os.O_WRONLY))
    assert asker.stdout is not None
    assert (asker.returncode, asker.stdout.read()) == (0, "{False, True}\n")


def test_who_asks_does_not_keep_others_from_reading_and_appending(path: Path, asker: subprocess.Popen[str]) -> None:
    """An open that may not wait is refused while the lease is held; a rule was once lost to that, with an error."""
    number = 0
    while asker.poll() is None:
        append_lines(str(path), (render_prefix_rule(["x", str(number)]),))
        number += 1
        with open_named(str(path)) as file:
            assert file.read().count(b"\n") == number + 1
    assert number > 1


def test_a_lease_that_is_kept_is_waited_for_by_patient_readers_only(path: Path) -> None:
    fd = os.open(path, os.O_RDWR)
    fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
    fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    try:
        for patient, most in ((False, 0.5), (True, 20.0)):
            begun = time.monotonic()
            with pytest.raises(BlockingIOError):
                read_rule_file(str(path), patient=patient)
            waited = time.monotonic() - begun
            assert waited < most
        assert waited >= 1.0
    finally:
        os.close(fd)
