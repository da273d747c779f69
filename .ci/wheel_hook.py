"""Compiles the built-in layer, the index of the shelf and the modules of a check when a wheel is built."""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Precompile(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's config type is its own affair
    """Adds ``_data/builtin.compiled``, ``_data/programs.index`` and ``_data/bytecode/`` to a wheel.

    An editable install compiles as it goes.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is put together."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from execpolicy.lang.compile import compile_source
        from execpolicy.lang.precompiled import precompile
        from execpolicy.programs.shelf import built_index
        from execpolicy.source import Source
        from execpolicy.version import __version__

        sources = []
        for path in sorted((Path(self.root) / "rules" / "builtin").glob("*.rules")):
            text = path.read_text("utf-8")
            sources.append((text, compile_source(Source(path.name, text), trusted=True).statements))
        package = Path(mkdtemp()) / "execpolicy"
        shutil.copytree(Path(self.root) / "execpolicy", package, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("grammar", "rules"):
            shutil.copytree(Path(self.root) / name, package / "_data" / name)
        entries = package / "_data" / "builtin.compiled"
        entries.write_bytes(precompile(sources))  # type: ignore[arg-type]  # a test sees to it that all are entries
        index = package / "_data" / "programs.index"
        index.write_bytes(built_index())
        record = f"../execpolicy-{__version__}.dist-info/RECORD"
        writer = Path(self.root) / ".ci" / "bytecode_groups.py"
        subprocess.run([sys.executable, "-X", "no_debug_ranges", str(writer), str(package), record], check=True)
        for path in (entries, index, *(package / "_data" / "bytecode").iterdir()):
            build_data["force_include"][str(path)] = str(path.relative_to(package.parent))
