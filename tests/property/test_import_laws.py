"""No import is laxer than its report says: imported rules against each agent's own matcher, over generated commands."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from execpolicy.core.decision import Decision
from execpolicy.exchange.agent_formats import AGENTS
from execpolicy.exchange.tool_entry import ImportedRules
from execpolicy.exchange.translate import translate
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.lang.compile import compile_source
from execpolicy.source import Source
from tests.support import agent_matchers
from tests.support.each import slow_ones

BARE = re.compile("it also allows `([^`]*)` alone")
"""The one way in which a written allow may be laxer, as the report says it."""
SETTINGS = 150
COMMANDS = 40

PROGRAMS = ["git", "gitk", "npm", "ls", "lsof", "eslint", "gh", "./run.sh"]
WORDS = ["push", "pull", "run", "test", "tests", "test:e2e", "--force", "-f", "src/a.py", "pr"]


def command(chance: random.Random) -> str:
    return " ".join([chance.choice(PROGRAMS), *chance.choices(WORDS, k=chance.randrange(5))])


def text_pattern(chance: random.Random) -> str:
    """A pattern near a command: the command, its beginning, with a star somewhere."""
    words = command(chance).split()[: chance.randrange(1, 4)]
    form = chance.randrange(8)
    if form == 0:
        return " ".join(words)
    if form in (1, 2, 3):
        return " ".join(words) + " *"
    if form == 4:
        return " ".join(words) + "*"
    if form == 5:
        return " ".join([words[0], "*", chance.choice(WORDS)])
    if form == 6:
        return "*" + chance.choice(WORDS) + "*"
    return " ".join(words)[:-1] + "*" if chance.random() < 0.9 else "*"


def lists(chance: random.Random, form: str, actions: Sequence[str], *, colon: bool) -> dict[str, Any]:
    found: dict[str, list[str]] = {"deny": [], "ask": [], "allow": []}
    for _ in range(chance.randrange(1, 6)):
        pattern = text_pattern(chance)
        if colon and pattern.endswith(" *") and chance.random() < 0.5:
            pattern = pattern[:-2] + ":*"
        found[chance.choice(actions)].append(form.format(pattern))
    return {"permissions": found}


def of_claude(chance: random.Random, actions: Sequence[str]) -> dict[str, Any]:
    return lists(chance, "Bash({})", actions, colon=True)


def of_cursor(chance: random.Random, actions: Sequence[str]) -> dict[str, Any]:
    found: dict[str, list[str]] = {"allow": [], "deny": []}
    for _ in range(chance.randrange(1, 6)):
        program, _, rest = text_pattern(chance).partition(" ")
        action = {"ask": "allow"}.get(one := chance.choice(actions), one)
        found[action].append(f"Shell({program}:{rest})" if rest else f"Shell({program})")
    return {"permissions": found}


def of_copilot(chance: random.Random, actions: Sequence[str]) -> str:
    options = []
    for _ in range(chance.randrange(1, 6)):
        pattern = text_pattern(chance)
        pattern = pattern[:-2] + ":*" if pattern.endswith(" *") else pattern.replace("*", "") or "ls"
        action = {"ask": "allow"}.get(one := chance.choice(actions), one)
        options.append(f"--{action}-tool 'shell({pattern.strip()})'")
    return "copilot " + " ".join(options)


def of_opencode(chance: random.Random, actions: Sequence[str]) -> dict[str, Any]:
    patterns = [text_pattern(chance) for _ in range(chance.randrange(1, 7))]
    return {"permission": {"bash": {one: chance.choice(actions) for one in patterns}}}


def of_amp(chance: random.Random, actions: Sequence[str]) -> dict[str, Any]:
    rules = []
    for _ in range(chance.randrange(1, 6)):
        patterns = [text_pattern(chance) for _ in range(chance.randrange(1, 3))]
        if chance.random() < 0.3:
            patterns.append(f"/^{chance.choice(PROGRAMS[:4])} ({chance.choice(WORDS[:4])}|x)( |$)/")
        if chance.random() < 0.3:
            patterns.append(patterns[0].removesuffix(" *"))
        action = {"deny": "reject"}.get(one := chance.choice(actions), one)
        rules.append({"tool": "Bash", "matches": {"cmd": patterns}, "action": action})
    return {"amp.permissions": rules}


def of_gemini(chance: random.Random, actions: Sequence[str]) -> dict[str, Any]:
    rules: list[dict[str, Any]] = []
    for _ in range(chance.randrange(1, 6)):
        rule: dict[str, Any] = {"toolName": "run_shell_command", "priority": chance.randrange(0, 900, 100)}
        rule["decision"] = {"ask": "ask_user"}.get(one := chance.choice(actions), one)
        if chance.random() < 0.7:
            rule["commandPrefix"] = text_pattern(chance).replace("*", "").strip() or "ls"
        elif chance.random() < 0.8:
            rule["commandRegex"] = f"{chance.choice(PROGRAMS[:4])} ({chance.choice(WORDS[:4])}|x)"
        rules.append(rule)
    return {"rule": rules}


def as_toml(policies: Any) -> str:
    return "".join(
        "[[rule]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in rule.items())
        for rule in policies["rule"]
    )


CASES: dict[str, tuple[Callable[[random.Random, Sequence[str]], Any], Callable[[Any], str], str]] = {
    "claude": (of_claude, json.dumps, "settings.json"),
    "qwen": (of_claude, json.dumps, "settings.json"),
    "cursor": (of_cursor, json.dumps, "cli.json"),
    "copilot": (of_copilot, str, "run.sh"),
    "opencode": (of_opencode, json.dumps, "opencode.json"),
    "amp": (of_amp, json.dumps, "settings.json"),
    "gemini": (of_gemini, as_toml, "policy.toml"),
}


def imported(agent: str, text: str, name: str) -> tuple[ImportedRules, Rulebook]:
    rules = translate(AGENTS[agent].read([Source(name, text)]), title=agent)
    return rules, Rulebook(compile_source(Source("imported.rules", rules.text)).statements)


def decided(rulebook: Rulebook, script: str) -> Decision:
    return judge_script(read_command(script), rulebook, Situation(cwd="/project")).decision


@pytest.mark.parametrize("agent", slow_ones(CASES, set(CASES) - {"claude", "gemini"}))
def test_what_imported_rules_decide_is_what_the_agent_decides_or_stricter(agent: str) -> None:
    settings_of, text_of, name = CASES[agent]
    matcher = getattr(agent_matchers, agent)
    chance = random.Random(f"{agent} 1")
    allowed = 0
    for _ in range(SETTINGS):
        settings = settings_of(chance, ("deny", "ask", "allow", "allow"))
        rules, rulebook = imported(agent, text_of(settings), name)
        alone = {found for loss in rules.losses for found in BARE.findall(loss.why)}
        lost_denies = any(loss.level == "laxer" and loss.text.startswith("deny") for loss in rules.losses)
        lost_asks = any(loss.level == "laxer" and loss.text.startswith("ask") for loss in rules.losses)
        for _ in range(COMMANDS):
            script = command(chance)
            theirs, ours = matcher(settings, script), decided(rulebook, script)
            shown = f"{script!r} under {settings}: agent {theirs}, rules {ours.word}\n{rules.text}"
            if ours is Decision.ALLOW and script not in alone:
                assert theirs == "allow", shown
            if theirs == "deny":
                assert ours is Decision.FORBIDDEN or lost_denies, shown
            if theirs == "ask":
                assert ours is not Decision.ALLOW or lost_asks, shown
            allowed += ours is Decision.ALLOW
    assert allowed > SETTINGS // 4  # the law is not kept by allowing nothing


@pytest.mark.parametrize("agent", CASES)
def test_an_exact_allow_allows_what_the_agent_allows(agent: str) -> None:
    settings_of, text_of, name = CASES[agent]
    matcher = getattr(agent_matchers, agent)
    chance = random.Random(f"{agent} 2")
    seen = 0
    for _ in range(SETTINGS):
        settings = settings_of(chance, ("allow",))
        rules, rulebook = imported(agent, text_of(settings), name)
        if any(loss.level != "exact" and not BARE.fullmatch(loss.why) for loss in rules.losses):
            continue
        for _ in range(COMMANDS):
            script = command(chance)
            if matcher(settings, script) == "allow":
                seen += 1
                assert decided(rulebook, script) is Decision.ALLOW, f"{script!r}\n{rules.text}"
    assert seen > 20
