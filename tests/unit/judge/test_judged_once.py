"""What is evident again and again is judged once, and nothing that is forbidden gets lost by that."""

from collections import Counter

import pytest

from execpolicy.judge.grants import Grants
from execpolicy.judge.inside import Inside
from execpolicy.judge.judge import _Judge
from execpolicy.judge.verdict import Verdict
from execpolicy.shell.script import Command
from tests.support.each import each
from tests.support.judging import decision, verdict

RULES = (
    'prefix_rule(pattern=["git", "push"], decision="forbidden")\nwrite_rule(paths=["./**"])\n'
    'prefix_rule(pattern=[["cat", "cp", "echo", "make", "mkdir", "printf", "sed"]])\n'
    'prefix_rule(pattern=[["direnv", "mytool", "node", "npm", "python3"]])\n'
)
HANDING_ON = [
    (
        'printf NONE > x.cjs; sed -i \'1s|.*|require("child_process").execSync("git push")|\' x.cjs\nnpm run x',
        40,
    ),
    (
        "mkdir -p sub; node - <<'E'\nrequire('fs').writeFileSync('sub/x.js', 'require(\"child_process\")"
        '.execSync("git " + "push")\')\nE\nmytool sub/x.js',
        400,
    ),
    (
        "mkdir -p sub; python3 - <<'E'\nfrom pathlib import Path\n"
        "Path('sub/.envrc').write_text(\"# what it does\\nsh -c 'git push'\")\nE\ndirenv allow sub",
        450,
    ),
]
"""Scripts, and how many commands may be looked at; without a memory at least three times as many are."""


@pytest.mark.parametrize(("script", "most"), HANDING_ON)
def test_texts_that_hand_on_each_other_are_read_once(script: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: Counter[str] = Counter()
    inner = _Judge.inner

    def counted(self: _Judge, command: Command, grants: Grants, depth: int) -> Inside:
        opened.update([repr(command)])
        return inner(self, command, grants, depth)

    monkeypatch.setattr(_Judge, "inner", counted)
    assert decision(script, RULES) == "forbidden"
    assert opened.total() < most


@each(
    "script",
    [
        "mytool -x 'git push'; mytool -x 'git push'",
        "printf 'sh\\n' > f; printf 'echo \"git push\" | ./f' | ./f",
        "printf '\"$@\"\\n' > f; ./f ./f git push",
        "printf 'exec \"$@\"\\n' > f; ./f sh ./f git push",
        "mytool -x ./f; printf 'git push' > f; ./f",
        # the same text in another script, which copies, writes or renames something
        "mytool -x 'bash -c \"./f push\"'; mytool -x 'cp /usr/bin/git f; bash -c \"./f push\"'",
        "mytool -x 'bash -c \"sh f\"'; mytool -x 'echo git push > f; bash -c \"sh f\"'",
        'mytool -x \'sh -c "eval \\$y"\'; mytool -x \'export y="git push"; sh -c "eval \\$y"\'',
        "cp /usr/bin/git f; sh -c './f push'",
        "sh -c 'cp /usr/bin/git f; sh -c \"./f push\"'",
    ],
)
def test_what_is_run_in_itself_or_again_counts_each_time(script: str) -> None:
    rules = RULES + 'prefix_rule(pattern=["./f"])\nprefix_rule(pattern=["sh"])\n'
    assert decision(script, rules) == "forbidden"


def test_each_command_gets_what_the_first_got() -> None:
    found = verdict("mytool -x 'git push'; mytool -x 'git push'", RULES)
    assert [each.decision.word for each in found.commands] == ["forbidden", "forbidden"]


def test_what_fails_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    script = _Judge.script
    calls: list[int] = []

    def failing(self: _Judge, grants: Grants, depth: int) -> Verdict:
        calls.append(depth)
        if len(calls) == 2:
            raise RuntimeError("a mistake of ours")
        return script(self, grants, depth)

    monkeypatch.setattr(_Judge, "script", failing)
    assert decision("mytool -x 'git push'", RULES) == "forbidden"
    assert len(calls) > 2
