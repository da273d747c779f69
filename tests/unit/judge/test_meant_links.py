"""A word that is a link means what the link names: surely as a program, possibly as an operand."""

from __future__ import annotations

from pathlib import Path

import pytest

from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from tests.support.judging import rulebook

RULES = """
prefix_rule(pattern=[["./link", "bash", "cat", "./other"]])
prefix_rule(pattern=["./deploy.sh", "--prod"], decision="forbidden")
prefix_rule(pattern=["cat", ".env"], decision="forbidden")
"""


@pytest.mark.parametrize(
    ("script", "decision"),
    [
        ("./link --prod", "forbidden"),
        ("bash ./link --prod", "forbidden"),
        ("cd sub && bash up --prod", "forbidden"),
        ("./other --prod", "allow"),
        ("cat shown", "prompt"),
        ("cat sub/up", "allow"),
        ("cat deploy.sh", "allow"),
    ],
)
def test_a_link_is_followed(tmp_path: Path, script: str, decision: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    for name in (".env", "deploy.sh", "other"):
        (tmp_path / name).touch()
    (tmp_path / "link").symlink_to("deploy.sh")
    (tmp_path / "shown").symlink_to(".env")
    (tmp_path / "sub/up").symlink_to("../deploy.sh")
    situation = Situation(str(tmp_path), home="/home/u", root=str(tmp_path))
    assert check(script, rulebook(RULES), shell="bash", situation=situation).decision.word == decision
