"""What each agent's entries become: the rule, how faithful it is, and why."""

from __future__ import annotations

import json
from typing import Any

import pytest

from execpolicy.errors import RuleFileError
from execpolicy.exchange.agent_formats import AGENTS
from execpolicy.exchange.tool_entry import ImportedRules
from execpolicy.exchange.translate import translate
from execpolicy.lang.compile import compile_source
from execpolicy.source import Source
from tests.support.each import each


def imported(agent: str, text: str, name: str = "settings.json", *, extensions: bool = True) -> ImportedRules:
    found = translate(AGENTS[agent].read([Source(name, text)]), title=agent, extensions=extensions)
    compile_source(Source("imported.rules", found.text))
    return found


def rules_of(found: ImportedRules) -> list[str]:
    """Every written statement, short: decision and words."""
    shown = []
    for statement in compile_source(Source("imported.rules", found.text)).statements:
        one: Any = statement
        if hasattr(one, "pattern"):
            assert one.unless in ((), ("*",))
            shown.append(f"{one.decision.word}{' only' if one.unless else ''} {one.pattern}")
        else:
            shown.append(f"{one.decision.word} {one.kind[:-5]} {' '.join(one.paths)}")
    return shown


def claude(**lists: list[str]) -> str:
    return json.dumps({"permissions": lists})


CLAUDE: list[tuple[str, str, str, list[str]]] = [
    ("allow", "Bash(git push:*)", "exact", ["allow git push"]),
    ("allow", "Bash(git push *)", "exact", ["allow git push"]),
    ("allow", "Bash(npm run build)", "exact", ["allow only npm run build"]),
    ("allow", "Bash(git commit --amend)", "exact", ["allow only git commit --amend"]),
    ("allow", "Bash(pwd)", "exact", ["allow only pwd"]),
    ("allow", "Bash(ls -la)", "exact", ["allow only ls -la"]),
    ("allow", "Bash(./gradlew test)", "exact", ["allow only ./gradlew test"]),
    ("allow", "Bash(git push --force)", "exact", ["allow only git push --force"]),
    ("allow", "Bash(npm run test*)", "stricter", ["allow npm run test"]),
    ("allow", "Bash(git*)", "stricter", []),
    ("allow", "Bash(git * main)", "impossible", []),
    ("allow", "Bash(*)", "stricter", []),
    ("allow", "Bash", "stricter", []),
    ("allow", "Bash(python3:*)", "stricter", []),
    ("allow", "Bash(done)", "impossible", []),
    ("allow", "Bash(FOO=1 npm test:*)", "impossible", []),
    ("allow", "Bash(cd x && npm test)", "impossible", []),
    ("allow", "Bash(echo x > y)", "impossible", []),
    ("allow", "Bash(git  push:*)", "impossible", []),
    ("allow", 'Bash(git commit -m "a b":*)', "exact", ["allow git commit -m a b"]),
    ("allow", "Bash(~/bin/x:*)", "impossible", []),
    ("allow", "Read(./src/**)", "impossible", []),
    ("allow", "Edit(./src/**)", "impossible", []),
    ("allow", "WebFetch(domain:x.org)", "impossible", []),
    ("allow", "mcp__github__push", "impossible", []),
    ("allow", "PowerShell(ls)", "impossible", []),
    ("ask", "Bash(git push:*)", "stricter", ["prompt git push"]),
    ("ask", "Bash(git push)", "stricter", ["prompt git push"]),
    ("ask", "Bash", "laxer", []),
    ("deny", "Bash(rm:*)", "stricter", ["forbidden rm"]),
    ("deny", "Bash(rm*)", "laxer", ["forbidden rm"]),
    ("deny", "Bash(git * --force)", "laxer", []),
    ("deny", "Bash(*sudo*)", "laxer", []),
    ("deny", "Bash(*)", "laxer", []),
    ("deny", "Edit(.env)", "stricter", ["forbidden write ./**/.env ./**/.env/**"]),
    ("deny", "Edit(/config/**)", "stricter", ["forbidden write ./config/**"]),
    ("deny", "Write(//etc/**)", "stricter", ["forbidden write /etc/**"]),
    ("ask", "Edit(~/notes/*.md)", "stricter", ["prompt write ~/notes/*.md ~/notes/*.md/**"]),
    ("deny", "Edit(a[bc])", "impossible", []),
    ("deny", "Edit", "stricter", ["forbidden write /**"]),
    ("deny", "Read(.env)", "stricter", ["forbidden read ./**/.env ./**/.env/**"]),
    ("ask", "Read(~/.aws/**)", "stricter", ["prompt read ~/.aws/**"]),
    ("deny", "Read", "impossible", []),
]


