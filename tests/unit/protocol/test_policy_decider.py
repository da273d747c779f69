"""What is decided about requests: shell tools by the rules, other tools by permissions (design: protocol)."""

from pathlib import Path
from typing import Any

import pytest

from execpolicy.cli.arbitration import CodexShellJudge
from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.hooks.agents import AGENTS
from execpolicy.judge.rulebook import Rulebook
from execpolicy.permissions.audit import MemoryAudit
from execpolicy.permissions.ruleset import Action, ruleset_from_config
from execpolicy.permissions.tool_names import folded
from execpolicy.protocol.arbiter import Arbiter
from execpolicy.protocol.decisions import LoopWatch, Ruling
from execpolicy.protocol.messages import ArbiterOptions, ToolRequest
from execpolicy.protocol.policy_decider import PolicyDecider, RulebookShellJudge
from execpolicy.protocol.shell_calls import SHELL_TOOLS, ShellCall
from tests.support.judging import rulebook
from tests.support.rulebooks import rulebook_of

RULES = """
prefix_rule(pattern=["build"], decision="allow")
prefix_rule(pattern=["deploy"], decision="prompt", justification="ask the release team")
prefix_rule(pattern=["destroy"], decision="forbidden", justification="never destroy")
network_rule(host="good.example", protocol="https", decision="allow")
network_rule(host="evil.example", protocol="https", decision="forbidden", justification="evil")
"""


def book() -> Rulebook:
    return rulebook_of(RULES)


def decide(tool: str, args: dict[str, Any], *, permissions: object = None, cwd: str = "/srv/p", **more: Any) -> Ruling:
    ruleset = ruleset_from_config(permissions, home="/home/u") if permissions is not None else ()
    decider = PolicyDecider(RulebookShellJudge(book, home="/home/u"), cwd=cwd, ruleset=ruleset, rulebook=book, **more)
    return decider.decide(ToolRequest(id="t", ts=0, tool=tool, args=args, requires_policy=True))


SHELL: list[tuple[dict[str, Any], str, bool]] = [
    # arguments, what is said, grave
    ({"command": "build"}, "allow", False),
    ({"command": ["build", "all"]}, "allow", False),
    ({"argv": ["build"]}, "allow", False),
    ({"script": "build && ls -la"}, "allow", False),
    ({"command": ["bash", "-lc", "build"]}, "allow", False),
    ({"command": "build", "cwd": "sub", "timeout_ms": 5, "description": "x"}, "allow", False),
    ({"command": "build", "shell": "/bin/sh"}, "allow", False),
    ({"command": "build", "env": {"NO_COLOR": "1"}}, "allow", False),
    ({"command": "unknown"}, "ask", False),
    ({"command": "deploy"}, "ask", False),
    ({"command": "rm -f x"}, "ask", True),
    ({"command": "echo $(rm -f x)"}, "ask", True),
    ({"command": "echo 'unclosed"}, "ask", True),
    ({"command": ""}, "ask", True),
    ({"command": "$X"}, "ask", True),
    ({"command": "build", "env": {"PATH": "/evil"}}, "ask", True),
    ({"command": "build", "env": {"LD_PRELOAD": "x"}}, "ask", True),
    ({"command": "build", "args": ["x"]}, "ask", True),
    ({"command": "build", "stdin": "x"}, "ask", True),
    ({"command": "build", "shell": "pwsh"}, "ask", True),
    ({"command": "build", "cwd": "~"}, "ask", True),
    ({"command": "build", "timeout": ["x"]}, "ask", True),
    ({"command": "build", "Command": "destroy"}, "ask", True),
    ({"command": "build\0 destroy"}, "ask", True),
    ({"command": "build", "shell": 5}, "ask", True),
    ({"command": "destroy"}, "deny", True),
    ({"command": "ls; sudo /usr/bin/destroy x"}, "deny", True),
    ({"command": ["env", "destroy"]}, "deny", True),
    ({"command": "destroy", "shell": "pwsh"}, "deny", True),
    ({}, "deny", False),
    ({"command": None}, "deny", False),
    ({"command": 5}, "deny", False),
    ({"command": []}, "deny", False),
    ({"command": ["build", 5]}, "deny", False),
    ({"argv": "build"}, "deny", False),
    ({"script": ["build"]}, "deny", False),
    ({"command": "build", "script": "destroy"}, "deny", False),
    ({"command": "build", "argv": ["build"]}, "deny", False),
    ({"command": "build", "cwd": 5}, "deny", False),
    ({"command": "build", "cwd": "a", "workdir": "b"}, "deny", False),
    ({"command": "build", "env": ["PATH=x"]}, "deny", False),
]


