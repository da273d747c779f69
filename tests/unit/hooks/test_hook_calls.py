"""What a tool's call would run and write, read off its name and arguments."""

import json
from pathlib import Path
from typing import Any

import pytest

from execpolicy.errors import UsageError
from execpolicy.hooks.agents import AGENTS
from execpolicy.hooks.hook_call import HookCall


def call_of(tool: str, arguments: dict[str, Any], cwd: str | None = "/srv") -> HookCall:
    envelope = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": arguments, "cwd": cwd}
    return AGENTS["claude"].read(envelope).call


@pytest.mark.parametrize(
    ("tool", "arguments", "commands"),
    [
        ("mcp__sh__run", {"command": "rm x"}, ("rm x",)),
        ("sh-run", {"cmd": "rm x"}, ("rm x",)),
        ("Whatever", {"script": "rm x"}, ("rm x",)),
        ("run_commands", {"commands": ["ls", "rm x"]}, ("ls", "rm x")),
        ("run_commands", {"commands": '["ls", "rm x"]'}, ("ls", "rm x")),
        ("run_commands", {"commands": [{"command": "rm x", "timeout": 3}]}, ("rm x",)),
        ("shell", {"command": ["bash", "-lc", "rm x"]}, (("bash", "-lc", "rm x"),)),
        ("write_stdin", {"session_id": 1, "chars": "rm x\n"}, ("rm x\n",)),
        ("terminal_send", {"input": "rm x"}, ("rm x",)),
        ("mcp__files__write_and_run", {"path": "x", "command": "rm x"}, ("rm x",)),
        ("mcp__a__b", {"Command": "rm x"}, ("rm x",)),
        ("mcp__a__b", {"COMMAND": "rm x"}, ("rm x",)),
        ("mcp__a__b", {"com\u200bmand": "rm x"}, ("rm x",)),
        ("mcp__a__b", {"shell_command": "rm x"}, ("rm x",)),
        ("mcp__a__b", {"postCommand": "rm x"}, ("rm x",)),
        ("mcp__a__b", {"command-line": "rm x"}, ("rm x",)),
        ("mcp__a__b", {"argv": ["rm", "x"]}, (("rm", "x"),)),
        ("mcp__a__b", {"cmds": ["ls", "rm x"]}, ("ls", "rm x")),
        ("mcp__a__b", {"program": "rm", "args": ["x"]}, ("rm",)),
        ("mcp__a__b", {"options": {"command": "rm x"}}, ("rm x",)),
        ("use_mcp_tool", {"server_name": "sh", "arguments": '{"command": "rm x"}'}, ("rm x",)),
        ("batch", {"tool_calls": [{"tool": "bash", "parameters": {"command": "rm x"}}]}, ("rm x",)),
        ("mcp__sh__run", {"line": "rm x"}, ("rm x",)),
        ("mcp__box__exec", {"steps": ["ls", "rm x"]}, ("rm x", "ls")),
        ("Bash2", {"what": "rm x"}, ("rm x",)),
        ("run_in_terminal", {"query": "rm x"}, ("rm x",)),
        ("send_terminal_line", {"line": "rm x"}, ("rm x",)),
        ("background_process", {"action": "list"}, ()),
        ("get_command_output", {"name": "x"}, ()),
        ("mcp__db__execute_sql", {"statement": "select 1"}, ()),
        ("mcp__a__b", {"postscript": "x", "subcommand": "x", "script": True}, ()),
        ("Write", {"file_path": "mcp.json", "content": '{"command": "rm x"}'}, ()),
        ("Task", {"prompt": "run rm x"}, ()),
        ("str_replace_based_edit_tool", {"command": "view", "path": "x"}, ()),
        ("developer__text_editor", {"command": "write", "path": "x", "file_text": "y"}, ()),
        ("BashOutput", {"bash_id": "1"}, ()),
        ("KillShell", {"shell_id": "1"}, ()),
        ("write_stdin", {"session_id": 1, "chars": ""}, ()),
        ("write_stdin", {"session_id": 1, "chars": "\x03"}, ()),
        ("Read", {"file_path": "x"}, ()),
        ("WebFetch", {"url": "http://localhost", "prompt": "x"}, ()),
    ],
)
def test_what_would_run(tool: str, arguments: dict[str, Any], commands: tuple[object, ...]) -> None:
    assert call_of(tool, arguments).commands == commands


