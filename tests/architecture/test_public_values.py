"""Every public class can be built from ``execpolicy`` alone, and none takes a wrong word or a wrong kind of thing."""

import enum
import inspect
from pathlib import Path
from typing import Any

import pytest

import execpolicy as ep
from execpolicy import approvals, inbox, permissions, protocol
from tests.support.each import each
from tests.support.public import BUILT, PUBLIC
from tests.support.public_values import GIVEN, MADE, PORTS, RULES

CLASSES = [name for name, thing in BUILT.items() if inspect.isclass(thing)]
ENUMS = [name for name in CLASSES if issubclass(PUBLIC[name], enum.Enum)]

WRONG: tuple[Any, ...] = (object(), b"bytes", b"", 7j, 0.5j, "no such word", ["text", 7], {7: 7}, frozenset({7}))

ANYTHING = {
    ("Evaluation", "matches"): "an empty mapping or list of matches holds none",
    ("Loop", "input"): "whatever a tool takes",
    ("OutputLine", "line"): "the bytes that one of the wrong kinds is; others are refused",
    ("RunOutcome", "output"): "whatever a tool returns",
}
"""Parameters that take values of any kind, and why."""
SHOWN = {
    ("PrefixRule", "place"), ("NetworkRule", "place"), ("HostExecutable", "place"), ("WriteRule", "place"),
    ("Place", "span"), ("PrefixMatch", "prefix"), ("PrefixMatch", "resolved_program"), ("PrefixMatch", "is_meant"),
    ("PrefixMatch", "possible"), ("PrefixMatch", "rule"),
    ("Source", "name"), ("Source", "text"),
    ("Place", "path"), ("Place", "line"), ("Place", "column"), ("Span", "start"), ("Span", "end"),
}  # fmt: skip
"""Parameters of values on the hot path that no decision is made of: they say where a rule is and what it matched. A
match whose rule is none has no decision: reading it raises, and so does an evaluation of it. A source whose text is
none cannot be compiled."""
TEXT_TAKERS = ("str", "Timestamp", "Alternatives")
WORDS = ("Literal", "Decision", "ApprovalMode")


def test_every_public_class_is_in_the_table() -> None:
    exceptions = {name for name in CLASSES if issubclass(PUBLIC[name], Exception)}
    assert {*GIVEN, *MADE, *PORTS, *ENUMS, "Amendment"} - exceptions == set(CLASSES) - exceptions
    assert {*GIVEN, *MADE} >= exceptions


@each("name", sorted(GIVEN))
def test_every_class_is_built_from_public_names(name: str) -> None:
    built = PUBLIC[name](**GIVEN[name]())
    assert isinstance(built, PUBLIC[name])
    if isinstance(built, approvals.BlockingLoop):
        built.close()


@pytest.mark.parametrize("name", sorted(MADE))
def test_every_answer_comes_from_a_public_call(name: str) -> None:
    assert isinstance(MADE[name](), PUBLIC[name])


def test_an_amendment_comes_from_a_public_call(tmp_path: Path) -> None:
    rules = tmp_path / "my.rules"
    rules.write_text(RULES, "utf-8")
    manager = ep.PolicyManager(ep.LayerOptions(cwd=str(tmp_path), files=[str(rules)]))
    assert isinstance(manager.amend(["make", "test"], path=str(rules)), ep.Amendment)


def parameters() -> list[tuple[str, str]]:
    found = []
    for name in sorted(GIVEN):
        kind = PUBLIC[name]
        if issubclass(kind, Exception):
            continue  # it stops what it is raised in, whatever it says
        found += [(name, parameter) for parameter in inspect.signature(kind).parameters]
    return found


@each(("name", "parameter"), parameters())
def test_no_parameter_takes_a_wrong_word_or_kind(name: str, parameter: str) -> None:
    if (name, parameter) in ANYTHING or (name, parameter) in SHOWN:
        return
    kind = PUBLIC[name]
    annotation = str(inspect.signature(kind).parameters[parameter].annotation)
    takes_text = any(text in annotation for text in TEXT_TAKERS) and not any(word in annotation for word in WORDS)
    taken = []
    for wrong in WRONG:
        if isinstance(wrong, str) and takes_text:
            continue
        try:
            made = kind(**{**GIVEN[name](), parameter: wrong})
        except ep.ExecPolicyError:
            continue
        taken.append((wrong, made))
    assert taken == []


