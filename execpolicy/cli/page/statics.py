"""The static files of the page: exactly these names, so that no path can lead anywhere else."""

from __future__ import annotations

import os

from execpolicy.cli.page.replay_html import STATIC

_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def static_file(name: str) -> tuple[str, str] | None:
    """The text and the type of the file ``name``; ``None`` if there is none."""
    if name not in os.listdir(STATIC):
        return None
    with open(os.path.join(STATIC, name), encoding="utf-8") as file:
        return file.read(), _TYPES[os.path.splitext(name)[1]]
