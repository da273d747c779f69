"""Where things are kept between runs that are neither rules nor configuration."""

from __future__ import annotations

from collections.abc import Mapping


def state_folder(environ: Mapping[str, str]) -> str | None:
    """``$XDG_STATE_HOME/execpolicy`` (``~/.local/state/execpolicy``); ``None`` without a home."""
    home = environ.get("HOME", "")
    base = environ.get("XDG_STATE_HOME") or (f"{home}/.local/state" if home else "")
    return f"{base}/execpolicy" if base.startswith("/") else None