@each(("action", "entry", "level", "written"), CLAUDE, ids=[f"{a} {e}" for a, e, *_ in CLAUDE])
def test_an_entry_of_claude(action: str, entry: str, level: str, written: list[str]) -> None:
    found = imported("claude", claude(**{action: [entry]}))
    (loss,) = found.losses
    assert (loss.level, rules_of(found)) == (level, written)
    assert bool(loss.why) == (level != "exact")
    assert loss.text == f"{action} {entry}"
    assert loss.place == f"settings.json: permissions.{action}[0]"
    assert f"# {action} {entry} ({level}" in found.text


def test_what_is_no_list_of_commands_is_named() -> None:
    text = json.dumps({"permissions": {"defaultMode": "plan", "additionalDirectories": ["/x"]}})
    assert [(loss.text, loss.level) for loss in imported("claude", text).losses] == [
        ("setting `defaultMode`", "impossible"),
        ("setting `additionalDirectories`", "impossible"),
    ]


def test_an_allow_is_given_up_where_a_deny_reaches_into_it_that_no_rule_can_say() -> None:
    found = imported("claude", claude(allow=["Bash(npm run:*)", "Bash(git log:*)"], deny=["Bash(*secret*)"]))
    assert rules_of(found) == []
    assert [loss.level for loss in found.losses] == ["laxer", "stricter", "stricter"]
    assert '# prefix_rule(pattern=["git", "log"], decision="allow")' in found.text


def test_what_only_begins_like_a_denied_word_is_asked_about_if_an_allow_covers_it() -> None:
    found = imported("claude", claude(allow=["Bash(yarn test:*)"], deny=["Bash(yarn test e2e*)"]))
    assert rules_of(found) == ["forbidden yarn test e2e", "prompt yarn test", "allow yarn test"]
    assert [loss.level for loss in found.losses] == ["laxer", "stricter"]


def test_a_deny_goes_before_an_allow_whatever_the_order() -> None:
    found = imported("claude", claude(allow=["Bash(git push:*)"], deny=["Bash(git push --force:*)"]))
    assert rules_of(found) == ["forbidden git push --force", "allow git push"]


def test_a_file_that_codex_reads_gets_only_what_codex_reads() -> None:
    text = claude(allow=["Bash(pwd)", "Bash(ls:*)"], deny=["Edit(.env)"])
    found = imported("claude", text, extensions=False)
    assert rules_of(found) == ["allow ls"]
    assert [loss.level for loss in found.losses] == ["impossible", "impossible", "exact"]


def test_a_file_that_codex_reads_gets_no_rule_with_a_parameter_of_ours() -> None:
    text = 'prefix_rule(pattern=["a"], unless=["-f"])\nprefix_rule(pattern=["b"])\n'
    found = imported("codex", text, "own.rules", extensions=False)
    assert rules_of(found) == ["allow b"]
    assert [loss.level for loss in found.losses] == ["impossible", "exact"]


