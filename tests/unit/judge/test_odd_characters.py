"""A script with characters that no argument holds, or that shells use themselves: opaque, and read all the same."""

import pytest

from tests.support.judging import decision, verdict

RULES = 'prefix_rule(pattern=["evil"], decision="forbidden")\nprefix_rule(pattern=[["A", "bash", "sh", "cat"]])\n'
ODD = {"NUL": "\0", "control": "\x01", "delete": "\x7f", "half a pair": "\ud800", "a byte": "\udcff"}
HALVES = {"first": "\ud800", "second": "\udfff", "behind a byte": "\udc80\ud800"}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize(
    "script",
    [
        "evil x; A {}",
        "A '{}'\nevil x",
        "x='{}' evil y",
        "x='{}' y=\"b\" 'evil' z",
        "x[1]='{}' evil y",
        "x=$y{} evil y",
        "2> '{}' evil y",
        "3>> out/{} evil y",
        "x=ev; y=il; $x$y {}",
        "bash <<E\nA {}\nevil\nE",
        "echo evil | sh; A {}",
        "x='evil {}'; $x",
        "sh -c 'A {}; evil'",
        "$(echo evil) {}",
    ],
)
def test_what_is_forbidden_beside_it_is_found(script: str, odd: str) -> None:
    found = verdict(script.format(odd), RULES)
    assert found.decision.word == "forbidden"
    assert not [block for block in found.blocks if block.code == "internal-error"]


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize(
    "script", ["A {}", "{}", "echo x > {}", "cd {}; ls", "x={}", "ls {}", "A {} | sh", "cat <<E\n{}\nE"]
)
def test_and_nothing_is_granted(script: str, odd: str) -> None:
    assert decision(script.format(odd), RULES + 'write_rule(paths=["./**"])\n') == "prompt"


@pytest.mark.parametrize(
    "script",
    [
        "ev\0il x",
        "'ev\0il' x",
        "\0evil",
        "evil\0",
        "A; ev\0i\0l",
        "bash -c 'ev\0il x'",
        "x[$'\\U00110000']=1; $(ev\0il x)",
        "A <<E\0\nE\nevil",
    ],
)
def test_shells_drop_a_nul(script: str) -> None:
    """bash, dash, mksh and busybox do, where they read a script from a file or from their input."""
    assert decision(script, RULES) == "forbidden"


@pytest.mark.parametrize("script", ["evil\0y x", "'evil\0y' x", "A; evil\0", "command evil\0x"])
def test_zsh_cuts_a_word_at_a_nul(script: str) -> None:
    assert decision(script, RULES, shell="zsh") == "forbidden"


def test_what_is_reported_stands_where_it_stood() -> None:
    found = verdict("A \0x; \0ev\0il y", RULES)
    spans = [found.script.text[one.command.span.start : one.command.span.end] for one in found.commands]
    assert "ev\0il y" in [text.lstrip("\0") for text in spans]


@pytest.mark.parametrize(
    "script",
    [
        "echo \"$(( echo 'evil y' ) > f; sh f)\"",
        "echo \"$((echo 'evil y') | sh)\"",
        "((echo 'evil y'); A) | sh",
        "x=$((echo 'evil y') | sh)",
        "echo $(( (1+2) * 'x' )); evil y",
        "(( 'a' )); evil y",
    ],
)
def test_two_parentheses_may_begin_a_subshell(script: str) -> None:
    assert decision(script, RULES) == "forbidden"


@pytest.mark.parametrize(
    "script", ["shopt -s nullglob; D b? bad", "D b* bad", "D ./* bad x", "D b? x* worse", "git -C b? x push"]
)
def test_a_pattern_may_be_no_word(script: str) -> None:
    """With ``nullglob`` it is none where it finds nothing, and that may have been set elsewhere."""
    allowed = 'prefix_rule(pattern=["D"])\nprefix_rule(pattern=["git"])\n'
    forbidden = (["D", "bad"], ["D", "x", "worse"], ["git", "push"])
    rules = allowed + "".join([f'prefix_rule(pattern={each}, decision="forbidden")\n' for each in forbidden])
    assert decision(script, rules) == "prompt"


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES)
@pytest.mark.parametrize(
    "script",
    [
        "exec <> a; grep -c one '{0}'",
        "exec <> a && sed 's/{0}/b/'",
        "exec < a; cut -d '{0}' -f 1",
        "exec 3< a; tr '{0}' b <&3",
        "cat <<< '{0}' | rev | paste -d '{0}'",
        "printf '%s{0}' a | awk '{{print}}' | sort -t '{0}' | sh",
        "patch -p1 '{0}' <<< x; cat '{0}' | sh",
        "echo '{0}' > f; sed -i 's/a/{0}/' f; sh f",
        "date '+{0}' | sh",
    ],
)
def test_half_a_pair_of_surrogates_is_read_wherever_it_stands(script: str, half: str) -> None:
    found = verdict(script.format(half), RULES)
    assert [block.detail for block in found.blocks if block.code == "internal-error"] == []
