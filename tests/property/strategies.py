"""Generated tokens, rules and policies."""

from hypothesis import strategies as st

from execpolicy.core.decision import Decision
from execpolicy.core.pattern import PrefixPattern
from execpolicy.core.policy import Policy
from execpolicy.core.rules import PrefixRule

TOKENS = st.sampled_from(["git", "Git", "push", "-f", "é", "e\u0301", ""])


def commands() -> st.SearchStrategy[list[str]]:
    """Short argvs over a small alphabet, so that rules match often."""
    return st.lists(TOKENS, min_size=1, max_size=4)


@st.composite
def rules(draw: st.DrawFn) -> PrefixRule:
    """One prefix rule."""
    rest = draw(st.lists(st.lists(TOKENS, min_size=1, max_size=2).map(tuple), max_size=2))
    pattern = PrefixPattern(draw(TOKENS), tuple(rest), canonical_matching=draw(st.booleans()))
    decision = draw(st.sampled_from([Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN]))
    return PrefixRule(pattern, decision, draw(st.none() | st.just("why")))


def policies() -> st.SearchStrategy[Policy]:
    """Policies of a few rules."""
    return st.lists(rules(), max_size=5).map(Policy)
