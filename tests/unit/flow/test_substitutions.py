"""What patterns and edits of program texts make of other texts."""

import time
import warnings

import pytest

from execpolicy.flow.substitutions import Changes


@pytest.mark.parametrize(
    ("text", "program", "made"),
    [
        ("# git push\n", "s/^# //", "git push\n"),
        ("xit push", "s/x/g/", "git push"),
        ("xit push", "y/x/g/", "git push"),
        ("xit", '{gsub(/x/,"g")}1', "git"),
        ("X push", 's=open(p).read().replace("X","git")', "git push"),
        ("agitb", r"s/a\(.*\)b/\1/", "git"),
        ("agitb", r"s/a(.*)b/$1/", "git"),
        ("it", "s/.*/g&/", "git"),
        ("xit", r"s/x/\o147/", "git"),
        ("xit", r"s/x/\d103/", "git"),
        ("1git2", "s/[[:digit:]]//g", "git"),
        ("a.b", "%s/a/b/|x", "b.b"),
    ],
)
def test_an_edit(text: str, program: str, made: str) -> None:
    assert made in Changes([program]).edited(text)


def test_edits_one_after_the_other() -> None:
    assert Changes(["s/a/g/;s/b/i/", "s/c/t/"]).edited("abc")[-1] == "git"
    assert Changes(["print"]).edited("abc") == []


@pytest.mark.parametrize(
    ("text", "program", "made"),
    [
        ("xgit push", "/x(.*)/; system $1", "git push"),
        ("xgit push", "m{x(?<c>.*)}", "git push"),
        ("git12push", "-F[^a-z]+", "git push"),
        ("g1i2t p3ush", '{gsub(/[0-9]/,"")}', "git push"),
        ("gitxpush", 'BEGIN{FIELDWIDTHS="3 1:4"}', "git push"),
        ("agitb", "g.t", "git"),
        ("xgit", "regexp {x(.*)} xgit - m", "git"),
        ("git-x", 're.match("(.*)-", s)', "git"),
    ],
)
def test_a_match(text: str, program: str, made: str) -> None:
    assert made in list(Changes([program]).matched(text))


@pytest.mark.parametrize(
    "pattern",
    ["/(a|a)+b/", "/(a*)*b/", "/a*a*a*a*b/", "/.*.*x/", "/[[a--z]&&b]/", "/(/", "/a{99999999999}/", "/(?P<1>x)/"],
)
def test_what_may_take_long_or_is_no_pattern_is_not_tried(pattern: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        begun = time.process_time()
        list(Changes([pattern] * 50).matched("a" * 20_000))
        list(Changes([pattern] * 50).matched("a" * 90))
        Changes([f"s{pattern}x/"] * 50).edited("a" * 20_000)
        assert time.process_time() - begun < 1