@pytest.mark.parametrize(
    ("tool", "arguments", "writes"),
    [
        ("Write", {"file_path": "a", "content": "x"}, ("a",)),
        ("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, ("a",)),
        ("MultiEdit", {"file_path": "a", "edits": [{"old_string": "x"}]}, ("a",)),
        ("NotebookEdit", {"notebook_path": "a.ipynb"}, ("a.ipynb",)),
        ("write_file", {"file_path": "a"}, ("a",)),
        ("replace", {"file_path": "a"}, ("a",)),
        ("create", {"path": "a", "file_text": ""}, ("a",)),
        ("edit", {"filePath": "a"}, ("a",)),
        ("mcp__fs__write_file", {"path": "a"}, ("a",)),
        ("developer__text_editor", {"command": "write", "path": "a"}, ("a",)),
        ("str_replace_based_edit_tool", {"command": "view", "path": "a"}, ()),
        ("apply_patch", {"command": "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch"}, ("a", "b")),
        ("apply_patch", {"input": "*** Begin Patch\n*** Delete File: a\n*** End Patch"}, ("a",)),
        ("patch", {"patchText": "--- a/x\n+++ b/y\n@@ -1 +1 @@\n"}, ("x", "y")),
        ("edit_files", {"files": [{"path": "a"}, "b"]}, ("a", "b")),
        ("mcp__fs__move_file", {"source": "a", "destination": "b"}, ("a", "b")),
        ("mcp__fs__delete", {"path": "a"}, ("a",)),
        ("apply_patch", {"input": "*** Begin Patch\n  *** Add File: a \n+x\n*** End Patch"}, ("a",)),
        ("patch", {"diff": "--- a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"}, ("a",)),
        ("patch", {"diff": "diff --git a/x b/y\nrename from x\nrename to y\n"}, ("x", "y")),
        ("mcp__fs__do", {"op": "write", "filePath": "a"}, ("a",)),
        ("mcp__fs__search_files", {"path": "a"}, ()),
        ("Grep", {"path": "a"}, ()),
        ("Read", {"file_path": "a"}, ()),
    ],
)
def test_what_would_be_written(tool: str, arguments: dict[str, Any], writes: tuple[str, ...]) -> None:
    call = call_of(tool, arguments)
    assert (call.writes, call.commands) == (writes, ())


@pytest.mark.parametrize(
    ("arguments", "cwd"),
    [
        ({}, "/srv"),
        ({"workdir": "/opt"}, "/opt"),
        ({"dir_path": "sub"}, "/srv/sub"),
        ({"directory": "sub"}, "/srv/sub"),
        ({"working_directory": ""}, "/srv"),
    ],
)
def test_the_folder(arguments: dict[str, Any], cwd: str) -> None:
    call = call_of("Bash", {"command": "ls", **arguments})
    assert (call.cwd, call.doubts) == (cwd, ())


@pytest.mark.parametrize(
    "arguments",
    [
        {"cmd": "rm x"},
        {"workdir": "/a", "cwd": "/b"},
        {"workdir": "~/x"},
        {"workdir": 1},
        {"shell": "./bash"},
        {"shell": "/tmp/bash"},
        {"shell": ["bash"]},
        {"env": {"A B": "x"}},
        {"env": {"A": 1}},
        {"commands": 3},
        {"args": ["-delete"]},
        {"stdin": "x"},
        {"host": "elsewhere"},
        {"user": "root"},
        {"Shell": 1},
        {"env": "A=b"},
        {"options": {"shell": "fish"}},
        {"Command": "ls -l"},
        {"commands": [{"command": "ls", "where": "/"}]},
    ],
)
def test_what_nobody_can_tell_is_a_doubt(arguments: dict[str, Any]) -> None:
    assert call_of("Bash", {"command": "ls", **arguments}).doubts


@pytest.mark.parametrize(
    "name", ["description", "timeout", "timeout_ms", "run_in_background", "riskLevelReason", "login"]
)
def test_what_is_known_to_change_nothing_is_no_doubt(name: str) -> None:
    assert not call_of("Bash", {"command": "ls", name: "x"}).doubts


@pytest.mark.parametrize("arguments", [{"calls": [{"command": "ls"}]}, {"line": "ls"}])
def test_what_is_found_in_unknown_arguments_is_a_doubt(arguments: dict[str, Any]) -> None:
    assert call_of("mcp__sh__run", arguments).doubts


@pytest.mark.parametrize("cwd", ["sub", ".", 5, {"a": 1}, "C:\\x"])
def test_a_folder_that_is_none_is_an_error(cwd: Any) -> None:
    with pytest.raises(UsageError, match="path of a folder"):
        call_of("Bash", {"command": "ls"}, cwd=cwd)


def test_a_relative_folder_of_no_folder_is_a_doubt() -> None:
    assert call_of("Bash", {"command": "ls", "workdir": "sub"}, cwd=None).doubts


def test_the_shell_and_its_variables() -> None:
    assert call_of("Bash", {"command": "ls", "shell": "/bin/zsh"}).shell == "zsh"
    assert call_of("PowerShell", {"command": "ls"}).shell == "powershell"
    assert call_of("Bash", {"command": "ls", "env": {"PATH": "x y"}}).commands == ("export PATH='x y'\nls",)
    assert call_of("Bash", {"command": "ls", "env": ["A=b"]}).commands == ("export A=b\nls",)
    assert call_of("shell", {"command": ["ls"], "env": {"A": "b"}}).doubts


def test_settings_name_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXECPOLICY_HOME", str(tmp_path))
    settings = tmp_path / "execpolicy.toml"
    settings.write_text('[hook]\nshells = ["mcp__box__*"]\nignored = ["mcp__notes__*"]\n')
    assert call_of("mcp__box__go", {"steps": [{"text": "rm x"}]}).commands == ("rm x",)
    assert not call_of("mcp__notes__add", {"command": "rm x"}).has_actions
    assert call_of("Bash", {"command": "ls"}).commands == ("ls",)
    for broken in ('[hook]\nshell = ["x"]\n', '[hook]\nshells = "x"\n', "hook = 1\n", "[hoo]\n"):
        settings.write_text(broken)
        with pytest.raises(UsageError, match=r"execpolicy\.toml"):
            call_of("mcp__box__go", {"command": "ls"})


def test_numbers_and_depth_do_no_harm() -> None:
    deep: Any = "rm x"
    for _ in range(200):
        deep = [deep]
    assert call_of("mcp__x__y", {"commands": deep}).doubts
    assert call_of("Bash", json.loads('{"command": "ls", "timeout": 1e400}')).commands == ("ls",)
