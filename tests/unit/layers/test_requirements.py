"""The requirements overlay and its messages."""

from __future__ import annotations

import tomllib

import pytest

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import PrefixRule
from execpolicy.errors import InvalidRuleError
from execpolicy.layers.requirements import parse_requirements
from tests.support.machine import Machine, in_force

GOOD = """
[rules]
prefix_rules = [
  { pattern = [ {token="git"}, {any_of=["push","commit"]} ], decision="prompt", justification="ask first" },
  { pattern = [ {any_of=["rm", "dd"]} ], decision="forbidden", canonical_matching = true },
  { pattern = [ {token="ssh"} ], decision="prompt-user" },
]
"""


def test_every_field_arrives_and_alternatives_in_front_become_rules() -> None:
    rules = parse_requirements(tomllib.loads(GOOD)["rules"], "requirements.toml")
    assert list(rules) == [
        PrefixRule(PrefixPattern("git", (("push", "commit"),)), Decision.PROMPT, "ask first"),
        PrefixRule(PrefixPattern("rm", canonical_matching=True), Decision.FORBIDDEN),
        PrefixRule(PrefixPattern("dd", canonical_matching=True), Decision.FORBIDDEN),
        PrefixRule(PrefixPattern("ssh"), Decision.PROMPT, human_only=True),
    ]


WHERE = "rules prefix_rule at index 0"
TOKEN = f"{WHERE} has an invalid pattern token at index 0: "
ALLOW = (
    f"{WHERE} has decision 'allow', which is not permitted in requirements.toml: Codex merges these rules with other "
    "config and uses the most restrictive result (use 'prompt', 'prompt-user', or 'forbidden')"
)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('{ pattern = [], decision="prompt" }', f"{WHERE} has an empty pattern"),
        ('{ pattern = [{}], decision="prompt" }', TOKEN + "set either token or any_of"),
        (
            '{ pattern = [{token="a", any_of=["b"]}], decision="prompt" }',
            TOKEN + "set either token or any_of, not both",
        ),
        ('{ pattern = [{token=""}], decision="prompt" }', TOKEN + "token cannot be empty"),
        ('{ pattern = [{token=" \u00a0"}], decision="prompt" }', TOKEN + "token cannot be empty"),
        ('{ pattern = [{any_of=[]}], decision="prompt" }', TOKEN + "any_of cannot be empty"),
        ('{ pattern = [{any_of=["a", " "]}], decision="prompt" }', TOKEN + "any_of cannot include empty tokens"),
        (
            '{ pattern = [{token="a"}, {token=""}], decision="prompt" }',
            f"{WHERE} has an invalid pattern token at index 1: token cannot be empty",
        ),
        ('{ pattern = [{token="a"}], decision="prompt", justification=" " }', f"{WHERE} has an empty justification"),
        ('{ pattern = [{token="a"}] }', f"{WHERE} is missing a decision"),
        ('{ pattern = [{token="a"}], decision="allow" }', ALLOW),
        # the order of the checks: justification, empty pattern, tokens, decision
        ('{ pattern = [], decision="allow", justification="" }', f"{WHERE} has an empty justification"),
        ('{ pattern = [], decision="allow" }', f"{WHERE} has an empty pattern"),
        ('{ pattern = [{token=""}], decision="allow" }', TOKEN + "token cannot be empty"),
    ],
)
def test_the_messages_are_codexs(entry: str, message: str) -> None:
    section = tomllib.loads(f"prefix_rules = [{entry}]")
    with pytest.raises(InvalidRuleError) as caught:
        parse_requirements(section, "requirements.toml")
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prefix_rules = []", "rules prefix_rules cannot be empty"),
        ("", "rules prefix_rules must be an array of tables"),
        ("prefix_rule = []", "rules has the unknown field `prefix_rule` (known: prefix_rules)"),
        ("prefix_rules = [1]", f"{WHERE} must be a table"),
        (
            'prefix_rules = [{pattern=[{token="a"}], desicion="forbidden", decision="prompt"}]',
            f"{WHERE} has the unknown field `desicion` (known: pattern, decision, justification, canonical_matching)",
        ),
        (
            'prefix_rules = [{pattern=[{token="a"}], decision="deny"}]',
            f"{WHERE} has the unknown decision 'deny' (use 'prompt', 'prompt-user', or 'forbidden')",
        ),
        (
            'prefix_rules = [{pattern=[{token="a"}], decision="prompt", canonical_matching="yes"}]',
            f"{WHERE} has a canonical_matching that is neither true nor false",
        ),
        ('prefix_rules = [{pattern="a", decision="prompt"}]', f"{WHERE} has a pattern that is not an array"),
        ('prefix_rules = [{pattern=["a"], decision="prompt"}]', TOKEN + "set either token or any_of"),
        ('prefix_rules = [{pattern=[{token=1}], decision="prompt"}]', TOKEN + "token must be a string"),
        ('prefix_rules = [{pattern=[{any_of="a"}], decision="prompt"}]', TOKEN + "any_of must be an array of strings"),
        ('prefix_rules = [{pattern=[{token="a"}], decision=1}]', f"{WHERE} has a decision that is not a string"),
    ],
)
def test_what_serde_would_refuse_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidRuleError) as caught:
        parse_requirements(tomllib.loads(text), "requirements.toml")
    assert caught.value.message == message


def test_the_overlay_comes_last_and_above_everything(machine: Machine) -> None:
    machine.write(machine.codex_home / "rules/a.rules", 'prefix_rule(["git"])\n')
    machine.write(machine.system / "requirements.toml", GOOD)
    loaded = machine.load()
    assert in_force(loaded) == ["git allow", "git [push|commit] prompt", "rm forbidden", "dd forbidden", "ssh prompt"]
    assert loaded.layers[-1].name == "requirements"
    assert [str(rule.pattern) for rule in loaded.human_only] == ["ssh"]
    assert not loaded.fail_closed


def test_rules_know_their_lines_where_the_text_is_plain(machine: Machine) -> None:
    path = machine.write(machine.system / "requirements.toml", GOOD)
    assert [str(rule.statement.place) for rule in machine.load().rules] == [f"{path}:{line}" for line in (4, 5, 5, 6)]
    path.write_text(GOOD.replace("ask first", "a pattern = x"))
    assert [str(rule.statement.place) for rule in machine.load().rules] == [f"{path}:1"] * 4


def test_a_file_without_rules_is_fine(machine: Machine) -> None:
    machine.write(machine.system / "requirements.toml", "allowed_sandbox_modes = []\n")
    loaded = machine.load()
    assert (loaded.fail_closed, loaded.diagnostics) == (False, ())


@pytest.mark.parametrize("text", ["[rules]\nprefix_rules = []\n", "[rules\n", "rules = 1\n"])
def test_a_broken_overlay_fails_closed_and_leaves_the_rest_in_force(machine: Machine, text: str) -> None:
    machine.write(machine.codex_home / "rules/a.rules", 'prefix_rule(["git"], decision="forbidden")\n')
    path = machine.write(machine.system / "requirements.toml", text)
    loaded = machine.load()
    assert in_force(loaded) == ["git forbidden"]
    assert loaded.fail_closed
    assert [found.path for found in loaded.errors()] == [str(path)]
