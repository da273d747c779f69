"""``hook --permissions``: each agent's tools are matters of the sections, and no section grants a call."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from execpolicy.cli.hook_command import run_hook
from execpolicy.layers import layer_options
from tests.support.each import each


class Place:
    """A project, a home beside it, and the answers to an agent's calls."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder, self.home = tmp_path / "project", tmp_path / "home"
        self.folder.mkdir()
        self.home.mkdir()
        self.file = tmp_path / "permissions.json"
        self.session: str | None = None
        self.event = "PreToolUse"

    def wants(self, section: object) -> None:
        self.file.write_text(json.dumps({"permission": section}))

    def answer(self, envelope: dict[str, Any], *arguments: str, agent: str = "claude") -> Any:
        named = ["--permissions", str(self.file)] if self.file.exists() else []
        out = io.StringIO()
        patient = ("--deadline", "3000")  # the process of the tests would end with it
        assert (
            run_hook([agent, *patient, *named, *arguments], io.StringIO(json.dumps(envelope)), out, io.StringIO()) == 0
        )
        return json.loads(out.getvalue()) if out.getvalue() else {}

    def ask(self, tool: str, args: dict[str, Any], *arguments: str) -> tuple[str | None, str]:
        call = {"hook_event_name": self.event, "tool_name": tool, "tool_input": args, "cwd": str(self.folder)}
        if self.session is not None:
            call["session_id"] = self.session
        said = self.answer(call, *arguments).get("hookSpecificOutput", {})
        decision = said.get("permissionDecision", said.get("decision", {}).get("behavior"))
        return decision, said.get("permissionDecisionReason", "")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    for name in ("EXECPOLICY_HOME", "CODEX_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setattr(layer_options, "MACHINE_FOLDER", str(tmp_path / "etc"))
    return Place(tmp_path)


SECTIONS = {
    "bash": [("Bash", {"command": "ls"}), ("run_shell_command", {"command": "ls"}),
             ("mcp__box__run", {"command": "ls"}), ("run_commands", {"commands": ["ls"]}),
             ("exec_command", {"cmd": "ls"})],
    "edit": [("Write", {"file_path": "x", "content": "y"}), ("MultiEdit", {"file_path": "x", "edits": []}),
             ("NotebookEdit", {"notebook_path": "x", "new_source": "y"}), ("write_file", {"file_path": "x"}),
             ("replace", {"file_path": "x"}), ("Create", {"file_path": "x"}), ("write_to_file", {"path": "x"}),
             ("str_replace_editor", {"command": "create", "path": "x", "file_text": "y"}),
             ("apply_patch", {"command": "*** Begin Patch\n*** Add File: x\n+y\n*** End Patch\n"}),
             ("mcp__fs__move_file", {"source": "x", "destination": "z"}), ("Bash", {"command": "echo > x"})],
    "read": [("Read", {"file_path": "x"}), ("read_many_files", {"paths": ["x"]}), ("view", {"path": "x"}),
             ("mcp__fs__read_file", {"path": "x"}), ("NotebookRead", {"notebook_path": "x"})],
    "grep": [("Grep", {"pattern": "a"}), ("search_file_content", {"pattern": "a"}), ("grep_search", {"query": "a"})],
    "glob": [("Glob", {"pattern": "*"}), ("glob", {"pattern": "*"}), ("find", {"pattern": "*"})],
    "list": [("LS", {"path": "x"}), ("list_directory", {"dir_path": "x"}), ("ls", {"path": "x"})],
    "webfetch": [("WebFetch", {"url": "https://example.com"}), ("web_fetch", {"prompt": "read it"}), ("fetch", {})],
    "websearch": [("WebSearch", {"query": "a"}), ("google_web_search", {"query": "a"})],
    "task": [("Task", {"prompt": "a"}), ("Agent", {"prompt": "a"}), ("subagent", {})],
    "skill": [("Skill", {"skill": "none"}), ("activate_skill", {"name": "none"})],
    "todowrite": [("TodoWrite", {"todos": []}), ("update_plan", {"plan": []})],
    "question": [("AskUserQuestion", {"questions": []}), ("ask_user", {"question": "a"})],
}  # fmt: skip
CALLS = [(section, tool, args) for section, calls in SECTIONS.items() for tool, args in calls]


@each(("section", "tool", "args"), CALLS, ids=[f"{section} {tool}" for section, tool, _ in CALLS])
def test_a_section_speaks_for_the_tools_of_every_agent(
    place: Place, section: str, tool: str, args: dict[str, Any]
) -> None:
    place.wants({section: "deny"})
    decision, reason = place.ask(tool, args)
    assert (decision, f"permission {section} `*`" in reason) == ("deny", True), reason
    place.wants({section: "ask"})
    assert place.ask(tool, args)[0] == "ask"
    others = [other for other in SECTIONS if other not in (section, "bash", "edit")]
    place.wants(dict.fromkeys(others, "deny"))
    before = place.ask(tool, args)
    place.file.unlink()
    assert before == place.ask(tool, args), "what no rule minds is as it was"


@pytest.mark.parametrize(
    ("section", "tool", "args", "expected"),
    [
        ({"edit": {"*": "allow", "secret/*": "deny"}}, "Write", {"file_path": "secret/a"}, "deny"),
        ({"edit": {"*": "allow", "secret/*": "deny"}}, "Write", {"file_path": "./x/../secret/a"}, "deny"),
        ({"edit": {"*": "allow", "secret/*": "deny"}}, "Write", {"file_path": "other/a"}, None),
        ({"read": {"*.env": "deny"}}, "Read", {"file_path": ".env"}, "deny"),
        ({"read": {"*.env": "deny"}}, "Read", {"file_path": "env.py"}, None),
        ({"run_shell_command": {"rm *": "deny"}}, "run_shell_command", {"command": "echo a; env rm x"}, "deny"),
        ({"mcp__box__run": {"rm *": "deny"}}, "mcp__box__run", {"command": "rm x"}, "deny"),
        ({"mcp__notes__*": "deny"}, "mcp__notes__add", {"text": "a"}, "deny"),
        ({"*": "deny"}, "Anything", {}, "deny"),
        ({"webfetch": {"https://example.com/*": "deny"}}, "WebFetch", {"url": "https://example.com/a"}, "deny"),
        ({"external_directory": "ask"}, "Read", {"file_path": "/etc/hostname"}, "ask"),
        ({"external_directory": "ask"}, "Read", {"file_path": "x"}, None),
        ({"external_directory": "ask"}, "Edit", {"file_path": "x", "old_string": "/a", "new_string": "// b"}, None),
        ({"external_directory": "ask"}, "NotebookEdit", {"notebook_path": "x", "new_source": "// b"}, None),
        ({"bash": {"rm *": "deny"}}, "Read", {"file_path": "~/x"}, None),
        ({"read": {"/srv/*": "deny"}}, "Read", {"file_path": "~/x"}, "ask"),
        ("allow", "Bash", {"command": "made-up"}, "ask"),
        ("allow", "Read", {"file_path": "x"}, None),
        ("deny", "Bash", {"command": "ls"}, "deny"),
    ],
)
def test_patterns_restrict_and_nothing_is_granted(
    place: Place, section: object, tool: str, args: dict[str, Any], expected: str | None
) -> None:
    place.wants(section)
    assert place.ask(tool, args)[0] == expected


def test_what_lies_outside_is_seen_from_the_folder_of_the_agent(place: Place) -> None:
    place.wants({"external_directory": "deny"})
    assert place.ask("Bash", {"command": "ls", "workdir": "/etc"})[0] == "deny"
    (place.folder / "sub").mkdir()
    assert place.ask("Bash", {"command": "ls", "workdir": "sub"})[0] == "allow"


def test_other_agents_are_answered_in_their_own_words(place: Place) -> None:
    place.wants({"edit": {"secret/*": "deny"}})
    call = {
        "event": "PreToolUse",
        "tool_name": "write",
        "tool_input": {"file_path": "secret/a"},
        "cwd": str(place.folder),
    }
    assert place.answer(call, agent="crush")["decision"] == "deny"
    assert place.answer({**call, "tool_input": {"file_path": "b"}}, agent="crush") == {}


def test_the_setting_names_a_file_and_every_file_restricts(place: Place, tmp_path: Path) -> None:
    for folder, section in (
        (tmp_path / "etc", {"read": "deny"}),
        (place.home / ".config/execpolicy", {"read": "allow"}),
    ):
        folder.mkdir(parents=True)
        (folder / "execpolicy.toml").write_text('[hook]\npermissions = "p.json"\n')
        (folder / "p.json").write_text(json.dumps(section))
    assert place.ask("Read", {"file_path": "x"})[0] == "deny"
    place.wants({"read": "allow", "glob": "deny"})
    assert place.ask("Read", {"file_path": "x"})[0] == "deny"
    assert place.ask("Glob", {"pattern": "x"})[0] == "deny"
    assert place.ask("Grep", {"pattern": "x"})[0] is None


@pytest.mark.parametrize("text", ["{", '{"bsah": "deny"}', '{"permissions": {}}', "[]"])
def test_a_wrong_file_closes_every_call(place: Place, text: str) -> None:
    place.file.write_text(text)
    assert place.ask("Bash", {"command": "ls"})[0] == "ask"
    assert place.ask("Read", {"file_path": "x"})[0] == "ask"
    place.file.unlink()
    assert place.ask("Bash", {"command": "ls"}, "--permissions", str(place.file))[0] == "ask"


def test_an_event_of_which_nothing_is_asked_gets_no_answer(place: Place) -> None:
    place.wants({"*": "deny"})
    place.event = "PostToolUse"
    assert place.ask("Read", {"file_path": "x"})[0] is None


@pytest.mark.parametrize(
    ("tool", "args"),
    [("Write", {"file_path": "{}"}), ("Bash", {"command": "echo x > {}"}), ("Bash", {"command": "rm {}"})],
)
def test_the_file_itself_is_not_changed_unasked(place: Place, tool: str, args: dict[str, str]) -> None:
    place.wants({"read": "deny"})
    rules = place.home / "my.rules"
    rules.write_text('write_rule(paths=["/**"])\nprefix_rule(pattern=["echo"])\nprefix_rule(pattern=["rm"])\n')
    named = {name: text.format(place.file) for name, text in args.items()}
    decision, reason = place.ask(tool, named, "-r", str(rules))
    assert (decision, f"permission edit `{place.file}`" in reason) == ("ask", True), reason


def test_an_ignored_tool_is_still_a_matter_of_permissions(place: Place) -> None:
    folder = place.home / ".config/execpolicy"
    folder.mkdir(parents=True)
    (folder / "execpolicy.toml").write_text('[hook]\nignored = ["mcp__notes__*"]\n')
    place.wants({"mcp__notes__drop": "deny"})
    assert place.ask("mcp__notes__drop", {"command": "x"})[0] == "deny"
    assert place.ask("mcp__notes__add", {"command": "x"})[0] is None


def test_the_third_equal_call_of_a_session_is_asked_about(place: Place) -> None:
    place.wants({"read": "allow"})
    place.session = "one"
    assert [place.ask("Bash", {"command": "ls", "description": str(n)})[0] for n in range(3)] == [
        "allow",
        "allow",
        "ask",
    ]
    place.event = "PermissionRequest"
    assert place.ask("Bash", {"command": "ls"})[0] is None, "the agent's own question stays one"
    assert place.ask("Bash", {"command": "pwd"})[0] == "allow"
    place.event, place.session = "PreToolUse", "two"
    assert [place.ask("Read", {"file_path": "x"})[0] for _ in range(3)] == [None, None, "ask"]
    place.wants({"doom_loop": "deny"})
    decision, reason = place.ask("Read", {"file_path": "x"})
    assert (decision, "the agent calls `Read` with the same input, 3 times in a row" in reason) == ("deny", True)
    place.session = None
    assert {place.ask("Read", {"file_path": "x"})[0] for _ in range(4)} == {None}