@pytest.mark.parametrize(("args", "say", "grave"), SHELL)
@pytest.mark.parametrize("tool", ["shell.exec", "shell", "bash"])
def test_shell_requests(tool: str, args: dict[str, Any], say: str, grave: bool) -> None:
    ruling = decide(tool, args)
    assert (ruling.decision, ruling.grave) == (Action(say).decision, grave), ruling


def test_what_only_a_person_may_answer_is_grave() -> None:
    rule = PrefixRule(PrefixPattern.of(("deploy",)), Decision.PROMPT, human_only=True)
    judge = RulebookShellJudge(lambda: Rulebook([rule]))
    for command in ("deploy x", "true && sudo deploy"):
        ruling = judge.judge(ShellCall(command, cwd="/srv/p", shell="bash"))
        assert (ruling.decision, ruling.grave, ruling.once) == (Decision.PROMPT, True, True)


@pytest.mark.parametrize(
    ("command", "say", "grave"),
    [
        ("build", Decision.ALLOW, False),
        ("unknown", Decision.PROMPT, False),
        ("deploy", Decision.PROMPT, False),
        ("destroy", Decision.FORBIDDEN, False),
        ("rm -rf x", Decision.PROMPT, True),
        ("build > /etc/passwd; rm -rf x", Decision.PROMPT, True),  # opaque to Codex
        ("echo 'unclosed", Decision.PROMPT, True),
    ],
)
def test_the_profile_of_codex_leaves_to_a_default_only_what_is_harmless(
    command: str, say: Decision, grave: bool
) -> None:
    ruling = CodexShellJudge(book, home="/home/u").judge(ShellCall(command, cwd="/srv/p", shell="bash"))
    assert (ruling.decision, ruling.grave) == (say, grave), ruling


@pytest.mark.parametrize(
    ("tool", "command", "grounds"),
    [
        ("shell", "build all", ("script-understood", "program-named", "rule-covers", "words-literal")),
        ("shell", "ls 2>/dev/null", ("script-understood", "program-named", "entry-accepts", "words-literal",
                                     "descriptor-kept", "write-null")),
        ("shell", "[[ -f x ]]", ("script-understood", "condition-harmless")),
        ("shell", "unknown", ()),
        ("fetch", "x", ()),
    ],
)  # fmt: skip
def test_the_audit_trail_keeps_what_an_allow_rests_on(tool: str, command: str, grounds: tuple[str, ...]) -> None:
    decider = PolicyDecider(
        RulebookShellJudge(lambda: rulebook(RULES)),
        cwd="/srv/p",
        ruleset=ruleset_from_config({"fetch": "allow"}, home=None),
    )
    audit = MemoryAudit()
    arbiter = Arbiter(
        decider,
        send=lambda message: None,
        abort=lambda code, reason: None,
        audit=audit,
        options=ArbiterOptions(default_action="allow"),
    )
    arbiter.receive(ToolRequest(id="t", ts=0, tool=tool, args={"command": command}, requires_policy=True))
    [entry] = [entry for entry in audit.entries if entry["event"] == "decision"]
    assert entry["decision"] == "allowed"
    assert tuple(entry.get("grounds", ())) == grounds


def test_rulings_say_why() -> None:
    destroy, deploy, build, safe, forced = [
        decide("shell", {"command": command}) for command in ("destroy", "deploy", "build", "ls", "rm -f x")
    ]
    assert destroy.reason == f"`destroy` is forbidden: never destroy ({destroy.rule_id})"
    assert deploy.reason == f"`deploy` needs approval: ask the release team ({deploy.rule_id})"
    assert destroy.rule_id is not None
    assert destroy.rule_id.startswith("test.rules:")
    assert build.reason == "`build` is allowed by a rule"
    assert (safe.reason, safe.rule_id) == ("known to be safe", "heuristics")
    assert forced.reason == "`rm -f x` needs approval: removes files without asking"
    assert forced.rule_id == "heuristics:rm-force"


