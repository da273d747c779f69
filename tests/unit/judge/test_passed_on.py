"""A forbidden command that reaches its shell by a file, a variable, a function or a program in between."""

import os
from pathlib import Path

import pytest

from tests.support.judging import decision, verdict
from tests.support.running import run_captured

RULES = 'prefix_rule(pattern = ["git", "push"], decision = "forbidden")\n'
SCRIPTS = [
    'echo "git push" > d.sh; cat d.sh | bash',
    'echo "git push" > d.sh; bash < d.sh',
    'echo "git push" > d.sh; eval "$(<d.sh)"',
    'echo "git push" > d.sh; eval "$(cat d.sh)"',
    'echo "git push" | tee d.sh >/dev/null; sh < d.sh',
    "cat > d.sh <<E\ngit push\nE\nbash < d.sh",
    'f=$(mktemp -p .); echo "git push" > "$f"; bash "$f"',
    "echo 'import os; os.system(\"git push\")' > d.py; python3 d.py",
    'ln -s "$(dirname "$0")/git" foo; "$(which git)" push',
    "X=push bash -c 'git $X'",
    "export X=push; bash -c 'git \"$X\"'",
    "env X='git push' sh -c '$X'",
    "f() { echo push; }; git $(f)",
    "f() { echo push; }; c=$(f); git $c",
    "GIT=$(which git); $GIT push",
    "GIT=$(command -v git); $GIT push",
    'g() { echo git push > "$1"; }; g f; sh f',
    'q=f; echo git push | tee "$q"; sh f',
    'echo git push > f; sh "$PWD/f"',
    "for f in a b; do echo git push > $f.sh; done; sh a.sh",
    "echo git push > ${x:-f}; sh f",
    "echo git push > f; q=f; sh < $q",
    'g() { echo git push > "$1"; }; g f; sh "$PWD/f"',
]
BETWEEN = ["echo 'git push x' > e; sh -c 'echo x >> e; sh e'", 'eval \'g() { h push "$1"; }; h() { git "$@"; }\'; g x']
"""What one script writes and another reads, or writes the rest of."""


@pytest.mark.parametrize("script", SCRIPTS + BETWEEN)
def test_it_is_found_where_bash_runs_it(script: str, tmp_path: Path) -> None:
    stub = tmp_path / "bin" / "git"
    stub.parent.mkdir()
    stub.write_text(f'#!/bin/sh\necho "$*" >>{tmp_path}/log\n')
    stub.chmod(0o755)
    environment = {"PATH": f"{stub.parent}:{os.environ['PATH']}"}
    run_captured(["bash", "-c", script], cwd=tmp_path, env=environment)
    assert (tmp_path / "log").read_text() == ("push x\n" if script in BETWEEN else "push\n")
    assert decision(script, RULES) == "forbidden"


@pytest.mark.parametrize(
    "script", ["echo 'git push' > d.txt; cat d.txt", "echo push > f; cat f | wc -l", "X=push bash -c 'echo $X'"]
)
def test_what_is_only_shown_is_not_run(script: str) -> None:
    assert decision(script, RULES) != "forbidden"


def test_a_file_that_runs_itself_takes_no_work_from_the_rest() -> None:
    script = "echo 'sh ./again & sleep 1' > again; sh ./again; sleep 300"
    found = verdict(script, RULES + 'prefix_rule(pattern = [["sh", "echo", "sleep"]])\n')
    assert [block.code for block in found.blocks if block.code == "too-deep"] == []
    assert found.commands[-1].decision.word == "allow"
