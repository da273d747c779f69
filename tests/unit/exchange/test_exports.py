"""What rules become in each format, and what comes back of them."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import pytest

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.exchange.agent_formats import AGENTS
from execpolicy.exchange.tool_entry import ExportedSettings
from execpolicy.exchange.translate import translate
from execpolicy.lang.compile import compile_source
from execpolicy.source import Source
from tests.support import agent_matchers

NAMES = {"gemini": "a.toml", "codex": "a.rules", "copilot": "run.sh", "opencode": "opencode.json"}
RULES = """
prefix_rule(pattern=["npm", ["ci", "test"]])
prefix_rule(pattern=["git", "push"], decision="prompt")
prefix_rule(pattern=["rm"], decision="forbidden", justification="use trash")
"""


def exported(agent: str, text: str) -> ExportedSettings:
    return AGENTS[agent].write(compile_source(Source("x.rules", text)).statements)


def words_back(agent: str, text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Decision and words of every prefix rule that importing ``text`` gives."""
    rules = translate(AGENTS[agent].read([Source(NAMES.get(agent, "settings.json"), text)]), title=agent)
    statements = compile_source(Source("imported.rules", rules.text)).statements
    return [
        (one.decision.word, words)
        for one in statements
        if isinstance(one, PrefixRule)
        for words in itertools.product(*one.pattern.positions())
    ]


ALL = [("allow", ("npm", "ci")), ("allow", ("npm", "test")), ("prompt", ("git", "push")), ("forbidden", ("rm",))]


@pytest.mark.parametrize(
    ("agent", "back"),
    [
        ("claude", ALL),
        ("codex", ALL),
        ("gemini", ALL),
        ("qwen", ALL),
        ("opencode", ALL),
        ("copilot", [("forbidden", ("rm",))]),
        ("cursor", [*ALL[:2], ALL[3]]),
        ("amp", ALL[2:]),
        ("crush", []),
        ("vscode", [*ALL[:3], ("prompt", ("rm",))]),
    ],
)
def test_what_comes_back_of_an_export(agent: str, back: list[tuple[str, tuple[str, ...]]]) -> None:
    found = exported(agent, RULES)
    assert sorted(words_back(agent, found.text)) == sorted(back)
    levels = [loss.level for loss in found.losses]
    if agent != "crush":
        assert levels[2] == "laxer"
        assert found.losses[2].why == "found only where it is spelled so: keep the hook"
    assert "exact" not in levels[1:], "no prompt and no deny keeps its meaning"


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini", "qwen", "opencode"])
def test_random_allows_come_back_as_they_were(agent: str) -> None:
    chance = random.Random(agent)
    programs, words = ["git", "gh", "cargo", "./x.sh"], ["push", "run", "a:b", "--all", "x/y", "1.2", "@z"]
    for _ in range(100):
        rules = [
            PrefixRule(PrefixPattern.of([chance.choice(programs), *chance.choices(words, k=chance.randrange(1, 4))]))
            for _ in range(chance.randrange(1, 5))
        ]
        found = AGENTS[agent].write(rules)
        wanted = {("allow", tuple(tokens[0] for tokens in rule.pattern.positions())) for rule in rules}
        assert set(words_back(agent, found.text)) == wanted


@pytest.mark.parametrize("agent", ["claude", "qwen", "cursor", "opencode", "copilot", "amp", "gemini"])
def test_an_exported_allow_lets_the_agent_run_no_more_words_than_the_rule(agent: str) -> None:
    chance = random.Random(f"export {agent}")
    programs, words = ["git", "gh", "npm", "gitk"], ["push", "pushx", "run", "pr", "x"]
    matcher = getattr(agent_matchers, agent)
    allowed = 0
    for _ in range(60):
        rules = [
            PrefixRule(
                PrefixPattern.of([chance.choice(programs), *chance.choices(words, k=chance.randrange(0, 3))]),
                chance.choice([Decision.ALLOW, Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN]),
            )
            for _ in range(chance.randrange(1, 5))
        ]
        text = AGENTS[agent].write(rules).text
        settings: Any = text
        if agent != "copilot":
            settings = agent_matchers.toml(text) if agent == "gemini" and text else json.loads(text or "{}")
        for _ in range(20):
            argv = [chance.choice(programs), *chance.choices(words, k=chance.randrange(0, 4))]
            decisions = [rule.decision for rule in rules if rule.matched_prefix(argv) is not None]
            if text and (agent != "gemini" or settings) and matcher(settings, " ".join(argv)) == "allow":
                allowed += 1
                assert max(decisions, default=None) is Decision.ALLOW, (argv, rules, text)
    assert allowed > 20


def test_an_allow_with_a_stricter_rule_inside_is_left_out() -> None:
    found = exported(
        "claude", 'prefix_rule(pattern=["git"])\nprefix_rule(pattern=["git", "push", "-f"], decision="forbidden")'
    )
    assert json.loads(found.text)["permissions"] == {"allow": [], "ask": [], "deny": ["Bash(git push -f:*)"]}
    assert [loss.level for loss in found.losses] == ["stricter", "laxer"]


@pytest.mark.parametrize(
    "statement",
    [
        'prefix_rule(pattern=["git", "commit", "-m", "a b"])',
        'prefix_rule(pattern=["ls", "*.py"])',
        'prefix_rule(pattern=["echo", "$x"])',
        'network_rule(host="a.b", protocol="https", decision="allow")',
        'write_rule(paths=["./x/**"])',
        'host_executable(name="git", paths=["/usr/bin/git"])',
    ],
)
@pytest.mark.parametrize("agent", sorted(set(AGENTS) - {"codex"}))
def test_what_a_format_cannot_say_is_impossible(agent: str, statement: str) -> None:
    found = exported(agent, statement)
    assert [loss.level for loss in found.losses] == ["impossible"]
    assert words_back(agent, found.text) == []


def test_codex_gets_what_it_reads_and_nothing_else() -> None:
    found = exported(
        "codex", RULES + 'write_rule(paths=["./x/**"])\nnetwork_rule(host="a.b", protocol="https", decision="deny")'
    )
    assert "write_rule" not in found.text
    assert [loss.level for loss in found.losses] == ["exact", "laxer", "laxer", "impossible", "exact"]


@pytest.mark.parametrize("parameter", ['unless=["-f"]', 'decision="forbidden", spelling="exact"'])
def test_codex_gets_no_rule_with_a_parameter_of_ours(parameter: str) -> None:
    found = exported("codex", f'prefix_rule(pattern=["git", "push"], {parameter})')
    assert (found.text, [loss.level for loss in found.losses]) == ("", ["impossible"])


def test_an_exported_allow_for_amp_takes_no_chain() -> None:
    settings = json.loads(exported("amp", 'prefix_rule(pattern=["git", "log"])').text)
    for command, answer in [
        ("git log", "allow"),
        ("git log --oneline", "allow"),
        ("git logx", "none"),
        ("git log; rm x", "none"),
        ("git log && rm x", "none"),
        ("git log $(rm x)", "none"),
        ("git log > x", "none"),
        ("git log\nrm x", "none"),
        ("x git log", "none"),
    ]:
        assert agent_matchers.amp(settings, command) == answer, command
