"""An allow rule was written for what lies in one folder: elsewhere its words name something else."""

import pytest

from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from tests.support.judging import decision, rulebook

RULES = 'prefix_rule(pattern=["make", "build"])\nprefix_rule(pattern=["npm", "test"])\n'


@pytest.mark.parametrize(
    "script",
    [
        "make build",
        "cd sub && make build",
        "cd ./a/b; make build",
        "cd a && cd b && make build",
        "cd /srv/project && npm test",
        "cd /srv/project/packages/a && npm test",
        "builtin cd -P -- sub && npm test",
        "pushd a && npm test && popd && make build",
        "(cd sub && npm test)",
        "bash -c 'cd sub && npm test'",
        "make build && cd /tmp",
    ],
)
def test_a_rule_reaches_folders_below(script: str) -> None:
    assert decision(script, RULES) == "allow"


@pytest.mark.parametrize(
    "script",
    [
        "cd /tmp && make build",
        "cd /srv/project2 && make build",
        "cd .. && make build",
        "cd a/../.. && make build",
        "cd /srv/project/../x && make build",
        "cd a && cd /tmp && make build",
        "cd && make build",
        "cd - && make build",
        "cd ~ && npm test",
        'cd "$X" && npm test',
        "cd $(mktemp -d) && npm test",
        "pushd /tmp && npm test",
        "builtin cd /tmp && npm test",
        "f() { cd /tmp; }; f; npm test",
        "for i in 1 2; do npm test; cd ..; done",
        "bash -c 'cd /tmp && npm test'",
        "cd /tmp && bash -c 'npm test'",
        "cd /tmp && timeout 5 npm test",
        "env -C /tmp make build",
        "find . -name x -execdir make build \\;",
    ],
)
def test_no_rule_reaches_folders_elsewhere(script: str) -> None:
    assert decision(script, RULES) == "prompt"


def test_a_link_that_leads_out_is_followed() -> None:
    place = Situation(
        "/srv/project", home="/home/u", real_path=lambda path: path.replace("/project/link", "/elsewhere")
    )
    assert check("cd link && make build", rulebook(RULES), situation=place).decision.word == "prompt"
    assert check("cd sub && make build", rulebook(RULES), situation=place).decision.word == "allow"


def test_what_is_safe_anywhere_stays_so() -> None:
    assert decision("cd /tmp && ls", 'prefix_rule(pattern=["ls"])') == "allow"


HOME_IS_ELSEWHERE = (
    *("HOME=/tmp; cd ~", "HOME=/tmp; cd $HOME", "read HOME; cd ~", "read -r HOME < f; cd", "export HOME=/tmp; cd"),
    *("unset HOME; cd ~", "printf -v HOME /tmp; cd ~", ": ${HOME:=/tmp}; cd ~", "(( HOME = 1 )); cd ~"),
    *("mapfile HOME; cd ~", "getopts x HOME; cd ~", "declare HOME=/tmp; cd", "for HOME in /tmp; do cd ~; done"),
)


@pytest.mark.parametrize("moved", HOME_IS_ELSEWHERE)
def test_home_is_where_the_script_says(moved: str) -> None:
    place = Situation("/home/u", home="/home/u", real_path=lambda path: path)
    for script in (f"{moved}; make build", f"HOME=/tmp bash -c '{moved}; make build'"):
        assert check(script, rulebook(RULES), situation=place).decision.word == "prompt"
    for script in ("cd ~ && make build", "cd $HOME/a && npm test", "cd; make build"):
        assert check(script, rulebook(RULES), situation=place).decision.word == "allow"
