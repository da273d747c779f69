"""What programs on no list are evidently given to run, and what is only text to them."""

from __future__ import annotations

import pytest

from execpolicy.core.decision import Decision
from execpolicy.judge.check import check
from execpolicy.judge.stored import restored, store
from tests.support.judging import PLACE, decision, rulebook

RULES = (
    'prefix_rule(pattern=["rm"], decision="forbidden")\nprefix_rule(pattern=["git", "push"], decision="forbidden")\n'
    'prefix_rule(pattern=["mytool"])\n'
)


@pytest.mark.parametrize(
    "script",
    [
        "mytool -- rm x",
        "mytool --title a -- git push",
        "mytool -e 'rm x'",
        "mytool -c git push",
        "mytool --exec rm",
        "mytool --on-exit-cmd='git push'",
        "mytool start git push origin",
        "mytool ':!git push'",
        "mytool 'os.execute(\"git push\")'",
        "mytool '(system \"rm x\")'",
    ],
)
def test_what_is_evidently_run(script: str) -> None:
    assert decision(script, RULES) == "forbidden"
    compiled = restored(store(rulebook(RULES)))  # whose entries are read when one is first asked for
    assert check(script, compiled, situation=PLACE).decision is Decision.FORBIDDEN


@pytest.mark.parametrize(
    "script",
    [
        "mytool rm x",
        "mytool create 'git push fails since Monday'",
        "mytool -m 'rm x' --body='git push'",
        "mytool --dry-run rm",
        "mytool -x rm",
        "mytool git log",
        "mytool -- -v",
    ],
)
def test_what_is_text_or_a_name(script: str) -> None:
    assert decision(script, RULES) == "allow"


def test_what_an_entry_knows_is_not_guessed_at() -> None:
    assert decision("grep -e 'git push' a.txt", RULES) == "allow"
    assert decision("jq -e '.a' rm", RULES) == "allow"


NAMED = (
    'prefix_rule(pattern=["rm"], decision="forbidden")\nprefix_rule(pattern=["git", "push"], decision="forbidden")\n'
    'prefix_rule(pattern=[["rclone", "borg", "cargo", "gh", "codex", "redis-cli", "phpunit", "npm", "tmux"]])\n'
)


@pytest.mark.parametrize(
    "script",
    [
        "rclone --sftp-ssh 'git push' ls x:",
        "rclone config create x sftp ssh='git push'",
        "borg create --content-from-command r::a -- git push",
        "borg with-lock r git push",
        "npm config set editor 'git push'",
        "npm set-script x 'git push'",
        'cargo --config \'registry.global-credential-providers=["git", "push"]\' publish',
        "cargo --config x.runner=rm build",
        "gh alias set x '!git push'",
    ],
)
def test_what_a_name_says_is_run(script: str) -> None:
    assert decision(script, NAMED) == "forbidden"


@pytest.mark.parametrize(
    "script",
    [
        "gh pr create --title 'git push fails' --body 'exec=git push'",
        "gh issue create -t 'rm x broken' -b 'exec=rm x'",
        "codex exec 'explain what git push does'",
        "redis-cli set cmd 'git push'",
        "phpunit --filter 'git push'",
        "npm run x --no-script=rm",
        "tmux rename-window 'git push'",
    ],
)
def test_what_a_name_does_not_say(script: str) -> None:
    assert decision(script, NAMED) != "forbidden"


@pytest.mark.parametrize(
    "script",
    [
        'mytool -c <(echo \'{"exec": "git push"}\')',
        "printf 'on-timeout = git push\\n' > x.conf; mytool -c x.conf",
        "printf 'on-timeout = git push\\n' > x.conf; mytool --config=x.conf",
        'mytool <<< \'task { command = "git" args = ["push"] }\'',
        "mytool executable=/usr/bin/git arguments=push",
        "mytool --send '$git push'",
        "mytool <<< 'run git push'",
    ],
)
def test_what_a_shown_file_says_is_run(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


PROSE_RULES = (
    'prefix_rule(pattern=["git", "push"], decision="forbidden")\n'
    'prefix_rule(pattern=[["mail", "kubectl", "docker", "terraform", "mocha", "pytest", "xdg-open", "ugrep", "mytool", '
    '"dialog", "yamllint"]])\n'
)


@pytest.mark.parametrize(
    "script",
    [
        "mail -s 'git push failed' a@b <<< 'git push failed at noon'",
        "kubectl create configmap x --from-literal=note='git push'",
        "docker run -e NOTE='git push' x true",
        "terraform plan -var 'description=git push'",
        "mocha -g 'git push'",
        "pytest 'tests/test_x.py::test_cmd[git push]'",
        "xdg-open 'https://x.example/?q=git push'",
        "ugrep 'git push' .",
        "dialog --msgbox 'git push' 5 40",
        "yamllint - <<< 'run: git push'",
        "mytool --text <(echo 'git push is slow')",
    ],
)
def test_prose_stays_prose(script: str) -> None:
    assert decision(script, PROSE_RULES) != "forbidden"