OTHERS: list[tuple[str, str, str, list[str], list[str]]] = [
    ("qwen", "settings.json", claude(allow=["Bash(git push)"]), ["exact"], ["allow git push"]),
    ("qwen", "settings.json", claude(allow=["run_shell_command(git push:*)"]), ["exact"], ["allow git push"]),
    ("qwen", "settings.json", claude(deny=["Bash(git * --force)"]), ["laxer"], []),
    ("qwen", "settings.json", '{"tools": {"allowed": ["run_shell_command(ls)"]}}', ["exact"], ["allow ls"]),
    ("qwen", "settings.json", '{"tools": {"core": ["run_shell_command(ls)"]}}', ["impossible"], []),
    ("cursor", "cli.json", claude(allow=["Shell(cargo)"]), ["exact"], ["allow cargo"]),
    ("cursor", "cli.json", claude(allow=["Shell(npm:*)"]), ["exact"], ["allow npm"]),
    ("cursor", "cli.json", claude(allow=["Shell(npm:run *)"]), ["impossible"], []),
    (
        "cursor",
        "cli.json",
        claude(deny=["Shell(rm)", "Write(**/*.key)"]),
        ["stricter", "stricter"],
        ["forbidden rm", "forbidden write ./**/*.key ./**/*.key/**"],
    ),
    ("cursor", "cli.json", claude(allow=["Mcp(x:y)", "Shell(**)"]), ["impossible", "stricter"], []),
    (
        "copilot",
        "run.sh",
        "copilot --allow-tool 'shell(git push:*)' --deny-tool='shell(rm:*)'",
        ["exact", "stricter"],
        ["allow git push", "forbidden rm"],
    ),
    (
        "copilot",
        "run.sh",
        'copilot --allow-tool "shell(ls), write" --allow-all-tools',
        ["exact", "impossible", "stricter"],
        ["allow ls"],
    ),
    ("copilot", "run.sh", "copilot --allow-tool 'shell(git)'", ["impossible"], []),
    ("copilot", "run.sh", "copilot --allow-tool 'shell(npm run test:*)'", ["impossible"], []),
    (
        "opencode",
        "opencode.json",
        '{"permission": {"bash": {"*": "allow", "git push *": "deny"}}}',
        ["stricter", "stricter"],
        ["forbidden git push"],
    ),
    (
        "opencode",
        "opencode.json",
        '{"permission": {"bash": {"git *": "ask", "git log *": "allow"}}}',
        ["laxer", "exact"],
        ["allow git log"],
    ),
    (
        "opencode",
        "opencode.json",
        '{"permission": {"bash": {"git *": "deny", "git log *": "allow"}}}',
        ["stricter", "stricter"],
        ["forbidden git"],
    ),
    (
        "opencode",
        "opencode.json",
        '{"permission": {"bash": {"git log *": "allow", "*": "deny"}}}',
        ["stricter", "laxer"],
        [],
    ),
    ("opencode", "opencode.json", '{"permission": "allow"}', ["stricter"], []),
    (
        "opencode",
        "opencode.json",
        '{"permission": {"edit": {"*.env": "deny"}, "webfetch": "ask"}}',
        ["stricter", "impossible"],
        ["forbidden write ./**/*.env"],
    ),
    ("opencode", "opencode.json", '{"tools": {"bash": false}}', ["laxer"], []),
    (
        "opencode",
        "opencode.json",
        '{"permissions": [{"action": "shell", "resource": "ls *", "effect": "allow"}]}',
        ["exact"],
        ["allow ls"],
    ),
    ("opencode", "opencode.json", '{"agent": {"build": {"permission": {"bash": "deny"}}}}', ["impossible"], []),
    (
        "amp",
        "settings.json",
        '{"amp.permissions": [{"tool": "Bash", "matches": {"cmd": "git push *"}, "action": "allow"}]}',
        ["laxer"],
        ["allow git push"],
    ),
    (
        "amp",
        "settings.json",
        '{"amp.permissions": [{"tool": "Bash", "matches": {"cmd": ["ls", "ls *"]}, "action": "allow"}]}',
        ["exact"],
        ["allow ls"],
    ),
    (
        "amp",
        "settings.json",
        '{"amp.permissions": [{"tool": "Bash", "matches": {"cmd": "/^npm (ci|test)( |$)/"}, "action": "allow"}]}',
        ["exact"],
        ["allow npm ci", "allow npm test"],
    ),
    (
        "amp",
        "settings.json",
        '{"amp.permissions": [{"tool": "Bash", "matches": {"cmd": "/rm/"}, "action": "reject"}]}',
        ["laxer"],
        [],
    ),
    ("amp", "settings.json", '{"amp.permissions": [{"tool": "Bash", "action": "delegate", "to": "x"}]}', ["laxer"], []),
    (
        "amp",
        "settings.json",
        '{"amp.permissions": [{"tool": "Bash", "matches": {"cmd": "x"}, "action": "allow", "context": "subagent"}]}',
        ["impossible"],
        [],
    ),
    ("amp", "settings.json", '{"amp.permissions": [{"tool": "mcp__*", "action": "reject"}]}', ["impossible"], []),
    (
        "amp",
        "settings.json",
        '{"amp.commands.allowlist": ["git status"], "amp.dangerouslyAllowAll": true}',
        ["exact", "stricter"],
        ["allow git status"],
    ),
    (
        "gemini",
        "a.toml",
        '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = ["git push", "ls"]\n'
        'decision = "allow"\npriority = 1\n',
        ["exact"],
        ["allow git push", "allow ls"],
    ),
    (
        "gemini",
        "a.toml",
        '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "git push"\nmodes = ["yolo"]\n'
        'decision = "allow"\npriority = 1\n',
        ["impossible"],
        [],
    ),
    (
        "gemini",
        "a.toml",
        '[[rule]]\ntoolName = "run_shell_command"\ncommandRegex = "git (push|pull)"\n'
        'decision = "deny"\npriority = 1\ndenyMessage = "no"\n',
        ["laxer"],
        ["forbidden git push", "forbidden git pull"],
    ),
    (
        "gemini",
        "a.toml",
        '[[rule]]\ntoolName = "run_shell_command"\nargsPattern = "x"\ndecision = "ask_user"\npriority = 1\n',
        ["laxer"],
        [],
    ),
    (
        "gemini",
        "a.toml",
        '[[rule]]\nmcpName = "x"\ntoolName = "y"\ndecision = "deny"\npriority = 1\n',
        ["impossible"],
        [],
    ),
    (
        "gemini",
        "settings.json",
        '{"tools": {"allowed": ["run_shell_command(git status)"], "exclude": ["write_file"]}}',
        ["impossible", "exact"],
        ["allow git status"],
    ),
    (
        "crush",
        "crush.json",
        '{"permissions": {"allowed_tools": ["bash", "view"]}, "options": {"disabled_tools": ["bash"]}}',
        ["laxer", "stricter", "impossible"],
        [],
    ),
    (
        "vscode",
        "settings.json",
        json.dumps(
            {
                "editor.tabSize": 4,
                "chat.tools.terminal.autoApprove": {
                    "git status": True,
                    "/^git (log|show)\\b/": True,
                    "/^make( |$)/": {"approve": True, "matchCommandLine": True},
                    "git": True,
                    "/^Git/i": True,
                    "rm": False,
                    "docker": None,
                },
            }
        ),
        ["stricter", "stricter", "exact", "stricter", "impossible", "laxer"],
        ["allow git status", "allow git log", "allow git show", "allow make", "prompt rm"],
    ),
    ("codex", "config.toml", 'approval_policy = "never"\n', ["impossible"], []),
]


