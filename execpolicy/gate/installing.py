"""Plans ``install`` and ``uninstall`` for an agent and a scope, and finds agents and the hooks of other programs."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from execpolicy.approvals.patch import FileState, PatchPlan, apply_plan, read_state
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.gate.codex_trust import with_block, without_block
from execpolicy.gate.settings_edit import (
    HookProgram,
    SettingsEdit,
    is_only_ours,
    is_ours,
    put_entries,
    settings_in,
    take_entries,
)
from execpolicy.hooks.agents import AGENTS, Agent
from execpolicy.layers.layer_options import own_home_of
from execpolicy.safe_open import read_named

_SHARED = ("~/.config", "~/.codeium", "~/.agents")
"""Folders that several programs share."""


def found_agents(site: Site) -> list[Agent]:
    """The agents whose program can be started or whose settings folder exists."""
    return [agent for agent in AGENTS.values() if program_of(site, agent) or os.path.isdir(_folder(site, agent))]


def program_of(site: Site, agent: Agent) -> str | None:
    """The agent's program; ``None`` if it is not on ``PATH``."""
    for name in agent.place.programs or (agent.name,):
        path = shutil.which(name, path=site.environ.get("PATH"))
        if path is not None:
            return path
    return None


def _folder(site: Site, agent: Agent) -> str:
    parts = agent.place.user.split("/")
    depth = 3 if "/".join(parts[:2]) in _SHARED else 2
    return site.file(agent, "/".join(parts[:depth]))


_PROGRAMS = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts")
_LISTS = ("plugin", "plugins", "extensions", "packages")
"""The settings that list further hooks, for agents whose hooks are programs."""


def other_hooks(site: Site, agent: Agent) -> list[str]:
    """The places of hooks that are not ours: files, each with the event or list if the file contains other settings."""
    return [found for path in _files(site, agent) for found in _in_file(agent, path)]


def _files(site: Site, agent: Agent) -> list[str]:
    place = agent.place
    paths = [site.settings_file(agent, scope) for scope in SCOPES if site.has_settings(agent, scope)]
    for pattern in (*place.switched_in, *[each.strip() for each in place.hooked_in.split(",") if each]):
        folder, star, rest = pattern.partition("*")
        folder, _, begun = folder.rpartition("/") if star else (pattern, "", "")
        path = site.file(agent, folder)
        paths += sorted(map(str, Path(path).glob(begun + star + rest))) if star else [path]
    files = {os.path.realpath(path): path for path in paths if os.path.isfile(path)}
    return list(files.values())


def _in_file(agent: Agent, path: str) -> Iterator[str]:
    place = agent.place
    if path.endswith(_PROGRAMS) or place.form == "script":
        try:
            if not is_ours(read_named(path).decode("utf-8", "replace")):
                yield path
        except (OSError, ExecPolicyError):
            yield path
        return
    value = settings_in(path)
    if place.form == "module":
        yield from [f"{path} ({name})" for name in _LISTS if value.get(name)]
    hooks = value.get("hooks")
    wanted = {event.lower() for event in place.events}
    for event, entries in hooks.items() if isinstance(hooks, dict) else ():
        if event.lower() in wanted and isinstance(entries, list) and not all(map(is_only_ours, entries)):
            yield f"{path} ({event})"


