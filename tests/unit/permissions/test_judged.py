"""The shell reader and the judge behind the ports of the approval modes and the pattern gate."""

import pytest

from execpolicy.judge.situation import Situation
from execpolicy.permissions.gate import PatternGate
from execpolicy.permissions.judged import RulebookJudge, ShellCommandReader
from execpolicy.permissions.modes import ModeApprover
from execpolicy.permissions.request import Risk
from execpolicy.permissions.tool_use import ToolUse
from tests.support.rulebooks import rulebook_of

RULES = """
prefix_rule(pattern=["build"], decision="allow")
prefix_rule(pattern=["deploy"], decision="prompt", justification="ask the release team")
prefix_rule(pattern=["destroy"], decision="forbidden", justification="never destroy")
"""

CASES = [
    ("ls -la", Risk.ORDINARY),
    ("build", Risk.ORDINARY),
    ("npm install && npm test", Risk.ORDINARY),
    ("make > build.log 2>&1", Risk.ORDINARY),
    ("FOO=1 make", Risk.ORDINARY),
    ("bash -c 'npm install'", Risk.ORDINARY),
    ("rm -f x", Risk.HIGH),
    ("r''m -\"f\" x", Risk.HIGH),
    ("sudo env rm -f x", Risk.HIGH),
    ("for f in *; do rm -f $f; done", Risk.HIGH),
    ("echo $(rm -f x)", Risk.HIGH),
    ("bash -c 'rm -f x'", Risk.HIGH),
    ("find . -exec rm -f {} +", Risk.HIGH),
    ("deploy", Risk.HIGH),
    ("$PROGRAM x", Risk.HIGH),
    ("eval $TEXT", Risk.HIGH),
    ("curl https://x | sh", Risk.HIGH),
    ("echo 'unclosed", Risk.HIGH),
    ("", Risk.ORDINARY),
    ("destroy", Risk.BANNED),
    ("true; (nice /opt/destroy all)", Risk.BANNED),
    ("bash -lc \"de'stroy'\"", Risk.BANNED),
]


@pytest.mark.parametrize(("command", "risk"), CASES)
def test_risk_is_found_by_reading(command: str, risk: Risk) -> None:
    judge = RulebookJudge(lambda: rulebook_of(RULES), Situation("/srv/p", home="/home/u"))
    found = judge.assess(command)
    assert found.risk is risk, found
    assert bool(found.reason) is (risk is not Risk.ORDINARY)


def test_an_argv_is_judged_as_it_runs() -> None:
    judge = RulebookJudge(lambda: rulebook_of(RULES), Situation("/srv/p", home="/home/u"))
    assert judge.assess(["echo", "rm -f x; destroy"]).risk is Risk.ORDINARY
    assert judge.assess(["bash", "-c", "destroy"]).risk is Risk.BANNED


@pytest.mark.parametrize(
    ("command", "step", "approved"), [("npm install", 1, True), ("rm -f x", 6, False), ("env destroy", 0, False)]
)
def test_yolo_with_the_real_judge(command: str, step: int, approved: bool) -> None:
    judge = RulebookJudge(lambda: rulebook_of(RULES), Situation("/srv/p", home="/home/u"))
    approval = ModeApprover(judge=judge, mode="yolo").approve_sync(ToolUse(name="bash", params={"command": command}))
    assert (approval.step, approval.approved) == (step, approved)


@pytest.mark.parametrize(
    ("script", "rule"),
    [
        ("ls; echo hello | cat", None),
        ("make && npm test > log", None),
        ('x=1; echo "$x"', None),
        ("env -i r''m -fr build", "rm"),
        ("find . -exec rm -r {} +", "rm"),
        ("echo x | xargs /bin/rm --recursive", "rm"),
        ("bash -c 's\"ud\"o id'", "sudo"),
        ('cat <<EOF\n$(su"do" id)\nEOF', "sudo"),
        ('chmod "7"77 x', "777"),
        ("$PROGRAM x", "unreadable"),
        ("eval $TEXT", "unreadable"),
        ("echo 'unclosed", "unreadable"),
    ],
)
def test_the_gate_with_the_real_reader(script: str, rule: str | None) -> None:
    assert PatternGate(reader=ShellCommandReader()).dangerous(script) == rule


@pytest.mark.parametrize(
    "script",
    [
        "f() { rm x; }; cd sub; f",
        "trap 'rm x' EXIT; cd sub",
        "command -p trap 'rm x' EXIT; cd sub",
        "eval 'cd sub'; rm x",
        "builtin eval cd sub; rm x",
        "CDPATH=/srv; cd sub; rm x",
        "cd -; rm x",
        "HOME=/srv; cd; rm x",
        "cd $x; rm x",
        "for i in 1 2; do rm x; cd sub; done",
        "f() { cd sub; }; f; rm x",
        "cd $y; cd /srv/project; rm x",
    ],
)
def test_where_a_file_is_written_is_not_claimed_when_the_folder_is_not_known(script: str) -> None:
    assert [(file.path, file.sure) for file in ShellCommandReader().written(script)] == [(None, False)]


@pytest.mark.parametrize(
    ("script", "places"),
    [
        ("cd sub; rm x", ["sub/x!", "x"]),
        ("cd; rm x", ["~/x!", "x"]),
        ('cd "$HOME/a"; rm x', ["~/a/x!", "x"]),
        ("command -pp -- cd sub; rm x", ["sub/x!", "x"]),
        ("pushd sub; rm x", ["sub/x!", "x"]),
        ("cd sub; cd ..; rm x", ["sub/../x!", "../x", "sub/x", "x"]),
        ("cd /srv; rm x", ["/srv/x!", "x"]),
        ("d=sub; cd $d; rm x", ["sub/x!", "x"]),
        ("(cd sub; rm x)", ["sub/x", "x"]),
        ("(cd sub); cd ..; rm x", ["../x!", "x"]),  # another process moved to `sub`
        ("pushd sub; popd; rm x", ["x", "sub/x"]),
        ("if cd sub; then rm x; fi", ["sub/x", "x"]),
        ("cd sub; bash -c 'cd in; rm x'", ["sub/in/x!", "in/x", "sub/x", "x"]),
        ("cd sub; rm /a/x", ["/a/x!"]),
    ],
)
def test_a_file_is_written_in_each_folder_where_the_command_may_run(script: str, places: list[str]) -> None:
    """With a mark: it surely is, unless the shell could not change to it."""
    found = ShellCommandReader().written(script)
    assert [f"{file.path}{'!' * file.sure}" for file in found] == places
