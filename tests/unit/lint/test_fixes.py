"""Applying edits."""

from hypothesis import given, settings
from hypothesis import strategies as st

from execpolicy.diagnostics.model import Diagnostic, Edit, Fix
from execpolicy.lint.fixes import apply_fixes
from execpolicy.source import Span

TEXT = "0123456789"
EDITS = st.tuples(st.integers(0, 10), st.integers(0, 4), st.sampled_from(["", "x", "yy"])).map(
    lambda e: Edit(Span(e[0], min(10, e[0] + e[1])), e[2])
)


def finding(*edits: Edit) -> Diagnostic:
    fix = Fix(title="t", edits=edits, applicability="safe")
    return Diagnostic(code="EP201", message="m", path="p", fix=fix)


def by_hand(edits: list[Edit]) -> str:
    """Apply one after the other, from the end; of two that overlap, only the earlier in the list."""
    chosen: list[Edit] = []
    for edit in edits:
        mine = set(range(edit.span.start, edit.span.end))
        if all(
            not mine & set(range(other.span.start, other.span.end))
            and edit.span.start != other.span.start
            and not other.span.start < edit.span.start < other.span.end
            and not edit.span.start < other.span.start < edit.span.end
            for other in chosen
        ):
            chosen.append(edit)
    text = TEXT
    for edit in sorted(chosen, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.lists(EDITS, max_size=6))
def test_edits_are_applied_as_by_hand(edits: list[Edit]) -> None:
    assert apply_fixes(TEXT, [finding(edit) for edit in edits], frozenset(("safe",))) == by_hand(edits)


def test_the_edits_of_one_fix_go_together() -> None:
    both = finding(Edit(Span(0, 1), "a"), Edit(Span(5, 6), "b"))
    other = finding(Edit(Span(5, 7), "-"))
    assert apply_fixes(TEXT, [both, other], frozenset(("safe",))) == "a1234b6789"
    assert apply_fixes(TEXT, [other, both], frozenset(("safe",))) == "01234-789"


def test_only_trusted_fixes_are_applied() -> None:
    assert apply_fixes(TEXT, [finding(Edit(Span(0, 1), ""))], frozenset(("unsafe",))) == TEXT
