"""What a wheel holds beside the sources: compiled rules and modules, manual pages, completion, pages of `help`."""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "execpolicy"
COMPLETIONS = {
    "bash": f"share/bash-completion/completions/{NAME}",
    "zsh": f"share/zsh/site-functions/_{NAME}",
    "fish": f"share/fish/vendor_completions.d/{NAME}.fish",
}


class Precompile(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's config type is its own affair
    """Adds what ``_data`` holds beside sources, pages and ``share/`` to a wheel.

    An editable install compiles as it goes.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is put together."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from execpolicy.judge.stored import EQUAL, store_entries
        from execpolicy.lang.precompiled import builtin_entries, precompile
        from execpolicy.programs.catalog import built_index
        from execpolicy.safety.heuristics import Heuristics
        from execpolicy.version import __version__

        package = Path(mkdtemp()) / "execpolicy"
        shutil.copytree(Path(self.root) / "execpolicy", package, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("grammar", "rules"):
            shutil.copytree(Path(self.root) / name, package / "_data" / name)
        entries = package / "_data" / "builtin.compiled"
        entries.write_bytes(precompile())
        stored = package / "_data" / "builtin.entries"
        in_force = Heuristics(builtin_entries()).entries
        stored.write_bytes(store_entries(in_force, EQUAL))
        index = package / "_data" / "programs.index"
        index.write_bytes(built_index())
        record = f"../execpolicy-{__version__}.dist-info/RECORD"
        writer = Path(self.root) / ".ci" / "bytecode_groups.py"
        subprocess.run([sys.executable, "-X", "no_debug_ranges", str(writer), str(package), record], check=True)
        for path in (entries, stored, index, *(package / "_data" / "bytecode").iterdir()):
            build_data["force_include"][str(path)] = str(path.relative_to(package.parent))
        for page in (Path(self.root) / "docs").glob("*.md"):
            build_data["force_include"][str(page)] = f"execpolicy/_data/docs/{page.name}"
        build_data["shared_data"].update(self._shared(Path(mkdtemp()), __version__))

    def _shared(self, folder: Path, version: str) -> dict[str, str]:
        """Files for the folders that manuals and shells look into, and where they belong there."""
        sys.path.insert(0, str(Path(self.root) / ".ci"))
        from click import Command
        from click.shell_completion import get_completion_class
        from man_pages import man_pages

        texts = {f"share/man/man1/{name}": text for name, text in man_pages(Path(self.root) / "docs", version).items()}
        for shell, place in COMPLETIONS.items():
            script = get_completion_class(shell)(Command(NAME), {}, NAME, f"_{NAME.upper()}_COMPLETE")  # type: ignore[misc]  # click knows it
            texts[place] = script.source_template % script.source_vars()
        for place, text in texts.items():
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / place).write_text(text, "utf-8")
        return {str(folder / place): place for place in texts}
