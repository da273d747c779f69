"""The options of a load: every folder and switch in one value, so that a load depends on nothing else."""

from __future__ import annotations

import os

from execpolicy import validators
from execpolicy.core.hosts import home_of
from execpolicy.errors import UsageError
from execpolicy.lang import file_limits
from execpolicy.layers import settings_file
from execpolicy.layers.folders import ancestors
from execpolicy.resources import records_folder
from execpolicy.source import Source
from execpolicy.value import KW_ONLY, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal, TypeAlias

    from execpolicy.lang.file_limits import FileLimits

    Reach: TypeAlias = Literal["none", "plain", "flow"]

Mode: TypeAlias = "Literal['isolated', 'strict', 'codex']"


MODES = ("isolated", "strict", "codex")

SYSTEM_FOLDER = "/etc/codex"


@value
class LayerOptions:
    """The options of a load. Every folder and the requirements file are absolute paths, every list is kept as a tuple.

    Attributes:
        cwd: the folder from which project layers are searched upwards.
        home: the home folder, or ``None``; used only for defaults.
        codex_home: the folder with ``config.toml`` and ``rules`` of the user, or ``None`` for no user layer.
        own_home: the folder whose ``rules`` folder is the own user layer, or ``None`` for no such layer.
        system_folder: the folder with ``config.toml``, ``rules`` and ``requirements.toml`` of the machine, or ``None``
            for no such layer.
        requirements: the file of the requirements overlay, or ``None`` for no overlay.
        builtin_folder: the folder of the package's own rules, or ``None`` for no heuristics.
        project: true to search for project layers.
        untrusted: true to read the layers of an untrusted project too.
        profile: the profile whose ``<codex_home>/<profile>.config.toml`` is read after ``config.toml``.
        ignore_rules: true to skip the rule files of user, own and project layers, but not system rules and
            requirements.
        mode: ``isolated``: a broken file is skipped and the load fails closed. ``strict``: any problem is an error.
            ``codex``: one broken file drops all rule files, and untrusted projects are not read.
        files: rule files to read instead of every layer between the built-in one and the session.
        texts: rule texts to read in the same place; may be combined with ``files``.
        session: rules that exist only in memory.
        environment: restrictive rule texts of the environment; an allow rule in them is an error.
        grants: the grounds that may be used, see :mod:`execpolicy.judge.grounds`.
        workspace: the folder at or above ``cwd`` for which the user turned the workspace setting on, or ``None``.
        limits: the limits of one trusted rule file; ``None`` for the defaults. An untrusted project has other limits.

    Raises:
        UsageError: an argument has an invalid type or value.
    """

    _: KW_ONLY
    cwd: str
    home: str | None = None
    codex_home: str | None = None
    own_home: str | None = None
    system_folder: str | None = None
    requirements: str | None = None
    builtin_folder: str | None = None
    project: bool = True
    untrusted: bool = True
    profile: str | None = None
    ignore_rules: bool = False
    mode: Mode = "isolated"
    files: Sequence[str] | None = None
    texts: Sequence[Source] | None = None
    session: Sequence[Source] = ()
    environment: Sequence[Source] = ()
    limits: FileLimits | None = None
    grants: Reach = "flow"
    workspace: str | None = None

    def __post_init__(self) -> None:
        paths = [getattr(self, name) for name in _FOLDERS]
        if (
            self.mode not in MODES
            or self.grants not in _REACHES
            or not self.project.__class__ is self.untrusted.__class__ is self.ignore_rules.__class__ is bool
            or not _TEXT.issuperset(map(type, (self.cwd, self.mode, self.grants)))
            or self.cwd[:1] != "/"
            or not all(path is None or (isinstance(path, str) and path[:1] == "/") for path in paths)
            or not (self.profile is None or self.profile.__class__ is str)
            or not (self.files is None or (type(self.files) is tuple and _TEXT.issuperset(map(type, self.files))))
            or any(type(sources) is not tuple or sources for sources in (self.session, self.environment))
            or self.texts is not None
            or self.limits is not None
        ):
            _settle(self)

    @classmethod
    def of_process(
        cls,
        environ: Mapping[str, str] | None = None,
        *,
        cwd: str | None = None,
        system_folder: str | None = SYSTEM_FOLDER,
        profile: str | None = None,
        ignore_rules: bool = False,
        mode: Mode = "isolated",
        files: Sequence[str] | None = None,
        texts: Sequence[Source] | None = None,
        session: Sequence[Source] = (),
        grants: str | None = None,
    ) -> LayerOptions:
        """The options with the default folders of Codex and this package.

        Args:
            environ: the source of ``HOME``, ``CODEX_HOME`` (default ``~/.codex``), ``EXECPOLICY_HOME`` (default
                ``~/.config/execpolicy``), ``EXECPOLICY_LIMITS`` and ``EXECPOLICY_GRANTS``; by default this process's
                environment.
            cwd: the working directory; by default that of this process.
            grants: ``none``, ``plain`` or ``flow``; settings of the user and the machine can only restrict it.

        Raises:
            UsageError: ``EXECPOLICY_LIMITS`` or a setting cannot be read.
        """
        environ = os.environ if environ is None else environ
        home = home_of(environ)
        if cwd is None:
            try:
                cwd = os.getcwd()
            except OSError:  # the folder was deleted, so there is no project
                cwd = "/"
        own_home = own_home_of(environ, home)
        return cls(
            cwd=os.path.abspath(cwd),
            home=home,
            codex_home=_folder(environ.get("CODEX_HOME"), home, ".codex"),
            own_home=own_home,
            system_folder=system_folder,
            requirements=None if system_folder is None else os.path.join(system_folder, "requirements.toml"),
            builtin_folder=records_folder(),
            profile=profile,
            ignore_rules=ignore_rules,
            mode=mode,
            files=tuple(files) if type(files) is list else files,
            texts=texts,
            session=session,
            limits=limits_of(environ),
            grants=grants_of(grants, environ, own_home),
            workspace=workspace_around(os.path.abspath(cwd), own_home),
        )

    def replaced(self, **changes: object) -> LayerOptions:
        """A copy of the options with ``changes``."""
        fields: tuple[str, ...] = self.__slots__  # type: ignore[attr-defined]  # of the decorator
        values: dict[str, Any] = {name: getattr(self, name) for name in fields}
        return LayerOptions(**{**values, **changes})

    @property
    def default_rules(self) -> str | None:
        """The file to which amendments of the user layer are written; ``None`` without a user layer."""
        return None if self.codex_home is None else os.path.join(self.codex_home, "rules", "default.rules")

    @property
    def own_rules(self) -> str | None:
        """The file to which rules that Codex cannot read are written; ``None`` without an own layer."""
        return None if self.own_home is None else os.path.join(self.own_home, "rules", "default.rules")


