"""``check``, ``split`` and ``hook`` as real processes: answers, bad input, exit statuses, streams."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FORBID = 'prefix_rule(pattern = ["rm"], decision = "forbidden", justification = "no")\n'


def run(*arguments: str, stdin: str | bytes = b"", cwd: Path | None = None, **more: str) -> tuple[int, str, str]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [sys.executable, "-m", "execpolicy", *arguments],
        input=data,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **more},
        timeout=600,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def rules(tmp_path: Path) -> str:
    path = tmp_path / "a.rules"
    path.write_text(FORBID)
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "decision", "status"),
    [
        (["--", "ls", "-la"], "allow", 0),
        (["--", "unknown-program"], "prompt", 3),
        (["--", "rm", "x"], "forbidden", 4),
        (["--script", "ls && sudo rm x"], "forbidden", 4),
        (["--script", "ls | head"], "allow", 0),
        (["rm", "--pretty"], "forbidden", 4),
    ],
)
def test_decisions_and_exit_statuses(rules: str, arguments: list[str], decision: str, status: int) -> None:
    code, out, err = run("check", "-r", rules, "--exit-code", *arguments)
    assert (code, err) == (status, "")
    body = json.loads(out)
    assert body["decision"] == decision
    assert list(body)[:4] == ["decision", "reason", "matchedRules", "commands"]
    for command in body["commands"]:
        kind = {"kind"} if command["decision"] == "prompt" else set()
        assert set(command) == {"argv", "decision", "matchedRules", "span"} | kind
    assert run("check", "-r", rules, *arguments)[0] == 0


def test_every_process_gives_the_same_answer() -> None:
    rows = (ROOT / "tests" / "data" / "corpora" / "own_benign.jsonl").read_text("utf-8").splitlines()
    scripts = [*(json.loads(row)["script"] for row in rows[::9]), "python3.11 -c zarg", "python3.exe -lc zarg"]
    requests = "".join(json.dumps({"script": script, "grounds": True}) + "\n" for script in scripts)
    options = [part for path in sorted((ROOT / "rules").glob("*.rules")) for part in ("-r", str(path))]
    answers = {run("check", "--jsonl", *options, stdin=requests, PYTHONHASHSEED=seed) for seed in ("1", "2")}
    assert len(answers) == 1


def test_an_unmatched_command_in_compat_has_no_decision(rules: str) -> None:
    code, out, _ = run("check", "--compat", "codex-0.169", "--exit-code", "-r", rules, "ls")
    assert (code, out) == (5, '{"matchedRules":[]}\n')


@pytest.mark.parametrize(
    ("make", "arguments", "status", "words"),
    [
        ("", ["-r", "{}", "ls"], 1, "No such file or directory"),
        ("folder", ["-r", "{}", "ls"], 1, "Is a directory"),
        ("latin", ["-r", "{}", "ls"], 1, "UTF-8"),
        ("broken", ["-r", "{}", "ls"], 1, "2:"),
        ("", ["-r"], 2, "a value is required"),
        ("", [], 2, "nothing to decide"),
        ("", ["--unknown", "ls"], 2, "unknown option `--unknown`"),
    ],
)
def test_bad_input_is_said_on_stderr_alone(
    tmp_path: Path, make: str, arguments: list[str], status: int, words: str
) -> None:
    path = tmp_path / "x.rules"
    if make == "folder":
        path.mkdir()
    elif make == "latin":
        path.write_bytes(b'prefix_rule(pattern = ["\xff"])\n')
    elif make == "broken":
        path.write_text('prefix_rule(pattern = ["a"])\nprefix_rule(pattern = [])\n')
    code, out, err = run("check", *[word.replace("{}", str(path)) for word in arguments])
    assert (code, out) == (status, "")
    assert words in err
    assert "Traceback" not in err


def test_an_empty_program_is_wrong_usage_except_in_compat(rules: str) -> None:
    code, out, err = run("check", "-r", rules, "--", "")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    code, out, _ = run("check", "--compat", "codex-0.169", "-r", rules, "--", "")
    assert (code, out) == (0, '{"matchedRules":[]}\n')


def answers(*lines: str | bytes, arguments: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    data = b"\n".join(line.encode() if isinstance(line, str) else line for line in lines) + b"\n"
    code, out, err = run("check", "--jsonl", *arguments, stdin=data)
    assert (code, err) == (0, "")
    return [json.loads(line) for line in out.splitlines()]


def test_a_stream_survives_every_bad_line(rules: str) -> None:
    found = answers(
        '{"id": 1, "argv": ["rm", "x"]}',
        "not json",
        "",
        '{"id": 2}',
        '{"id": 3, "argv": []}',
        '{"id": 4, "argv": "rm"}',
        '{"id": 5, "script": "ls", "argv": ["ls"]}',
        '{"id": 6, "script": "ls", "unknown": 1}',
        b'{"id": 7, "script": "\xff"}',
        "[" * 100_000,
        '{"id": 8, "script": "ls", "rules": ["prefix_rule("]}',
        '{"id": 9, "script": "ls", "cwd": "relative"}',
        '{"id": {"any": "thing"}, "script": "echo $(rm x)", "shell": "bash"}',
        '{"script": "ls"}',
        arguments=("-r", rules),
    )
    assert [("error" in answer, answer.get("id"), answer.get("decision")) for answer in found] == [
        (False, 1, "forbidden"),
        (True, None, None),
        (True, 2, None),
        (True, 3, None),
        (True, 4, None),
        (True, 5, None),
        (True, 6, None),
        (True, None, None),
        (True, None, None),
        (True, 8, None),
        (True, 9, None),
        (False, {"any": "thing"}, "forbidden"),
        (False, None, "allow"),
    ]


def test_rules_of_a_request_are_used_for_it_alone(rules: str) -> None:
    own = json.dumps({"script": "rm x", "rules": ['prefix_rule(pattern = ["rm"])\n']})
    found = answers(own, '{"script": "rm x"}', arguments=("-r", rules))
    assert [answer["decision"] for answer in found] == ["allow", "forbidden"]


def test_answers_come_as_soon_as_they_are_known(rules: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "execpolicy", "check", "--jsonl", "-r", rules],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(5):
            process.stdin.write(json.dumps({"id": number, "script": "ls"}).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number
        process.stdin.write(b'{"id": 5, "script": "ls"}')  # without a newline at the end
        process.stdin.close()
        assert json.loads(process.stdout.read())["id"] == 5


def test_split_tells_literal_from_dynamic() -> None:
    code, out, err = run("split", "--jsonl", stdin='{"id": 1, "script": "A=1 ls \\"$x\\" > out | wc"}\nbad\n')
    assert (code, err) == (0, "")
    first, second = map(json.loads, out.splitlines())
    assert first["status"] == "structured"
    assert first["commands"][0] == {
        "argv": ["ls", None],
        "span": [0, 17],
        "writes": ["out"],
        "assignments": ["A"],
        "context": ["pipeline"],
    }
    assert "error" in second


def test_split_for_people() -> None:
    code, out, _ = run("split", 'cd src && grep -n "$x" . > out')
    assert code == 0
    assert out.splitlines()[0] == "structured"
    assert "writes out" in out


ENVELOPE = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "sudo rm x"}}


def test_a_hook_denies_what_is_forbidden(rules: str) -> None:
    code, out, _ = run("hook", "claude", "--deadline", "300", "-r", rules, stdin=json.dumps(ENVELOPE))
    assert code == 0
    assert json.loads(out)["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize(
    "stdin", ["", "{", "[]", '{"hook_event_name": "PreToolUse"}', "\udcff".encode(errors="surrogateescape")]
)
def test_a_broken_call_is_never_allowed(rules: str, stdin: str | bytes) -> None:
    for agent, word in (("claude", "ask"), ("codex", "deny"), ("gemini", "deny")):
        code, out, _ = run("hook", agent, "--deadline", "300", "-r", rules, stdin=stdin)
        assert code == 0
        assert f'"{word}"' in out
        assert "could not decide: " in out, "a broken call is no bug of ours"


def test_a_hook_with_broken_rules_asks(tmp_path: Path) -> None:
    path = tmp_path / "broken.rules"
    path.write_text("((")
    code, out, _ = run("hook", "claude", "-r", str(path), stdin=json.dumps(ENVELOPE))
    assert code == 0
    assert '"ask"' in out


def test_a_hook_that_waits_too_long_answers_by_itself(rules: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "execpolicy", "hook", "claude", "--deadline", "0.3", "-r", rules],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        out = process.stdout.read()  # the call never arrives
        assert process.wait(timeout=120) == 0
    assert b'"ask"' in out
