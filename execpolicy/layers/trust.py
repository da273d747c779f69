"""Determines if a project may grant, from Codex's ``config.toml``, without running anything in the project.

Source: Codex 0.169 to 0.171, reference section 3.2. One rule is stricter here: a linked work tree inherits the trust of
its main checkout only if that checkout lists it. A ``.git`` file alone proves nothing, since any user can write one
that points at a trusted repository. Trust applies to the folder that a person saw, not to its path: a folder that was
created later at the same path is not trusted.

The record of trusted folders is a file in the user's own folder, with one line for each path. A line holds the
identity of the folder when its trust was first used, a blank, and the path. The first line of a path is valid. To trust
a new folder at the path, a person deletes its line.
"""

from __future__ import annotations

import os

from execpolicy.errors import os_reason
from execpolicy.layers.folders import ancestors
from execpolicy.layers.problems import BAD_CONFIG, problem
from execpolicy.layers.rule_file import read_settled
from execpolicy.safe_open import read_named
from execpolicy.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.diagnostics.model import Diagnostic

DEFAULT_ROOT_MARKERS = (".git",)
_REMEDY = "write the path without `~` and without a slash at its end, or run `execpolicy trust"
_SHORT = 8192
"""Maximum number of bytes of a git file that contains the path of a folder."""


@value
class TrustConfig:
    """The settings about projects in the configuration files.

    Attributes:
        levels: project path to its ``trust_level`` in the highest file that lists it.
        files: project path to that file.
        markers: names that mark a project root; empty to disable the search.
        user_file: the file that a person would edit to trust a project.
        problems: the problems of the files. A file that cannot be read trusts nothing.
    """

    levels: dict[str, str]
    files: dict[str, str]
    markers: tuple[str, ...]
    user_file: str
    problems: tuple[Diagnostic, ...]


def read_trust(config_files: Sequence[str], *, user_file: str) -> TrustConfig:
    """The trust settings of ``config_files``, lowest first; missing files are skipped."""
    levels: dict[str, str] = {}
    naming: dict[str, str] = {}
    markers = DEFAULT_ROOT_MARKERS
    problems: list[Diagnostic] = []
    for path in config_files:
        table, _, found = read_toml(path)
        if found is not None:
            problems.append(found)
            levels.clear()  # this file may revoke a level that a lower file sets
        if table is None:
            continue
        projects = table.get("projects")
        if isinstance(projects, dict):
            for key, project in projects.items():
                level = project.get("trust_level") if isinstance(project, dict) else None
                if isinstance(level, str):
                    levels[key] = level
                    naming[key] = path
        if "project_root_markers" in table:
            names = table["project_root_markers"]
            if isinstance(names, list) and all(isinstance(name, str) for name in names):
                markers = tuple(names)
            else:
                problems.append(_problem(path, "project_root_markers must be an array of strings"))
    return TrustConfig(levels, naming, markers, user_file, tuple(problems))


def read_toml(path: str) -> tuple[dict[str, object] | None, str, Diagnostic | None]:
    """The table in ``path``, or ``None`` if the file is missing or broken; its text; and the problem, if any."""
    try:
        data = read_settled(path)
    except (FileNotFoundError, NotADirectoryError):
        return None, "", None
    except OSError as error:
        return None, "", _problem(path, f"failed to read {path}: {os_reason(error)}")
    import tomllib

    try:
        text = data.decode("utf-8")
        return tomllib.loads(text), text, None
    except UnicodeDecodeError:
        return None, "", _problem(path, f"failed to read {path}: it is not valid UTF-8")
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return None, "", _problem(path, f"failed to parse {path}: {error}")


def _problem(path: str, message: str) -> Diagnostic:
    return problem(BAD_CONFIG, message, path, help="until this is repaired, no project that it may mention is trusted")


class ProjectTrust:
    """The trust of every folder between a project root and the working directory."""

    __slots__ = ("_config", "_folders", "_repo_root", "_root")

    def __init__(self, config: TrustConfig, root: str, cwd: str, own_home: str | None) -> None:
        self._config = config
        self._root = root
        self._repo_root = main_checkout(cwd) if config.levels else None
        self._folders = TrustedFolders(record_path(own_home))

    def reason_against(self, folder: str) -> str | None:
        """The reason that rules of ``folder`` must not grant, in Codex's words; ``None`` if the folder is trusted."""
        keys = [os.path.realpath(folder), folder, os.path.realpath(self._root), self._root]
        if self._repo_root is not None:
            keys += [os.path.realpath(self._repo_root), self._repo_root]
        levels = self._config.levels
        for key in keys:
            level = levels.get(key)
            if level is None:
                continue
            if level == "trusted":
                return self._reason_against_trusted(key)
            if level == "untrusted":
                return (
                    f"{key} is marked as untrusted in {self._config.user_file}. "
                    "To load project-local config, hooks, and exec policies, mark it trusted."
                )
            return f"{key} has the unknown trust level `{level}` in {self._config.user_file}; only `trusted` trusts it."
        for key, level in levels.items():
            if level == "trusted" and os.path.abspath(os.path.expanduser(key)) in keys:
                return f"{self._config.user_file} trusts `{key}`, which is read letter by letter: {_REMEDY} {folder}`."
        key = self._repo_root if self._repo_root is not None else self._root
        return (
            "To load project-local config, hooks, and exec policies, "
            f"add {key} as a trusted project in {self._config.user_file}."
        )

    def _reason_against_trusted(self, key: str) -> str | None:
        """The reason that ``key``, trusted in a configuration file, may be another folder than the one meant."""
        for path, level in self._config.levels.items():
            if level == "trusted" and not self._folders.is_known(path) and self._may_be_meant(path):
                self._folders.record(path)  # the others too: an early record leaves less time to replace a folder
        if self._folders.is_same(key):
            return None
        file = self._config.files[key]
        if self._folders.is_known(key):
            return (
                f"{key} is trusted in {file}, but another folder was made in its place since. If you made it, take its "
                f"line out of {self._folders.path}."
            )
        if self._may_be_meant(key):
            return None  # the record cannot be written
        return f"{key} was made after {file}, which trusts it, was last written. If you meant it, save {file} again."

    def _may_be_meant(self, path: str) -> bool:
        """True if the folder at this path existed when the configuration file that trusts it was last written."""
        try:
            made = born(path)
            return made is None or made <= os.stat(self._config.files[path]).st_ctime_ns
        except OSError:
            return False


