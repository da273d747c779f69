"""Where a command would run: what relative paths, ``~`` and links mean there."""

from __future__ import annotations

import os

from execpolicy.core.hosts import HostResolution, normalise_path
from execpolicy.errors import UsageError
from execpolicy.judge.folders import repository_around
from execpolicy.programs.standing import TOPLEVEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


_SYSTEM = frozenset(("/", "/etc", "/home", "/proc", "/root"))
_OF_PROCESS = 3
"""Slashes in the name of what the system says of a process: ``/proc/1/stat``."""
_TEMPORARY = ("/tmp", "/private/tmp", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")
_DEEPEST = 500
"""Folders in a path that is written."""


class Situation:
    """The place of a decision.

    Attributes:
        cwd: absolute working folder of the command.
        home: the home folder, absolute, or ``None`` if there is none.
        root: the project root, which ``./`` in write rules means.
        resolution: how program paths are matched by base name.
        identity: what tells one place from another.
        exposing: usual secrets lie below the working folder: it is the home folder or one above, or the system's.
        looks: how often the disk was asked, which may answer otherwise the next time.
        terminal: what commands print may go to a terminal, where some open a pager; agents have none.
        unlinked: absolute paths that were asked about as well, and were no links, in this judgement.
    """

    __slots__ = (
        "_real_path",
        "cwd",
        "exposing",
        "home",
        "identity",
        "looks",
        "resolution",
        "root",
        "terminal",
        "unlinked",
    )

    def __init__(
        self,
        cwd: str,
        *,
        home: str | None = None,
        root: str | None = None,
        terminal: bool = True,
        real_path: Callable[[str], str] = os.path.realpath,
    ) -> None:
        """``real_path`` follows the links of an absolute path; a path that does not exist keeps its missing part.

        Raises:
            UsageError: a folder is no absolute path, or ``terminal`` is neither True nor False.
        """
        if terminal is not True and terminal is not False:
            raise UsageError(f"Situation: `terminal` must be True or False, not {type(terminal).__name__}")
        self.resolution = HostResolution(cwd, home)
        self.cwd = cwd = self.resolution.cwd
        self.home = self.resolution.home
        self.root = cwd
        if root is not None:
            self.root = HostResolution(root, home).cwd
        if not callable(real_path):
            raise UsageError(f"Situation: `real_path` must be a function, not {type(real_path).__name__}")
        self._real_path = real_path
        self.terminal = terminal
        self.identity = (cwd, self.home, self.root, terminal)
        self.exposing = cwd in _SYSTEM or f"{self.home}/".startswith(cwd + "/")
        self.looks = 0
        self.unlinked: dict[str, None] = {}

    @classmethod
    def of_process(cls, *, terminal: bool = True) -> Situation:
        """The working folder and home of this process."""
        here = HostResolution.of_process()
        return cls(here.cwd, home=here.home, terminal=terminal)

    def asked_anew(self) -> Situation:
        """The same place, for one judgement, of which it is known afterwards what it asked the disk."""
        return Situation(self.cwd, home=self.home, root=self.root, terminal=self.terminal, real_path=self._real_path)

    def passes_symlink(self, name: str) -> bool:
        """True if a link lies on the way to ``name``, which no shell changes, or is what it names."""
        path = self.cwd + "/" + name if name[:1] != "/" else name
        if path.startswith("/proc/") and path.count("/") > _OF_PROCESS:  # the folder of a process, or its root
            self.looks += 1
            return True
        if self._real_path is not os.path.realpath:
            self.looks += 1
            real = self._real_path(path)
            return real != path and normalise_path(real) != normalise_path(path)
        at = len(self.cwd) if path.startswith(self.cwd + "/") else 0
        while at != -1:
            at = path.find("/", at + 1)
            part = path if at == -1 else path[:at]
            if part not in self.unlinked:
                if os.path.islink(part):
                    self.looks += 1
                    return True
                self.unlinked[part] = None
        return False

    def link_target(self, path: str) -> str | None:
        """The text of the link that the absolute path ``path`` names; ``None`` if it names none."""
        if path in self.unlinked:
            return None
        try:
            text = os.readlink(path)
        except (OSError, ValueError):
            self.unlinked[path] = None
            return None
        self.looks += 1
        return text

    def paths_of(self, target: str) -> tuple[str, ...]:
        """The absolute paths that writing to ``target`` may touch: as written, and with its links followed.

        Links are followed before ``..`` is taken back, as the system does it: ``link/../x`` is elsewhere.

        Raises:
            ValueError: the system knows no file of such a name (a NUL byte, half a surrogate pair, too deep).
        """
        if target.count("/") > _DEEPEST:
            raise ValueError("it is nested deeper than execpolicy looks")
        self.looks += 1
        whole = target if target.startswith("/") else self.cwd + "/" + target
        written = normalise_path(whole)
        try:
            real = self._real_path(whole)
        except OSError as error:  # too long, or links in a circle
            raise ValueError(str(error)) from error
        return (written,) if real == written else (written, real)

    def names_in(self, folder: str) -> list[str]:
        """The names in ``folder``, relative to the working folder; none if it cannot be read."""
        self.looks += 1
        try:
            return os.listdir(os.path.join(self.cwd, folder))
        except OSError:
            return []

    @property
    def repository_around(self) -> str:
        """The repository of the project that git, started in the working folder, may obey; empty if there is none.

        No look that is counted: who remembers an answer about git asks this again.
        """
        return repository_around.repository_around(self.cwd)

    @property
    def partial_clone(self) -> str:
        """The settings by which git, started in the working folder, may fetch what lacks; empty if there are none.

        No look that is counted, either.
        """
        return repository_around.partial_clone(self.cwd)

    @property
    def toplevel(self) -> str:
        """The folder that git takes for the beginning of the working tree; the project root where there is none."""
        self.looks += 1
        return next(
            (folder for folder in repository_around.upwards(self.cwd) if os.path.lexists(f"{folder}/.git")), self.root
        )

    def is_inside(self, path: str) -> bool:
        """True if the absolute ``path`` lies in the project, in a folder for temporary files, or is a standard stream.

        The project is the nearest folder with ``.git`` or ``.codex`` at or above the working directory, else that, but
        never the home folder or the root.
        """
        self.looks += 1
        project = repository_around.project_around(self.cwd, self.home)
        projects = () if project is None else (project, self._real_path(project))
        inside = (*projects, *filter(None, [os.environ.get("TMPDIR")]), *_TEMPORARY)
        return any(f"{path}/".startswith(f"{each.rstrip('/')}/") for each in inside)

    def places_of(self, name: str) -> tuple[str, ...]:
        """The absolute paths that ``name``, which may begin with ``~``, may be; none if they are unknown."""
        if name[:2] == "/\0":
            name = self.toplevel + name[len(TOPLEVEL) :]
        elif name[:1] == "~":
            if self.home is None or name[1:2] not in ("", "/"):
                return ()
            name = self.home + name[1:]
        try:
            return self.paths_of(name or ".")
        except ValueError:
            return ()
