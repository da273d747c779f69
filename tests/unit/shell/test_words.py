"""What a word says about itself: its pieces answer what would otherwise be cut out of the source text."""

from __future__ import annotations

import pytest

from execpolicy.shell.read import read_script
from execpolicy.shell.words import Word, quote_word


def word(source: str) -> Word:
    """The word behind ``A``."""
    return read_script(f"A {source}").commands[0].words[1]


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("x", "x"),
        ('"rm -rf $x"', "rm -rf $x"),
        ("'$x'$y", "$x$y"),
        ('"${x:-"a b"}"', '${x:-"a b"}'),
        ('a\\ "$(echo ")")"', 'a $(echo ")")'),
        ("$((1 + 2))p", "$((1 + 2))p"),
        ("`pwd`/x", "`pwd`/x"),
        ("$'a\\nb'$x", "a\nb$x"),
        ("<(ls)", "<(ls)"),
        ("${x[1]}$@", "${x[1]}$@"),
    ],
)
def test_written_has_no_quotes_and_all_expansions(source: str, written: str) -> None:
    assert word(source).written == written


@pytest.mark.parametrize(
    ("source", "kind", "name"),
    [
        ("$x", "variable", "x"),
        ('"${x}"', "variable", "x"),
        ('""$x""', "variable", "x"),
        ('"$@"', "variable", "@"),
        ("${x[1]}", "variable", "x"),
        ("$(pwd)", "substitution", ""),
        ('"`pwd`"', "substitution", ""),
        ("$((1))", "arithmetic", ""),
    ],
)
def test_alone_is_the_one_expansion(source: str, kind: str, name: str) -> None:
    alone = word(source).alone
    assert alone is not None
    assert (alone.kind, alone.name) == (kind, name)


@pytest.mark.parametrize("source", ["x", "$x$y", "$x.", "a$(pwd)", "$(a)$(b)", '"$x y"', "*"])
def test_a_word_of_several_parts_is_not_one_expansion(source: str) -> None:
    assert word(source).alone is None


@pytest.mark.parametrize(
    ("source", "beginning", "ending"),
    [
        ("a=$x", "a=", ""),
        ('"a="b$x/c"d"', "a=b", "/cd"),
        ("$x/bin/rm", "", "/bin/rm"),
        ("-j$(nproc)", "-j", ""),
        ("plain", "plain", "plain"),
    ],
)
def test_the_ends_of_a_word(source: str, beginning: str, ending: str) -> None:
    assert (word(source).beginning, word(source).ending) == (beginning, ending)


@pytest.mark.parametrize(
    ("source", "shape"),
    [("~/$x.txt", "~/*.txt"), ("'*'$x", "\\**"), ("a?[bc]", "a?[bc]"), ("$x", "*"), ("'a*b'", "a\\*b")],
)
def test_shape_is_a_pattern(source: str, shape: str) -> None:
    assert word(source).shape == shape


@pytest.mark.parametrize(
    ("source", "behind"), [("A=1", "1"), ('A="$x y"', "$x y"), ('"A="$x', "$x"), ("A=$(pwd)/x", "$(pwd)/x"), ("A=", "")]
)
def test_behind_a_name_is_its_value(source: str, behind: str) -> None:
    assert word(source).behind(2).written == behind


@pytest.mark.parametrize(
    ("source", "again"),
    [("a", "a"), ("'a b'", "'a b'"), ('"$x"', '"$x"'), ("$x/'a b'", "$x/'a b'"), ("*.c$x", "*.c$x")],
)
def test_respelt_means_the_same(source: str, again: str) -> None:
    assert quote_word(word(source)) == again
