"""Calls the command line in this process, on a machine of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from execpolicy.cli.main import main
from execpolicy.layers.layer_options import LayerOptions
from tests.support.machine import Machine


class CommandLine:
    """``execpolicy …`` with the home folders of ``machine``."""

    def __init__(self, machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
        self.machine = machine
        self._capfd = capfd

    @property
    def rules(self) -> Path:
        """The file that amendments are written to."""
        return self.machine.codex_home / "rules" / "default.rules"

    @property
    def own_rules(self) -> Path:
        """The file that rules for exactly one command are saved in."""
        return self.machine.own_home / "rules" / "default.rules"

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Exit status, standard output and standard error."""
        self._capfd.readouterr()
        status = main([*arguments, *_patience(arguments)])
        out, err = self._capfd.readouterr()
        return status, out, err

    def json(self, *arguments: str) -> Any:
        """The JSON on standard output."""
        _, out, _ = self.run(*arguments)
        return json.loads(out)


def _patience(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """More time for a hook: at its deadline the process of the tests would end with it."""
    return ("--deadline", "3000") if arguments[:1] == ("hook",) and "--deadline" not in arguments else ()


def make_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> CommandLine:
    """A command line whose folders are all below ``tmp_path``; the working folder is its project."""
    machine = Machine(tmp_path.resolve())
    machine.codex_home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(machine.root / "home"))
    monkeypatch.setenv("CODEX_HOME", str(machine.codex_home))
    monkeypatch.setenv("EXECPOLICY_HOME", str(machine.own_home))
    # the real /etc/codex of the machine that runs the tests must not count
    monkeypatch.setitem(LayerOptions.of_process.__func__.__kwdefaults__, "system_folder", str(machine.system))  # type: ignore[attr-defined]  # below the method
    monkeypatch.chdir(machine.project)
    return CommandLine(machine, capfd)
