"""Histories of every form: what is read, what is counted as broken, what is counted once."""

import io
import json
import sys
from pathlib import Path

import pytest

from execpolicy.errors import UsageError
from execpolicy.insight.history import commands_in, history_files, read_history
from execpolicy.insight.tally import History

DATA = Path(__file__).parents[2] / "data" / "history"


def read(*names: str, form: str = "auto") -> History:
    return read_history([str(DATA / name) for name in names], form=form)


def test_own_json_lines() -> None:
    found = read("own.jsonl")
    assert dict(found.counts) == {
        "git status": 2,
        ("git", "log", "-5"): 1,
        "make all": 1,
        ("make", "all"): 1,
        ("zsh", "-c", "ls"): 1,
        "echo hi": 1,
        "pytest -q": 1,
    }
    assert found.counts.total() == 8
    assert found.broken == 6
    assert [problem.rsplit("own.jsonl:", 1)[1].split(":")[0] for problem in found.problems] == [
        "10",
        "11",
        "12",
        "13",
        "14",
        "16",
    ]
    assert found.other == 1


def test_transcripts_of_claude_code_and_calls_that_a_resumed_session_repeats() -> None:
    found = read_history(history_files([str(DATA / "claude")]))
    assert dict(found.counts) == {"npm test -- --run": 1, "git status": 2, 'cd src && grep -rn "café" . | head -5': 1}
    assert found.repeated == 2
    assert found.broken == 1
    assert "5f0d2c1e.jsonl:12: not JSON" in found.problems[0]
    assert found.other == 11


def test_calls_that_are_only_numbered_are_no_repetitions(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    calls = [{"type": "function_call", "name": "exec_command", "call_id": "1"} for _ in range(3)]
    for call, script in zip(calls, ("ls", "pwd", "ls"), strict=True):
        call["arguments"] = json.dumps({"cmd": script})
    path.write_text("\n".join(map(json.dumps, calls)))
    found = read_history([str(path)])
    assert (dict(found.counts), found.repeated) == ({"ls": 1, "pwd": 1}, 1)


def test_rollouts_of_codex() -> None:
    found = read("codex/rollout-2026-03-01T10-00-00-019a.jsonl")
    assert dict(found.counts) == {
        ("bash", "-lc", "cargo test -p api"): 1,
        "cargo test -p web": 1,
        "git push origin main": 1,
        ("/bin/zsh", "-c", "print -l *(.)"): 1,
        ("ls", "-la"): 1,
        ("git", "log"): 1,
    }
    assert found.broken == 2
    assert [problem.split(": ", 1)[1] for problem in found.problems] == [
        "`arguments` are not JSON",
        "`command` must be a list of strings, at least one",
    ]


@pytest.mark.parametrize(
    ("name", "commands", "broken"),
    [
        ("bash_history", ["git status", "for f in a b; do\n  echo $f\ndone", "ls -la"], 0),
        ("zsh_history", ["git status", "echo one \n  two", "echo café", "ls"], 0),
        ("fish_history", ["git status", "for f in *\n  echo $f \\x\nend", "ls"], 0),
        ("plain_history", ["git status", "# a comment is a script, too", "ls -la"], 1),
    ],
)
def test_history_files_of_shells(name: str, commands: list[str], broken: int) -> None:
    found = read(name)
    assert list(found.counts) == commands
    assert found.broken == broken


def test_a_form_can_be_forced() -> None:
    assert ": 1700000000:0;git status" in read("zsh_history", form="text").counts
    assert list(read("plain_history", form="bash").counts) == ["git status", "# a comment is a script, too", "ls -la"]


def test_broken_text_names_its_line() -> None:
    assert read("plain_history").problems == [f"{DATA}/plain_history:6: it is not UTF-8"]


def test_json_lines_whose_first_line_is_torn_are_still_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "torn.jsonl"
    path.write_text('ript": "x"}\n{"script": "ls"}\n')
    found = read_history([str(path)])
    assert (dict(found.counts), found.broken) == ({"ls": 1}, 1)


def test_a_brace_group_is_no_json(tmp_path: Path) -> None:
    path = tmp_path / "history.txt"
    path.write_text("{ echo a; }\nls\n")
    assert dict(read_history([str(path)]).counts) == {"{ echo a; }": 1, "ls": 1}


def test_hostile_lines_stop_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    lines = [
        b"[" * 100_000,
        b'{"script": "\xff"}',
        b'{"script": "\\ud800"}',
        b"\0" * 10,
        b'{"script": null}',
        b'{"message": {"content": [{"type": "tool_use", "name": "Bash"}]}}',
        b'{"message": {"content": 7}}',
        b'{"type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": "7"}}',
        b'{"script": "ls"}',
    ]
    path.write_bytes(b"\n".join(lines))
    found = read_history([str(path)])
    assert found.counts["ls"] == 1
    assert found.broken == 6
    assert found.other == 1


def test_equal_lines_in_several_pieces_are_all_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_FIRST", "_MOST"):
        monkeypatch.setattr(f"execpolicy.insight.history.{name}", 50)
    path = tmp_path / "x.jsonl"
    path.write_text('{"script": "ls"}\n{"script": "pwd"}\n' * 10 + "broken\n")
    told: list[int] = []
    met: list[object] = []
    found = read_history([str(path)], progress=told.append, met=met.extend)
    assert dict(found.counts) == {"ls": 10, "pwd": 10}
    assert found.problems[0].startswith(f"{path}:21: ")
    assert sum(told) == path.stat().st_size
    assert len(told) > 5
    assert sorted(map(str, met)) == ["ls", "pwd"]


def test_what_counts_as_a_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        history_files([str(tmp_path / "none")])
    with pytest.raises(UsageError, match="holds no history"):
        history_files([str(tmp_path)])
    assert history_files([str(DATA / "own.jsonl"), str(DATA / "own.jsonl"), "-"]) == [str(DATA / "own.jsonl"), "-"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"ls\nls\npwd")))
    assert dict(read_history(["-"]).counts) == {"ls": 2, "pwd": 1}


