"""How the arguments of ``check`` are read."""

import pytest

from execpolicy.cli.check_options import parse_check
from execpolicy.errors import UsageError


def test_everything_behind_the_first_positional_is_the_command() -> None:
    options = parse_check(["-r", "a.rules", "--rules=b.rules", "--pretty", "git", "--pretty", "--", "x"])
    assert options.rules == ("a.rules", "b.rules")
    assert options.pretty
    assert options.command == ("git", "--pretty", "--", "x")


def test_a_leading_double_dash_is_consumed_once() -> None:
    assert parse_check(["--", "--", "x"]).command == ("--", "x")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to decide"),
        (["--"], "nothing to decide"),
        (["--nope", "git"], "unknown option `--nope`"),
        (["-rfile", "git"], "unknown option `-rfile`"),
        (["--rules"], "a value is required for '--rules'"),
        (["--script", "x", "git"], "cannot be used together"),
        (["--jsonl", "git"], "cannot be used together"),
        (["--pretty", "--pretty", "git"], "cannot be used multiple times"),
        (["--profile", "other", "git"], "unknown profile `other`"),
        (["--compat", "codex-9", "git"], "unknown value `codex-9`"),
        (["--", "\udcff"], "not UTF-8"),
        (["--terminal", "maybe", "git"], "unknown value `maybe` for --terminal"),
        (["--compat", "codex-0.169", "git"], "--rules <PATH>"),
        (["--compat", "codex-0.172", "git"], "use `codex-0.169`, `codex-0.170` or `codex-0.171`"),
        (["--profile", "codex-0.168", "git"], "use `default`, `codex-0.169`, `codex-0.170` or `codex-0.171`"),
        (["--compat", "codex-0.169", "-r", "x"], "<COMMAND>"),
        (["--compat", "codex-0.169", "-r", "x", "--permissions", "y", "git"], "cannot be used with --compat"),
        (["--compat", "codex-0.169", "--pretty=true", "-r", "x", "git"], "unexpected value 'true'"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_check(arguments)


def test_in_compat_an_unknown_flag_starts_the_command() -> None:
    options = parse_check(["--compat", "codex-0.170", "-r", "x", "-c", "model=y", "--nope", "git"])
    assert options.command == ("--nope", "git")


def test_a_script_may_start_with_a_dash() -> None:
    assert parse_check(["--script", "-x"]).script == "-x"
