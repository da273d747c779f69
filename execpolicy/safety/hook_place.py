"""Where an agent reads its hooks from, in which form they stand there, and what else can end them."""

from __future__ import annotations

import os
from _collections_abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Form: TypeAlias = Literal["groups", "commands", "module", "script", "delegate"]


class HookPlace:
    """The files that make an agent ask a hook, and all others that it obeys.

    Attributes:
        agent: its name.
        form: ``groups``: JSON, lists of ``{matcher, hooks: [{type, command, timeout}]}`` under ``hooks`` and the event;
            ``commands``: JSON, lists of ``{KEY: command}`` there; ``module``: a program in the agent's own language
            that asks the hook; ``script``: an executable that is the hook; ``delegate``: JSON, a list of permissions of
            which one names a program.
        user, machine, project: the file for each scope, ``~`` for the home folder; empty where there is none.
        obeys: the other files that decide what it does: settings, local overrides, variables, servers, plugins, skills,
            extensions, commands. ``~`` for the home folder, a slash at the end for everything in a folder; what begins
            with neither ``~`` nor a slash may lie in any project.
        events: the events that have to be hooked.
        matcher: what means every tool; ``None`` where an entry has no matcher.
        key: where ``commands`` puts the command.
        timeout: the key of the time-out; empty where there is none.
        milliseconds: the time-out is not in seconds.
        version: the file begins with ``"version": 1``.
        moved: environment variables that name other folders, each with what it is in place of. A variable may go on
            with a folder in what it names.
        extra: what else an entry needs: keys and their values.
        switch: the key (a dot leads into an object) with which settings switch all hooks off, or a list of what is
            switched off; empty if none is known.
        on: what ``switch`` has to be.
        switched_in: the files of a project, or of the home folder, that may hold ``switch``.
        unnamed: the key of a list of the names of hooks that are switched off; no project can know that of ours.
        hooked_in: where hooks of others may stand, beside the files above: ``*`` is any name, commas between them.
        programs: what the agent's program may be called; empty where it is called as the agent.
        versions: the versions of the agent for which this was tried; empty where it is known from documentation only.
        obeyed_since: the first version that obeys all that is written; earlier ones pass over what they do not know.
    """

    __slots__ = (
        *("agent", "events", "extra", "form", "key", "machine", "matcher", "milliseconds", "moved", "obeys", "on"),
        *("programs", "project", "switch", "switched_in", "timeout", "user", "version", "versions"),
        *("hooked_in", "obeyed_since", "unnamed"),
    )

    def __init__(
        self,
        agent: str,
        form: Form,
        user: str,
        *,
        machine: str = "",
        project: str = "",
        obeys: str = "",
        events: tuple[str, ...] = (),
        matcher: str | None = None,
        key: str = "command",
        timeout: str = "",
        milliseconds: bool = False,
        version: bool = False,
        moved: tuple[tuple[str, str], ...] = (),
        extra: tuple[tuple[str, str | bool], ...] = (),
        switch: str = "",
        on: bool = False,
        switched_in: tuple[str, ...] = (),
        unnamed: str = "",
        hooked_in: str = "",
        programs: tuple[str, ...] = (),
        versions: str = "",
        obeyed_since: str = "",
    ) -> None:
        """``obeys`` is written with commas between the files."""
        self.agent = agent
        self.form = form
        self.user = user
        self.machine = machine
        self.project = project
        self.obeys = tuple([path.strip() for path in obeys.split(",") if path])
        self.events = events
        self.matcher = matcher
        self.key = key
        self.timeout = timeout
        self.milliseconds = milliseconds
        self.version = version
        self.moved = moved
        self.extra = extra
        self.switch = switch
        self.on = on
        self.switched_in = switched_in
        self.unnamed = unnamed
        self.hooked_in = hooked_in
        self.programs = programs
        self.versions = versions
        self.obeyed_since = obeyed_since

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


_SHARED = ("~", "~/.config")
"""Folders that are nobody's own."""


def _folder(name: str, environ: Mapping[str, str]) -> str | None:
    variable, _, inside = name.partition("/")
    folder = environ.get(variable, "")
    return os.path.normpath(os.path.join(folder, inside)) if os.path.isabs(folder) else None