@each(("agent", "name", "text", "levels", "written"), OTHERS, ids=lambda value: str(value)[:60])
def test_entries_of_other_agents(agent: str, name: str, text: str, levels: list[str], written: list[str]) -> None:
    found = imported(agent, text, name)
    assert ([loss.level for loss in found.losses], rules_of(found)) == (levels, written), found.text


def test_rules_of_codex_are_taken_over_with_their_reasons() -> None:
    text = 'X = ["a", "b"]\n[prefix_rule(pattern=[x, ["c", "d"]], decision="prompt", justification="why") for x in X]\n'
    found = imported("codex", text, "default.rules")
    assert rules_of(found) == ["prompt a [c|d]", "prompt b [c|d]"]
    assert found.text.count('justification="why"') == 2
    assert {loss.level for loss in found.losses} == {"exact"}


def test_the_reason_of_a_deny_is_kept() -> None:
    text = '[[rule]]\ntoolName="run_shell_command"\ncommandPrefix="rm"\ndecision="deny"\ndenyMessage="use trash"\n'
    assert 'justification="use trash"' in imported("gemini", text, "a.toml").text


BROKEN = [
    ("claude", "settings.json", '{"permissions": {"allow": "Bash(ls)"}}', "`permissions.allow` must be a list"),
    ("claude", "settings.json", '{"permissions": {"allow": [1]}}', "`permissions.allow[0]` must be a text"),
    ("claude", "settings.json", "[]", "`the whole file` must be an object"),
    ("opencode", "opencode.json", '{"permission": {"bash": {"x": "maybe"}}}', "must be `allow`, `ask` or `deny`"),
    (
        "amp",
        "settings.json",
        '{"amp.permissions": [{"tool": "Bash", "action": "x"}]}',
        "must be `allow`, `ask`, `reject`",
    ),
    ("gemini", "a.toml", '[[rule]]\ntoolName = "x"\ndecision = "x"\n', "must be `allow`, `deny` or `ask_user`"),
    ("gemini", "a.toml", "rule = 1\n", "`rule` must be a list"),
    ("crush", "crush.json", '{"permissions": 1}', "`permissions` must be an object"),
    ("vscode", "s.json", '{"chat.tools.terminal.autoApprove": {"x": "yes"}}', "autoApprove.x` must be true or false"),
    ("vscode", "s.json", '{"chat.tools.terminal.autoApprove": {"x": {}}}', "x.approve` must be true or false"),
]


