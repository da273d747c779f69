"""A person who answers what an agent's hook puts into the inbox: with ``execpolicy inbox answer``, at a terminal."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time

import pexpect

from tests.agents.headless import Environment, Place

_EXECPOLICY = (sys.executable, "-m", "execpolicy")
_LONGEST = 300.0
"""Seconds until an agent has come to its question."""


class InboxPerson:
    """Opens the inbox of one home folder, and says ``words`` (of ``inbox answer``) to the first question in it."""

    def __init__(self, *words: str) -> None:
        self._words = words
        self.seen: list[str] = []
        """The commands that were asked about."""
        self.said = ""
        """What the terminal showed for the answer."""
        self.ready = threading.Event()
        """The inbox is open."""

    def __call__(self, place: Place, environment: Environment) -> None:
        own = {name: value for name, value in environment.items() if name in ("HOME", "PATH", "LANG", "SHELL")}
        own |= {"TERM": "dumb", "PYTHONUNBUFFERED": "1"}
        argv = [*_EXECPOLICY, "ui", "--no-browser"]
        with subprocess.Popen(argv, env=own, cwd=place.home, stdout=subprocess.PIPE) as page:
            assert page.stdout is not None
            page.stdout.readline()  # its address
            self.ready.set()
            try:
                self._answer(own)
            finally:
                page.terminate()

    def _answer(self, own: Environment) -> None:
        ends = time.monotonic() + _LONGEST
        while time.monotonic() < ends:
            listed = subprocess.run(
                [*_EXECPOLICY, "inbox", "list", "--format", "json"], env=own, capture_output=True, check=False
            )
            questions = json.loads(listed.stdout or b"[]")
            if questions:
                self.seen = [question["command"] for question in questions]
                argv = [*_EXECPOLICY[1:], "inbox", "answer", questions[0]["id"], *self._words]
                terminal = pexpect.spawn(_EXECPOLICY[0], argv, env=own, encoding="utf-8", timeout=60)
                self.said = terminal.read()
                terminal.close()
                time.sleep(2)  # the hook takes the answer from the page, which must not close before
                return
            time.sleep(0.2)
