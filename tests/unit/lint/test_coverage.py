"""What is said to decide nothing can be deleted, all of it at once, and no command is decided differently."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from execpolicy.core.decision import Decision
from execpolicy.core.policy import Policy
from execpolicy.lang.compile import compile_source
from execpolicy.lint.config import Settings
from execpolicy.lint.coverage import idle_alternatives, idle_rules
from execpolicy.lint.fixes import apply_fixes, same_decisions
from execpolicy.lint.lint_run import fixed, lint, load_project
from execpolicy.source import Source
from tests.support.each import drawn

TOKENS = ["a", "A", "b"]
COMMANDS = [argv for length in (1, 2, 3) for argv in product(TOKENS, repeat=length)]

ELEMENTS = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=3).map(
    lambda some: f'"{some[0]}"' if len(some) == 1 else "[" + ", ".join(f'"{token}"' for token in some) + "]"
)
RULES = st.builds(
    lambda elements, decision, folded: (
        f'prefix_rule(pattern=[{", ".join(elements)}], decision="{decision}"'
        f"{', canonical_matching=True' if folded else ''})\n"
    ),
    st.lists(ELEMENTS, min_size=1, max_size=3),
    st.sampled_from(["allow", "prompt", "forbidden"]),
    st.booleans(),
)
TEXTS = st.lists(RULES, max_size=7).map("".join)


def decisions(*texts: str) -> list[Decision | None]:
    statements = [each for text in texts for each in compile_source(Source("t", text)).statements]
    policy = Policy.of(statements)  # type: ignore[arg-type]  # only prefix rules are generated
    return [policy.check(argv).decision for argv in COMMANDS]


@drawn(20, 200, TEXTS, TEXTS)
def test_all_idle_rules_can_go_at_once(one: str, other: str) -> None:
    project = load_project([(None, Source("one", one)), (None, Source("other", other))])
    idle = {at for at, each in idle_rules(project).items() if not each.by_meaning}  # Codex knows only words
    narrowed = {
        (part.entry.index, part.position, part.token) for part in idle_alternatives(project) if not part.by_meaning
    }
    kept = []
    for entry in project.entries:
        if entry.index in idle:
            continue
        positions = [
            [token for token in tokens if (entry.index, at, token) not in narrowed]
            for at, tokens in enumerate(entry.rule.pattern.positions())
        ]
        pattern = ", ".join("[" + ", ".join(f'"{token}"' for token in tokens) + "]" for tokens in positions)
        kept.append(
            f'prefix_rule(pattern=[{pattern}], decision="{entry.rule.decision.word}", '
            f"canonical_matching={entry.rule.pattern.canonical_matching})\n"
        )
    assert decisions("".join(kept)) == decisions(one, other)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(TEXTS)
def test_nothing_idle_is_left_after_deleting(text: str) -> None:
    project = load_project([(None, Source("t", text))])
    for index, idle in idle_rules(project).items():
        rule = project.entries[index].rule
        assert idle.by
        assert all(other.rule.decision >= rule.decision for other in idle.by)
        assert index not in [other.index for other in idle.by]


@drawn(15, 60, TEXTS)
def test_safe_fixes_change_no_decision(text: str) -> None:
    (after,) = fixed([(None, Source("t", text))], Settings(), frozenset(("safe",)))
    assert decisions(after.text) == decisions(text)
    (again,) = fixed([(None, after)], Settings(), frozenset(("safe",)))
    assert again.text == after.text


@settings(max_examples=100, deadline=None, derandomize=True)
@given(TEXTS, TEXTS)
def test_the_proof_agrees_with_trying_every_command(one: str, other: str) -> None:
    if same_decisions(Source("t", one), Source("t", other), []):
        assert decisions(one) == decisions(other)


def test_the_proof_holds_for_equal_policies_and_sees_other_statements() -> None:
    split = 'prefix_rule(pattern=["a", "b"])\nprefix_rule(pattern=["a", "c"])\n'
    joined = 'prefix_rule(pattern=["a", ["c", "b"]])\n'
    assert same_decisions(Source("t", split), Source("t", joined), [])
    host = 'host_executable(name="a", paths=[])\n'
    assert not same_decisions(Source("t", split), Source("t", joined + host), [])
    assert not same_decisions(Source("t", split), Source("t", "x = ("), [])


def test_of_two_fixes_that_overlap_the_first_is_applied() -> None:
    text = 'prefix_rule(pattern=["git", ["a", "a", "a"]])\n'
    found = lint(load_project([(None, Source("t", text))]), Settings(select=("EP101",)))
    assert len(found) == 2
    once = apply_fixes(text, found, frozenset(("safe",)))
    assert once in ('prefix_rule(pattern=["git", ["a", "a"]])\n', 'prefix_rule(pattern=["git", ["a"]])\n')
