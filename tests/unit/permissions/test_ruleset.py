"""Rulesets: config forms, order, evaluation, disabled tools (seed 002, "opencode Analysis")."""

import json
from typing import Any

import pytest

from execpolicy.errors import InvalidRuleError
from execpolicy.permissions.ruleset import (
    AGENT_DEFAULTS,
    Action,
    PermissionRule,
    Ruleset,
    disabled,
    evaluate,
    layered,
    merge,
    permission_section,
    rules_from_json,
    ruleset_from_config,
)

HOME = "/home/u"


def rules(*entries: tuple[str, str, str]) -> Ruleset:
    return tuple(PermissionRule(permission, pattern, Action(action)) for permission, pattern, action in entries)


CONFIGS: list[tuple[Any, Ruleset]] = [
    ({}, ()),
    ("ask", rules(("*", "*", "ask"))),
    ({"bash": "allow"}, rules(("bash", "*", "allow"))),
    ({"bash": {"*": "allow", "rm": "deny"}}, rules(("bash", "*", "allow"), ("bash", "rm", "deny"))),
    (
        {"read": "allow", "edit": "ask", "bash": {"rm *": "deny", "*": "ask"}, "doom_loop": "ask"},
        rules(
            ("read", "*", "allow"),
            ("edit", "*", "ask"),
            ("bash", "rm *", "deny"),
            ("bash", "*", "ask"),
            ("doom_loop", "*", "ask"),
        ),
    ),
    (
        {"bash": "allow", "*": "ask", "edit": "deny", "mcp_*": "allow"},
        rules(("bash", "*", "allow"), ("*", "*", "ask"), ("edit", "*", "deny"), ("mcp_*", "*", "allow")),
    ),
    ({"external_directory": {}}, ()),
]


@pytest.mark.parametrize(("config", "expected"), CONFIGS)
def test_config_permission_schema_flat_and_nested_keep_their_order(config: Any, expected: Ruleset) -> None:
    assert ruleset_from_config(config, home=HOME) == expected
    assert ruleset_from_config(json.loads(json.dumps(config)), home=HOME) == expected


@pytest.mark.parametrize(
    ("pattern", "expanded"),
    [
        ("~/projects/*", "/home/u/projects/*"),
        ("~", "/home/u"),
        ("$HOME/projects/*", "/home/u/projects/*"),
        ("$HOME", "/home/u"),
        ("/some/~/path", "/some/~/path"),
        ("~other/x", "~other/x"),
        ("x $HOME", "x $HOME"),
    ],
)
def test_path_expansion(pattern: str, expanded: str) -> None:
    config = {"external_directory": {pattern: "allow"}}
    assert ruleset_from_config(config, home=HOME) == rules(("external_directory", expanded, "allow"))


@pytest.mark.parametrize("pattern", ["~", "~/x", "$HOME/x"])
def test_a_pattern_that_needs_a_missing_home_is_an_error_and_no_dead_rule(pattern: str) -> None:
    with pytest.raises(InvalidRuleError, match="needs a home folder"):
        ruleset_from_config({"edit": {pattern: "deny"}}, home=None)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (3, "must be an action or an object"),
        ("maybe", "unknown action `maybe`"),
        ({"bash": "no"}, "`permission.bash` has the unknown action `no`"),
        ({"bash": {"rm *": True}}, r"`permission.bash.rm \*` has the unknown action `True`"),
        ({"bash": ["deny"]}, "`permission.bash` has the unknown action"),
        ({1: "deny"}, "not text"),
    ],
)
def test_a_config_that_is_not_understood_is_refused(config: Any, message: str) -> None:
    with pytest.raises(InvalidRuleError, match=message):
        ruleset_from_config(config, home=HOME)


@pytest.mark.parametrize(
    "entries", [["x"], [{"permission": "a"}], [{"permission": "a", "pattern": "b", "action": "c"}]]
)
def test_a_rule_list_that_is_not_understood_is_refused(entries: list[Any]) -> None:
    with pytest.raises(InvalidRuleError):
        rules_from_json(entries)


def test_a_rule_list_survives_json() -> None:
    ruleset = rules(("bash", "ls *", "allow"), ("*", "*", "deny"))
    assert rules_from_json(json.loads(json.dumps([rule.to_json() for rule in ruleset]))) == ruleset


EVALUATIONS = [
    # permission, pattern, rules, action
    ("bash", "rm", [("bash", "rm", "deny")], "deny"),
    ("bash", "rm", [("bash", "*", "allow"), ("bash", "rm", "deny")], "deny"),
    ("bash", "rm", [("bash", "rm", "deny"), ("bash", "*", "allow")], "allow"),
    ("edit", "src/c/B.tsx", [("edit", "src/*", "deny"), ("edit", "src/c/*", "allow")], "allow"),
    ("edit", "src/c/B.tsx", [("edit", "src/c/*", "allow"), ("edit", "src/*", "deny")], "deny"),
    ("unknown", "x", [("bash", "*", "allow")], "ask"),
    ("bash", "rm", [], "ask"),
    ("edit", "etc/passwd", [("edit", "src/*", "allow")], "ask"),
    ("mcp_x", "y", [("*", "*", "ask"), ("mcp_*", "*", "allow"), ("mcp_x", "*", "deny")], "deny"),
    ("bash", "rm", [("bash", "*", "allow"), ("*", "*", "deny")], "deny"),
    ("bash", "*", [("bash", "ls", "allow")], "ask"),
]


