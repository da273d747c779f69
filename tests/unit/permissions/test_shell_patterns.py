"""Shell commands as permission requests (seed 002: patterns for bash; what *always* stores)."""

import asyncio

import pytest

from execpolicy.permissions.ruleset import Action, evaluate, ruleset_from_config
from execpolicy.permissions.service import DeniedError, Permissions
from execpolicy.permissions.tool_names import shell_patterns, shell_request

CASES: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
    ("ls -la", ("ls -la",), ("ls -la",)),
    ("git status && npm run test x", ("git status", "npm run test x"), ("git status *", "npm run test *")),
    ("echo 'a b'", ("echo 'a b'",), ("echo 'a b'",)),
    ("ls > /dev/null 2>&1", ("ls",), ("ls",)),
    ("echo x > ~root/f; ls", ("echo x", "ls", "> $…"), ()),
    ("echo x > out.txt", ("echo x", "> out.txt"), ()),
    ("cat $FILE", ("cat $…",), ()),
    ("nice ls", ("nice ls", "ls"), ()),
    ("LC_ALL=C sort x", ("sort x",), ("sort x",)),
    ("f=x; cat $f", ("cat $…",), ()),
    ("LD_PRELOAD=./x.so git status", ("git status", "LD_PRELOAD=./x.so git status"), ()),
    ("A=1 B='a b' git push", ("git push", "A=1 B='a b' git push"), ()),
    ("PATH=.; git status", ("git status", "PATH=."), ()),
    ("A=$(id) ls", ("ls", "id", "A=$… ls"), ()),
]


@pytest.mark.parametrize(("script", "patterns", "always"), CASES)
def test_every_command_and_every_written_file_is_a_pattern(
    script: str, patterns: tuple[str, ...], always: tuple[str, ...]
) -> None:
    assert shell_patterns(script) == (patterns, always)


@pytest.mark.parametrize(
    ("script", "hidden"),
    [
        ("sudo rm -rf x", "rm -rf x"),
        ("echo $(r''m -rf x)", "rm -rf x"),
        ("bash -c 'rm -rf x'", "rm -rf x"),
        ("find . -exec rm -r {} +", "rm -r $…"),
        ("echo x >> /etc/passwd", "> /etc/passwd"),
    ],
)
def test_a_deny_rule_finds_what_is_hidden_and_an_allow_rule_for_the_outside_does_not_cover_it(
    script: str, hidden: str
) -> None:
    patterns, always = shell_patterns(script)
    assert hidden in patterns
    assert always == ()
    program = patterns[0].split()[0]
    outside = ruleset_from_config({"bash": {f"{program} *": "allow"}}, home=None)
    assert {evaluate("bash", pattern, outside).action for pattern in patterns} >= {Action.ASK}

    async def denied() -> None:
        ruleset = ruleset_from_config({"bash": {"*": "allow", "rm *": "deny", "> *": "deny"}}, home=None)
        await Permissions().ask(shell_request("s", script), ruleset=ruleset)

    with pytest.raises(DeniedError):
        asyncio.run(denied())


@pytest.mark.parametrize(
    "script",
    [
        "LD_PRELOAD=./x.so git status",
        "GIT_EXTERNAL_DIFF=./x git status",
        "PATH=.:$PATH git status",
        "PATH+=:. git status",
        "FOO=1 LC_ALL=C git status",
        "PATH=.; git status",
        "LD_PRELOAD=./x.so; git status",
        "PATH=. ; true && git status",
        "BASH_ENV=./x sh -c 'git status'",
        "sh -c 'LD_PRELOAD=./x.so git status'",
        "env LD_PRELOAD=./x.so git status",
        "env -S 'LD_PRELOAD=./x.so git status'",
        "export LD_PRELOAD=./x.so; git status",
        "nice env -u A B=1 git status",
        "(PATH=.; git status)",
        "{ LD_PRELOAD=$(id) git status; }",
        "a[0]=1 git status",
        "git status > x",
        "> x git status",
        "{ git status; } > x",
    ],
)
def test_an_allow_rule_does_not_cover_what_stands_in_front_of_its_command(script: str) -> None:
    wrappers = {"sh *": "allow", "env *": "allow", "nice *": "allow", "true": "allow", "id": "allow"}
    rules = ruleset_from_config({"bash": {"git status *": "allow"}}, home=None)
    patterns = shell_patterns(script)[0]
    assert "git status" in patterns, "a deny rule finds it"
    assert Action.ASK in {evaluate("bash", pattern, rules).action for pattern in patterns}
    if script.startswith(("sh", "env", "nice")):  # the wrapper alone is no reason to run it
        rules = ruleset_from_config({"bash": {"git status *": "allow", **wrappers}}, home=None)
        assert Action.ASK in {evaluate("bash", pattern, rules).action for pattern in patterns}
    exact = ruleset_from_config({"bash": dict.fromkeys(patterns, "allow")}, home=None)
    assert {evaluate("bash", pattern, exact).action for pattern in patterns} == {Action.ALLOW}


@pytest.mark.parametrize(
    "script",
    ["echo 'unclosed", "eval $X", "f() { ls; }; f", "", "$X", "ls > $F", "bash", "python", "sudo x", "grep 'a*' f"],
)
def test_always_is_not_offered_where_it_could_grant_more_than_was_shown(script: str) -> None:
    assert shell_patterns(script)[1] == ()


def test_what_cannot_be_read_is_asked_about_unless_everything_is_allowed() -> None:
    for script in ("ls 'unclosed", "", "eval $X"):
        patterns, _ = shell_patterns(script)
        rules = ruleset_from_config({"bash": {"ls *": "allow", "eval *": "allow"}}, home=None)
        assert Action.ASK in {evaluate("bash", pattern, rules).action for pattern in patterns}, patterns


def test_always_allows_the_same_again() -> None:
    request = shell_request("s", "git status && npm run test")
    rules = ruleset_from_config({"bash": dict.fromkeys(request.always, "allow")}, home=None)
    assert request.always
    assert all(evaluate("bash", pattern, rules).action is Action.ALLOW for pattern in request.patterns)
    assert request.metadata == {"command": "git status && npm run test"}
