"""Where an agent reads its hooks from, and in which form they stand there."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Form: TypeAlias = Literal["groups", "commands", "module", "script", "delegate"]


class HookPlace:
    """The files that make an agent ask a hook.

    Attributes:
        form: ``groups``: JSON, lists of ``{matcher, hooks: [{type, command, timeout}]}`` under ``hooks`` and the event;
            ``commands``: JSON, lists of ``{KEY: command}`` there; ``module``: a program in the agent's own language
            that asks the hook; ``script``: an executable that is the hook; ``delegate``: JSON, a list of permissions of
            which one names a program.
        user, machine, project: the file for each scope, ``~`` for the home folder; empty where there is none.
        events: the events that have to be hooked.
        matcher: what stands for every tool; ``None`` where an entry has no matcher.
        key: where ``commands`` puts the command.
        timeout: the key of the time-out; empty where there is none.
        milliseconds: the time-out is not in seconds.
        version: the file begins with ``"version": 1``.
        folder: the environment variable that names another folder than the first two parts of ``user``.
        extra: what else an entry needs: keys and their values.
        switch: the key (a dot leads into an object) with which settings switch all hooks off, or a list of what is
            switched off; empty if none is known.
        on: what ``switch`` has to be.
        switched_in: the files of a project, or of the home folder, that may hold ``switch``.
        programs: what the agent's program may be called; empty where it is called as the agent.
        versions: the versions of the agent for which this was tried; empty where it is known from documentation only.
    """

    __slots__ = (
        *("events", "extra", "folder", "form", "key", "machine", "matcher", "milliseconds", "on", "programs"),
        *("project", "switch", "switched_in", "timeout", "user", "version", "versions"),
    )

    def __init__(
        self,
        form: Form,
        user: str,
        *,
        machine: str = "",
        project: str = "",
        events: tuple[str, ...] = (),
        matcher: str | None = None,
        key: str = "command",
        timeout: str = "",
        milliseconds: bool = False,
        version: bool = False,
        folder: str = "",
        extra: tuple[tuple[str, str | bool], ...] = (),
        switch: str = "",
        on: bool = False,
        switched_in: tuple[str, ...] = (),
        programs: tuple[str, ...] = (),
        versions: str = "",
    ) -> None:
        self.form = form
        self.user = user
        self.machine = machine
        self.project = project
        self.events = events
        self.matcher = matcher
        self.key = key
        self.timeout = timeout
        self.milliseconds = milliseconds
        self.version = version
        self.folder = folder
        self.extra = extra
        self.switch = switch
        self.on = on
        self.switched_in = switched_in
        self.programs = programs
        self.versions = versions

    @property
    def waits(self) -> bool:
        """Whether the agent can be told how long to wait for its hook. One that cannot may run the call meanwhile."""
        return bool(self.timeout) or self.form == "module"

    @property
    def blocks_failures(self) -> bool:
        """Whether a hook that fails, or says what the agent does not know, ends the call."""
        return self.form == "module" or any(key in ("on_failure", "failClosed") for key, _ in self.extra)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of all scopes that there are."""
        return tuple([path for path in (self.user, self.machine, self.project) if path])