class Liar(str):
    """A text that says that it is whatever it is compared with."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


BOUNDED = ("nan", "inf", "-inf")


@each(("name", "parameter"), parameters())
def test_no_parameter_keeps_what_lies_or_is_no_number(name: str, parameter: str) -> None:
    """A text is kept as its characters, a word by what it spells, and no number is endless or none."""
    if (name, parameter) in {*ANYTHING, *SHOWN}:
        return
    kind = PUBLIC[name]
    annotation = str(inspect.signature(kind).parameters[parameter].annotation)
    for wrong in (*map(float, BOUNDED), Liar("zzz")):
        try:
            made = kind(**{**GIVEN[name](), parameter: wrong})
        except ep.ExecPolicyError:
            continue
        assert isinstance(wrong, Liar), wrong
        assert any(text in annotation for text in TEXT_TAKERS), wrong
        assert not any(word in annotation for word in WORDS), wrong
        kept = getattr(made, parameter, "")
        assert all(type(one) is not Liar for one in (kept if isinstance(kept, tuple) else (kept,))), kept


FOLDERS = {
    "builtin_folder", "codex_home", "cwd", "granted_roots", "hidden", "home", "own_home", "protected", "requirements",
    "root", "system_folder", "writable_roots",
}  # fmt: skip
"""Parameters that are absolute paths, or lists of them, wherever they are taken."""
TOLD = {("ExecApprovalRequestEvent", "cwd"), ("ExecBeginEvent", "cwd")}
"""What a session tells of a folder that it was given."""


@each(("name", "parameter"), [row for row in parameters() if row[1] in FOLDERS and row not in TOLD])
def test_no_folder_is_empty_or_relative(name: str, parameter: str) -> None:
    """It would be taken from wherever this process happens to be, or be a rule about nothing."""
    kind = PUBLIC[name]
    for wrong in ("", "rel", "./rel", "~", "~/x", ("",), ("/a", "rel")):
        with pytest.raises(ep.ExecPolicyError):
            kind(**{**GIVEN[name](), parameter: wrong})


SAID = {
    "answer", "call_id", "cmd", "code", "content", "deny_reason", "description", "detail", "error", "granular_refusal",
    "justification", "label", "message", "message_id", "move_path", "permission", "path", "pattern", "query", "reason",
    "rejection", "rationale", "resolved_program", "rule", "rule_id", "stdin", "text", "told", "turn_id", "unified_diff",
    "unreadable", "why", "session", "session_id", "request_id", "approval_id", "id", "name", "agent", "sandbox",
    "action", "line", "file", "prefix", "tty", "shell", "workdir", "source", "profile", "grant_root", "feedback",
}  # fmt: skip
"""Texts that are kept and shown as they came, and ids of a host's own: an empty one decides nothing."""
NAMED = {
    ("GateRule", "name"), ("HostExecutable", "name"), ("Tool", "name"), ("InboxAsker", "source"),
    *[(name, "id") for name in CLASSES if issubclass(PUBLIC[name], protocol.ToolRequest.__mro__[1])],
}  # fmt: skip
"""Texts of these names that are compared, or kept to tell one thing from another."""
RULES_SAY = {"PrefixRule", "NetworkRule", "HostExecutable", "WriteRule"}


@each(("name", "parameter"), parameters())
def test_no_text_that_decides_is_empty(name: str, parameter: str) -> None:
    annotation = str(inspect.signature(PUBLIC[name]).parameters[parameter].annotation)
    decides = (
        parameter not in SAID or (name, parameter) in NAMED or (name in RULES_SAY and parameter == "justification")
    )
    if annotation not in ("str", "str | None") or not decides or (name, parameter) in SHOWN or parameter in FOLDERS:
        return
    if (name, parameter) in EMPTY_IS_FINE:
        return
    with pytest.raises(ep.ExecPolicyError):
        PUBLIC[name](**{**GIVEN[name](), parameter: ""})


EMPTY_IS_FINE = {
    ("Loop", "tool"): "what an agent called it",
    ("ToolUse", "name"): "what an agent called it",
    ("PrefixPattern", "first"): "Codex takes an empty program, which nothing can run",
    ("SessionOptions", "prefix"): "lines without one",
}


