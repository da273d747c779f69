"""Wildcards as opencode matches them: its documentation, and the regular expression that it builds."""

import re

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.permissions.tool_use import wildcard_match, wildcard_may_match
from tests.support.each import each

CASES = [
    # text, pattern, matches
    ("", "", True),
    ("a", "", False),
    ("", "*", True),
    ("anything at all\nwith lines", "*", True),
    ("file1.txt", "file?.txt", True),
    ("file12.txt", "file?.txt", False),
    ("file.txt", "file?.txt", False),
    ("foo+bar", "foo+bar", True),
    ("fooobar", "foo+bar", False),
    ("(a)[b]{c}^$|.", "(a)[b]{c}^$|.", True),
    ("axb", "a.b", False),
    ("ls", "ls *", True),
    ("ls -la", "ls *", True),
    ("ls foo bar", "ls *", True),
    ("ls ", "ls *", True),
    ("lstmeval", "ls *", False),
    ("lstmeval", "ls*", True),
    ("ls", "ls*", True),
    ("ls", "ls  *", False),
    ("ls ", "ls  *", True),
    ("ls", "ls **", False),
    ("git push", "git push *", True),
    ("git", "git push *", False),
    ("", " *", True),
    ("xls", "ls *", False),
    ("ls -la", "ls", False),
    ("my ls", "ls *", False),
    ("src/a/b.py", "src/*", True),
    ("src/a/b.py", "src/*.py", True),
    ("src/a/b.py", "*.py", True),
    ("src/", "src/*", True),
    ("src", "src/*", False),
    ("a/b/c", "a/**/c", True),
    ("a/c", "a/**/c", False),
    ("Bash", "bash", False),
    ("C:\\Windows\\System32\\*", "C:/Windows/System32/*", True),
    ("C:/Windows/System32/drivers", "C:\\Windows\\System32\\*", True),
    ("a?b", "a?b", True),
    ("ab", "a?b", False),
    ("abcab", "ab*ab", True),
    ("ab", "ab*ab", False),
    ("ab", "a*?", True),
    ("a", "a*?", False),
    ("ls\n", "ls", False),
    ("mcp_server_tool", "mcp_*", True),
]


@each(("text", "pattern", "matches"), CASES)
def test_seed_002_and_the_opencode_documentation(text: str, pattern: str, matches: bool) -> None:
    assert wildcard_match(text, pattern) is matches


def as_opencode_does(text: str, pattern: str) -> bool:
    text, pattern = text.replace("\\", "/"), pattern.replace("\\", "/")
    source = "".join({"*": ".*", "?": "."}.get(char, re.escape(char)) for char in pattern)
    if pattern.endswith(" *"):
        source = source[: -len("\\ .*")] + "( .*)?"
    return re.fullmatch(source, text, re.DOTALL) is not None


@given(st.text("ab /*?\\.\n", max_size=9), st.text("ab /*?\\.\n", max_size=7))
def test_equals_the_regular_expression_that_opencode_builds(text: str, pattern: str) -> None:
    assert wildcard_match(text, pattern) is as_opencode_does(text, pattern)


def test_a_pattern_of_many_stars_is_decided_at_once_where_a_regular_expression_would_not_end() -> None:
    assert not wildcard_match("a" * 5_000, "*a" * 40 + "b")


@given(st.text("ab*", max_size=4), st.text("ab?* ", max_size=5))
def test_what_a_pattern_may_match_beyond_a_beginning(start: str, pattern: str) -> None:
    """Some text that begins so is matched, or none: the shortest continuations are tried, and what the pattern itself
    ends with."""
    ends = ["", *[pattern[at:].replace("*", "").replace("?", "x") for at in range(len(pattern) + 1)]]
    assert wildcard_may_match(start, pattern) == any(wildcard_match(start + end, pattern) for end in ends)
