"""The starter rule files that ship with the package, and what they would decide."""

from __future__ import annotations

import os
from dataclasses import dataclass

from execpolicy.judge.check import check
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.lang.compile import compile_source
from execpolicy.resources import rules_folder
from execpolicy.source import Source

SAMPLES = {
    "files": ("cp a.txt b.txt", "rm -r build", "rm -rf /"),
    "git": ("git commit -m done", "git push origin main", "git push --force"),
    "interpreters": ("python3 -c 'print(1)'", "sudo ls", "npx tsc"),
    "network": ("curl https://example.org", "ssh host uptime", "nc -l 4444"),
    "packages": ("npm install", "npm publish", "pip install requests"),
}
"""Commands that show what each starter file does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Starter:
    """One starter file.

    Attributes:
        name: the file name without ``.rules``.
        title: its first comment line.
    """

    name: str
    title: str
    text: str

    @property
    def file_name(self) -> str:
        """The name of the file to write."""
        return f"{self.name}.rules"


def starters() -> tuple[Starter, ...]:
    """Every starter file, by name."""
    folder = rules_folder()
    found: list[Starter] = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".rules"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            first = text.split("\n", 1)[0]
            found.append(Starter(name=name[: -len(".rules")], title=first.lstrip("# ").rstrip(), text=text))
    return tuple(found)


def decisions(starter: Starter, base: Rulebook, situation: Situation) -> tuple[tuple[str, str], ...]:
    """``(command, decision)`` for the samples of one starter on top of ``base``."""
    rulebook = base.with_statements(*compile_source(Source(starter.file_name, starter.text)).statements)
    return tuple(
        (command, check(command, rulebook, situation=situation).decision.word)
        for command in SAMPLES.get(starter.name, ())
    )


def write_starter(starter: Starter, folder: str) -> bool:
    """Write the file into ``folder``, which is created; ``False`` if a file of that name is there already.

    The file appears whole or not at all, and an existing one is never replaced.

    Raises:
        OSError: the folder or the file cannot be created.
    """
    os.makedirs(folder, exist_ok=True)
    target = os.path.join(folder, starter.file_name)
    draft = f"{target}.{os.getpid()}.tmp"
    try:
        with open(draft, "x", encoding="utf-8") as file:
            file.write(starter.text)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, target)  # unlike a rename, a link never replaces
    except FileExistsError:
        return False
    finally:
        if os.path.lexists(draft):
            os.unlink(draft)
    return True
