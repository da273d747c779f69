"""Streams of requests: no line ends them, none costs more than its length, and the end is the end."""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

CHECK = [sys.executable, "-m", "execpolicy", "check", "--jsonl"]
SPLIT = [sys.executable, "-m", "execpolicy", "split", "--jsonl"]
LS = b'{"id": "last", "script": "ls"}\n'
ODD = {
    "a list of 975 lists": b"[" * 975 + b"]" * 975,
    "an id of 975 lists": b'{"id": ' + b"[" * 975 + b"]" * 975 + b', "script": "ls"}',
    "an id of 100,000 lists": b'{"id": ' + b"[" * 100_000 + b"]" * 100_000 + b', "script": "ls"}',
    "objects in objects": b'{"a":' * 2_000 + b"1" + b"}" * 2_000,
    "5,000 digits": b'{"id": ' + b"7" * 5_000 + b', "script": "ls"}',
    "not a number": b'{"id": NaN, "script": "ls"}',
    "no end": b'{"id": -Infinity, "script": "ls"}',
    "more than a number holds": b'{"id": 1e999, "script": "ls"}',
    "many digits behind the point": b'{"id": 0.' + b"7" * 100_000 + b', "script": "ls"}',
    "half a pair": b'{"id": "\\ud800", "script": "ls \\udfff"}',
    "half a pair in a shell": b'{"script": "ls", "shell": "\\ud800"}',
    "half a pair in words": b'{"argv": ["\\ud800", "\\udfff"]}',
    "half a pair in a folder": b'{"script": "ls", "cwd": "/\\ud800"}',
    "a NUL": b'{"script": "ls \\u0000", "cwd": "/\\u0000"}',
    "not UTF-8": b'{"script": "\xff"}',
    "a byte order mark": b'\xef\xbb\xbf{"script": "ls"}',
    "UTF-16": '{"script": "ls"}'.encode("utf-16"),
    "names twice": b'{"id": 1, "id": 2, "script": "ls"}',
    "no text": b"\x00\x00",
    "too long": b'{"script": "' + b"x" * (17 << 20) + b'"}',
}


def answers(argv: list[str], lines: bytes, **options: Any) -> list[dict[str, Any]]:
    done = subprocess.run(argv, input=lines, capture_output=True, check=False, timeout=60, **options)
    assert done.returncode == 0, done.stderr

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)  # a test stands deeper in calls than who reads the answers
    try:
        return [json.loads(line, parse_constant=refuse) for line in done.stdout.splitlines()]
    finally:
        sys.setrecursionlimit(usual)


@pytest.mark.parametrize("argv", [CHECK, SPLIT], ids=["check", "split"])
def test_no_line_ends_the_stream(argv: list[str]) -> None:
    found = answers(argv, b"".join(line + b"\n" for line in ODD.values()) + LS)
    assert len(found) == len(ODD) + 1
    assert found[-1]["id"] == "last"
    for name, answer in zip(ODD, found, strict=False):
        assert "error" in answer or "decision" in answer or "status" in answer, name
    for name in ("an id of 100,000 lists", "5,000 digits", "not a number", "no end", "more than a number holds"):
        assert "error" in found[list(ODD).index(name)], name


@pytest.mark.parametrize("argv", [CHECK, SPLIT], ids=["check", "split"])
def test_a_line_of_100_megabytes_costs_neither_memory_nor_time(argv: list[str], tmp_path: Path) -> None:
    requests = tmp_path / "requests.jsonl"
    with requests.open("wb") as file:
        file.write(b'{"script": "')
        for _ in range(100):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n' + LS)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with requests.open("rb") as file:
        reading = subprocess.Popen(argv, stdin=file, stdout=subprocess.PIPE)
        out, _ = reading.communicate(timeout=60)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 5
    first, last = map(json.loads, out.splitlines())
    assert "longer than 16 MiB" in first["error"]
    assert last["id"] == "last"