def test_other_names_for_shell_tools() -> None:
    assert decide("terminal", {"command": "build"}).decision == "prompt"
    assert decide("terminal", {"command": "build"}, shell_tools={"terminal"}).decision == "allow"
    unnamed = decide("shell", {"command": "destroy"}, shell_tools={"terminal"})
    assert (
        unnamed.decision == "forbidden"
    )  # it is called like a shell still: what it would run can be refused, and is not granted
    assert decide("shell", {"command": "build"}, shell_tools={"terminal"}).decision == "prompt"


@pytest.mark.parametrize("tool", ["shell", "Bash", "local_shell", "container.exec", "shell.exec", "mcp__x__bash"])
@pytest.mark.parametrize("shell_tools", [(), ("terminal",), ("other", "terminal")])
def test_no_permission_grants_what_is_called_like_a_shell(tool: str, shell_tools: tuple[str, ...]) -> None:
    for permissions in ({"*": "allow"}, {tool: "allow"}, {"bash": "allow"}):
        assert decide(tool, {"command": "build"}, permissions=permissions, shell_tools=shell_tools).decision == "prompt"
        assert (
            decide(tool, {"command": "destroy"}, permissions=permissions, shell_tools=shell_tools).decision
            == "forbidden"
        )


def test_a_tool_that_is_spelled_differently_escapes_no_rule() -> None:
    assert decide("Shell", {"command": "destroy"}).decision == "forbidden"
    assert decide(" BASH ", {"command": "destroy"}).decision == "forbidden"
    permissions = {"fs.read": {"*": "allow", "secret/*": "deny"}}
    assert decide("FS.Read", {"path": "secret/a"}, permissions=permissions).decision == "forbidden"
    assert decide("FS.Read", {"path": "other"}, permissions=permissions).decision == "prompt"


def test_an_argument_of_any_name_that_is_a_file_is_one(tmp_path: Path) -> None:
    (tmp_path / "passwords").write_text("")
    permissions = {"fs.read": {"src/*": "allow"}}
    for value, say in [("passwords", "ask"), ("utf-8", "allow")]:
        ruling = decide("fs.read", {"path": "src/a", "p": value}, permissions=permissions, cwd=str(tmp_path))
        assert ruling.decision is Action(say).decision


def test_a_fetch_through_another_host_is_asked_about() -> None:
    args = {"url": "https://docs.example/a", "proxy": "evil.example:80"}
    assert decide("net.fetch", args, permissions={"net.fetch": "allow"}).decision == "prompt"


def test_permission_rules_restrict_shell_tools_and_never_grant_them() -> None:
    blanket = {"shell": "allow"}
    assert decide("shell", {"command": "unknown"}, permissions=blanket).decision == "prompt"
    assert decide("shell", {"command": "destroy"}, permissions=blanket).decision == "forbidden"
    assert decide("shell", {"command": "build"}, permissions={"*": "deny", "fs.read": "allow"}).decision == "forbidden"
    assert decide("shell", {"command": "build"}, permissions={"shell": {"build *": "ask"}}).decision == "prompt"
    hidden = {"shell": {"*": "allow", "build secret*": "deny"}}
    assert decide("shell", {"command": "ls; (env build secret x)"}, permissions=hidden).decision == "forbidden"
    assert decide("shell", {"command": "build public"}, permissions=hidden).decision == "allow"


