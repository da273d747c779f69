"""Lines as amendments write them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.rules import HostExecutable, NetworkRule, PrefixRule
from execpolicy.errors import InvalidRuleError
from execpolicy.lang.compile import compile_sources
from execpolicy.lang.render import render, render_network_rule, render_prefix_rule
from execpolicy.source import Source

TEXT = st.text(st.characters(exclude_categories=("Cs",)))


def test_a_prefix_rule_is_what_codex_writes() -> None:
    assert render_prefix_rule(["git", "push"]) == 'prefix_rule(pattern=["git", "push"], decision="allow")'


def test_control_characters_are_escaped_as_json_and_other_text_is_raw() -> None:
    tokens = ['a"b', "c\\d", "é\n\t'x'", "\x00\x1f\x7f\b\f\r", "\u2028"]
    words = '"a\\"b", "c\\\\d", "é\\n\\t\'x\'", "\\u0000\\u001f\x7f\\b\\f\\r", "\u2028"'
    assert render_prefix_rule(tokens) == f'prefix_rule(pattern=[{words}], decision="allow")'


@given(st.lists(TEXT, min_size=1))
def test_tokens_are_json_strings(tokens: list[str]) -> None:
    assert f"pattern={json.dumps(tokens, ensure_ascii=False)}, " in render_prefix_rule(tokens)


def test_no_token_is_refused_in_codexs_words() -> None:
    with pytest.raises(InvalidRuleError, match=r"^prefix rule requires at least one token$"):
        render_prefix_rule([])


def test_a_token_that_is_not_text_is_refused() -> None:
    with pytest.raises(InvalidRuleError, match="not valid UTF-8"):
        render_prefix_rule(["cat", "\udcff"])


def test_a_network_rule_is_normalised_and_forbidden_is_written_deny() -> None:
    line = render_network_rule("API.Example.com:443", "https_connect", Decision.FORBIDDEN, "Deny https access")
    assert line == (
        'network_rule(host="api.example.com", protocol="https", decision="deny", justification="Deny https access")'
    )


def test_a_blank_justification_is_refused() -> None:
    with pytest.raises(InvalidRuleError, match="justification cannot be empty"):
        render_network_rule("example.com", "http", Decision.ALLOW, " ")


PATTERNS = st.builds(
    lambda first, rest, canonical: PrefixPattern(first, tuple(rest), canonical_matching=canonical),
    TEXT,
    st.lists(st.lists(TEXT, min_size=1, max_size=3).map(tuple), max_size=3),
    st.booleans(),
)
DECISIONS = st.sampled_from([Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN])
REASONS = st.none() | TEXT.filter(lambda text: text.strip() != "")
STATEMENTS = (
    st.builds(PrefixRule, PATTERNS, DECISIONS, REASONS)
    | st.builds(NetworkRule, st.sampled_from(["a.b", "::1", "a:443", "é"]), st.just("https"), DECISIONS, REASONS)
    | st.builds(HostExecutable, st.just("git"), st.lists(st.just("/opt/é/git"), max_size=1).map(tuple))
)


@given(STATEMENTS)
def test_a_rendered_statement_reads_back_as_itself(statement: PrefixRule | NetworkRule | HostExecutable) -> None:
    compiled = compile_sources([Source("x.rules", render(statement) + "\n")])
    assert list(compiled.statements) == [statement]