def test_an_unreadable_file_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        read_history([str(tmp_path)])


def merged(*histories: History) -> History:
    everything = History()
    for history in histories:
        everything.add(history)
    return everything


def test_histories_add_up() -> None:
    one, two = read("own.jsonl"), read("plain_history")
    both = merged(one, two)
    assert both.counts.total() == one.counts.total() + two.counts.total()
    assert both.counts["git status"] == 4
    assert both.broken == one.broken + two.broken


def test_a_record_may_hold_several_commands() -> None:
    parts = [{"type": "tool_use", "id": str(at), "name": "Bash", "input": {"command": f"echo {at}"}} for at in range(3)]
    record = json.loads(json.dumps({"type": "assistant", "message": {"content": parts}}))
    assert list(commands_in(record)) == [("echo 0", "0"), ("echo 1", "1"), ("echo 2", "2")]


def test_a_call_that_two_merged_histories_tell_of_counts_once(tmp_path: Path) -> None:
    def call(number: int) -> str:
        used = {"type": "tool_use", "id": str(number), "name": "Bash", "input": {"command": "make"}}
        return json.dumps({"type": "assistant", "message": {"content": [used]}}) + "\n"

    files = [tmp_path / f"{at}.jsonl" for at in range(3)]
    for file, numbers in zip(files, ([1, 2], [1, 2, 3], [3, 3, 4]), strict=True):
        file.write_text("".join(map(call, numbers)))
    together = read_history([str(file) for file in files])
    assert (dict(together.counts), together.repeated) == ({"make": 4}, 4)
    one, two, three = [read_history([str(file)]) for file in files]
    for parts in ((merged(one, two), three), (one, merged(two, three)), (three, one, two)):
        assert merged(*parts) == together


def test_the_log_of_the_hook() -> None:
    hook = {"event": "hook", "tool": "Bash", "decision": "allow"}
    found = [*commands_in({**hook, "commands": ["ls | wc", ["git", "log"]]}), *commands_in({**hook, "commands": []})]
    assert found == [("ls | wc", None), (("git", "log"), None)]