@pytest.mark.parametrize("argv", [CHECK, SPLIT], ids=["check", "split"])
def test_a_descriptor_that_does_not_block_is_waited_for(argv: list[str]) -> None:
    read, write = os.pipe()
    os.set_blocking(read, False)
    running = subprocess.Popen(argv, stdin=read, stdout=subprocess.PIPE)
    os.close(read)
    assert running.stdout is not None
    for _ in range(2):
        time.sleep(0.3)
        os.write(write, LS)
        assert json.loads(running.stdout.readline())["id"] == "last"
    os.close(write)
    assert running.wait(120) == 0
    running.stdout.close()


@pytest.mark.parametrize("arguments", [["lint", "-"], ["fmt", "-"], ["split"], ["replay", "-"], ["hook", "claude"]])
def test_standard_input_that_does_not_block_is_waited_for(arguments: list[str], tmp_path: Path) -> None:
    read, write = os.pipe()
    os.set_blocking(read, False)
    argv = [sys.executable, "-m", "execpolicy", *arguments]
    env = {**os.environ, "HOME": str(tmp_path)}
    running = subprocess.Popen(argv, stdin=read, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    os.close(read)
    time.sleep(0.5)
    text = {
        "hook": '{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}',
        "split": "rm -rf /",
        "replay": "rm -rf /\n",
    }.get(arguments[0], 'prefix_rule(pattern = ["rm"], decision = "forbidden")\n')
    os.write(write, text[:20].encode())
    time.sleep(0.3)
    os.write(write, text[20:].encode())
    os.close(write)
    out, err = running.communicate(timeout=60)
    assert running.returncode in (0, 1), err
    expected = {"hook": b"removes folders", "split": b"rm -rf /", "replay": b"rm", "lint": b"rm", "fmt": b'["rm"]'}
    assert expected[arguments[0]] in out + err


@pytest.mark.parametrize(
    "arguments",
    [["check", "--jsonl"], ["split", "--jsonl"], ["split"], ["lint", "-"], ["fmt", "-"], ["replay", "-"], ["serve"]],
)
def test_standard_input_that_is_closed_is_an_error(arguments: list[str], tmp_path: Path) -> None:
    argv = ["bash", "-c", '"$@" <&-', "bash", sys.executable, "-m", "execpolicy", *arguments]
    done = subprocess.run(argv, capture_output=True, check=False, timeout=60, env={**os.environ, "HOME": str(tmp_path)})
    assert done.returncode in (1, 2), done
    assert b"Traceback" not in done.stderr
    assert b"standard input" in done.stderr + done.stdout


class Asking:
    """``check --jsonl`` beside files that change."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        env = {**os.environ, "HOME": str(folder), "CODEX_HOME": str(folder / ".codex")}
        self.running = subprocess.Popen(
            [*CHECK, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env
        )

    def ask(self, script: str) -> dict[str, Any]:
        assert self.running.stdin is not None
        assert self.running.stdout is not None
        self.running.stdin.write(json.dumps({"script": script}).encode() + b"\n")
        self.running.stdin.flush()
        answer: dict[str, Any] = json.loads(self.running.stdout.readline())
        return answer

    def close(self) -> None:
        self.running.communicate(timeout=120)


def rule(decision: str) -> str:
    return f'prefix_rule(pattern=["frobnicate"], decision="{decision}")\n'


@pytest.mark.parametrize("named", [True, False])
def test_rules_that_change_are_read_again(tmp_path: Path, named: bool) -> None:
    path = tmp_path / ".codex" / "rules" / "default.rules"
    path.parent.mkdir(parents=True)
    path.write_text(rule("allow"))
    asking = Asking(tmp_path, *(["-r", str(path)] if named else []))
    assert asking.ask("frobnicate")["decision"] == "allow"
    path.write_text(rule("forbidden"))
    time.sleep(0.2)
    assert asking.ask("frobnicate")["decision"] == "forbidden"
    path.write_text("prefix_rule(")
    time.sleep(0.2)
    broken = asking.ask("frobnicate")
    assert "error" in broken if named else broken["decision"] == "prompt"
    path.unlink()
    time.sleep(0.2)
    gone = asking.ask("frobnicate")
    assert "error" in gone if named else gone["decision"] == "prompt"
    path.write_text(rule("allow"))
    time.sleep(0.2)
    assert asking.ask("frobnicate")["decision"] == "allow"
    asking.close()
