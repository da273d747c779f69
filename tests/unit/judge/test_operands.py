"""What a rule that asks or forbids means: operands by kind, options of unknown programs, files, names of one program.

``tests/data/meaning/operands.jsonl``: ``script``, what it ``must`` get, ``rules``, or the pattern of a ``rule`` that
forbids while every program of the script is allowed.
"""

import json

import pytest

from tests.support.command_shapes import RECORDED
from tests.support.each import each
from tests.support.judging import decision

ROWS = [json.loads(line) for line in (RECORDED / "operands.jsonl").read_text("utf-8").splitlines()]
ALLOWED = [
    ".venv/bin/python",
    "../deploy.sh",
    "./gradlew",
    "/srv/project/deploy.sh",
    "apt",
    "apt-get",
    "aws",
    "bash",
    "brew",
    "cargo",
    "cat",
    "cd",
    "chmod",
    "chown",
    "cp",
    "curl",
    "deploy.sh",
    "docker",
    "docker-compose",
    "find",
    "git",
    "go",
    "gradle",
    "grep",
    "kill",
    "kubectl",
    "make",
    "mkfs",
    "mkfs.ext4",
    "mvn",
    "npm",
    "npx",
    "pip",
    "pnpm",
    "psql",
    "pytest",
    "python",
    "python3",
    "redis-cli",
    "rm",
    "sed",
    "sh",
    "ssh",
    "sub/deploy.sh",
    "systemctl",
    "tar",
    "terraform",
    "timeout",
    "tool",
]


def rules_of(row: dict[str, str]) -> str:
    if "rules" in row:
        return row["rules"]
    forbidding = f"prefix_rule(pattern={row['rule'].split()!r}, decision='forbidden')\n"
    return forbidding + "".join([f"prefix_rule(pattern=[{program!r}])\n" for program in ALLOWED])


@each("row", ROWS)
def test_a_rule_means_what_its_author_would_say(row: dict[str, str]) -> None:
    found = decision(row["script"], rules_of(row))
    assert found != "allow" if row["must"] == "not-allow" else found == row["must"], row


@pytest.mark.parametrize(
    ("script", "must"), [("git push origin HEAD:main", "allow"), ("git push origin main x", "forbidden")]
)
def test_a_rule_about_its_spelling_sees_words_alone(script: str, must: str) -> None:
    rules = (
        "prefix_rule(['git'])\nprefix_rule(['git', 'push', 'origin', 'main'], decision='forbidden', spelling='exact')\n"
    )
    assert decision(script, rules) == must


@pytest.mark.parametrize(
    ("rule", "script", "must"),
    [
        ("mysql -h prod", "mysql -u me -hprod app", "forbidden"),
        ("tool deploy --env prod", "tool deploy -env=prod", "prompt"),
        ("chmod 777", "chmod 1777 x", "prompt"),
        ("rm -rf", "rm a$x", "prompt"),
        ("dd of=", 'dd if=a "o$y=x"', "prompt"),
    ],
)
def test_more_rules_of_the_program_hide_none(rule: str, script: str, must: str) -> None:
    program, *_ = rule.split()
    others = "".join([f"prefix_rule({[program, f'sub{at}', '--all']}, decision='forbidden')\n" for at in range(9)])
    assert decision(script, rules_of({"rule": rule}) + f"prefix_rule([{program!r}])\n" + others) == must
