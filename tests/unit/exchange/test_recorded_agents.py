"""Imported rules against the answers that the agents' own matchers gave, recorded by running them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from execpolicy.core.decision import Decision
from execpolicy.lang.compile import compile_source
from execpolicy.source import Source
from tests.property.test_import_laws import BARE, CASES, decided, imported
from tests.support import agent_matchers

DATA = Path(__file__).parents[2] / "data" / "exchange"
AGENTS_THAT_RAN = ["amp", "claude", "gemini", "opencode", "qwen"]
PLAIN = re.compile(r"[^;&|<>()$`=]*")
"""One command without a shell's grammar: what the matchers in ``tests/support`` know."""
WRAPPED = "timeout 5 "
"""A rule also speaks for a command behind a transparent wrapper, as the head of every import says."""


def recorded(agent: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    for line in (DATA / f"{agent}.jsonl").read_text("utf-8").splitlines():
        found = json.loads(line)
        yield found["settings"], [(command, answer) for command, answer in found["cases"]]


@pytest.mark.parametrize("agent", AGENTS_THAT_RAN)
def test_what_imported_rules_allow_the_agent_allowed(agent: str) -> None:
    compared = allowed = 0
    for text, cases in recorded(agent):
        rules, rulebook = imported(agent, text, CASES[agent][2])
        alone = {found for loss in rules.losses for found in BARE.findall(loss.why)}
        for command, answer in cases:
            ours = decided(rulebook, command)
            compared += 1
            if ours is Decision.ALLOW and command not in alone and not command.startswith(WRAPPED):
                allowed += 1
                assert answer == "allow", (command, text, rules.text)
            if answer in ("deny", "reject") and not any(loss.level == "laxer" for loss in rules.losses):
                assert ours is Decision.FORBIDDEN, (command, text, rules.text)
    assert compared >= 150
    assert allowed >= 8


@pytest.mark.parametrize("agent", AGENTS_THAT_RAN)
def test_the_matchers_that_the_laws_trust_answer_as_the_agents_did(agent: str) -> None:
    matcher = getattr(agent_matchers, agent)
    seen = 0
    for text, cases in recorded(agent):
        settings = agent_matchers.toml(text) if agent == "gemini" else json.loads(text)
        for command, answer in cases:
            if PLAIN.fullmatch(command) and not command.startswith(WRAPPED):
                theirs = {"reject": "deny"}.get(answer, answer)
                ours = matcher(settings, command)
                if answer == "refused":
                    theirs = (
                        ours if ours != "allow" else "refused"
                    )  # without a person, opencode refuses what it asks about
                if ours == "none" or (agent == "gemini" and ours == "ask"):
                    continue  # what no entry covers the agent decides by lists of its own, Gemini also what is asked
                seen += 1
                assert ours == theirs, (command, text)
    assert seen >= 50


def test_rules_of_codex_decide_as_codex_did() -> None:
    compared = 0
    for line in (DATA / "codex.jsonl").read_text("utf-8").splitlines():
        found = json.loads(line)
        rules, _ = imported("codex", found["settings"], "default.rules")
        policy = compile_source(Source("imported.rules", rules.text)).policy()
        assert {loss.level for loss in rules.losses} == {"exact"}
        for argv, answer in found["cases"]:
            matches = policy.matches(argv)
            decision = max((match.decision for match in matches), default=None)
            compared += 1
            assert (None if decision is None else decision.word) == answer, (argv, found["settings"])
    assert compared >= 1_000
