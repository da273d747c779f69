"""Programs of the project by their paths: tools of its environment, launchers, scripts."""

from __future__ import annotations

from functools import cache

from execpolicy.insight.starters import packs
from tests.support.each import each
from tests.support.judging import decision

ALLOWED = (
    ".venv/bin/pytest -q",
    ".venv/bin/python -m pytest tests",
    "backend/.venv/bin/ruff check .",
    "/srv/project/.venv/bin/mypy src",
    "./node_modules/.bin/tsc --noEmit",
    "node_modules/.bin/eslint src",
    "timeout 60 .venv/bin/pytest",
    ".venv/bin/python --version && /srv/project/.venv/bin/ruff --version",
    "PYTHONPATH=. .venv/bin/pytest",
    "./gradlew test",
    "./mvnw -q test",
    "./scripts/check.sh --json",
    ".specify/scripts/bash/check-prerequisites.sh --json --paths-only",
    "bash scripts/check.sh",
    "tools/report.py | head",
)
ASKED = (
    "../.venv/bin/pytest",
    "/tmp/.venv/bin/python --version",
    ".venv/bin/python --version x.py",
    "/tmp/.venv/bin/pytest",
    "cd /tmp/x && .venv/bin/pytest",
    ".venv/bin/ls",
    ".venv/bin/git status",
    ".venv/bin/pytest -p evil",
    ".venv/bin/python -c 'import os; os.remove(1)'",
    "node_modules/.bin/evil",
    "x.venv/bin/pytest",
    "./gradlew publish",
    "./x/gradlew -I /tmp/x test",
    "./deploy.sh",
    "./scripts/check.sh --prod",
    "./scripts/check.sh /etc/x",
    "./scripts/check.sh $x",
    "./.git/hooks/x.sh",
    ".husky/x.sh",
    "../x.sh",
    "cd /tmp && ./x.sh",
    "PATH=/x ./x.sh",
    "LD_PRELOAD=x ./x.sh",
    "./x.sh | sh",
    "./x.sh > /etc/x",
    "sudo ./x.sh",
    "bash x.sh; bash",
    "bash -x scripts/check.sh",
)


@cache
def text() -> str:
    return "\n".join(pack.text for pack in packs() if pack.name != "disaster")


@each("script", ALLOWED)
def test_a_program_of_the_project_by_its_path_is_allowed(script: str) -> None:
    assert decision(script, text()) == "allow"
    assert decision(script) == "prompt"


@each("script", ASKED)
def test_a_program_elsewhere_or_with_other_words_is_asked_about(script: str) -> None:
    assert decision(script, text()) == "prompt"


def test_only_an_entry_for_a_project_knows_files_by_their_paths() -> None:
    plain = 'safe_command(name="x", program="pytest", reason="x", operands="any")'
    assert decision(".venv/bin/pytest", plain) == "prompt"
    assert decision(".venv/bin/pytest", plain.replace("reason", "project=True, reason")) == "allow"
