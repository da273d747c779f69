"""Finds the layers, lowest first. Source: Codex 0.169 to 0.171, reference sections 3.1 to 3.3."""

from __future__ import annotations

import os
import stat

from execpolicy.errors import UsageError
from execpolicy.layers import trust as layers_trust
from execpolicy.layers.folders import ancestors, project_folders
from execpolicy.layers.layer import Layer
from execpolicy.resources import rules_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.diagnostics.model import Diagnostic
    from execpolicy.layers.layer import LayerName
    from execpolicy.layers.layer_options import LayerOptions

_IGNORED = "left out by --ignore-rules"


def discover(options: LayerOptions) -> tuple[tuple[Layer, ...], tuple[Diagnostic, ...]]:
    """Every layer that has a folder, and the problems of the configuration files that define trust.

    A layer whose folder does not exist is listed too, so that a folder that is created later can be watched for. The
    project layers are those with an existing ``.codex`` folder.
    """
    layers: list[Layer] = []
    problems: tuple[Diagnostic, ...] = ()
    if options.builtin_folder is not None:
        layers.append(Layer("built-in", options.builtin_folder))
    if options.files is not None or options.texts is not None:
        return (*layers, Layer("given")), ()
    if options.system_folder is not None:
        layers.append(Layer("system", os.path.join(options.system_folder, "rules")))
    if options.codex_home is not None:
        user = _switchable("user", os.path.join(options.codex_home, "rules"), options)
        layers.append(user)
        if options.profile is not None and options.mode == "codex":
            layers.append(user)  # Codex loads the folder once for the user and once for the profile
    if options.own_home is not None:
        layers.append(_switchable("own", os.path.join(options.own_home, "rules"), options))
    if options.workspace is not None and options.mode != "codex":
        workspace, problems = _workspace_layer(options, options.workspace)
        layers.append(workspace)
    if options.project:
        projects, problems = _project_layers(options)
        layers.extend(projects)
    return tuple(layers), problems


def why_untrusted(options: LayerOptions, folder: str) -> tuple[str | None, tuple[Diagnostic, ...]]:
    """Returns why the project ``folder`` is not trusted, or ``None``, and the problems of the files that say so."""
    files = config_files(options)
    config = layers_trust.read_trust(files, user_file=files[-1] if files else "config.toml")
    return layers_trust.ProjectTrust(config, folder, folder, options.own_home).reason_against(folder), config.problems


def _workspace_layer(options: LayerOptions, folder: str) -> tuple[Layer, tuple[Diagnostic, ...]]:
    """The layer of the workspace setting of ``folder``; disabled if the folder is not trusted."""
    reason, problems = why_untrusted(options, folder)
    if folder in ancestors(os.path.realpath(options.home or "/")):
        reason = f"{folder} is the home folder or one above, and so no workspace"
    reason = _IGNORED if options.ignore_rules else reason
    rules = os.path.join(rules_folder(), "workspace")
    return Layer("workspace", rules, enabled=reason is None, reason=reason, root=folder), problems


def config_files(options: LayerOptions) -> tuple[str, ...]:
    """The configuration files that may name trusted projects, lowest first. Files of a project are never read.

    Raises:
        UsageError: the profile is not a plain name.
    """
    files: list[str] = []
    if options.system_folder is not None:
        files.append(os.path.join(options.system_folder, "config.toml"))
    if options.codex_home is not None:
        files.append(os.path.join(options.codex_home, "config.toml"))
        if options.profile is not None:
            if not options.profile or "/" in options.profile or "\0" in options.profile:
                raise UsageError(f"a profile is a bare name, not `{options.profile}`")
            files.append(os.path.join(options.codex_home, f"{options.profile}.config.toml"))
    return tuple(files)


def _project_layers(options: LayerOptions) -> tuple[list[Layer], tuple[Diagnostic, ...]]:
    home = options.codex_home
    if options.mode == "isolated" and not any(is_project(folder, home) for folder in ancestors(options.cwd)):
        return [], ()  # there is no project, so the configuration need not be read on every check
    files = config_files(options)
    user_file = os.path.join(home, "config.toml") if home is not None else (files[-1] if files else "config.toml")
    config = layers_trust.read_trust(files, user_file=user_file)
    folders = project_folders(options.cwd, config.markers)
    trust = layers_trust.ProjectTrust(config, folders[0], options.cwd, options.own_home)
    layers: list[Layer] = []
    for folder in folders:
        if not is_project(folder, home):
            continue
        rules = os.path.join(folder, ".codex", "rules")
        reason = trust.reason_against(folder)
        if reason is not None and not options.untrusted:
            continue
        enabled = not options.ignore_rules and (reason is None or options.mode != "codex")
        shown = _IGNORED if options.ignore_rules else reason
        layers.append(Layer("project", rules, trusted=reason is None, enabled=enabled, reason=shown))
    return layers, config.problems


def is_project(folder: str, home: str | None) -> bool:
    """True if ``folder`` has a ``.codex`` folder that is not the user's own, or that may not be read."""
    dot_codex = os.path.join(folder, ".codex")
    try:
        if not stat.S_ISDIR(os.stat(dot_codex).st_mode):
            return False
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError:
        return True
    return home is None or os.path.realpath(dot_codex) != os.path.realpath(home)


def _switchable(name: LayerName, folder: str, options: LayerOptions) -> Layer:
    """The layer ``name``; disabled if ``--ignore-rules`` is set."""
    return Layer(name, folder, enabled=False, reason=_IGNORED) if options.ignore_rules else Layer(name, folder)