@pytest.mark.parametrize(("agent", "name", "text", "message"), BROKEN)
def test_settings_of_another_shape_are_an_error(agent: str, name: str, text: str, message: str) -> None:
    with pytest.raises(RuleFileError, match="must be") as caught:
        imported(agent, text, name)
    assert message in caught.value.diagnostics[0].message


def test_broken_toml_says_where() -> None:
    with pytest.raises(RuleFileError) as caught:
        imported("gemini", '[[rule]]\ntoolName = "x"\ndecision = \n', "a.toml")
    (found,) = caught.value.diagnostics
    assert (found.code, found.line, found.column) == ("EP016", 3, 12)


TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.mark.parametrize("action", ["allow", "ask", "deny"])
def test_a_secret_reaches_neither_the_file_nor_the_report(action: str) -> None:
    found = imported("claude", claude(**{action: [f"Bash(curl -H 'Authorization: Bearer {TOKEN}' https://x.org:*)"]}))
    assert "ghp_" not in found.text
    assert not any("ghp_" in loss.line() for loss in found.losses)
    assert rules_of(found) == []
    assert "secret" in found.losses[0].why


def test_an_allow_that_a_hidden_deny_reaches_into_is_asked_about() -> None:
    found = imported("claude", claude(allow=["Bash(gh pr:*)"], deny=[f"Bash(gh auth login --with-token {TOKEN})"]))
    assert rules_of(found) == ["prompt gh", "allow gh pr"]


@pytest.mark.parametrize("text", ["Bash(x\ny)", "Bash(\x1b[31m)", "Bash(\u202e)", "Bash(\u202e:*)", "Read(\udcff)"])
def test_what_an_entry_holds_stays_in_its_comment(text: str) -> None:
    found = imported("claude", claude(allow=[text]))
    assert all(line.startswith("#") and line.isprintable() for line in found.lines)


@pytest.mark.parametrize(
    ("expression", "written"),
    [
        ("/^git status$/", ["allow only git status"]),
        ("/^git status( .*)?$/", ["allow git status"]),
        ("/^git (status|log)(\\\\s|$)/", ["allow git status", "allow git log"]),
        ("/^git\\\\s+log\\\\b/", ["allow git log"]),
        ("/^(?:yarn|pnpm) test .*/", ["allow yarn test", "allow pnpm test"]),
        ("/^git (log/", []),
        ("/^git lo?g( |$)/", []),
        ("/^git|rm( |$)/", []),
        ("/git log( |$)/", []),
        ("/^git log( |$)/i", []),
        ("/^a.b( |$)/", []),
        ("/^a\\\\.b( |$)/", ["allow a.b"]),
    ],
)
def test_a_regular_expression_becomes_rules_if_it_only_lists_words(expression: str, written: list[str]) -> None:
    text = f'{{"amp.permissions": [{{"tool": "Bash", "matches": {{"cmd": "{expression}"}}, "action": "allow"}}]}}'
    assert rules_of(imported("amp", text)) == written
