"""What the arguments of ``safe_command`` and ``dangerous_command`` may be, and what wrong ones are told."""

from __future__ import annotations

import pytest

from execpolicy.errors import InvalidRuleError
from execpolicy.safety.entries import build_dangerous, build_safe, restore
from tests.support.each import each

SAFE: dict[str, object] = {"name": "x", "program": "x", "reason": "r"}
DANGEROUS: dict[str, object] = {"name": "x", "program": "x", "reason": "r"}


@each(
    ("arguments", "message", "help"),
    [
        ({"flag": "-a"}, "safe_command has no parameter `flag`", "did you mean `flags`?"),
        ({"name": ""}, "safe_command: name cannot be empty", None),
        ({"program": "/bin/x"}, "program `/bin/x` is a path", "write the base name"),
        ({"flags": "a"}, "`a` is not the name of an option", "write `-x`"),
        ({"flags": "--a=b"}, "`--a=b` is not the name of an option", None),
        ({"flags": "-a", "letters": "a"}, "lists the option `-a` twice", None),
        ({"options": {"-a": "nmber"}}, "there is no form `nmber`", "did you mean `number`?"),
        ({"options": {"-a": 3}}, "must be the name of a form or a non-empty list", "forms: any"),
        ({"operands": "nothing"}, "there is no form `nothing`", None),
        ({"operands": 0}, "the greatest number must be positive", None),
        ({"operands": True}, "operands must be", None),
        ({"operands": ["any*", "any"]}, "only the last form can be repeated", None),
        ({"operands": ["any?", "any"]}, "a required form cannot stand behind an optional one", None),
        ({"dynamic": "always"}, "dynamic must be one of `none`, `operands`, `anywhere`", None),
        ({"dynamic": "anywhere", "operands": 1}, "dynamic words anywhere need", "dynamic="),
        ({"requires": "-v"}, "requires an option that it does not list: `-v`", None),
        ({"subcommands": {}}, "subcommands must be a non-empty dict", None),
        ({"subcommands": {"a": {"flagz": ""}}}, "safe_command `x` a has no parameter `flagz`", "did you mean `flags`?"),
        ({"subcommands": {"a": {}}, "operands": 1}, "cannot have both operands and subcommands", None),
        ({"subcommands": {"a b": {}, "b": {}}}, "lists the sub-command `b` twice", None),
        ({"expression": "awk"}, "expression must be one of", None),
        ({"expression": "find", "flags": "-a"}, "an expression covers all arguments", None),
        ({"output": "text"}, "output must be", None),
        ({"permute": 1}, "permute must be True or False", None),
        ({"most_words": 0}, "most_words must be a positive number", None),
        ({"environment": ["A"]}, "environment must be a dict", None),
        ({"alternatives": [], "flags": "-a"}, "has alternatives, so `flags` belongs into them", None),
        ({"alternatives": []}, "must be a grammar, `dict(…)`, or a non-empty list", None),
        ({"disabled": True}, "being disabled, has no parameter `program`", None),
        ({"match": 1}, "match must be a string or a list of strings", None),
    ],
)
def test_wrong_arguments_are_explained(arguments: dict[str, object], message: str, help: str | None) -> None:
    with pytest.raises(InvalidRuleError) as caught:
        build_safe({**SAFE, **arguments})
    assert message in caught.value.message
    if help is not None:
        assert help in (caught.value.help or "")


@pytest.mark.parametrize("missing", ["name", "program", "reason"])
def test_a_safe_entry_needs_name_program_and_reason(missing: str) -> None:
    with pytest.raises(InvalidRuleError, match=f"needs a {missing}"):
        build_safe({key: value for key, value in SAFE.items() if key != missing})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"flagz": "-a"}, "dangerous_command has no parameter `flagz`"),
        ({"program": []}, "needs a program, or the files it writes, or an effect"),
        ({"flags": "force"}, "`force` is not the name of an option"),
        ({"operand_count": [2]}, "operand_count must be a number"),
        ({"operand_count": -1}, "operand_count must be a number"),
        ({"writes": 3}, "writes must be a string or a list of strings"),
        ({"ignore_case": "yes"}, "ignore_case must be True or False"),
    ],
)
def test_wrong_arguments_of_dangerous_entries(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidRuleError) as caught:
        build_dangerous({**DANGEROUS, **arguments})
    assert message in caught.value.message


def test_restore_makes_equal_entries_without_checking() -> None:
    safe = build_safe({**SAFE, "letters": "a", "environment": {"PAGER": ["cat"]}, "match": "x -a"})
    again = restore(safe.kind, safe.arguments, safe.place)
    assert (again.kind, again.name, again.programs, again.match) == ("safe_command", "x", ("x",), ("x -a",))
    dangerous = build_dangerous({**DANGEROUS, "flags": ["-f --force"]})
    assert restore(dangerous.kind, dangerous.arguments).arguments == dangerous.arguments
