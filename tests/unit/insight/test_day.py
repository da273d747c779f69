"""A day of harmless commands, with what ``init`` proposes: how many are asked about."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from execpolicy.insight.starters import packs
from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from execpolicy.lang.compile import compile_source
from execpolicy.source import Source
from tests.support.judging import builtin

DAY = [json.loads(line)["script"] for line in Path("tests/data/day.jsonl").read_text("utf-8").splitlines()]
ASKED = {
    "env | grep -i node"  # prints secrets of the environment
}


def test_a_day_of_harmless_commands_is_hardly_asked_about(tmp_path: Path) -> None:
    project = tmp_path / "home" / "project"
    for name in ("src/app.py", "tests/test_app.py", "package.json", "scripts/check.sh", "README.md"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("{}\n", "utf-8")
    for name in ("tsc", "eslint"):
        (project / "node_modules" / ".bin" / name).parent.mkdir(parents=True, exist_ok=True)
        (project / "node_modules" / ".bin" / name).touch()
    (project / ".gitignore").write_text("node_modules/\n", "utf-8")
    remote = ["remote", "add", "origin", "https://example.com/app.git"]
    for words in (["init", "-q", "-b", "main"], remote, ["add", "."], ["commit", "-q", "-m", "Start"]):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words], cwd=project, check=True)
    texts = [*[pack.text for pack in packs()], Path("rules/workspace/workspace.rules").read_text("utf-8")]
    statements = [each for text in texts for each in compile_source(Source("all.rules", text)).statements]
    rulebook = builtin().with_statements(*statements)
    place = Situation(str(project), home=str(project.parent), terminal=False)
    assert len(DAY) >= 120
    asked = {
        script
        for script in DAY
        if check(script.replace("HERE", str(project)), rulebook, situation=place).decision.word != "allow"
    }
    assert asked == ASKED
