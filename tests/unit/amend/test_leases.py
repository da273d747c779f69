"""Asking who has a file open, while others open it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.amend.appending import append_lines
from execpolicy.lang.render import render_prefix_rule
from execpolicy.named_files import open_named

ASKER = """
import os, sys
from execpolicy.leases import only_opened_here
fd = os.open(sys.argv[1], os.O_RDWR)
print("ready", flush=True)
answers = {only_opened_here(fd) for _ in range(20_000)}
print(answers)
"""
READER = """
import os, sys
from execpolicy.leases import is_being_written
fd = os.open(sys.argv[1], os.O_RDONLY)
print("ready", flush=True)
answers = {is_being_written(fd) for _ in range(20_000)}
print(answers)
"""


@pytest.mark.parametrize("code", [ASKER, READER], ids=["only_opened_here", "is_being_written"])
def test_who_opens_the_file_meanwhile_ends_nobody(tmp_path: Path, code: str) -> None:
    """A lease that is broken brings a signal, whose usual kind ends the process."""
    path = tmp_path / "a.rules"
    path.write_text("# x\n")
    with subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE, encoding="utf-8") as asker:
        assert asker.stdout is not None
        assert asker.stdout.readline() == "ready\n"
        while asker.poll() is None:
            os.close(os.open(path, os.O_WRONLY))
        assert (asker.returncode, asker.stdout.read()) == (0, "{False, True}\n")


@pytest.mark.parametrize("code", [ASKER, READER], ids=["only_opened_here", "is_being_written"])
def test_who_asks_does_not_keep_others_from_reading_and_appending(tmp_path: Path, code: str) -> None:
    """An open that may not wait is refused while the lease is held; a rule was once lost to that, with an error."""
    path = tmp_path / "a.rules"
    path.write_text("# x\n")
    with subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE, encoding="utf-8") as asker:
        assert asker.stdout is not None
        assert asker.stdout.readline() == "ready\n"
        number = 0
        while asker.poll() is None:
            append_lines(str(path), (render_prefix_rule(["x", str(number)]),))
            number += 1
            with open_named(str(path)) as file:
                assert file.read().count(b"\n") == number + 1
    assert number > 1
