import pytest

from execpolicy.flow.matched import matched


@pytest.mark.parametrize(
    ("text", "expression", "found"),
    [
        ("rm", ".*", ["rm"]),
        ("xrmy", "x(..)y", ["xrmy", "rm"]),
        ("git push", r"([a-z]+)[[:space:]]([a-z]+)", ["git push", "git", "push"]),
        ("a", "b", []),
        ("rm x", "(?i)RM", ["rm x", "rm", "x"]),
        ("rm x", "(", ["rm x", "rm", "x"]),
        ("rm x", "[[:nosuch:]]", ["rm x", "rm", "x"]),
    ],
)
def test_groups_or_the_words_of_the_text(text: str, expression: str, found: list[str]) -> None:
    assert matched(text, expression) == found


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("a" * 40 + "!", "(a+)+$"),
        ("a" * 40 + "!", "(a|a)" * 40 + "$"),
        ("a" * 400 + "!", "a*a*a*a*b"),
        ("a" * 40, "(a?)" * 40 + "b"),
        ("a" * 4, "(a{1,4}){1,40}b"),
        ("ab", "(|a|b)" * 60 + "c"),
        ("a" * 100_000, "a{60000}b"),
    ],
)
def test_an_expression_that_tries_everything_is_not_followed(text: str, expression: str) -> None:
    assert matched(text, expression) is not None