_TEXT = frozenset((str,))
_FOLDERS = ("home", "codex_home", "own_home", "system_folder", "requirements", "builtin_folder", "workspace")


def _settle(options: LayerOptions) -> None:
    """Normalizes every option; raises an error for the first one of a wrong type."""
    sources = validators.every(validators.instance(Source))
    for which in ("files", "texts", "session", "environment"):
        validators.optional(validators.listed)(getattr(options, which), f"LayerOptions: {which}")
    validators.settle(
        options,
        mode=validators.one_of(*MODES),
        grants=validators.one_of(*_REACHES),
        cwd=validators.folder,
        project=validators.flag,
        ignore_rules=validators.flag,
        untrusted=validators.flag,
        files=validators.optional(validators.argv),
        texts=validators.optional(sources),
        session=sources,
        environment=sources,
        **dict.fromkeys(_FOLDERS, validators.optional(validators.folder)),
        profile=validators.optional(validators.text),
    )
    if options.limits is not None and not hasattr(options.limits, "examples"):
        raise UsageError(f"LayerOptions: limits must be a value of FileLimits, not {repr(options.limits)[:60]}")


def limits_of(environ: Mapping[str, str]) -> FileLimits | None:
    """The limits set in ``environ``; ``None`` for the defaults."""
    asked = environ.get("EXECPOLICY_LIMITS")
    return file_limits.FileLimits.parse(asked) if asked else None


def cache_folder(environ: dict[str, str] | os._Environ[str] | None = None) -> str | None:
    """The cache folder: ``$EXECPOLICY_CACHE`` (empty: none), or ``execpolicy`` in the user's cache."""
    environ = os.environ if environ is None else environ
    given = environ.get("EXECPOLICY_CACHE")
    if given is not None:
        return given or None
    base = environ.get("XDG_CACHE_HOME") or (os.path.join(environ["HOME"], ".cache") if environ.get("HOME") else "")
    return os.path.join(base, "execpolicy") if os.path.isabs(base) else None


def own_home_of(environ: Mapping[str, str], home: str | None) -> str | None:
    """The folder of the user's settings and rules for this package."""
    return _folder(environ.get("EXECPOLICY_HOME"), home, ".config/execpolicy")


def _folder(chosen: str | None, home: str | None, default: str) -> str | None:
    if chosen:
        return os.path.abspath(chosen)
    return os.path.join(home, default) if home else None


MACHINE_FOLDER = "/etc/execpolicy"
FILE = "execpolicy.toml"
_REACHES: tuple[Reach, ...] = ("none", "plain", "flow")


def settings_files(own_home: str | None) -> tuple[str, ...]:
    """The settings files that exist, the machine's first; includes a file whose existence cannot be checked."""
    found: list[str] = []
    for folder in (MACHINE_FOLDER, own_home):
        if folder is not None:
            path = f"{folder}/{FILE}"
            try:
                os.stat(path)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                pass  # reading it reports the error
            found.append(path)
    return tuple(found)


def grants_of(asked: str | None, environ: Mapping[str, str], own_home: str | None) -> Reach:
    """The effective reach of grants: the narrowest of the option, the environment and the settings files.

    Raises:
        UsageError: a file cannot be read, or a value is not ``none``, ``plain`` or ``flow``.
    """
    found = [_reach(asked, "--grants"), _reach(environ.get("EXECPOLICY_GRANTS"), "EXECPOLICY_GRANTS")]
    found += [_of_file(path) for path in settings_files(own_home)]
    return min(found, key=_REACHES.index)


def workspace_around(cwd: str, own_home: str | None) -> str | None:
    """The nearest folder at or above ``cwd``, by real paths, with a workspace setting, if that is ``on``.

    Raises:
        UsageError: a file cannot be read, or a value is not ``on`` or ``off``.
    """
    found: dict[str, bool] = {}
    for path in settings_files(own_home):
        for folder, table in settings_file.settings_in(path).get("workspaces", {}).items():
            found[folder] = settings_file.is_on(table, f'{path}: [workspaces."{folder}"]')
    nearest = next((folder for folder in ancestors(os.path.realpath(cwd)) if folder in found), "") if found else ""
    return nearest if nearest and found[nearest] else None


def _reach(word: str | None, where: str) -> Reach:
    for known in _REACHES:
        if word == known:
            return known
    if word is None or word == "":
        return "flow"
    raise UsageError(f"{where}: grants are `none`, `plain` or `flow`, not `{word}`")


def _of_file(path: str) -> Reach:
    word = settings_file.settings_in(path).get("grants")
    if word is not None and not isinstance(word, str):
        raise UsageError(f"{path}: `grants` is a word in quotes: none, plain or flow")
    return _reach(word, path)
