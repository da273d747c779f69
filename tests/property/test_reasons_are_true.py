"""Every reason, over the corpora, against the facts: what it says about rules, files and knowledge is so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from execpolicy.core.decision import Decision
from execpolicy.core.matches import PrefixMatch
from execpolicy.core.rules import PrefixRule
from execpolicy.judge.check import check
from execpolicy.judge.command_verdict import CommandVerdict, EffectMatch
from execpolicy.judge.reasons import command_reason, shown_command
from execpolicy.judge.rulebook import Rulebook, Withheld
from execpolicy.judge.verdict import Verdict
from execpolicy.lang.compile import compile_source
from execpolicy.source import Source
from tests.support.each import some_and_all
from tests.support.judging import PLACE, builtin

CORPORA = Path(__file__).parents[1] / "data" / "corpora"
RULES = """\
prefix_rule(pattern=["rm"], decision="forbidden", justification="nothing is removed here")
prefix_rule(pattern=["git", ["push", "reset"]], decision="forbidden")
prefix_rule(pattern=["npm"], decision="prompt")
prefix_rule(pattern=["make"])
prefix_rule(pattern=["git", "commit"])
write_rule(paths=["./out/**"], decision="forbidden")
write_rule(paths=["./build/**"])
"""
INERT = 'prefix_rule(pattern=["python3"])\nprefix_rule(pattern=["curl", "-s"])\nprefix_rule(pattern=["cp"])\n'
VERBS = {Decision.PROMPT: "needs approval", Decision.FORBIDDEN: "is forbidden"}


@cache
def scripts() -> tuple[str, ...]:
    """One script in five of every corpus."""
    found = []
    for path in sorted(CORPORA.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
        found += [row["script"] for row in rows[::5] if isinstance(row.get("script"), str)]
    return tuple(found)


def inert() -> list[tuple[PrefixRule, str]]:
    statements = compile_source(Source("inert.rules", INERT)).statements
    return [(rule, "its project is not trusted") for rule in statements if isinstance(rule, PrefixRule)]


def books() -> dict[str, Rulebook]:
    own = compile_source(Source("own.rules", RULES)).statements
    base = builtin().with_statements(*own)
    broken = Rulebook(base.statements, fail_closed=True).with_withheld(Withheld("broken.rules:1: a fault", inert))
    return {
        "built-in": builtin(),
        "own": base,
        "untrusted": base.with_withheld(Withheld(None, inert)),
        "broken": broken,
    }


def every(commands: tuple[CommandVerdict, ...]) -> Iterator[CommandVerdict]:
    for command in commands:
        yield command
        yield from every(command.inner)


def lies(command: CommandVerdict, book: Rulebook) -> Iterator[str]:
    """Yield each claim of the reason that is not so."""
    reason = command_reason(command)
    shown = shown_command(command) or "a redirection or assignment"
    if command.decision is Decision.ALLOW:
        if reason != f"`{shown}` is allowed" or not command.grounds:
            yield "it is not allowed"
        return
    if command.source == "wrapper" and "`: " in reason.partition(": it runs `")[2]:
        told = [
            f"`{shown}` {VERBS[command.decision]}: it runs `{shown_command(inner)}`: "
            + command_reason(inner).partition(f" {VERBS[inner.decision]}: ")[2]
            for inner in command.inner
            if inner.decision is command.decision
        ]
        if reason not in told:
            yield "it is not the reason of what it runs"
        return  # which is looked at by itself
    writing = reason.startswith(("writing `", "reading `", "connecting to `"))
    subject, _, claim = reason.partition(f" {VERBS[command.decision]}: ")
    if not claim or (not writing and subject != f"`{shown}`"):
        yield "another subject or another decision"
    words = tuple(word for word in command.command.argv() if word is not None)
    literal = None not in command.command.argv()
    mentioned = [match.rule for match in book.policy.matches(words)] if literal and words else []
    safe = command.opinion is not None and command.opinion.verdict == "safe"
    dangerous = command.opinion is not None and command.opinion.verdict == "dangerous"
    if "no rule mentions it" in claim or "no rule that could be read mentions it" in claim:
        if mentioned or any(isinstance(match, PrefixMatch) for match in command.matches) or command.denied_grants:
            yield f"a rule mentions it: {mentioned}"
        if safe or dangerous:
            yield "something is known about it"
    if "it is not known to be safe" in claim and (safe or book.fail_closed):
        yield "it is known to be safe, or a file is broken"
    if "it is known to be safe" in claim and not safe:
        yield "it is not known to be safe"
    if ("rule file is broken" in claim) is not any(
        block.code == "fail-closed" for block in command.blocks[:1]
    ) and not (
        dangerous or any(match.decision is command.decision for match in command.matches if hasattr(match, "rule"))
    ):
        yield "what is said about files is not what was found"
    if "rule file is broken" in claim and not book.fail_closed:
        yield "no file is broken"
    if "its project is not trusted" in claim:
        rule = next((rule for rule, _ in inert() if rule.matched_prefix(words) is not None), None)
        if rule is None or f"({rule.place})" not in claim:
            yield "no such rule is kept out"
    yield from lies_about_rules(command, claim, book, writing=writing)


def lies_about_rules(command: CommandVerdict, claim: str, book: Rulebook, *, writing: bool) -> Iterator[str]:
    """Yield where a rule or a danger is said to decide that does not."""
    restricting = [
        match
        for match in command.matches
        if isinstance(match, PrefixMatch | EffectMatch) and match.decision is command.decision is not Decision.ALLOW
    ]
    place = re.search(r"\((own\.rules:\d+)\)$", claim)
    if writing or place or restricting:
        named = [match for match in restricting if place is None or str(match.rule.place) == place[1]]
        if not named:
            yield "no rule decided"
        elif not any(
            (match.rule.justification or "covers") in claim
            or "means" in claim
            or " is `" in claim
            or "may mean" in claim
            for match in named
        ):
            yield "the rule says something else"
        return
    opinion = command.opinion
    if opinion is not None and opinion.verdict == "dangerous":
        if not claim.startswith(opinion.why):
            yield "the danger is another"
        return
    if command.blocks:
        if claim != command.blocks[0].detail:
            yield "something else stands in the way"
        for path in re.findall(r"it writes `([^`]*)`, which no write rule allows", claim):
            if not command.command.redirects and path not in str(command.argv):
                yield "it writes nothing"
    elif opinion is not None and opinion.code in ("write", "write-outside", "write-unsure", "connection"):
        if claim != opinion.why:
            yield "it does something else"
    elif "no rule mentions it" not in claim:
        yield "nothing of the kind was found"


@pytest.mark.parametrize("step", some_and_all(6))
@pytest.mark.parametrize("name", list(books()))
def test_every_reason_is_true(name: str, step: int) -> None:
    book = books()[name]
    found: list[tuple[str, str, str]] = []
    seen = 0
    for script in scripts()[::step]:
        verdict: Verdict = check(script, book, situation=PLACE)
        for command in every(verdict.commands):
            seen += 1
            found += [(script, command_reason(command), lie) for lie in lies(command, book)]
        whole = re.sub(r" \(and \d+ more reasons?\)$", "", verdict.reason)
        if verdict.decision is not Decision.ALLOW and not any(
            whole == command_reason(command) and command.decision is verdict.decision for command in verdict.commands
        ):
            blocks = [f"needs approval: {block.detail}" for block in verdict.blocks]
            nothing = [] if verdict.commands else ["needs approval: there is nothing to decide on"]
            if whole not in (*blocks, *nothing):
                found.append((script, whole, "it is the reason of nothing"))
    assert seen > 1000 / step
    assert found == []
