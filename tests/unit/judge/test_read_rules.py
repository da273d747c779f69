"""A read rule that forbids finds the file that a command reads; one that allows lifts the question about a secret."""

from pathlib import Path

import pytest

from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from tests.support.each import each
from tests.support.judging import rulebook

RULES = """
read_rule(paths=["./secret/**", "./.token"], decision="forbidden")
read_rule(paths=["./asked.txt"], decision="prompt")
prefix_rule(pattern=[["node", "git", "deploy", "bash"]])
write_rule(paths=["./**"])
"""
DECISIONS = {
    "forbidden": [
        "cat secret/a",
        "head -5 ./secret/../secret/b",
        "cat < secret/a",
        "cd secret && cat a",
        "cat link",
        "grep x secret/a",
        "cp secret/a b",
        "f=secret/a; cat $f",
        "for f in secret/a README.md; do cat $f; done",
        "base64 .token | head",
        "bash -c 'cat .token'",
        "sudo cat secret/a",
        "timeout 5 cat secret/a",
        "jq . secret/x.json",
    ],
    "prompt": [
        "cat asked.txt",
        'cat "$1"',
        "cat */a",
        "grep -r x .",
        "grep -rn x",
        "rg x",
        "cd secret/.. && rg x",
        "node secret/x.js",
        "git commit -m .token",
        "deploy --key secret/key",
        "deploy --key=secret/key",
    ],
    "allow": [
        "cat README.md",
        "grep secret/a README.md",
        "grep -r x src",
        "cat a | grep x",
        "echo secret/a",
        "ls secret",
        "cd secret",
        "node app.js",
        "deploy --key other/key",
        "git log -- src",
        "cat src/*",
    ],
}
LIFTED = {
    "allow": ["cat .env", "cat < .env", "grep X .env", "cat conf/.env.local | head", "cat ./conf/../.env"],
    "prompt": ["cat sub/.env", "cat .env ~/.ssh/id_rsa", 'cat ".e$x"', "cat .e*", "cat conf/link", "rm .env"],
}


@pytest.fixture
def project(tmp_path: Path) -> Situation:
    """A project with secrets and links to some."""
    for name in ("project/secret", "project/src", "project/conf", "project/.git", "home/.ssh"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "project/.token").touch()
    (tmp_path / "project/link").symlink_to("secret/a")
    (tmp_path / "project/conf/link").symlink_to(tmp_path / "home/.ssh/id_rsa")
    return Situation(str(tmp_path / "project"), home=str(tmp_path / "home"))


@each("case", [(script, expected) for expected, scripts in DECISIONS.items() for script in scripts])
def test_a_read_rule_restricts(case: tuple[str, str], project: Situation) -> None:
    script, expected = case
    assert check(script, rulebook(RULES), situation=project).decision.word == expected


@each("case", [(script, expected) for expected, scripts in LIFTED.items() for script in scripts])
def test_a_read_rule_lifts_the_question_about_secrets(case: tuple[str, str], project: Situation) -> None:
    script, expected = case
    rules = rulebook('read_rule(paths=["./.env", "./conf/.env.*"])')
    assert check(script, rules, situation=project).decision.word == expected
    assert check(script, rulebook(), situation=project).decision.word == "prompt"


def test_the_reason_and_the_match_name_the_file(project: Situation) -> None:
    verdict = check("cat secret/a", rulebook(RULES), situation=project)
    path = f"{project.cwd}/secret/a"
    assert verdict.reason == f"reading `{path}` is forbidden: a read rule covers it"
    assert verdict.commands[0].matches[0].to_json() == {"readRuleMatch": {"path": path, "decision": "forbidden"}}
