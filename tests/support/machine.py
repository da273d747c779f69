"""A machine of its own for every test: system, user, own and project folders below one temporary folder."""

from __future__ import annotations

from pathlib import Path

from execpolicy.layers.layer import LoadedLayers
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import load_layers


class Machine:
    """Folders, and the options that point at them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.system = root / "etc" / "codex"
        self.codex_home = root / "home" / ".codex"
        self.own_home = root / "home" / ".config" / "execpolicy"
        self.builtin = root / "builtin"
        self.builtin.mkdir(exist_ok=True)
        self.project = root / "code" / "repo"
        (self.project / ".git").mkdir(parents=True)

    def write(self, path: Path, text: str) -> Path:
        """``path`` with ``text`` in it; folders are made."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        return path

    def trust(self, path: Path, level: str = "trusted") -> None:
        """Give ``path`` the trust level ``level`` in the user's configuration."""
        with (self.codex_home / "config.toml").open("a") as file:
            file.write(f'[projects."{path}"]\ntrust_level = "{level}"\n')

    def options(self, **changes: object) -> LayerOptions:
        """Options for the project folder, with ``changes``."""
        return LayerOptions(
            cwd=str(self.project),
            home=str(self.root / "home"),
            codex_home=str(self.codex_home),
            own_home=str(self.own_home),
            system_folder=str(self.system),
            requirements=str(self.system / "requirements.toml"),
            builtin_folder=str(self.builtin),
        ).replaced(**changes)

    def load(self, **changes: object) -> LoadedLayers:
        """What is in force."""
        return load_layers(self.options(**changes))


def in_force(loaded: LoadedLayers) -> list[str]:
    """The programs and decisions of the prefix rules that count, in order."""
    return [f"{rule.pattern} {rule.decision}" for rule in loaded.statements if hasattr(rule, "pattern")]