READ = {"fs.read": {"*": "ask", "src/*": "allow", "*.pem": "deny", "~/notes/*": "allow", "/etc/hosts": "allow"}}
PATHS: list[tuple[dict[str, Any], str]] = [
    ({"path": "src/a.py"}, "allow"),
    ({"path": "./src//a.py"}, "allow"),
    ({"path": "/srv/p/src/a.py"}, "allow"),
    ({"path": "src/x/../a.py"}, "allow"),
    ({"path": "src/../other"}, "ask"),
    ({"path": "src/../../../etc/shadow"}, "ask"),
    ({"path": "src/key.pem"}, "deny"),
    ({"path": "/etc/hosts"}, "allow"),
    ({"path": "//etc/hosts"}, "allow"),
    ({"path": "/home/u/notes/a"}, "allow"),
    ({"path": "~/notes/a"}, "ask"),
    ({"path": ""}, "ask"),
    ({"path": "src/a\0b"}, "ask"),
    ({"paths": ["src/a", "src/b"]}, "allow"),
    ({"paths": ["src/a", "etc/b"]}, "ask"),
    ({"paths": ["src/a", "b.pem"]}, "deny"),
    ({"filePath": "src/a", "newPath": "other"}, "ask"),
    ({"path": "src/a", "options": {"also_file": "/etc/shadow"}}, "ask"),
    ({"path": "src/a", "backup": "/etc/shadow"}, "ask"),
    ({"path": "src/a", "content": "see /etc/shadow and https://x"}, "allow"),
    ({"path": "src/a", "from": 1, "to": 20}, "allow"),
    ({"path": "src/a", "url": "https://x.example/"}, "ask"),
    ({}, "ask"),
    ({"path": {"path": {"path": ["src/a"]}}}, "allow"),
]


@pytest.mark.parametrize(("args", "say"), PATHS)
def test_paths_are_normalised_before_a_rule_sees_them(args: dict[str, Any], say: str) -> None:
    assert decide("fs.read", args, permissions=READ).decision is Action(say).decision


def test_a_link_is_judged_by_what_it_is_called_and_by_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "real").write_text("")
    (tmp_path / "src" / "inside").symlink_to("real")
    (tmp_path / "src" / "outside").symlink_to("/etc/shadow")
    (tmp_path / "src" / "up").symlink_to("..")
    permissions = {"fs.read": {"*": "ask", "src/*": "allow"}}
    said = {
        name: decide("fs.read", {"path": f"src/{name}"}, permissions=permissions, cwd=str(tmp_path)).decision
        for name in ("real", "inside", "outside", "up/secret", "missing")
    }
    assert said == {"real": "allow", "inside": "allow", "outside": "prompt", "up/secret": "prompt", "missing": "allow"}


def test_an_allowed_call_is_limited_to_what_was_judged() -> None:
    ruling = decide("fs.read", {"path": "src/x/../a.py"}, permissions=READ)
    assert ruling.constraints == {"paths": ["/srv/p/src/a.py"]}
    fetched = decide("net.fetch", {"url": "HTTPS://good.example:443"}, permissions={"net.fetch": "allow"})
    assert fetched.constraints == {"urls": ["https://good.example/"]}


FETCH = {"net.fetch": {"*": "ask", "https://docs.example/*": "allow", "https://*.bad.example/*": "deny"}}
URLS: list[tuple[str, str]] = [
    ("https://docs.example/a", "allow"),
    ("https://docs.example", "allow"),
    ("https://DOCS.example:443/a?b=c", "allow"),
    ("https://docs.example./a", "allow"),
    ("https://docs.example.evil/a", "ask"),
    ("https://docs.example@evil/a", "ask"),
    ("https://docs.example:80@evil/", "ask"),
    ("https://docs.example\\@evil/", "ask"),
    ("https://docs.example/\n", "ask"),
    ("https://docs.example/../x", "ask"),
    ("https://docs.example/%2e%2e/x", "ask"),
    ("http://docs.example/", "ask"),
    ("https://x.bad.example/y", "deny"),
    ("https://good.example/y", "ask"),
    ("https://evil.example/y", "deny"),
    ("https://EVIL.example/y", "deny"),
    ("file:///etc/shadow", "ask"),
    ("javascript:alert(1)", "ask"),
    ("not a url", "ask"),
    ("https://[::1]/x", "ask"),
    ("https://[broken/x", "ask"),
]


@pytest.mark.parametrize(("url", "say"), URLS)
def test_urls(url: str, say: str) -> None:
    assert decide("net.fetch", {"url": url}, permissions=FETCH).decision is Action(say).decision


def test_network_rules_of_the_policy_count_for_hosts() -> None:
    assert decide("net.fetch", {"url": "https://good.example/x"}).decision == "allow"
    assert decide("net.fetch", {"url": "http://good.example/x"}).decision == "prompt"
    assert decide("net.fetch", {"url": "https://good.example/x"}, permissions={"net.*": "deny"}).decision == "forbidden"
    evil = decide("net.fetch", {"url": "https://evil.example/x"}, permissions={"net.*": "allow"})
    assert (evil.decision, evil.reason) == ("forbidden", "evil")


