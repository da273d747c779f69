"""What functions of texts make of the constants of a program text."""

import pytest

from execpolicy.judge.evidence.words_in_code import with_made_words, words_in_code


@pytest.mark.parametrize(
    "text",
    [
        'substr("digital",2,3)',
        "string range agitx 1 3",
        '"agitx"[1:4]',
        '"agitx"[1..3]',
        "string map {X {}} gXiXt",
        '"g-i-t".replace("-", "")',
        'substitute("gXt", "X", "i", "")',
        '"g"."it"',
        '"gi" + "t"',
        '"".join(itertools.chain(*zip("gt", "i")))',
        '"g%st" % "i"',
        'sprintf("%cit", 103)',
        "tr/a-z/n-za-m/ 'tvg'",
        'chr(ord(c) - 1) for c in "hju"',
        r"\x67\x69\x74",
        r"\N{U+67}it",
        r"\N{LATIN SMALL LETTER G}it",
        r"\147it",
        r"\103it",
        "#{a:103}it",
        "#{l:g}it",
        "${(#):-103}it",
        "103, 105, 116",
        "join {g i t} {}",
        "array set o {prog git file x}; exec $o(prog)",
        "set(c git) ${c}",
        'reverse "tig"',
        "(vc-git-command nil)",
        "#define A(x,y) x##y\nA(g,it)",
        "cast(x'676974' as text)",
        "(S'git",
        '"agitx".slice(1, 4)',
        'substr("x agit y", 3)',
        '"ggiitt"[::2]',
        '`${"g"}it`',
        '("gXt"):gsub("X", "i")',
        "string trim xxgitxx x",
        "binary format H* 676974",
        "subst {g[set x i]t}",
        "string(CONCAT c gi t)",
        'c = "g"; c << "it"',
        "c=gi $(c)t",
        'string replace gxit 1 1 ""',
        '"gAit".translate({65:None})',
        'r = r substr("tig", i, 1)',
    ],
)
def test_the_word_is_found(text: str) -> None:
    assert "git" in words_in_code(with_made_words(text))


@pytest.mark.parametrize(
    "text",
    [
        'open(name, "g"); f("it")',  # two arguments
        'digital.replace("a", "b")',
        '"digital"[0:2]',
        "legit.split()",
        'x = "tvg"',  # nothing turns it
    ],
)
def test_what_no_function_makes_is_not(text: str) -> None:
    assert "git" not in words_in_code(with_made_words(text))


def test_a_long_text_is_left_as_it_is() -> None:
    text = '"g"."it" ' * 5_000
    assert with_made_words(text) == text


@pytest.mark.parametrize(
    "text", ['chr("\U0010ffff")', '"%c" % ²', "\\١٢٣ #{a:٩٩}", 'tr "\ud7ff" "\udfff"', '"x"[-:-]', '"ab"[::0]']
)
def test_odd_characters_are_no_error(text: str) -> None:
    words_in_code(with_made_words(text))
