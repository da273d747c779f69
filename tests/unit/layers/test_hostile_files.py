"""A rule file of a project that nobody trusts costs a check a few seconds at worst, and loosens nothing."""

import pytest

from execpolicy.core.path_rules import WriteRule, glob_matches
from execpolicy.errors import InvalidRuleError, RuleFileError
from execpolicy.judge.situation import Situation
from execpolicy.lang.compile import compile_source
from execpolicy.layers.load import _UNTRUSTED_LIMITS
from execpolicy.source import Source

HOSTILE = {
    "long examples": 'prefix_rule(pattern=["ls"], match=["ls " + "x " * 20000] * 200)\n',
    "long examples of an entry": (
        'safe_command(name="x", program="ls", reason="r", operands="path*", match=["ls " + "a " * 50000] * 50)\n'
    ),
    "a long glob": 'write_rule(paths=["./" + "*a" * 100000])\n',
    "many wildcards": 'write_rule(paths=["./" + "**/*a" * 500])\n',
    "long examples of a write rule": 'write_rule(paths=["./**"], match=["a" * 30000] * 10)\n',
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_costs_too_much_is_an_error(text: str) -> None:
    with pytest.raises(RuleFileError, match=r"at most|more than"):
        compile_source(Source("x.rules", text), limits=_UNTRUSTED_LIMITS)


def test_globs_take_one_step_for_each_component() -> None:
    path = "/" + "a/" * 400 + "b"
    assert glob_matches("/" + "**/a/" * 90 + "b", path)
    assert not glob_matches("/" + "**/a/" * 90 + "c", path)
    assert not glob_matches("/" + "**/*a*/" * 90 + "x", path)


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("/**", "/a/b", True),
        ("/**/b", "/b", True),
        ("/**/b", "/a/c/b", True),
        ("/a/**", "/a", True),
        ("/a/**/c", "/a/c", True),
        ("/a/*/c", "/a/c", False),
        ("/a/**/**/c", "/a/b/c", True),
        ("/**/a/**/a", "/a", False),
        ("/**/a/**/a", "/a/x/a", True),
        ("/a/b", "/a/b/c", False),
        ("/a/b/c", "/a/b", False),
    ],
)
def test_globs(glob: str, path: str, expected: bool) -> None:
    assert glob_matches(glob, path) == expected


def test_a_rule_says_what_is_too_long() -> None:
    with pytest.raises(InvalidRuleError, match="4,096 characters"):
        WriteRule(("/" + "a" * 5000,))


def test_a_path_that_is_too_deep_is_not_known() -> None:
    with pytest.raises(ValueError, match="deeper"):
        Situation("/srv").paths_of("a/" * 600 + "b")