def test_tools_can_have_the_names_of_permissions() -> None:
    permissions = {"read": "allow", "edit": "deny"}
    assert decide("fs.read", {"path": "x"}, permissions=permissions).decision == "prompt"
    assert decide("fs.read", {"path": "x"}, permissions=permissions, names={"fs.read": "read"}).decision == "allow"
    ruling = decide("fs.write", {"path": "x"}, permissions=permissions, names={"fs.write": "edit"})
    assert (ruling.decision, ruling.rule_id) == ("forbidden", "permission:edit:*")


PATCH = """*** Begin Patch
*** Add File: src/new.py
+x
*** Update File: src/old.py
*** Move to: {moved}
@@
-a
+b
*** End Patch
"""


@pytest.mark.parametrize("tool", ["write", "edit", "multiedit", "apply_patch", "patch", "Write", "MultiEdit", "EDIT"])
@pytest.mark.parametrize("permission", ["edit", "Edit"])
def test_edit_speaks_for_every_tool_that_changes_files(tool: str, permission: str) -> None:
    permissions = {"*": "allow", permission: {"*": "deny", "docs/*": "allow"}}
    assert decide(tool, {"path": "src/a"}, permissions=permissions).decision == "forbidden"
    assert decide(tool, {"path": "docs/a"}, permissions=permissions).decision == "allow"


@pytest.mark.parametrize("tool", ["bash", "Bash", "shell", "shell.exec", "SHELL", "container.exec", "local_shell"])
@pytest.mark.parametrize("permission", ["bash", "Bash", "shell", "shell.exec", "Shell", "shell*"])
def test_every_name_of_a_shell_tool_reaches_a_rule(tool: str, permission: str) -> None:
    assert (
        decide(tool, {"command": "build secret"}, permissions={permission: {"build secret*": "deny"}}).decision
        == "forbidden"
    )
    assert (
        decide(tool, {"command": "build public"}, permissions={permission: {"build secret*": "deny"}}).decision
        == "allow"
    )


@pytest.mark.parametrize(
    "tool",
    [
        "ApplyPatch",
        "apply-patch",
        "applyPatch",
        "multi_edit",
        "multi-edit",
        "write_file",
        "WriteFile",
        "create_file",
        "NotebookEdit",
        "replace",
        "str_replace_editor",
        "delete_file",
        "move_file",
        "mcp__fs__create_directory",
        "edit_file",
        "fs.write",
        "fs.write_file",
        "mcp__fs__write_file",
        "functions.apply_patch",
    ],
)
def test_edit_denies_what_agents_call_their_editing_tools_and_grants_none_of_them(tool: str) -> None:
    denied = {"*": "allow", "edit": {"src/*": "deny"}}
    assert decide(tool, {"path": "src/a"}, permissions=denied).decision == "forbidden"
    assert decide(tool, {"patch": PATCH.format(moved="src/z")}, permissions=denied).decision == "forbidden"
    assert decide(tool, {"path": "docs/a"}, permissions={"edit": {"docs/*": "allow"}}).decision == "prompt"


@pytest.mark.parametrize(
    ("section", "tool"),
    [
        *(("read", tool) for tool in ("read_file", "ReadFile", "view", "NotebookRead")),
        *(("list", tool) for tool in ("ls", "LS", "list_directory")),
        *(("webfetch", tool) for tool in ("fetch", "web_fetch", "WebFetch")),
        *(("websearch", "web_search"), ("task", "agent"), ("grep", "search_files"), ("glob", "file_search")),
    ],
)
def test_a_section_denies_what_agents_call_its_tools(section: str, tool: str) -> None:
    assert decide(tool, {}, permissions={"*": "allow", section: "deny"}).decision == "forbidden"
    assert decide(tool, {}, permissions={"*": "allow", section: "ask"}).decision == "prompt"


CALLED_LIKE_A_SHELL = [
    *(tool for agent in AGENTS.values() for tool in agent.tools if folded(tool) not in SHELL_TOOLS),
    *(
        "local-shell",
        "LocalShell",
        "container_exec",
        "functions.shell",
        "mcp__box__bash",
        "write_stdin",
        "terminal",
        "exec",
    ),
]


