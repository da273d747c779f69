"""Every command of the command line, each in a folder where it has something to do."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

RULES = """\
prefix_rule(pattern=["echo"], decision="allow", match=["echo x"])
prefix_rule(pattern=["frobnicate"], decision="prompt")
prefix_rule(pattern=["touch"], decision="forbidden", justification="never touch")
"""
UNTIDY = """\
prefix_rule(pattern = ["touch"],decision='forbidden',justification="never touch")
prefix_rule(pattern=["echo"], decision="allow")
prefix_rule(pattern=["echo"], decision="allow")
"""
OPEN = RULES.replace('"forbidden", justification="never touch"', '"allow"')
DENIED = '{"permission": {"bash": {"touch *": "deny"}}}\n'
FORBIDDEN = '{"script": "touch canary"}\n'
CALL = '{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "touch canary"}}'
REQUEST = (
    '{"v":1,"type":"tool.request","ts":0,"id":"1","tool":"shell","args":{"command":"touch canary"},'
    '"requires_policy":true}\n'
)
AGENT = (
    f"printf '%s\\n' '{REQUEST.strip()}'; head -n 2 >answers; "
    'grep -q \'"decision":"allow"\' answers && touch canary; echo end'
)
"""An agent that asks, and does what it was allowed to."""
PERSON = """
import asyncio, os, sys
from execpolicy.inbox.inbox_server import Person
from execpolicy.inbox.inbox_call import ask_inbox_async
from execpolicy.inbox.waiting import inbox_folder
from execpolicy.inbox.inbox_question import InboxQuestion
from execpolicy.inbox.inbox_server import InboxServer
async def main():
    if sys.stdout is None:
        raise SystemExit(1)  # what came of it could not be said
    server = InboxServer(inbox_folder(os.environ))
    await server.start()
    question = InboxQuestion(source="api", commands=("make app",), cwd=os.getcwd())
    asking = asyncio.create_task(ask_inbox_async(question))
    while not server.waiting.open():
        if asking.done():  # it was refused
            raise SystemExit(asking.result().message)
        await asyncio.sleep(0.01)
    one = server.waiting.open()[0]
    person = Person("page", "test")
    print(await server.answering.answer(one.id, "always", person, prefixes=[["make", "app"]]))
    print((await asking).word)
    await server.close()
