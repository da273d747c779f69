"""``allow_login_shell`` in Codex's settings: whether a script runs in a login shell."""

from __future__ import annotations

import os

from execpolicy.layers.discover import config_files, discover
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.trust import read_toml


def allows_login_shell(options: LayerOptions) -> bool:
    """What the highest ``config.toml`` says that has the setting; those of projects count where they are trusted."""
    layers, _ = discover(options.replaced(files=None, texts=None))
    folders = [os.path.dirname(layer.folder or "") for layer in layers if layer.name == "project" and layer.trusted]
    allowed = True
    for path in (*config_files(options), *[os.path.join(folder, "config.toml") for folder in folders]):
        table, _, _ = read_toml(path)
        value = (table or {}).get("allow_login_shell")
        allowed = value if isinstance(value, bool) else allowed
    return allowed
