"""Every public function, and every method that decides or keeps something, refuses what is of another kind."""

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import pytest

import execpolicy as ep
from execpolicy import approvals, permissions
from tests.support.public import BUILT, PUBLIC
from tests.support.public_values import GIVEN, exec_request, options, rulebook, session, source

WRONG: tuple[Any, ...] = (
    None, 7, True, 1.5, "no such word", b"bytes", b"", {}, {"rm": "x"}, {"rm", "x"}, [None], ["ls", 7], object(), len,
)  # fmt: skip


def _profile() -> approvals.Profile:
    return approvals.profile_named("default")


def _rules() -> permissions.Ruleset:
    return permissions.ruleset_from_config({"bash": "deny"}, home=None)


COMMAND: Mapping[str, Any] = {"command": "ls", "rulebook": rulebook(), "shell": "bash", "situation": ep.Situation("/")}
REQUIRING: Mapping[str, Any] = {"request": exec_request(), "profile": _profile()}

FUNCTIONS: Mapping[str, Mapping[str, Any]] = {
    "answer_of": {"decision": "approved"},
    "check": COMMAND,
    "check_multiple": {**{k: v for k, v in COMMAND.items() if k != "command"}, "commands": ["ls"]},
    "command_might_be_dangerous": COMMAND,
    "is_known_safe_command": COMMAND,
    "compile_source": {"source": source(), "hosts": {}, "trusted": False},
    "compile_sources": {"sources": [source()]},
    "create_env": {"policy": approvals.ShellEnvironmentPolicy(), "environ": {"A": "b"}, "extra": {"C": "d"}},
    "create_exec_approval_requirement_for_command": {**REQUIRING, "rules": rulebook()},
    "decide_exec_command": {**REQUIRING, "rules": rulebook()},
    "decision_from_json": {"value": "approved"},
    "decision_of": {"answer": ep.Answer("deny")},  # type: ignore[arg-type]  # a word is its member
    "decision_to_json": {"decision": approvals.Approved()},
    "default_exec_approval_requirement": {"policy": "untrusted", "sandbox": "read-only", "profile": _profile()},
    "disabled": {"tools": ["bash"]},
    "evaluate": {"permission": "bash", "pattern": "ls"},
    "explain": {**COMMAND, "layers": None},
    "expand_home": {"pattern": "~/x", "home": "/h"},
    "is_approval": {},
    "layered": {"defaults": _rules(), "config": _rules(), "agent": _rules(), "session": _rules()},
    "load_layers": {"options": options()},
    "merge": {},
    "parse_command": {"argv": ["ls"]},
    "patch_keys": {"paths": ["/a"]},
    "profile_named": {"name": "default"},
    "read_script": {"text": "ls", "shell": "bash"},
    "refuse_call": {**REQUIRING, "additional_permissions": False},
    "rules_from_json": {"entries": [{"permission": "bash", "pattern": "*", "action": "deny"}]},
    "ruleset_from_config": {"config": {"bash": {"~/*": "deny"}}, "home": "/h"},
    "shell_keys": {"request": exec_request()},
    "shell_patterns": {"command": "ls", "shell": "bash"},
    "shell_request": {"session_id": "s", "command": "ls", "permission": "bash", "shell": "bash"},
    "tool_specs": {"shell_type": "default", "request_rule": False},
    "unified_exec_keys": {"request": exec_request(), "tty": False},
    "wildcard_match": {"text": "a", "pattern": "*"},
    "with_cached_approval": {
        "store": approvals.ApprovalStore(),
        "keys": (),
        "fetch": lambda: asyncio.sleep(0, "approved"),
    },
}
"""What each function takes; ``is_approval`` and ``merge`` have tests of their own below."""

TEXTS = {
    ("check", "command"), ("check", "shell"), ("check_multiple", "shell"), ("command_might_be_dangerous", "command"),
    ("command_might_be_dangerous", "shell"), ("disabled", "tools"), ("evaluate", "pattern"),
    ("evaluate", "permission"), ("expand_home", "home"), ("expand_home", "pattern"),
    ("explain", "command"), ("explain", "shell"),
    ("is_known_safe_command", "command"),
    ("is_known_safe_command", "shell"), ("patch_keys", "paths"), ("read_script", "shell"), ("read_script", "text"),
    ("ruleset_from_config", "home"), ("shell_patterns", "command"), ("shell_patterns", "shell"),
    ("shell_request", "command"), ("shell_request", "permission"), ("shell_request", "session_id"),
    ("shell_request", "shell"), ("wildcard_match", "pattern"), ("wildcard_match", "text"),
}  # fmt: skip
"""Parameters that take any text: an unknown shell reads nothing, which `test_public_values` tries."""

NONE_IS_FINE = {
    ("explain", "situation"), ("explain", "layers"),
    ("check", "situation"), ("check_multiple", "situation"), ("command_might_be_dangerous", "situation"),
    ("is_known_safe_command", "situation"), ("compile_source", "hosts"), ("create_env", "extra"),
}  # fmt: skip
EMPTY_IS_FINE = {
    ("compile_source", "hosts"), ("create_env", "extra"), ("create_env", "environ"), ("ruleset_from_config", "config"),
}  # fmt: skip
"""Parameters that are mappings: an empty one is one."""
TEXT_MAPPINGS = {("create_env", "extra"), ("create_env", "environ")}
FLAGS = {
    ("compile_source", "trusted"), ("refuse_call", "additional_permissions"), ("tool_specs", "request_rule"),
    ("unified_exec_keys", "tty"),
}  # fmt: skip
SETS_ARE_FINE = {("disabled", "tools"), ("patch_keys", "paths"), ("check_multiple", "commands")}
"""Lists whose order means nothing."""