@pytest.mark.parametrize(("permission", "pattern", "entries", "action"), EVALUATIONS)
def test_rule_evaluation_last_match_wins_default_ask(
    permission: str, pattern: str, entries: list[tuple[str, str, str]], action: str
) -> None:
    assert evaluate(permission, pattern, rules(*entries)).action == action
    assert evaluate(permission, pattern, *[rules(entry) for entry in entries]).action == action


def test_the_default_rule_names_the_permission() -> None:
    assert evaluate("bash", "ls") == PermissionRule("bash", "*", Action.ASK)


def test_rule_sources_override_each_other_in_order() -> None:
    config, agent, session = rules(("bash", "*", "deny")), rules(("bash", "ls", "ask")), rules(("bash", "ls", "allow"))
    ruleset = layered(session=session, agent=agent, config=config, defaults=AGENT_DEFAULTS)
    assert ruleset == merge(AGENT_DEFAULTS, config, agent, session)
    assert [evaluate("bash", "ls", ruleset[:end]).action for end in (3, 4, 5, 6)] == ["allow", "deny", "ask", "allow"]
    assert evaluate("doom_loop", "bash", ruleset).action == Action.ASK


DISABLED: list[tuple[list[tuple[str, str, str]], set[str]]] = [
    ([("*", "*", "allow")], set()),
    ([("*", "*", "allow"), ("bash", "*", "deny")], {"bash"}),
    ([("edit", "*", "deny")], {"edit", "write", "patch", "multiedit", "apply_patch"}),
    ([("bash", "*", "allow"), ("bash", "rm *", "deny")], set()),
    ([("bash", "*", "deny"), ("bash", "echo *", "allow")], set()),
    ([("bash", "rm *", "deny"), ("bash", "*", "allow")], set()),
    ([("*", "*", "ask")], set()),
    ([("*", "*", "deny"), ("bash", "*", "allow")], {"edit", "write", "patch", "multiedit", "apply_patch", "read"}),
    ([("bash", "**", "deny")], set()),
    ([], set()),
]


@pytest.mark.parametrize(("entries", "expected"), DISABLED)
def test_disabled_tools(entries: list[tuple[str, str, str]], expected: set[str]) -> None:
    tools = ["bash", "edit", "write", "patch", "multiedit", "apply_patch", "read"]
    assert disabled(tools, rules(*entries)) == expected


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("bsah", "bash"), ("Bsah", "bash"), ("edti", "edit"), ("edits", "edit"), ("raed", "read"), ("wite", "write"),
        ("external_directry", "external_directory"), ("doomloop", "doom_loop"), ("aply_patch", "apply_patch"),
    ],
)  # fmt: skip
def test_a_name_that_misspells_a_known_one_is_refused(name: str, right: str) -> None:
    with pytest.raises(InvalidRuleError) as caught:
        ruleset_from_config({"read": "allow", name: "deny"}, home=HOME)
    assert caught.value.message == f"`permission` has the unknown name `{name}`"
    assert caught.value.help is not None
    assert f"did you mean `{right}`?" in caught.value.help
    assert ruleset_from_config({f"{name}*": "deny"}, home=HOME)  # the way out


def test_an_empty_pattern_would_deny_nothing_and_is_refused() -> None:
    entry = {"permission": "bash", "pattern": "", "action": "deny"}
    for read in (lambda: ruleset_from_config({"bash": {"": "deny"}}, home=HOME), lambda: rules_from_json([entry])):
        with pytest.raises(InvalidRuleError, match="has an empty pattern, which matches nothing"):
            read()


@pytest.mark.parametrize("name", ["fs.read", "net.fetch", "net.*", "*", "Bash", "Write", "kubectl", "my_tool", "ls"])
def test_other_names_are_taken_as_they_are(name: str) -> None:
    assert ruleset_from_config({name: "deny"}, home=HOME) == rules((name, "*", "deny"))


@pytest.mark.parametrize("name", ["permissions", "permision", "Permission", "PERMISSIONS"])
def test_a_section_that_is_misspelt_is_refused(name: str) -> None:
    with pytest.raises(InvalidRuleError) as caught:
        permission_section({name: {"bash": "deny"}})
    assert (caught.value.message, caught.value.help) == (f"there is no section `{name}`", "did you mean `permission`?")
    section = {"bash": "deny"}
    assert permission_section({"permission": section, "model": "x"}) == permission_section(section) == section


@pytest.mark.parametrize("body", ["deny", "allow", {"rm *": "deny"}, {"a": "ask", "b": "allow"}])
def test_a_rule_beside_the_section_would_be_passed_over_and_is_refused(body: object) -> None:
    with pytest.raises(InvalidRuleError, match="`bash` is beside `permission`"):
        permission_section({"bash": body, "permission": {"edit": "deny"}})


@pytest.mark.parametrize("body", ["manual", True, {}, {"write": False}, {"build": {"permission": {"bash": "deny"}}}])
def test_other_settings_of_opencode_beside_the_section_are_not_read(body: object) -> None:
    assert permission_section({"permission": {"edit": "deny"}, "other": body}) == {"edit": "deny"}


def test_disabled_tools_have_many_names() -> None:
    ruleset = rules(("bash", "*", "deny"), ("edit", "*", "deny"))
    tools = ("Bash", "shell.exec", "Write", "apply_patch", "read", "fs.write")
    assert disabled(tools, ruleset) == {"Bash", "shell.exec", "Write", "apply_patch"}
    assert disabled("bash", ruleset) == {"bash"}
