"""One run of one agent: fresh folders, the gate as ``execpolicy install`` makes it, and what ran in the end."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from execpolicy.hooks.agents import AGENTS
from execpolicy.safety.agent_places import PLACES
from tests.agents.full_disk import FullDisk
from tests.agents.headless import Headless, Place
from tests.agents.inbox_person import InboxPerson
from tests.agents.model import ScriptedModel, ToolCall
from tests.support.running import run_captured

RULES = """\
prefix_rule(pattern=["touch", "allowed.canary"], decision="allow")
prefix_rule(pattern=["touch", "forbidden.canary"], decision="forbidden", justification="SENTINEL-REASON")
prefix_rule(pattern=["touch", "asked.canary"], decision="prompt")
prefix_rule(pattern=["mkdir"], decision="forbidden", justification="SENTINEL-REASON")
"""
_GETTING_READY_S = 120
_SCRIPTS = Path(sys.executable).parent


class Outcome(NamedTuple):
    """What came of a run.

    Attributes:
        made: the files and folders in the project that were not there before.
        told: what the model was told of its calls.
        played: the turns that the agent took from the model.
        last_taken: how often the last turn was taken: an agent that an agent started takes it too.
        offered: the tools that the model could call.
    """

    made: list[str]
    told: list[str]
    played: int
    offered: list[str]
    seconds: float
    printed: str
    last_taken: int


class Arena:
    """Where one agent runs. ``npm`` is the folder that holds the agents, each in a folder of its own name."""

    def __init__(self, name: str, agent: Headless, npm: Path, folder: Path) -> None:
        self.name = name
        self.agent = agent
        self._folder = folder
        self._program = npm / agent.program

    def run(
        self,
        mode: str,
        turns: list[list[ToolCall]],
        *,
        spoil: Callable[[str], str] | None = None,
        machine: bool = False,
        moved: bool = False,
        files: dict[str, object] | None = None,
        options: tuple[str, ...] = (),
        person: InboxPerson | None = None,
        disk: FullDisk | None = None,
        doctor: bool = False,
        delegates: bool = False,
        limit: float = 300,
        prompt: str | None = None,
    ) -> Outcome:
        """Let the agent do ``turns``.

        Args:
            spoil: what happens to the text of the settings after the installation.
            machine: install into the settings of the machine, in a private copy of ``/etc`` (needs root).
            moved: a variable names another folder for the settings of the user.
            files: what the project brings along.
            options: of ``execpolicy install``.
            person: who answers what it asks.
            doctor: run ``execpolicy doctor`` in place of the agent.
            delegates: the first turn starts another agent.
            disk: the home folder is on it, and it fills up meanwhile (needs root).
            prompt: what the person types, in place of the usual.
        """
        shutil.rmtree(self._folder, ignore_errors=True)
        home, work = self._folder / "home", self._folder / "work"
        work.mkdir(parents=True)
        with contextlib.ExitStack() as stack:
            model = stack.enter_context(ScriptedModel(turns, delegates=delegates))
            if disk is not None:
                stack.enter_context(disk.mounted(home))
            place = Place(home, work, model.port)
            place.settings(".config/execpolicy/rules/test.rules", RULES)
            self.agent.prepare(place)
            if self.agent.cache:
                shared = self._folder.with_name(f"{self.name}-cache")
                shared.mkdir(exist_ok=True)
                cache = home / self.agent.cache
                cache.parent.mkdir(parents=True, exist_ok=True)
                cache.symlink_to(shared)
            environment = self._environment(place)
            if hasattr(self.agent, "log_in"):
                self.agent.log_in(self._program, place, environment)
            if moved:
                environment |= _moved(self.name, home)
            for path, content in (files or {}).items():
                file = work / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content if isinstance(content, str) else json.dumps(content))
            before = set(_entries(work))
            scope = "machine" if machine else "user"
            install = [str(_SCRIPTS / "execpolicy"), "install", self.name, "--scope", scope, *options]
            argv = self.agent.argv(self._program, mode, *(() if prompt is None else (prompt,)))
            if doctor:
                argv = [str(_SCRIPTS / "execpolicy"), "doctor", self.name, "--format", "json"]
            if machine:
                shutil.copytree("/etc", self._folder / "etc", symlinks=True, ignore_dangling_symlinks=True)
                accounts = self._folder / "etc/passwd"
                owner = f":{os.getuid()}:{os.getgid()}:"
                lines = accounts.read_text("utf-8").splitlines()
                lines = [_with_home(line, home) if owner in line else line for line in lines]
                accounts.write_text("\n".join(lines) + "\n", "utf-8")
                bind = f'mount --bind {self._folder}/etc /etc && "$@"'
                install, argv = (["unshare", "-m", "sh", "-c", bind, "sh", *words] for words in (install, argv))
            done = run_captured(install, env=environment, cwd=work, timeout=60)
            assert done.returncode == 0, done.stdout + done.stderr
            if spoil is not None:
                settings = Path(AGENTS[self.name].place.user.replace("~", str(home)))
                text = settings.read_text("utf-8")
                spoiled = spoil(text)
                assert spoiled != text
                settings.write_text(spoiled, "utf-8")
                if self.name == "codex":  # it trusts a command, not a file
                    self._trust(environment, work)
            start = time.perf_counter()
            with _at_the_same_time(disk or person, place, environment):
                printed = self._execute(argv, environment, work, limit)
            seconds = time.perf_counter() - start
            _end_of(home)
        made = sorted(set(_entries(work)) - before)
        return Outcome(made, model.results, model.played, model.offered, seconds, printed, model.last_taken)

    def version(self) -> str:
        """What the agent says of itself."""
        start = ["node", str(self._program)] if self._program.suffix == ".js" else [str(self._program)]
        place = Place(self._folder / "home", self._folder, 0)
        place.home.mkdir(parents=True, exist_ok=True)
        environment = self._environment(place)
        done = run_captured([*start, "--version"], env=environment, timeout=60)
        found = re.search(r"\d+(?:\.\d+)+", done.stdout + done.stderr)
        return found[0] if found is not None else "?"

    def _environment(self, place: Place) -> dict[str, str]:
        scratch = self._folder / "tmp"
        scratch.mkdir(parents=True, exist_ok=True)
        basics = {
            "HOME": str(place.home),
            "PATH": f"{self._program.parent}:{os.environ['PATH']}",
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
            "TMPDIR": str(scratch),
            "SHELL": "/bin/bash",
            "CI": "1",
        }
        return {**basics, **self.agent.environment(place)}

    def _trust(self, environment: dict[str, str], work: Path) -> None:
        from execpolicy.gate.codex_trust import CodexServer

        with CodexServer(str(self._program), str(work), environment) as server:
            server.trust()

    def _execute(self, argv: list[str], environment: dict[str, str], work: Path, limit: float) -> str:
        with open(self._folder / "printed", "wb") as out:
            child = subprocess.Popen(
                argv,
                cwd=work,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                child.wait(limit)
            except subprocess.TimeoutExpired:
                out.write(b"\n(it did not end by itself)\n")
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)  # the group that was started here
            child.wait()
        return (self._folder / "printed").read_text("utf-8", "replace")


@contextlib.contextmanager
def _at_the_same_time(
    meanwhile: FullDisk | InboxPerson | None, place: Place, environment: dict[str, str]
) -> Iterator[None]:
    """Do ``meanwhile`` beside the block, and see it end."""
    if meanwhile is None:
        yield
        return
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(meanwhile, place, environment)
        meanwhile.ready.wait(_GETTING_READY_S)
        yield
        other.result()


def _moved(name: str, home: Path) -> dict[str, str]:
    """The first variable of an agent that names another folder, and in that folder all that it stands for."""
    moved = [(*called.partition("/"), instead) for called, instead in PLACES[name].moved]
    variable = moved[0][0]
    for called, _, inside, instead in moved:
        old = Path(instead.replace("~", str(home), 1))
        if called == variable and old.is_dir():
            shutil.copytree(old, home.parent / "elsewhere" / inside, symlinks=True, dirs_exist_ok=True)
    for entry in [path for called, *_, path in moved if called == variable and path != "~"]:
        shutil.rmtree(entry.replace("~", str(home), 1), ignore_errors=True)
    if (home.parent / "elsewhere/execpolicy").is_dir():  # our own settings follow no variable of an agent
        shutil.copytree(home.parent / "elsewhere/execpolicy", home / ".config/execpolicy")
    return {variable: str(home.parent / "elsewhere")}


def _entries(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if ".git/" not in str(path)]


def _with_home(account: str, home: Path) -> str:
    fields = account.split(":")
    fields[5] = str(home)
    return ":".join(fields)


def _end_of(home: Path) -> None:
    """End what the agent left running: nobody else has this home folder."""
    mark = f"HOME={home}".encode()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue
