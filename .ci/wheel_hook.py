"""Compiles the built-in layer when a wheel is built, so that the first check need not."""

import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PrecompileBuiltinLayer(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's config type is its own affair
    """Adds ``_data/builtin.compiled`` to a wheel; an editable install compiles as it goes."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is put together."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from execpolicy.lang.compile import compile_source
        from execpolicy.lang.precompiled import precompile
        from execpolicy.source import Source

        sources = []
        for path in sorted((Path(self.root) / "rules" / "builtin").glob("*.rules")):
            text = path.read_text("utf-8")
            sources.append((text, compile_source(Source(path.name, text), trusted=True).statements))
        target = Path(mkdtemp()) / "builtin.compiled"
        target.write_bytes(precompile(sources))  # type: ignore[arg-type]  # a test sees to it that all are entries
        build_data["force_include"][str(target)] = "execpolicy/_data/builtin.compiled"