WRONG_VALUES: list[Any] = [
    *[
        lambda message=message, given=given: PUBLIC[message](**{**GIVEN[message](), **given})
        for message in ("ToolRequest", "ToolResult", "ToolProgress", "PolicyDecision", "PolicyAnswer", "PolicyPing")
        for given in (
            *({"v": wrong} for wrong in (0, 2, 7, True, 1.0, "1")),
            *({"ts": wrong} for wrong in ("", "nonsense", "2026-01-01", -1, 1e17, True, "2026-13-01T00:00:00Z")),
            *({name: wrong} for name in ("id", "run_id", "nonce") for wrong in ("", "x" * 513)),
        )
    ],
    *[lambda tool=tool: protocol.ToolRequest(id="1", ts=0, tool=tool) for tool in ("", "x" * 513)],
    *[lambda: protocol.PolicyDecision(id="1", ts=0, decision="deny", reason="", request_nonce="")],
    lambda: protocol.ArbiterOptions(run_id="x" * 513),
    *[
        lambda given=given: approvals.NetworkTarget(**{"host": "a", "protocol": "https", "port": 1, **given})
        for given in ({"host": ""}, {"protocol": "nonsense"}, {"port": -1}, {"port": 65_536})
    ],
    *[lambda word=word: inbox.InboxAsker(source=word, cwd="/") for word in ("", "nonsense")],
    lambda: permissions.GateRule(name="x"),
    lambda: approvals.ExecPolicyAmendment(("", "x")),
    lambda: approvals.decision_from_json({"approved_execpolicy_amendment": {"proposed_execpolicy_amendment": [""]}}),
    *[lambda command=command: approvals.ShellToolCallParams(command=command) for command in ((), ("",), ("", "x"))],
    *[lambda words=words: ep.PolicyManager(ep.LayerOptions(cwd="/")).amend(words) for words in ([""], ["", "x"])],
    *[lambda paths=paths: approvals.patch_keys(paths) for paths in (["a"], [""], ["/a", "../x"], "a")],
    lambda: approvals.create_env(approvals.ShellEnvironmentPolicy(), {"A": 1}),
    lambda: approvals.create_env(approvals.ShellEnvironmentPolicy(), {}, extra={"B": 2}),
    lambda: approvals.ShellEnvironmentPolicy(set={"A": 1}),
    *[lambda limits=limits: ep.LayerOptions(cwd="/", limits=limits) for limits in ("", (), {}, 0)],
    *[
        lambda given=given: permissions.Approval(params={}, step=1, **given)
        for given in ({"approved": True, "deny_reason": "x"}, {"approved": False})
    ],
    *[
        lambda given=given: approvals.FileChange(**given)
        for given in (
            {"kind": "add"},
            {"kind": "delete"},
            {"kind": "update"},
            {"kind": "add", "content": "x", "unified_diff": "y"},
            {"kind": "delete", "content": "x", "move_path": "/y"},
            {"kind": "update", "unified_diff": "x", "content": "y"},
        )
    ],
    *[
        lambda fallback=fallback: ep.check("zzq", ep.Rulebook(), fallback=fallback)
        for fallback in ("allow", 7, None, ep.Decision.ALLOW)
    ],
    *[
        lambda fallback=fallback: ep.check_multiple(["zzq"], ep.Rulebook(), fallback=fallback)
        for fallback in ("allow", 7)
    ],
    *[lambda fallback=fallback: ep.Policy().check(["zzq"], fallback=fallback) for fallback in ("allow", 7)],
    *[lambda fallback=fallback: ep.Policy().check_multiple([], fallback=fallback) for fallback in ("allow", 7)],
    *[
        lambda name=name: permissions.rules_from_json([{"permission": name, "pattern": "*", "action": "deny"}])
        for name in ("", "bsah", "Eidt")
    ],
    lambda: permissions.ruleset_from_config({"": "deny"}, home=None),
    lambda: permissions.rules_from_json([{"permission": "bash", "pattern": "*", "action": "deny", "patern": "rm *"}]),
    *[lambda names=names: permissions.PermissionRule(*names, "deny") for names in (("", "*"), ("bash", ""))],
    *[
        lambda host=host: approvals.NetworkAmendment(host, "allow")
        for host in ("", "*", "*.a.example", "https://a.example", "a/b")
    ],
    lambda: approvals.ShellToolCallParams(command=["ls"], timeout_ms=0),
    lambda: permissions.Approval(approved=True, params={}, step=7),
    lambda: protocol.SessionOptions(prefix="@\n"),
    lambda: protocol.MissedEvents(-1),
    lambda: permissions.PatternGate(reader=permissions.ShellCommandReader()).tool_call_sync("bash", 7),
    lambda: approvals.ShellToolCallParams.parse('{"command": ["ls"], "command": ["rm", "x"]}'),
    lambda: approvals.ShellToolCallParams.parse('{"command": ["ls"], "workdir": {"a": 1, "a": 2}}'),
]