def functions() -> list[str]:
    return [name for name, thing in BUILT.items() if inspect.isfunction(thing) or inspect.iscoroutinefunction(thing)]


def test_every_public_function_is_in_the_table() -> None:
    assert set(functions()) == set(FUNCTIONS)


def tried(call: Callable[[Any], object], allowed: Callable[[Any], bool]) -> list[Any]:
    """The wrong things that were taken, or that ended in another error than one of this package."""
    taken = []
    for wrong in WRONG:
        if allowed(wrong):
            continue
        try:
            result = call(wrong)
            if inspect.iscoroutine(result):
                asyncio.run(asyncio.wait_for(result, 10))
        except ep.ExecPolicyError:
            continue
        except Exception as error:
            taken.append((wrong, repr(error)))
        else:
            taken.append((wrong, result))
    return taken


@pytest.mark.parametrize(("name", "parameter"), [(name, one) for name in sorted(FUNCTIONS) for one in FUNCTIONS[name]])
def test_no_function_takes_a_wrong_word_or_kind(name: str, parameter: str) -> None:
    row = (name, parameter)

    def allowed(wrong: Any) -> bool:
        return (
            (wrong is None and row in NONE_IS_FINE)
            or (isinstance(wrong, str) and row in TEXTS)
            or (isinstance(wrong, dict) and not wrong and row in EMPTY_IS_FINE)
            or (isinstance(wrong, dict) and row in TEXT_MAPPINGS)
            or (isinstance(wrong, set) and row in SETS_ARE_FINE)
            or (wrong is True and row in FLAGS)
            or (callable(wrong) and row == ("with_cached_approval", "fetch"))
        )

    given = FUNCTIONS[name]
    assert tried(lambda wrong: PUBLIC[name](**{**given, parameter: wrong}), allowed) == []


def test_what_is_no_decision_is_no_approval() -> None:
    assert [wrong for wrong in (*WRONG, "approved", True, 1) if approvals.is_approval(wrong)] == []
    assert approvals.is_approval(approvals.Approved())


def test_nothing_to_check_is_nothing_that_is_allowed() -> None:
    assert ep.check_multiple([], rulebook()) == (ep.Decision.PROMPT, ())
    for commands in ("w", b"w", {"w": 1}):
        with pytest.raises(ep.UsageError, match="a list of commands"):
            ep.check_multiple(commands, rulebook())  # type: ignore[arg-type]  # its characters are commands


def test_a_word_that_switches_the_tool_off_does() -> None:
    assert approvals.tool_specs("disabled") == ()  # type: ignore[arg-type]  # a word is its member


def made(name: str) -> Any:
    return PUBLIC[name](**GIVEN[name]())


METHODS: Mapping[str, Callable[[Any], object]] = {
    "ApprovalKey.of": approvals.ApprovalKey.of,
    "ApprovalStore.approved": lambda wrong: approvals.ApprovalStore().approved(wrong),
    "ApprovalStore.grant": lambda wrong: approvals.ApprovalStore().grant(wrong),
    "ApprovalStore.put": lambda wrong: approvals.ApprovalStore().put(approvals.ApprovalKey("k"), wrong),
    "ApprovalSession.interrupt": lambda wrong: session().interrupt(wrong),
    "Loop.request": lambda wrong: permissions.DoomLoops(threshold=wrong),
    "PatternGate.dangerous": lambda wrong: made("PatternGate").dangerous(wrong),
    "PatternGate.tool_call_sync": lambda wrong: made("PatternGate").tool_call_sync(wrong, {"command": "ls"}),
    "Permissions.ask_sync": lambda wrong: permissions.Permissions().ask_sync(wrong),
    "Permissions.reply": lambda wrong: permissions.Permissions().reply("1", wrong),
    "Permissions.subscribe": lambda wrong: permissions.Permissions().subscribe(wrong),
    "Policy.check": lambda wrong: ep.Policy([ep.PrefixRule(["rm"], "forbidden")]).check(wrong),
    "Policy.check_multiple": lambda wrong: ep.Policy([ep.PrefixRule(["rm"], "forbidden")]).check_multiple(wrong),
    "PolicyDecider.decide": lambda wrong: made("PolicyDecider").decide(wrong),
    "PolicyManager.subscribe": lambda wrong: made("PolicyManager").subscribe(wrong),
    "RulebookJudge.assess": lambda wrong: made("RulebookJudge").assess(wrong),
    "SandboxPolicy.parse": lambda wrong: approvals.SandboxPolicy.parse(wrong),
    "ShellCommandReader.read": lambda wrong: permissions.ShellCommandReader().read(wrong),
    "ModeApprover.approve_sync": lambda wrong: made("ModeApprover").approve_sync(wrong),
}
FUNCTIONS_TAKEN = {"Permissions.subscribe", "PolicyManager.subscribe"}
TEXTS_TAKEN = {"PatternGate.dangerous", "RulebookJudge.assess", "ShellCommandReader.read", "PatternGate.tool_call_sync"}


@pytest.mark.parametrize("name", sorted(METHODS))
def test_no_method_takes_a_wrong_word_or_kind(name: str) -> None:
    def allowed(wrong: Any) -> bool:
        return (
            (callable(wrong) and name in FUNCTIONS_TAKEN)
            or (isinstance(wrong, str) and name in TEXTS_TAKEN)
            or (isinstance(wrong, dict) and name == "ApprovalKey.of")
            or (wrong == 7 and name == "Loop.request")
        )

    assert tried(METHODS[name], allowed) == []
