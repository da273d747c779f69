"""Formatting: canonical, idempotent, comments kept, meaning unchanged."""

import json
from pathlib import Path

import pytest
from hypothesis import strategies as st

from execpolicy.errors import RuleFileError
from execpolicy.formatting import format as formatter
from execpolicy.formatting.format import canonical_text, format_source, same_meaning, same_tokens
from execpolicy.lang.compile import compile_source
from execpolicy.lang.cst import SyntaxTree
from execpolicy.lang.parse import parse
from execpolicy.source import Source
from tests.support.each import drawn, each, share
from tests.support.programs import PROGRAMS, RULE_FILES

DATA = Path(__file__).parents[2] / "data"
GOLDEN = sorted((DATA / "formatting").glob("*.before"))
PEER = sorted({
    text
    for line in (DATA / "peer/codex_check.jsonl").read_text("utf-8").splitlines()
    for text in json.loads(line)["rules"]
})  # fmt: skip


def tree(text: str) -> SyntaxTree:
    return parse(Source("t.rules", text))


def comments(text: str) -> list[str]:
    return [comment.text.lstrip("#").strip() for comment in tree(text).comments()]


@pytest.mark.parametrize("before", GOLDEN, ids=lambda path: path.stem)
def test_golden_files(before: Path) -> None:
    after = before.with_suffix(".after").read_bytes().decode("utf-8")
    assert format_source(Source(before.name, before.read_bytes().decode("utf-8"))) == after
    assert format_source(Source(before.name, after)) == after


def loads(text: str) -> bool:
    try:
        compile_source(Source("t", text))
    except RuleFileError:
        return False
    return True


def assert_laid_out(text: str) -> None:
    try:
        parse(Source("t", text))
    except RuleFileError:
        assert not loads(text)
        return
    after = format_source(Source("t", text))
    assert format_source(Source("t", after)) == after
    assert comments(after) == comments(text)
    if loads(text):
        assert compile_source(Source("t", after)).statements == compile_source(Source("t", text)).statements


test_some_recorded_rule_files = each("text", PEER[::8])(assert_laid_out)
test_recorded_rule_files = pytest.mark.slow(each("text", PEER[:: share(6)])(assert_laid_out))


@drawn(20, 200, RULE_FILES)
def test_generated_rule_files(text: str) -> None:
    after = format_source(Source("t", text))
    assert format_source(Source("t", after)) == after
    assert compile_source(Source("t", after)).statements == compile_source(Source("t", text)).statements
    assert sorted(comments(after)) == sorted(comments(text))


@drawn(50, 500, PROGRAMS)
def test_generated_programs(text: str) -> None:
    try:
        before = tree(text)
    except RuleFileError:
        return
    after = tree(canonical_text(before))
    assert same_tokens(before, after)
    assert canonical_text(after) == after.source.text


@pytest.mark.parametrize(
    "text",
    [
        'prefix_rule(pattern=["git", "push"], decision="allow")\n',
        'prefix_rule(pattern=["' + '", "'.join(["word"] * 60) + '"], decision="allow")\n',
        'prefix_rule(pattern=["a\\u0001\\n\\"b\\\\"], decision="allow")\n',
        'prefix_rule(pattern=["' + "é" * 200 + '\\t"], decision="allow")\n',
        'network_rule(host="h", protocol="https", decision="deny", justification="'
        + f"Deny https_connect access to {'long.' * 20}example.com"
        + '")\n',
    ],
)
def test_what_amendments_write_is_canonical(text: str) -> None:
    assert canonical_text(tree(text)) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('prefix_rule(pattern=["a"])', 'prefix_rule(pattern=["b"])'),
        ("x = (a,)", "x = (a)"),
        ("x = a - -b", "x = a - b"),
        ("# c", ""),
        ("# c", "# d"),
        ('prefix_rule(pattern=["a"])', 'prefix_rule(pattern=["a"])\nprefix_rule(pattern=["a"])'),
    ],
)
def test_the_proof_sees_differences(before: str, after: str) -> None:
    assert not same_meaning(tree(before), tree(after))


def test_a_wrong_layout_is_never_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatter, "canonical_text", lambda tree: 'prefix_rule(pattern=["b"])\n')
    with pytest.raises(RuleFileError, match="would change what the file means"):
        format_source(Source("t", 'prefix_rule(pattern=[ "a"])\n'))


def test_a_text_that_is_no_rule_file_is_refused() -> None:
    with pytest.raises(RuleFileError, match="never closed"):
        format_source(Source("t", "x = ("))


def _rule(number: int, layout: int, quote: str, words: int) -> str:
    """One rule, in one of the layouts that people write."""
    tokens = ", ".join([f"{quote}word{number}-{at}{quote}" for at in range(words)])
    pattern = f"[{quote}tool{number}{quote}, [{tokens}]]"
    if layout == 0:
        return f'prefix_rule(pattern={pattern}, decision="prompt", justification="the reason of rule {number}")\n'
    if layout == 1:
        return f'prefix_rule(pattern = {pattern},decision="prompt")  # why {number}\n'
    if layout == 2:
        return f'prefix_rule(\n  pattern={pattern},\n  decision="prompt"\n)\n\n'
    return f"prefix_rule({pattern},\n    'prompt')\n"


LAYOUTS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["'", '"']), st.sampled_from([1, 3, 12, 30])), min_size=1, max_size=14
)


@drawn(15, 150, LAYOUTS)
def test_mixed_layouts_mean_the_same_and_settle_at_once(rules: list[tuple[int, str, int]]) -> None:
    text = "".join([_rule(number, *each) for number, each in enumerate(rules)])
    after = format_source(Source("t", text))
    assert format_source(Source("t", after)) == after
    assert compile_source(Source("t", after)).statements == compile_source(Source("t", text)).statements
    assert comments(after) == comments(text)


@drawn(
    5,
    60,
    st.lists(st.tuples(st.integers(0, 1), st.sampled_from(["'", '"']), st.sampled_from([1, 3, 12, 30])), min_size=6),
)
def test_a_file_with_a_rule_a_line_stays_one(rules: list[tuple[int, str, int]]) -> None:
    text = "".join([_rule(number, *each) for number, each in enumerate(rules)])
    assert format_source(Source("t", text)).count("\n") == text.count("\n")
    with_constant = 'READ = ["a", "b"]\n' + text + "prefix_rule(pattern=['git', READ])\n"
    assert format_source(Source("t", with_constant)).count("\n") == with_constant.count("\n")