@each("call", WRONG_VALUES, ids=range(len(WRONG_VALUES)))
def test_no_value_is_outside_of_what_is_documented(call: Any) -> None:
    with pytest.raises(ep.ExecPolicyError):
        call()


@each("grounds", ["x", ("x",), (7,), ["x"], {"x": 1}, (ep.Decision.ALLOW,)])
def test_an_allow_rests_on_grounds_and_on_nothing_that_looks_like_some(grounds: Any) -> None:
    whole = MADE["Verdict"]()
    assert isinstance(whole, ep.Verdict)
    one = whole.commands[0]
    with pytest.raises(ValueError, match="an allow needs the grounds"):
        ep.Verdict(ep.Decision.ALLOW, (), whole.script, (), grounds, whole.rulebook, whole.situation)
    with pytest.raises(ValueError, match="an allow needs the grounds"):
        ep.CommandVerdict(one.command, one.argv, ep.Decision.ALLOW, (), "rule", grounds=grounds)


def test_a_tool_may_have_any_name() -> None:
    """Also one that is nearly that of another: only what people write down is looked at for slips."""
    assert permissions.evaluate("tasks", "*", []).action is permissions.Action.ASK
    assert permissions.rules_from_json([{"permission": "mcp__box__run", "pattern": "*", "action": "deny"}])


@pytest.mark.parametrize("name", [name for name in ENUMS if name != "Risk"])
def test_an_enum_takes_its_words_and_says_what_they_are(name: str) -> None:
    kind = PUBLIC[name]
    for one in kind:
        assert kind(one.value) is kind(one) is one
    for wrong in WRONG:
        with pytest.raises(ep.UsageError) as caught:
            kind(wrong)
        assert all(f"`{one.value}`" in str(caught.value) for one in kind)
    word = next(iter(kind)).value
    for slip in (word.upper(), word + "s", word.replace("e", "ee", 1)):
        if slip not in [one.value for one in kind]:
            with pytest.raises(ep.UsageError, match="did you mean `"):
                kind(slip)


def test_what_is_only_shown_decides_nothing() -> None:
    match = ep.PrefixMatch(("ls",), "allow")  # type: ignore[arg-type]  # what a caller without types passes
    for use in (lambda: match.decision, lambda: ep.Evaluation((match,))):
        with pytest.raises((AttributeError, ep.UsageError)):
            use()
    for text in (7, None, b"prefix_rule()", ["x"]):
        with pytest.raises((AttributeError, TypeError, ep.ExecPolicyError)):
            ep.compile_source(ep.Source("my.rules", text))  # type: ignore[arg-type]  # what a caller without types passes


def test_words_stand_for_what_they_spell() -> None:
    rule = permissions.PermissionRule("bash", "*", "deny")  # type: ignore[arg-type]  # what a caller without types passes
    assert rule.action is permissions.Action.DENY
    assert permissions.evaluate("bash", "ls", [rule]).action is permissions.Action.DENY
    with pytest.raises(permissions.DeniedError):
        permissions.Permissions().ask_sync(
            permissions.PermissionRequest(session_id="s", permission="bash", patterns="rm -rf x"),  # type: ignore[arg-type]  # what a caller without types passes
            ruleset=permissions.ruleset_from_config({"bash": {"*": "allow", "rm *": "deny"}}, home=None),
        )
    assert ep.PrefixRule(["rm"], "forbidden").decision is ep.Decision.FORBIDDEN
    assert ep.Policy([ep.PrefixRule(["rm"], "forbidden")]).check(["rm", "x"]).decision is ep.Decision.FORBIDDEN
    for policy in ("untrusted", "unless-trusted"):
        assert approvals.AskForApproval(policy) == approvals.AskForApproval.UNLESS_TRUSTED  # type: ignore[arg-type]  # what a caller without types passes
    profile = approvals.profile_named("default")
    needed = approvals.default_exec_approval_requirement("untrusted", "read-only", profile=profile)  # type: ignore[arg-type]  # what a caller without types passes
    assert needed == approvals.NeedsApproval()
    request = approvals.ExecRequest(command=("make",), approval_policy="untrusted", cwd="/")  # type: ignore[arg-type]  # what a caller without types passes
    assert isinstance(approvals.decide_exec_command(request, ep.Rulebook(), profile=profile), approvals.NeedsApproval)