Scope: TypeAlias = Literal["user", "machine", "project"]
SCOPES: tuple[Scope, ...] = ("user", "machine", "project")
_MODULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "modules")
_COMMAND = '["execpolicy"]'
"""The placeholder for the command in a module of this package."""
_PATIENCE = "PATIENCE = 20000 "
"""The placeholder for the timeout in a module of this package."""
_WRITTEN = "hook_start.py"
"""A text that every installed file contains, and that no person would write."""
_PINNED = ("CODEX_HOME", "EXECPOLICY_HOME", "EXECPOLICY_CACHE", "XDG_CACHE_HOME", "XDG_STATE_HOME")


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The folders and variables of an installation.

    Attributes:
        home, cwd: absolute folders.
        environ: the variables, which may name other folders.
        root: the prefix of the paths of the machine's settings; empty except in tests.
    """

    home: str
    cwd: str
    environ: Mapping[str, str]
    root: str = ""

    @staticmethod
    def of_process() -> Site:
        """The site of this process.

        Raises:
            UsageError: there is no home folder.
        """
        home = os.environ.get("HOME", "")
        if not os.path.isabs(home):
            raise UsageError("there is no home folder: set HOME")
        return Site(home=home, cwd=os.getcwd(), environ=os.environ)

    def has_settings(self, agent: Agent, scope: Scope) -> bool:
        """True if ``agent`` reads hooks from settings of ``scope``."""
        return bool(getattr(agent.place, scope))

    def settings_file(self, agent: Agent, scope: Scope) -> str:
        """The settings file that makes ``agent`` call its hook.

        Raises:
            UsageError: the agent has none for ``scope``.
        """
        place = agent.place
        path: str = getattr(place, scope)
        if not path:
            raise UsageError(f"{agent.title} reads no hooks from settings of the {scope}")
        if scope == "machine":
            return self.root + path
        return self.file(agent, path)

    def file(self, agent: Agent, path: str) -> str:
        """The path of a file of ``agent``, of the user or of this project, from the path in the record of the agent."""
        moved = agent.place.elsewhere(path, self.environ)
        return moved or os.path.join(self.cwd, path.replace("~", self.home, 1) if path.startswith("~/") else path)

    def keeping(self, scope: Scope) -> Keeping:
        """The store of the former contents of settings."""
        own = f"{self.root}/etc/execpolicy" if scope == "machine" else own_home_of(self.environ, self.home)
        return Keeping(os.path.realpath(f"{own}/gate"))

    def program(self, agent: Agent, scope: Scope, options: tuple[str, ...] = ()) -> HookProgram:
        """The hook program to install: with the folders of this user for the scope ``user``, otherwise of each user."""
        pinned = {name: self.environ[name] for name in _PINNED if os.path.isabs(self.environ.get(name, ""))}
        own = {"HOME": self.home, **pinned} if scope == "user" else {}
        return HookProgram(agent=agent, pinned=own, options=options)


def plan_install(site: Site, agent: Agent, scope: Scope, options: tuple[str, ...] = ()) -> GateChange:
    """The change that installs the hook for ``agent``; empty if it is installed.

    Raises:
        ExecPolicyError: a settings file is broken or cannot be read, or another hook is in the way.
    """
    path = site.settings_file(agent, scope)
    change = GateChange(site.keeping(scope))
    program = site.program(agent, scope, options)
    form = agent.place.form
    if form in ("module", "script"):
        text = _module(agent, program) if form == "module" else program.script
        others = f"another hook is there, and {agent.title} knows one only"
        _write_program(change, path, text, _mode(0o666 if form == "module" else 0o777, scope), others)
        return change
    command = program.shell
    if form == "delegate":
        command = delegated(path)
        _write_program(change, command, program.script, _mode(0o777, scope), "another program is there")
    text = _text(change, path)
    if _WRITTEN in text:
        change.formerly[os.path.realpath(path)] = _taken_out(change, agent, path)
    if path.endswith(".toml"):
        written = with_block(path, text, agent.place.events, command, program.patience)
    else:
        edit = SettingsEdit(path, text)
        put_entries(edit, agent, command, patience=program.patience, switch=scope == "machine")
        written = edit.text if edit.value != SettingsEdit(path, text).value else text
    change.write(path, _encoded(written), mode=_mode(0o666, scope))
    if scope == "project":
        change.notes.append(
            f"anyone who can write {path} can take it away again: prefer the user's or the machine's settings"
        )
    return change


def _write_program(change: GateChange, path: str, text: str, mode: int, others: str) -> None:
    """Adds a file that is ours as a whole; ``others`` is the error if another file is there."""
    there = change.content(path)
    if there is not None and not is_ours(there.decode("utf-8", "replace")):
        raise ExecPolicyError(f"{path}: {others}; move it away first")
    change.formerly[os.path.realpath(path)] = None
    change.write(path, _encoded(text), mode=mode)


def _encoded(text: str) -> bytes:
    """``text`` as bytes, with file names as they are on the disk in any locale.

    Raises:
        ExecPolicyError: the result is not UTF-8, so no agent could read it.
    """
    data = text.encode("utf-8", "surrogateescape")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        name = data[max(error.start - 40, 0) : error.end + 20].decode("utf-8", "backslashreplace")
        message = f"a path that the hook would name is not UTF-8 (`…{name}…`), and no settings file can hold it"
        raise ExecPolicyError(message) from None
    return data


def plan_uninstall(site: Site, agent: Agent, scope: Scope) -> GateChange:
    """The change that uninstalls the hook of ``agent``.

    It restores the former file, or removes only our entries if the file was changed since the installation.

    Raises:
        ExecPolicyError: a settings file is broken or cannot be read.
    """
    path = site.settings_file(agent, scope)
    change = GateChange(site.keeping(scope))
    for each in (path, delegated(path)) if agent.place.form == "delegate" else (path,):
        there = change.content(each)
        if there is None:
            continue
        kept = change.keeping.find(os.path.realpath(each))
        if kept is not None and is_as_written(there, kept):
            change.write(each, kept.before)
        elif each != path or agent.place.form in ("module", "script"):
            if is_ours(there.decode("utf-8", "replace")):
                change.write(each, None)
        else:
            change.write(each, _taken_out(change, agent, each))
    return change


def _taken_out(change: GateChange, agent: Agent, path: str) -> bytes | None:
    """The content of a settings file without our entries; ``None`` for an empty file that was created for them."""
    text = _text(change, path)
    kept = change.keeping.find(os.path.realpath(path))
    made = kept is not None and kept.before is None
    if path.endswith(".toml"):
        left = without_block(text)
        return None if made and not left.strip() else _encoded(left)
    edit = SettingsEdit(path, text)
    take_entries(edit, agent, None if kept is None else SettingsEdit(path, (kept.before or b"").decode()))
    return None if made and not edit.value else _encoded(edit.text)


def delegated(path: str) -> str:
    """The hook program next to the settings file ``path``, for an agent that starts a program without arguments."""
    return os.path.join(os.path.dirname(path), "execpolicy-hook")


def _module(agent: Agent, program: HookProgram) -> str:
    with open(os.path.join(_MODULES, os.path.basename(agent.place.user)), encoding="utf-8") as file:
        text = file.read().replace(_COMMAND, json.dumps(program.argv)).replace('"AGENT"', json.dumps(agent.name))
    return text.replace(_PATIENCE, f"PATIENCE = {(program.patience - 10) * 1000} ")


def _text(change: GateChange, path: str) -> str:
    try:
        return (change.content(path) or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise ExecPolicyError(f"{path}: it is not UTF-8 at byte {error.start}; it is left as it is") from None


def _mode(wanted: int, scope: Scope) -> int:
    """The mode of a new file; files of the machine are readable by all users."""
    mask = os.umask(0o022)
    os.umask(mask)
    return wanted & ~(0o022 if scope == "machine" else mask)


class KeptFile(NamedTuple):
    """The record of a file that was changed.

    Attributes:
        before: its content before the first change; ``None`` if there was no file.
        digests: of the written and of the previous content; a killed process may have left either.
        folders: the folders that were created for it, outermost first.
    """

    before: bytes | None
    digests: tuple[str, str]
    folders: tuple[str, ...]


class Keeping:
    """The folder that stores the former contents of settings files."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @property
    def folders(self) -> tuple[str, str]:
        """The folder and its parent."""
        return self._folder, os.path.dirname(self._folder)

    def record(self, path: str) -> str:
        """The path of the record about the file at ``path``."""
        return f"{self._folder}/{os.path.basename(path)}-{_digest(os.fsencode(path))[:12]}.json"

    def backup(self, path: str) -> str:
        """The path of the former content of the file at ``path``."""
        return self.record(path).removesuffix(".json") + ".before"

    def find(self, path: str) -> KeptFile | None:
        """The record of ``path``; ``None`` if there is none."""
        try:
            noted = json.loads(read_state(self.record(path)).content or b"")
            before = read_state(self.backup(path)).content if noted["existed"] else None
            digests = (str(noted["digest"]), str(noted.get("previous", "")))
            return KeptFile(before, digests, tuple(map(str, noted["folders"])))
        except (ValueError, KeyError, TypeError):
            return None


