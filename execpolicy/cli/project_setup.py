"""The set-up of one project: its trust, the workspace setting, and the packs that fit. ``init`` and the page use it."""

from __future__ import annotations

import os

from execpolicy.cli.commands.trust import project_of, set_trust, with_workspace
from execpolicy.cli.rule_targets import rewrite_settings
from execpolicy.diagnostics.render_text import visible
from execpolicy.errors import RuleStoreError, UsageError
from execpolicy.insight.starters import Starter, fitting_packs, remove_starter, workspace_starter, write_starter
from execpolicy.layers.discover import why_untrusted
from execpolicy.layers.layer_options import FILE, LayerOptions

WARNING = "With a pack and this setting the agent can run code that it writes itself: use the sandbox."
_TRUST = "Trust: the rules of the project, and its workspace setting, may allow commands."


class ProjectSetup:
    """The switches of the user for the project of the working folder.

    Attributes:
        project: its folder.

    Raises:
        UsageError: it is the home folder or one above.
    """

    def __init__(self) -> None:
        process = LayerOptions.of_process()
        self.project = project_of(None, process.codex_home)
        if f"{os.path.realpath(process.home or '/')}/".startswith(f"{self.project.rstrip('/')}/"):
            raise UsageError(f"{self.project} is the home folder or one above: go to the folder of a project")

    @property
    def options(self) -> LayerOptions:
        """The options of layers in the project, with the settings of this moment."""
        return LayerOptions.of_process(cwd=self.project)

    @property
    def packs(self) -> tuple[Starter, ...]:
        """The packs that fit the project."""
        return fitting_packs(self.project)

    def why_untrusted(self) -> str | None:
        """Returns why the project is not trusted; ``None`` if it is."""
        return why_untrusted(self.options, self.project)[0]

    def switches(self) -> list[tuple[str, str, bool]]:
        """Returns name, effect in one sentence, and state of the trust, the workspace setting and each pack."""
        rows = [
            ("trust", _TRUST, self.why_untrusted() is None),
            ("workspace", workspace_starter().title, self.options.workspace is not None),
        ]
        folder = self.rules_folder()
        return rows + [(each.name, each.title, os.path.exists(f"{folder}/{each.file_name}")) for each in self.packs]

    def switch(self, name: str, *, on: bool) -> str:
        """Switches ``trust``, ``workspace`` or a pack, and returns what changed in one line.

        Raises:
            UsageError: there is no such switch, or no folder for the settings.
            RuleStoreError: a file cannot be changed.
        """
        if name == "trust":
            path = os.path.join(_home(self.options.codex_home, "CODEX_HOME"), "config.toml")
            set_trust(self.options, path, self.project, trusted=on)
            return f"{visible(self.project)} is {'' if on else 'not '}trusted now ({path})"
        if name == "workspace":
            path, word = os.path.join(_home(self.options.own_home, "EXECPOLICY_HOME"), FILE), "on" if on else "off"
            rewrite_settings(path, lambda text: with_workspace(text, self.project, word, path=path))
            return f"the workspace setting of {visible(self.project)} is {word} ({path})"
        pack = next((each for each in self.packs if each.name == name), None)
        if pack is None:
            raise UsageError(f"no pack `{name}` fits this project")
        return _switch_pack(pack, self.rules_folder(), on=on)

    def rules_folder(self) -> str:
        """The folder that packs are written to."""
        return os.path.join(_home(self.options.own_home, "EXECPOLICY_HOME"), "rules")


def _switch_pack(pack: Starter, folder: str, *, on: bool) -> str:
    path = os.path.join(folder, pack.file_name)
    try:
        if on:
            return f"wrote {path}" if write_starter(pack, folder) else f"left alone, it exists: {path}"
        if remove_starter(pack, folder, even_changed=False):
            return f"removed {path}"
    except OSError as error:
        raise RuleStoreError(f"cannot change `{path}`: {error.strerror}") from None
    return f"left alone, it was changed: {path}"


def _home(folder: str | None, variable: str) -> str:
    if folder is None:
        raise UsageError(f"there is no home folder for the settings: set {variable}")
    return folder