def test_a_question_to_the_user_is_one_in_every_mode() -> None:
    tool = permissions.Tool("q", "ask")  # type: ignore[arg-type]  # what a caller without types passes
    judge = permissions.RulebookJudge(ep.Rulebook, ep.Situation("/"))
    approver = permissions.ModeApprover(judge=judge, mode="yolo", tools={"q": tool})
    assert not approver.approve_sync(permissions.ToolUse(name="q", params={})).approved


def test_the_error_says_what_is_accepted_and_what_was_meant() -> None:
    with pytest.raises(ep.UsageError) as caught:
        permissions.PermissionRule("bash", "*", "denied")  # type: ignore[arg-type]  # what a caller without types passes
    assert str(caught.value) == (
        "PermissionRule: action must be one of `allow`, `ask` or `deny`, not `denied` (did you mean `deny`?)"
    )
    with pytest.raises(ep.UsageError, match=r"did you mean `untrusted`\?"):
        approvals.AskForApproval.parse("untrustd")


def test_what_an_unknown_shell_would_run_is_not_allowed_and_a_rule_for_it_is_found() -> None:
    book = ep.Rulebook([ep.PrefixRule(["ls"]), ep.PrefixRule(["rm"], "forbidden")])
    assert ep.check("ls", book, shell="fish").decision is ep.Decision.PROMPT
    assert ep.check("rm x", book, shell="fish").decision is ep.Decision.FORBIDDEN


@each(
    "call",
    [
        lambda: ep.check(7, ep.Rulebook()),
        lambda: ep.check(["ls", 7], ep.Rulebook()),
        lambda: ep.check("ls", ep.Rulebook(), shell=7),
        lambda: ep.check("ls", "rules"),
        lambda: ep.check("ls", ep.Rulebook(), situation="/"),
        lambda: ep.Policy().check("rm -rf /"),
        lambda: ep.PrefixPattern.of("rm -rf"),
        lambda: ep.PrefixPattern.of([]),
        lambda: ep.PrefixPattern("rm", ((),)),
        lambda: ep.Rulebook().with_grants("all"),
        lambda: permissions.evaluate("bash", "ls", ["deny"]),
        lambda: permissions.evaluate("bash", ["ls"], []),
        lambda: permissions.evaluate("bash", "ls", "deny"),
        lambda: permissions.disabled([7], []),
        lambda: permissions.merge("deny"),
        lambda: permissions.Permissions().reply("1", "yes"),
        lambda: permissions.Permissions().ask_sync("make"),
        lambda: approvals.ApprovalStore().put(approvals.ApprovalKey("k"), "yes"),
        lambda: approvals.ApprovalStore().approved("k"),
        lambda: approvals.decision_from_json("yes"),
        lambda: approvals.SandboxPolicy.parse("read_only"),
        lambda: approvals.default_exec_approval_requirement(
            "untrusted", "none", profile=approvals.profile_named("default")
        ),
        lambda: approvals.profile_named("defaults"),
        lambda: permissions.ruleset_from_config({"bash": "denied"}, home=None),
        lambda: permissions.ruleset_from_config([("bash", "deny")], home=None),
        lambda: permissions.rules_from_json([{"permission": "bash", "pattern": "*", "action": True}]),
        *[
            lambda home=home: permissions.ruleset_from_config({"edit": {"~/.ssh/*": "deny"}}, home=home)
            for home in ("", "rel", "~")
        ],
        *[lambda home=home: permissions.expand_home("/x", home) for home in ("", "rel", "~")],
    ],
)
def test_no_call_takes_a_wrong_word_or_kind(call: Any) -> None:
    with pytest.raises(ep.ExecPolicyError):
        call()


@pytest.mark.parametrize(("name", "parameter"), sorted([*ANYTHING, *SHOWN]))
def test_every_exception_is_a_parameter(name: str, parameter: str) -> None:
    assert parameter in inspect.signature(PUBLIC[name]).parameters
