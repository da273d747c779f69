"""Whether a project may grant: Codex's ``config.toml``, read without running anything in the project.

Source: Codex 0.169.0, reference section 3.2. One thing is stricter here: a linked work tree inherits the trust of its
main checkout only if that checkout lists it. A ``.git`` file alone proves nothing, since anybody can write one that
points at a trusted repository.
"""

from __future__ import annotations

import os

from execpolicy.layers.folders import ancestors
from execpolicy.layers.problems import BAD_CONFIG, os_reason, problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.diagnostics.model import Diagnostic

DEFAULT_ROOT_MARKERS = (".git",)


class TrustConfig:
    """What the configuration files say about projects.

    Attributes:
        levels: project path to its ``trust_level``, of the highest file that names it.
        markers: names that mark a project root; empty switches the search off.
        user_file: the file that a person would edit to trust a project.
        problems: what is wrong with the files. A file that cannot be read trusts nothing.
    """

    __slots__ = ("levels", "markers", "problems", "user_file")

    def __init__(
        self,
        levels: dict[str, str],
        markers: tuple[str, ...] = DEFAULT_ROOT_MARKERS,
        user_file: str = "config.toml",
        problems: Sequence[Diagnostic] = (),
    ) -> None:
        self.levels = levels
        self.markers = markers
        self.user_file = user_file
        self.problems = tuple(problems)


def read_trust(config_files: Sequence[str], *, user_file: str) -> TrustConfig:
    """The trust settings of ``config_files``, lowest first; missing files are fine."""
    levels: dict[str, str] = {}
    markers = DEFAULT_ROOT_MARKERS
    problems: list[Diagnostic] = []
    for path in config_files:
        table, _, found = read_toml(path)
        if found is not None:
            problems.append(found)
            levels.clear()  # a level of a lower file may be the one that this file takes away
        if table is None:
            continue
        projects = table.get("projects")
        if isinstance(projects, dict):
            for key, project in projects.items():
                level = project.get("trust_level") if isinstance(project, dict) else None
                if isinstance(level, str):
                    levels[key] = level
        if "project_root_markers" in table:
            names = table["project_root_markers"]
            if isinstance(names, list) and all(isinstance(name, str) for name in names):
                markers = tuple(names)
            else:
                problems.append(_problem(path, "project_root_markers must be an array of strings"))
    return TrustConfig(levels, markers, user_file, problems)


def read_toml(path: str) -> tuple[dict[str, object] | None, str, Diagnostic | None]:
    """The table in ``path``, or ``None`` if the file is missing or broken; its text; and the problem, if any."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return None, "", None
    except NotADirectoryError:
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
    """The trust of every folder between a project root and the working folder."""

    __slots__ = ("_config", "_repo_root", "_root")

    def __init__(self, config: TrustConfig, root: str, cwd: str) -> None:
        self._config = config
        self._root = root
        self._repo_root = main_checkout(cwd) if config.levels else None

    def reason_against(self, folder: str) -> str | None:
        """Why project rules of ``folder`` must not grant, in Codex's words; ``None`` if the folder is trusted."""
        keys = [os.path.realpath(folder), folder, os.path.realpath(self._root), self._root]
        if self._repo_root is not None:
            keys += [os.path.realpath(self._repo_root), self._repo_root]
        levels = self._config.levels
        for key in keys:
            level = levels.get(key)
            if level is None:
                continue
            if level == "trusted":
                return None
            if level == "untrusted":
                return (
                    f"{key} is marked as untrusted in {self._config.user_file}. "
                    "To load project-local config, hooks, and exec policies, mark it trusted."
                )
            return f"{key} has the unknown trust level `{level}` in {self._config.user_file}; only `trusted` trusts it."
        key = self._repo_root if self._repo_root is not None else self._root
        return (
            "To load project-local config, hooks, and exec policies, "
            f"add {key} as a trusted project in {self._config.user_file}."
        )


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
    # the folder is compared and not the file: a `.git` that is a link to another work tree's leads nowhere
    same = os.path.basename(listed) == ".git" and os.path.realpath(os.path.dirname(listed)) == os.path.realpath(folder)
    return os.path.dirname(common) if same else folder


def _short_text(path: str) -> str | None:
    """The start of a small text file of git's, or ``None``."""
    try:
        with open(path, "rb") as file:
            return file.read(8192).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
