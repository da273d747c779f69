"""Whatever stands behind it, a forbidden command is found: by the hook, by a stream, and the stream goes on."""

import json
import sys
from pathlib import Path

import pytest

from tests.support.running import run_captured

pytestmark = pytest.mark.slow

RULES = 'prefix_rule(pattern=["git", "push", "--force"], decision="forbidden")\n'
BEHIND = {
    "subshells": "(" * 10_000,
    "substitutions": "$(" * 10_000 + ")" * 10_000,
    "groups": "{ " * 10_000,
    "conditions": "[[ " + "(" * 10_000,
    "arithmetic": "((" * 10_000,
    "backquotes": "`" * 9_999,
    "quotes": '"$(' * 5_000,
    "cases": "case x in " * 5_000,
    "ifs": "if " * 10_000,
    "here-documents": "cat <<A <<B <<C " * 3_000,
    "a function of itself": 'f() { echo "$(f)"; }; f',
    "a file of itself": 'echo "$(cat f)" > f',
    "files in a ring": 'echo "$(cat a)" > b; echo "$(cat b)" > a',
    "files that grow": 'x=$(cat "$a"); cat "$x" >> "$a"; ' * 12,
    "no file of that name": "echo x > a\0b",
    "half a character": "echo x > a\ud800b",
}


@pytest.mark.parametrize("behind", BEHIND.values(), ids=BEHIND)
def test_what_stands_behind_hides_nothing(behind: str, tmp_path: Path) -> None:
    rules = tmp_path / "my.rules"
    rules.write_text(RULES)
    script = "git push --force; " + behind

    def run(*arguments: str, given: str) -> list[dict[str, object]]:
        command = [sys.executable, "-m", "execpolicy", *arguments, "-r", str(rules)]
        done = run_captured(command, input=given, check=True, timeout=60)
        return [json.loads(line) for line in done.stdout.splitlines()]

    envelope = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": script}}
    (answer,) = run("hook", "claude", given=json.dumps(envelope))
    assert '"deny"' in json.dumps(answer)
    requests = json.dumps({"id": 1, "script": script}) + "\n" + json.dumps({"id": 2, "argv": ["ls"]}) + "\n"
    assert [found["decision"] for found in run("check", "--jsonl", given=requests)] == ["forbidden", "allow"]