@pytest.mark.parametrize("tool", CALLED_LIKE_A_SHELL)
def test_what_is_called_like_a_shell_is_judged_as_one_and_never_granted(tool: str) -> None:
    for permissions in (None, {f"{tool}*": "allow"}, {"*": "allow"}):
        for args in ({"command": "build"}, {"text": "build"}, {"command": "unknown"}):
            ruling = decide(tool, args, permissions=permissions)
            assert (ruling.decision, ruling.grave) == ("prompt", True)
        assert decide(tool, {"command": "env destroy"}, permissions=permissions).decision == "forbidden"
        assert decide(tool, {"command": "rm -rf x"}, permissions=permissions).dangerous
    assert (
        decide(tool, {"command": "build x"}, permissions={"*": "allow", "bash": {"build x": "deny"}}).decision
        == "forbidden"
    )
    assert decide(tool, {"command": "build > src/a"}, permissions={"edit": {"src/*": "deny"}}).decision == "forbidden"


@pytest.mark.parametrize("tool", ["deploy_runner", "str_replace_editor", "notes.add"])
def test_what_is_forbidden_or_dangerous_is_found_in_a_command_of_any_tool(tool: str) -> None:
    for permissions in (None, {"*": "allow"}):
        assert decide(tool, {"command": "env destroy"}, permissions=permissions).decision == "forbidden"
        dangerous = decide(tool, {"command": "sudo rm -rf x"}, permissions=permissions)
        assert (dangerous.decision, dangerous.dangerous, dangerous.grave) == ("prompt", True, True)
    for word in ("create", "build", "view", "deploy"):
        assert decide(tool, {"command": word, "path": "docs/a"}, permissions={"*": "allow"}).decision == "allow"


def test_the_own_names_of_shell_tools_reach_the_rules_for_bash() -> None:
    ruling = decide("terminal", {"command": "build"}, permissions={"bash": "deny"}, shell_tools="terminal")
    assert ruling.decision == "forbidden"


def test_a_deny_of_one_name_is_not_lifted_by_another() -> None:
    assert decide("write", {"path": "a"}, permissions={"edit": "deny", "write": "allow"}).decision == "forbidden"
    assert decide("write", {"path": "a"}, permissions={"write": "deny", "edit": "allow"}).decision == "forbidden"
    assert decide("shell", {"command": "build"}, permissions={"bash": "deny", "shell": "allow"}).decision == "forbidden"
    assert decide("write", {"path": "a"}, permissions={"*": "ask", "write": "allow"}).decision == "allow"
    assert decide("write", {"path": "a"}, permissions={"edit": "deny", "*": "allow"}).decision == "allow"


def test_a_name_that_may_mean_another_tool_is_restricted_and_never_granted() -> None:
    for tool in ("fs.write", "mcp__files__write", "files.Write"):
        assert decide(tool, {"path": "a"}, permissions={"edit": "deny", tool: "allow"}).decision == "forbidden"
        assert decide(tool, {"path": "a"}, permissions={"edit": "allow"}).decision == "prompt"
    assert decide("fs.read", {"path": "a"}, permissions={"*.read": "allow", "FS.READ": "deny"}).decision == "forbidden"


@pytest.mark.parametrize(
    ("permissions", "path", "say"),
    [
        ({"read": "allow"}, "src/a", "allow"),
        ({"read": "allow"}, "/etc/passwd", "ask"),
        ({"read": "allow"}, "../other/a", "ask"),
        ({"read": {"/etc/*": "allow"}}, "/etc/hosts", "allow"),
        ({"read": "allow", "external_directory": "allow"}, "/etc/hosts", "allow"),
        ({"read": "allow", "external_directory": "deny"}, "/etc/hosts", "deny"),
        ({"read": {"/etc/*": "allow"}, "external_directory": "deny"}, "/etc/hosts", "deny"),
        ({"read": "allow", "external_directory": {"/usr/*": "allow"}}, "/usr/share/doc", "allow"),
        ({"read": "allow", "external_directory": {"*": "deny", "/usr/*": "allow"}}, "/etc/hosts", "deny"),
        ({"*": "allow"}, "/etc/hosts", "allow"),
        ({"*": "allow", "external_directory": "ask"}, "/etc/hosts", "ask"),
    ],
)
def test_what_lies_outside_is_a_matter_of_external_directory(permissions: object, path: str, say: str) -> None:
    assert decide("read", {"path": path}, permissions=permissions).decision is Action(say).decision


