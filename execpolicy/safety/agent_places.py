"""The files of the coding agents whose hooks are answered, as ``grammar/agents.txt`` lists and explains them."""

from __future__ import annotations

import os
from _collections_abc import Iterator, Mapping

from execpolicy.resources import grammar_folder
from execpolicy.value import KW_ONLY, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

    Form: TypeAlias = Literal["groups", "commands", "module", "script", "delegate"]

_LISTS = frozenset(("obeys", "events", "switched_in", "programs"))
_PAIRS = frozenset(("extra", "moved"))
_SHARED = ("~", "~/.config")
"""Folders that no single user owns."""


@value
class HookPlace:
    """The files that make an agent ask a hook, and all others that it obeys."""

    agent: str
    form: Form
    user: str
    _: KW_ONLY
    machine: str = ""
    project: str = ""
    obeys: tuple[str, ...] = ()
    hooked_in: str = ""
    events: tuple[str, ...] = ()
    matcher: str | None = None
    key: str = "command"
    timeout: str = ""
    milliseconds: bool = False
    version: bool = False
    extra: tuple[tuple[str, str | bool], ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    switch: str = ""
    on: bool = False
    switched_in: tuple[str, ...] = ()
    unnamed: str = ""
    programs: tuple[str, ...] = ()
    versions: str = ""
    obeyed_since: str = ""

    @property
    def waits(self) -> bool:
        """True if the agent can be told how long to wait for its hook. One that cannot may run the call meanwhile."""
        return bool(self.timeout) or self.form == "module"

    @property
    def blocks_failures(self) -> bool:
        """True if a hook that fails, or says what the agent does not know, ends the call."""
        return self.form == "module" or any(key in ("on_failure", "failClosed") for key, _ in self.extra)

    @property
    def files(self) -> tuple[str, ...]:
        """Everything that starts the hook or can end it, in every scope."""
        own = [path for path in (self.user, self.machine, self.project) if path]
        return tuple(dict.fromkeys([*own, *self.switched_in, *self.obeys]))

    def elsewhere(self, path: str, environ: Mapping[str, str]) -> str | None:
        """Where a file that begins with ``~`` is because a variable says so; ``None`` if none does."""
        for name, instead in self.moved:
            folder = _folder(name, environ)
            if folder is not None and f"{path}/".startswith(f"{instead}/"):
                return folder + path[len(instead) :]
        return None

    def moved_folders(self, environ: Mapping[str, str]) -> list[str]:
        """The agent's own folders that variables name."""
        found: list[str] = []
        for name, instead in (*self.moved, ("XDG_CONFIG_HOME", "~/.config")):
            folder = _folder(name, environ)
            if folder is not None and instead in _SHARED:
                inside = [path[len(instead) + 1 :] for path in self.files if path.startswith(f"{instead}/")]
                found += [f"{folder}/{path.partition('/')[0]}" for path in inside]
            elif folder is not None:
                found.append(folder)
        return found


def _folder(name: str, environ: Mapping[str, str]) -> str | None:
    variable, _, inside = name.partition("/")
    folder = environ.get(variable, "")
    return os.path.normpath(os.path.join(folder, inside)) if os.path.isabs(folder) else None


def _places() -> Iterator[HookPlace]:
    with open(f"{grammar_folder()}/agents.txt", encoding="utf-8") as opened:
        paragraphs = opened.read().split("\n\n")
    for paragraph in paragraphs:
        facts: dict[str, Any] = {}
        for line in paragraph.strip().split("\n"):
            key, _, text = line.partition(" ")
            if key == "agent":
                facts["agent"], facts["form"], *marks = text.split(" ")
                facts.update({name: said or True for name, _, said in [mark[1:].partition("=") for mark in marks]})
            elif key in _LISTS:
                facts[key] = tuple(text.split(", "))
            elif key in _PAIRS:
                pairs = [item.partition("=") for item in text.split(", ")]
                facts[key] = tuple([(name, setting == "true" or setting) for name, _, setting in pairs])
            elif key[0] != "#":
                facts[key] = text
        if facts:
            yield HookPlace(**facts)


PLACES = {place.agent: place for place in _places()}
"""The places, by the name of the agent."""
