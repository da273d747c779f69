"""Lets proselint read the pages without their examples: `python -m tests.support.style`; status 1 if it objects."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.sentences import prose

ROOT = Path(__file__).parents[2]
LEFT_OUT = ("evidence", "api")
"""Folders of pages that programs write."""
CHECKS = {
    "typography": False,  # straight quotes are what the sources are written with
    "lexical_illusions": False,  # takes a heading and the first words below it for a repetition
    "annotations": False,  # takes a name in capitals for a note to oneself
}


def objections(pages: dict[str, str]) -> list[str]:
    """The objections of proselint to pages, by name and text."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        config = folder / "proselint.json"
        config.write_text(json.dumps({"checks": CHECKS}))
        for page, text in pages.items():
            (folder / page.replace("/", "-")).write_text(re.sub(r"\bCODE\b", "it", prose(text)), "utf-8")
        command = [sys.executable, "-m", "proselint", "check", "--config", str(config), *map(str, folder.glob("*.md"))]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        if done.returncode not in (0, 1) or done.stderr.startswith("Traceback"):
            return [done.stderr]
        return [line.removeprefix(f"{folder}/") for line in done.stdout.splitlines() if line.startswith(str(folder))]


def main() -> int:
    """Print all objections."""
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    pages = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in paths}
    found = objections({page: text for page, text in pages.items() if not {*LEFT_OUT} & {*Path(page).parts}})
    print("\n".join(found) or f"no objection to {len(pages)} pages")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
