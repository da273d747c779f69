"""What administers execpolicy is asked about, whatever an allow rule says."""

from __future__ import annotations

import pytest

from execpolicy.core.decision import Decision
from execpolicy.judge.judge import judge_script
from execpolicy.judge.reading import read_command
from execpolicy.judge.rulebook import Rulebook
from execpolicy.judge.situation import Situation
from execpolicy.lang.compile import compile_source
from execpolicy.safety.administration import ADMINISTERING
from execpolicy.source import Source
from tests.support.entries import built_in_entries

RULES = """
prefix_rule(pattern=["execpolicy"])
prefix_rule(pattern=["execpolicy", "allow"])
prefix_rule(pattern=["/opt/bin/execpolicy"])
prefix_rule(pattern=["uv", "run", "execpolicy"])
prefix_rule(pattern=["python3"])
prefix_rule(pattern=["grep"])
"""
RULEBOOK = Rulebook(compile_source(Source("x.rules", RULES)).statements)


def decided(script: str) -> Decision:
    return judge_script(read_command(script), RULEBOOK, Situation(cwd="/project")).decision


@pytest.mark.parametrize("path", ADMINISTERING, ids=" ".join)
@pytest.mark.parametrize(
    "form",
    [
        "execpolicy {} x",
        "/opt/bin/execpolicy {}",
        "true && execpolicy {} --yes",
        "timeout 5 execpolicy {}",
        "uv run execpolicy {}",
        "python3 -m execpolicy {}",
        "python3 -P -m execpolicy {} x",
        "exec\\policy {}",
        "bash -c 'execpolicy {}'",
        "f() {{ execpolicy {}; }}; f",
    ],
)
def test_no_allow_rule_lets_it_run_unasked(path: tuple[str, ...], form: str) -> None:
    assert decided(form.format(" ".join(path))) is Decision.PROMPT


@pytest.mark.parametrize("script", ["execpolicy $x", "execpolicy inbox $x", "c=allow; execpolicy $c x"])
def test_a_word_that_is_only_known_at_run_time_may_be_any_of_them(script: str) -> None:
    assert decided(script) is Decision.PROMPT


@pytest.mark.parametrize(
    "script",
    [
        "execpolicy check -- ls",
        "execpolicy explain -- git push",
        "execpolicy export --to claude",
        "execpolicy inbox list",
        "python3 -m execpolicy lint x.rules",
        "execpolicy --no-color lint --select EP1 x.rules",
        "execpolicy check -r x.rules -- ls",
        "grep -rn execpolicy $x",
    ],
)
def test_what_only_looks_is_left_to_the_rules(script: str) -> None:
    assert decided(script) is Decision.ALLOW


def test_the_reason_is_told() -> None:
    verdict = judge_script(read_command("execpolicy allow x"), RULEBOOK, Situation(cwd="/project"))
    (block,) = verdict.commands[0].blocks
    assert (block.code, "a person has to agree" in block.detail) == ("administration", True)


def test_the_heuristics_call_the_same_dangerous() -> None:
    (entry,) = [one for one in built_in_entries() if one.name == "execpolicy-administration"]
    assert entry.arguments["subcommand"] == [" ".join(path) for path in ADMINISTERING]  # type: ignore[union-attr]  # it has


@pytest.mark.parametrize(
    "script",
    [
        "execpolicy fmt x.rules",
        "execpolicy lint --fix x.rules",
        "python3 -m execpolicy lint --unsafe-fixes x.rules",
        "execpolicy lint $x y.rules",
        "python3 evil.py -m execpolicy lint x.rules",
        "python3 -m evil execpolicy lint x.rules",
    ],
)
def test_what_writes_rule_files_is_asked_about(script: str) -> None:
    assert decided(script) is Decision.PROMPT