def main_checkout(cwd: str) -> str | None:
    """The root of the git repository around ``cwd``; for a linked work tree, the root of its main checkout."""
    for folder in ancestors(cwd):
        marker = os.path.join(folder, ".git")
        if os.path.isdir(marker):
            return folder
        if os.path.isfile(marker):
            return _linked_main_checkout(folder, marker)
    return None


def _linked_main_checkout(folder: str, marker: str) -> str | None:
    text = _short_text(marker)
    if text is None or not text.startswith("gitdir:"):
        return None
    git_dir = os.path.normpath(os.path.join(folder, text[len("gitdir:") :].strip()))
    worktrees = os.path.dirname(git_dir)
    common = os.path.dirname(worktrees)
    if os.path.basename(worktrees) != "worktrees" or os.path.basename(common) != ".git":
        return folder  # a submodule or a separate git folder: its own repository
    back = _short_text(os.path.join(git_dir, "gitdir"))
    if back is None:
        return folder
    listed = os.path.normpath(os.path.join(git_dir, back.strip()))
    # compares the folder, not the file: a `.git` that links to another work tree's `.git` must not pass
    same = os.path.basename(listed) == ".git" and os.path.realpath(os.path.dirname(listed)) == os.path.realpath(folder)
    return os.path.dirname(common) if same and _is_first(folder, git_dir) else folder


def _is_first(folder: str, git_dir: str) -> bool:
    """True if ``folder`` is the one that git created for the work tree, and not a later one at the same path.

    Git creates the folder and then, exactly once, the file ``commondir``. Git writes to other files when the work tree
    is moved or used.
    """
    try:
        made = born(folder)
        return made is not None and made <= os.stat(os.path.join(git_dir, "commondir")).st_mtime_ns
    except OSError:
        return False


def _short_text(path: str) -> str | None:
    """The text of a small file of git's, or ``None``."""
    try:
        return read_named(path, largest=_SHORT).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


FILE = "trusted-folders"


def record_path(own_home: str | None) -> str | None:
    """The path of the record; ``None`` without an own folder."""
    return None if own_home is None else os.path.join(own_home, FILE)


class TrustedFolders:
    """The record in ``path``; nothing is recorded without a path or if it is not writable."""

    __slots__ = ("_known", "path")

    def __init__(self, path: str | None) -> None:
        self.path = path
        self._known: dict[str, str] = {}
        try:
            with open(path or os.devnull, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
                lines = file.read().split("\n")[:-1]
        except OSError:
            lines = []
        for line in lines:
            known, _, folder = line.partition(" ")
            self._known.setdefault(folder, known)

    def is_known(self, folder: str) -> bool:
        """True if this path has a record."""
        return folder in self._known

    def is_same(self, folder: str) -> bool:
        """True if the folder at this path is the recorded one."""
        return self._known.get(folder) == identity(folder)

    def record(self, folder: str) -> None:
        """Records the folder that is now at this path."""
        now = identity(folder)
        if self.path is None or now is None or "\n" in folder:
            return
        self._known[folder] = now
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            fd = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            with open(fd, "wb", buffering=0) as file:
                file.write(f"{now} {folder}\n".encode("utf-8", "surrogateescape"))
        except OSError:
            return


_GET_VERSION = 0x80087601
"""``FS_IOC_GETVERSION``: the generation of an inode number, which changes each time the number is reused."""
_STATX_BTIME = 0x800
_STATX_SIZE = 256
_AT_BTIME = 80


def identity(folder: str) -> str | None:
    """A word that identifies ``folder`` and no other folder with its path; ``None`` if there is no folder.

    The inode number with its generation, or with its birth time if the file system has no generations. The device
    number is not used, because it changes at a reboot.
    """
    try:
        status = os.stat(folder)
        return f"{status.st_ino}.{_generation(folder) or born(folder)}"
    except OSError:
        return None


def born(path: str) -> int | None:
    """The birth time of the file or folder, in nanoseconds since 1970; ``None`` if the system does not provide it."""
    found = getattr(os.stat(path), "st_birthtime", None)  # macOS, BSD
    if found is not None:
        return int(found * 1e9)
    import ctypes  # takes 5 ms; Python has no function for this on Linux

    buffer = ctypes.create_string_buffer(_STATX_SIZE)
    try:
        if ctypes.CDLL(None).statx(-100, os.fsencode(path), 0, _STATX_BTIME, buffer) != 0:
            return None
    except (AttributeError, OSError):
        return None
    told = int.from_bytes(buffer.raw[:4], "little") & _STATX_BTIME
    seconds, nanoseconds = buffer.raw[_AT_BTIME : _AT_BTIME + 8], buffer.raw[_AT_BTIME + 8 : _AT_BTIME + 12]
    return int.from_bytes(seconds, "little") * 10**9 + int.from_bytes(nanoseconds, "little") if told else None


def _generation(folder: str) -> int | None:
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return int.from_bytes(fcntl.ioctl(fd, _GET_VERSION, bytes(8))[:4], "little")
    except OSError:
        return None
    finally:
        os.close(fd)