@pytest.mark.parametrize(
    "args",
    [
        {"command": "build /etc/x"},
        {"command": "build ../x"},
        {"command": ["build", "/etc/x"]},
        {"command": "true; env build /etc/x"},
        {"command": "build", "cwd": "/etc"},
        {"command": "build", "workdir": ".."},
        {"command": "ls > /dev/../etc/x"},
    ],
)
def test_a_command_that_leads_outside_is_one_too(args: dict[str, Any]) -> None:
    assert decide("bash", args, permissions={"external_directory": "deny"}).decision == "forbidden"
    assert decide("bash", args, permissions={"external_directory": "ask"}).decision == "prompt"
    assert decide("bash", {"command": "build x"}, permissions={"external_directory": "deny"}).decision == "allow"


def test_a_word_that_may_lead_outside_is_asked_about() -> None:
    for command in ("build ~/x", "build $X", "for f in *; do build $f; done"):
        assert decide("bash", {"command": command}, permissions={"external_directory": "deny"}).decision == "prompt"


def test_a_patch_is_judged_by_each_file_that_it_touches() -> None:
    permissions = {"edit": {"src/*": "allow", "*.pem": "deny"}}
    for moved, say in (("src/kept.py", "allow"), ("lib/elsewhere.py", "ask"), ("src/key.pem", "deny")):
        for tool, name in (("apply_patch", "patch"), ("patch", "input"), ("edit", "content")):
            assert (
                decide(tool, {name: PATCH.format(moved=moved)}, permissions=permissions).decision
                is Action(say).decision
            )
    broken = decide("apply_patch", {"patch": "*** Begin Patch\n*** Rename File: x\n"}, permissions={"edit": "allow"})
    assert (broken.decision, broken.grave) == ("prompt", True)


def test_a_command_that_patches_or_writes_is_restricted_by_what_holds_for_editing() -> None:
    script = "apply_patch <<'EOF'\n" + PATCH.format(moved="secret/x") + "EOF\n"
    for command in (script, ["apply_patch", PATCH.format(moved="secret/x")], "build > secret/x"):
        assert decide("bash", {"command": command}, permissions={"edit": {"secret/*": "deny"}}).decision == "forbidden"
    elsewhere = ["apply_patch", PATCH.format(moved="src/x")]
    assert decide("bash", {"command": elsewhere}, permissions={"edit": {"secret/*": "deny"}}).decision == "prompt"


def test_the_third_equal_call_in_a_row_is_a_question() -> None:
    def said(permissions: object, *calls: tuple[str, str]) -> list[str]:
        ruleset = ruleset_from_config(permissions, home=None)
        watch = LoopWatch(PolicyDecider(RulebookShellJudge(book), cwd="/srv/p", ruleset=ruleset), ruleset=ruleset)
        found = []
        for id, command in calls:
            request = ToolRequest(id=id, ts=0, tool="bash", args={"command": command}, requires_policy=True)
            found.append(watch.decide(request).decision.value)
        return found

    three = (("1", "build"), ("2", "build"), ("3", "build"))
    assert said({}, *three) == ["allow", "allow", "prompt"]
    assert said({"doom_loop": "deny"}, *three) == ["allow", "allow", "forbidden"]
    assert said({"doom_loop": {"bash": "allow"}}, *three) == ["allow", "allow", "allow"]
    assert said({}, *three, ("3", "build"), ("4", "build")) == ["allow", "allow", "prompt", "prompt", "prompt"]
    assert said({}, ("1", "build"), ("1", "build"), ("1", "build")) == ["allow"] * 3  # one call, decided about again
    assert said({}, ("1", "build"), ("2", "build"), ("3", "ls"), ("4", "build")) == ["allow"] * 4
    assert (
        said({"bash": {"destroy": "allow"}}, ("1", "destroy"), ("2", "destroy"), ("3", "destroy")) == ["forbidden"] * 3
    )