class GateChange:
    """New contents of files, each with the current content.

    Attributes:
        notes: remarks for the person.
        formerly: path to the content before our hook, for each file whose current content is not that.
    """

    def __init__(self, keeping: Keeping) -> None:
        self.keeping = keeping
        self.notes: list[str] = []
        self.formerly: dict[str, bytes | None] = {}
        self._before: dict[str, FileState] = {}
        self._after: dict[str, FileState] = {}

    def content(self, path: str) -> bytes | None:
        """The content of ``path`` with the changes so far.

        Raises:
            PatchError: the file cannot be read, or is not a regular file.
        """
        real = os.path.realpath(path)
        if real not in self._after:
            self._before[real] = self._after[real] = read_state(real)
        return self._after[real].content

    def write(self, path: str, content: bytes | None, *, mode: int | None = None) -> None:
        """Sets the content of ``path`` to ``content``; a link stays a link.

        ``mode`` is the mode of a new file. An existing file keeps its mode, but becomes executable if necessary.
        """
        self.content(path)
        real = os.path.realpath(path)
        before = self._before[real]
        if before.mode is not None:
            mode = before.mode | ((mode or 0) & 0o111)
        self._after[real] = FileState(content=content, mode=None if content is None else mode)

    def changed(self) -> tuple[str, ...]:
        """The files that the change modifies."""
        return tuple([path for path, state in self._after.items() if state != self._before[path]])

    def diff(self) -> str:
        """The change as a unified diff."""
        return "".join([line for path in self.changed() for line in self._diff(path)])

    def _diff(self, path: str) -> Iterator[str]:
        before, after = self._before[path].content, self._after[path].content
        old, new = ((side or b"").decode("utf-8", "replace").splitlines(keepends=True) for side in (before, after))
        old_name, new_name = ("/dev/null" if side is None else path for side in (before, after))
        for line in difflib.unified_diff(old, new, old_name, new_name):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"

    def install(self) -> None:
        """Applies the change atomically and records the former contents.

        The records are written first, so that a killed process loses nothing.

        Raises:
            PatchError: it could not be done; nothing has changed.
        """
        before = dict(self._before)
        after: dict[str, FileState] = {}
        for path in self.changed():
            kept = self.keeping.find(path)
            was = self._before[path].content
            if kept is None or was is None or not is_as_written(was, kept):
                kept = KeptFile(self.formerly.get(path, was), ("", ""), tuple(_missing(os.path.dirname(path))))
            noted = {
                "path": path,
                "existed": kept.before is not None,
                "digest": _digest(self._after[path].content or b""),
                "previous": "" if was is None else _digest(was),
                "folders": list(kept.folders),
            }
            record, backup = self.keeping.record(path), self.keeping.backup(path)
            after[backup] = FileState(content=kept.before, mode=None if kept.before is None else 0o600)
            after[record] = FileState(content=(json.dumps(noted, indent=1) + "\n").encode(), mode=0o600)
            before[record], before[backup] = read_state(record), read_state(backup)
        _apply(before, {**after, **self._after})

    def uninstall(self) -> None:
        """Applies the change atomically, deletes the records, and removes the folders created for it if they are empty.

        Raises:
            PatchError: it could not be done; nothing has changed.
        """
        before, after = dict(self._before), dict(self._after)
        folders: list[str] = []
        for path in self._after:
            kept = self.keeping.find(path)
            if kept is not None and self._after[path].content is None:
                folders += kept.folders
            for forgotten in (self.keeping.record(path), self.keeping.backup(path)):
                before[forgotten], after[forgotten] = read_state(forgotten), FileState(content=None)
        _apply(before, after)
        for folder in [*sorted(set(folders), key=len, reverse=True), *self.keeping.folders]:
            try:
                os.rmdir(folder)
            except OSError:  # the folder is not empty
                continue


def is_as_written(content: bytes, kept: KeptFile) -> bool:
    """True if a file was not changed since it was written."""
    return _digest(content) in kept.digests


def _apply(before: dict[str, FileState], after: dict[str, FileState]) -> None:
    changed = {path: state for path, state in after.items() if state != before[path]}
    apply_plan(PatchPlan(before={path: before[path] for path in changed}, after=changed, moved={}))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _missing(folder: str) -> list[str]:
    """The folders to create for ``folder``, outermost first."""
    found: list[str] = []
    while not os.path.isdir(folder):
        found.insert(0, folder)
        folder = os.path.dirname(folder)
    return found
