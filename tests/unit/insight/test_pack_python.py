"""The pack python: programs on the command line, the project's environment, folders that Python imports from."""

from __future__ import annotations

from functools import cache

from execpolicy.insight.starters import packs
from tests.support.each import each
from tests.support.judging import decision

ALLOWED = (
    "source .venv/bin/activate && pytest -q",
    ". venv/bin/activate; python -m pytest",
    "source backend/.venv/bin/activate && ruff check . && ls",
    "PYTHONPATH=. pytest -q",
    "PYTHONPATH=src python -m pytest",
    "PYTHONPATH=. uv run pytest",
    "python3 - <<'E'\nimport json\nprint(json.load(open('package.json'))['name'])\nE",
    "timeout 5 python3 <<'E'\nprint(1 + 1)\nE",
    "curl_out=1; python3 -c 'import app; print(app.__version__)'",
    "python reproduce.py",
    "x=$(python3 -c 'import app; print(app.x)'); echo \"$x\"",
    "for f in src/*.py; do head -3 *.md; done; python3 -c 'import app; print(app.x)'",
    "python3 -m venv .venv",
)
ASKED = (
    "source .venv/bin/activate && pip install x",
    "source .venv/bin/activate && rm -rf /",
    "source .venv/bin/activate && source evil.sh",
    "source ../.venv/bin/activate && pytest",
    "cd /tmp/x && source .venv/bin/activate && pytest",
    "source /tmp/x/.venv/bin/activate; pytest",
    "source $D/.venv/bin/activate; pytest",
    "source .venv/bin/activate < x > y; pytest",
    "PYTHONPATH=/x pytest",
    "PYTHONPATH=.. pytest",
    "PYTHONPATH=$x pytest",
    "PYTHONPATH=. ls",
    "PYTHONPATH=. python3 -c 'import os; os.remove(\"x\")'",
    "export PYTHONPATH=.; ls",
    "python3 - <<'E'\nimport os\nos.remove('x')\nE",
    "python3 - <<E\nprint('$x')\nE",
    "cat x | python3 - <<'E' < y\nprint(1)\nE",
    "python3 -c 'print(open(\"../x\").read())'",
    "python3 -c 'print(open(\"/etc/passwd\").read())'",
    "cd /tmp/x && python3 -c 'import app'",
    'cat $(python3 -c \'print(".e"+"nv")\')',
    'python3 -c \'print(".e"+"nv")\' | xargs cat',
    'python3 - <<< \'print(".e"+"nv")\' | while read f; do cat "$f"; done',
    'for f in $(timeout 5 python3 -c \'print(".e"+"nv")\'); do head "$f"; done',
    'f() { .venv/bin/python -c \'print(".e"+"nv")\'; }; cat $(f)',
    "cat $(sh -c \"python3 -c 'print(1)'\")",
    'grep -f $(python3 -c \'print(".e"+"nv")\') a',
    "python3 -m venv --clear .venv",
    "python3 -m venv src",
    "python production.py",
    "python scripts/prod_seed.py",
)


@cache
def text() -> str:
    return next(pack.text for pack in packs() if pack.name.endswith("python"))


@each("script", ALLOWED)
def test_what_runs_the_code_of_the_project_is_allowed(script: str) -> None:
    assert decision(script, text()) == "allow"
    assert decision(script) == "prompt"


@each("script", ASKED)
def test_what_goes_further_is_asked_about(script: str) -> None:
    assert decision(script, text()) == "prompt"


def test_a_program_that_is_only_looked_for_computes_no_names() -> None:
    assert decision('ls "$(dirname $(which python))"', text()) == "allow"