asyncio.run(main())
"""
"""Somebody asks, and a person says `always`."""


def _said(*bodies: str) -> str:
    """Messages as an editor sends them."""
    return "".join([f"Content-Length: {len(body)}\r\n\r\n{body}" for body in bodies])


EDITOR = _said(
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}',
    '{"jsonrpc":"2.0","method":"initialized","params":{}}',
    '{"jsonrpc":"2.0","id":2,"method":"shutdown"}',
    '{"jsonrpc":"2.0","method":"exit"}',
)


@dataclass(frozen=True)
class Command:
    """A command of the command line, asked about something forbidden where it decides.

    Attributes:
        decides: an ``allow`` in its output, or status 0 with ``status_decides``, would be milder.
        varies: its output names times and numbers: its length alone is compared, or nothing with ``differs``.
        before: what is run first, so that there is something to do.
        program: what is run instead of the command line.
        stays: it runs until a signal ends it, which it gets once it has said something.
        slow: a try takes many seconds, and nothing is written but what the hook keeps: it is not killed step by step.
        cache: it may keep compiled rules.
        repeats: what it says is the same whatever a run before it had done.
    """

    name: str
    arguments: tuple[str, ...]
    stdin: str = ""
    decides: bool = False
    status_decides: bool = False
    varies: bool = False
    differs: bool = False
    before: tuple[tuple[str, ...], ...] = ()
    program: tuple[str, ...] = ()
    stays: bool = False
    slow: bool = False
    cache: bool = False
    repeats: bool = False


_RULES = ("-r", "r.rules")
_DENIED = ("-r", "open.rules", "--permissions", "denied.json")
"""Rules that allow what a file of permissions denies: whoever does not read that is laxer."""
_FREE = ("--sandbox", "danger-full-access")
_RUN = ("run", *_RULES, *_FREE)
_RESUMED = (*_RULES, "--resume", "kept.db")
_REPORTS = ("--history", "commands.txt", "--junit", "junit.xml", "--coverage-html", "coverage.html")
_AGENT = ("--no-ask", "--", "sh", "-c", AGENT)
_MINE = ("--file", "home/.codex/rules/mine.rules")
_SAVED = (("allow", "--yes", "--", "make", "app"),)

COMMANDS = (
    Command("check", ("check", *_RULES, "--exit-code", "--", "touch", "canary"), "", True, True),
    Command("check, keeping", ("check", "--exit-code", "--", "touch", "canary"), "", True, True, cache=True),
    Command("check --jsonl", ("check", *_RULES, "--jsonl"), FORBIDDEN * 3, True),
    Command("check, standard input", ("check", *_RULES, "--exit-code", "-"), "touch canary\n", True, True),
    Command("check --file", ("check", *_RULES, "--exit-code", "--file", "script.sh"), "", True, True),
    Command("check --permissions", ("check", *_DENIED, "--exit-code", "--", "touch", "canary"), "", True, True),
    Command("check --compat", ("check", "--compat", "codex-0.169", *_RULES, "touch", "canary"), "", True),
    Command("hook, installed", ("hook", *_RULES), CALL, True, True),
    Command("hook --permissions", ("hook", *_DENIED), CALL, True, True),
    Command("hook --audit", ("hook", *_RULES, "--audit", "audit.jsonl"), CALL.replace("touch canary", "echo x")),
    Command("explain", ("explain", *_RULES, "--", "touch", "canary"), "", True),
    Command("split", ("split", "touch canary | cat"), ""),
    Command("split --jsonl", ("split", "--jsonl"), FORBIDDEN * 3),
    Command("list", ("list", "-r", "r.rules")),
    Command("lint", ("lint", "-"), RULES),
    Command("lint --fix", ("lint", "--fix", "untidy.rules", "second.rules")),
    Command("lint --write-baseline", ("lint", "--write-baseline", "--baseline", "baseline.json", "untidy.rules")),
    Command("lint --watch", ("lint", "--watch", "untidy.rules"), differs=True, stays=True),
    Command("fmt", ("fmt", "-"), RULES),
    Command("fmt, files", ("fmt", "untidy.rules", "second.rules")),
    Command("test", ("test", "r.rules")),
    Command("test, reports", ("test", "r.rules", *_REPORTS)),
    Command("diff", ("diff", "r.rules", "other.rules")),
    Command("replay", ("replay", *_RULES, "-"), "touch canary\necho x\n", varies=True),
    Command("replay --accept", ("replay", "--accept", "1", "history.jsonl"), varies=True),
    Command("replay --resume", ("replay", *_RESUMED, "--format", "json", "history.jsonl"), repeats=True),
    Command("replay --against", ("replay", *_RULES, "--against", "other.rules", "history.jsonl"), varies=True),
    Command("run, forbidden", (*_RUN, "--", "touch", "canary"), "", False, True),
    Command("run, allowed", (*_RUN, "--", "echo", "x")),
    Command("run, confined", ("run", *_RULES, "--", "echo", "x")),
    Command("run --network", ("run", *_RULES, "--network", "--", "echo", "x")),
    Command("run --permissions", ("run", *_DENIED, *_FREE, "--", "touch", "canary"), "", False, True),
    Command("run --audit", (*_RUN, "--audit", "audit.jsonl", "--", "echo", "x")),
    Command("serve", ("serve", "-r", "r.rules"), REQUEST, True, varies=True),
    Command("serve --permissions", ("serve", *_DENIED), REQUEST, True, varies=True),
    Command("serve --audit", ("serve", *_RULES, "--audit", "audit.jsonl"), REQUEST, True, varies=True),
    Command("arbiter", ("arbiter", *_RULES, *_AGENT), ""),
    Command("arbiter --permissions", ("arbiter", *_DENIED, *_AGENT), ""),
    Command("arbiter --audit", ("arbiter", *_RULES, "--audit", "audit.jsonl", *_AGENT), ""),
    Command("protocol-test", ("protocol-test", "--rule", "deny", "--", "true"), differs=True),
    Command("allow", ("allow", "--yes", "--", "make", "app")),
    Command("allow --script", ("allow", "--yes", "--script", "make app && make all")),
    Command("undo", ("undo",), before=_SAVED),
    Command("undo, named", ("undo", "--", "make", "app"), before=_SAVED),
    Command("allow --file", ("allow", "--yes", *_MINE, "--", "make", "app")),
    Command("undo --file", ("undo", *_MINE), before=(("allow", "--yes", *_MINE, "--", "make", "app"),)),
    Command("network", ("network", "deny", "tracker.example.com")),
    Command("network --file", ("network", *_MINE, "deny", "tracker.example.com")),
    Command("trust", ("trust", "--yes", "project")),
    Command("trust --revoke", ("trust", "--revoke", "--yes", "project"), before=(("trust", "--yes", "project"),)),
    Command("init", ("init", "--with", "git", "--with", "files", "--to", "started")),
    Command("init --pack", ("init", "--pack", "python,node")),
    Command("init --project", ("init", "--project", "--with", "git")),
    Command("init --remove", ("init", "--remove", "node"), before=(("init", "--pack", "python,node"),)),
    Command("install", ("install", "claude", "codex", "gemini")),
    Command("install --scope", ("install", "--scope", "project", "claude", "codex")),
    Command("uninstall", ("uninstall", "claude", "codex"), before=(("install", "claude", "codex"),)),
    Command("doctor", ("doctor", "claude"), differs=True, before=(("install", "claude"),), slow=True),
    Command("import", ("import", "claude")),
    Command("import --to", ("import", "claude", "--to", "imported.rules")),
    Command("export", ("export", "--to", "claude", "-r", "r.rules")),
    Command("config show", ("config", "show")),
    Command("config schema", ("config", "schema")),
    Command("completion", ("completion", "bash")),
    Command("help", ("help", "guarantees")),
    Command("lsp", ("lsp",), EDITOR, varies=True),
    Command("lsp --history", ("lsp", "--history", "commands.txt"), EDITOR, varies=True),
    Command("inbox list", ("inbox", "list")),
    Command("inbox show", ("inbox", "show", "abcdefg")),
    Command("inbox answer", ("inbox", "answer", "abcdefg", "once")),
    Command("inbox, always", (), differs=True, program=(sys.executable, "-c", PERSON)),
    Command("ui", ("ui", "--no-browser"), differs=True, stays=True),
)


def furnish(folder: Path) -> None:
    """Put into ``folder`` what the commands work on: a home, rules, a project, histories."""
    home = folder / "home"
    for path, text in {
        home / ".codex/rules/default.rules": RULES,
        home / ".codex/config.toml": 'model = "x"  # mine\n',
        home / ".claude/settings.json": '{"permissions": {"allow": ["Bash(make all)"], "deny": ["Bash(touch:*)"]}}\n',
        folder / "r.rules": RULES,
        folder / "open.rules": OPEN,
        folder / "denied.json": DENIED,
        folder / "script.sh": "touch canary\n",
        folder / "commands.txt": "make app\nmake all\n",
        folder / "other.rules": RULES.replace('"forbidden"', '"prompt"'),
        folder / "untidy.rules": UNTIDY,
        folder / "second.rules": UNTIDY.replace("echo", "print"),
        folder / "project/.codex/rules/team.rules": RULES.replace("frobnicate", "deploy"),
        folder / "history.jsonl": '{"script": "make app --fast"}\n{"script": "make all"}\n' * 20,
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
