"""Which options real programs say they take: `python -m tests.support.help_options` records them with their version.

Programs that are not installed keep what was recorded before.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

LISTED = Path(__file__).parents[1] / "data" / "meaning" / "options.json"
GIT = (
    "add am apply branch checkout cherry-pick clean clone commit fetch gc init merge mv pull push rebase reset restore "
    "revert rm stash status switch tag"
)
GNU = "rm cp mv chmod chown chgrp ln mkdir rmdir tar sed wget make psql systemctl rsync shred"
DOCKER = "run|exec|rm|stop|build|push|pull|system prune|image prune|volume rm"
UV = "pip install|pip uninstall|add|remove|run|publish|tool install"
ASKED = {
    **{name: [[name, "--help"]] for name in GNU.split()},
    "curl": [["curl", "--help", "all"]],
    "pip": [["pip", sub, "--help"] for sub in ("install", "uninstall", "download", "list", "freeze")],
    "git": [["git", sub, "-h"] for sub in GIT.split()],
    "docker": [["docker", *sub.split(), "--help"] for sub in DOCKER.split("|")],
    "kubectl": [["kubectl", sub, "--help"] for sub in ("delete", "apply", "create", "exec", "scale", "drain", "logs")],
    "uv": [["uv", *sub.split(), "--help"] for sub in UV.split("|")],
    "cargo": [["cargo", sub, "--help"] for sub in ("build", "run", "test", "publish", "install", "add")],
}
_OPTION = r"--?[A-Za-z0-9][\w-]*"
_VALUE = r"\[?(?:[= ]?<[^>]+>|=[\w\[\].,:|/-]+|[= ][A-Za-z][\w.:/-]+)(?:\.\.\.)?\]?"
_LINE = re.compile(rf"^\s{{1,8}}((?:{_OPTION}(?:{_VALUE})?(?:,?\s{{1,2}}(?=-))?)+)(?:\s{{2,}}|$)")
_KUBERNETES = re.compile(r"^    (?:(-\w), )?(?:    )?(--[\w-]+)=(.*):$", re.MULTILINE)
_ONE = re.compile(rf"({_OPTION})({_VALUE})?")


def listed(text: str) -> list[list[str]]:
    """The options in a help text: the names of each, and in front ``:`` (a value), ``?`` (may have one) or nothing."""
    found = []
    for short, name, value in _KUBERNETES.findall(text):
        found.append(["" if value in ("true", "false") else ":", *([short] if short else []), name])
    for line in text.replace("[no-]", "").splitlines():
        match = None if _KUBERNETES.match(line) else _LINE.match(line.replace("\t", "    "))
        if match is None:
            continue
        parts = _ONE.findall(match.group(1))
        values = [value for _, value in parts if value]
        kind = "" if not values else "?" if any(value.startswith("[") for value in values) else ":"
        found.append([kind, *dict.fromkeys(name for name, _ in parts)])
    return found


def record() -> None:
    """Ask every installed program."""
    known = json.loads(LISTED.read_text()) if LISTED.exists() else {}
    for name, questions in ASKED.items():
        if shutil.which(name) is None:
            continue
        asked = [name, "version", "--client"] if name == "kubectl" else [name, "--version"]
        version = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.splitlines()
        known[name] = {"version": version[0] if version else "", "options": {}}
        for words in questions:
            run = subprocess.run(words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
            sub = " ".join(words[1:-1]) if name != "curl" else ""
            known[name]["options"][sub] = listed(run.stdout + run.stderr)
    LISTED.write_text(json.dumps(known, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    record()
