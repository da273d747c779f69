"""Laws of the option language: a grant reads a word in one of the ways in which a restriction reads it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.programs.options import (
    VALUES,
    OptionReading,
    Options,
    every_option,
    option_table,
    readings,
    splits,
    sure_reading,
    walk,
)
from execpolicy.shell.words import Word
from execpolicy.source import Span
from tests.support.each import drawn

SPAN = Span(0, 0)
LETTERS = st.sampled_from(["-a", "-b", "-c", "-5"])
LONGS = st.sampled_from(["--all", "--also", "--a", "--bee"])
ODD = st.sampled_from(["-name", "-ab", "-cx"])
KINDS = st.sampled_from(sorted(set(VALUES) - {"unknown"}))
FACTS = st.fixed_dictionaries({name: st.booleans() for name in ("numeric", "clusters", "glued", "permute")})
PLAIN = st.builds(
    lambda kinds, facts: Options(kinds, **facts), st.dictionaries(st.one_of(LETTERS, LONGS), KINDS), FACTS
)
TABLES = st.builds(
    lambda kinds, facts: Options(kinds, **facts), st.dictionaries(st.one_of(LETTERS, LONGS, ODD), KINDS), FACTS
)
TEXTS = st.one_of(
    st.text(alphabet="abcx5=-+", min_size=1, max_size=5).map(lambda text: "-" + text),
    st.sampled_from(["--all", "--al", "--a", "--also=x", "--bee=", "-name", "-name=x", "-na", "--zzz", "-55", "-cx"]),
).filter(lambda text: text != "--")
WORDS = st.lists(st.one_of(TEXTS, st.sampled_from(["x", "y", "--", "-", "A=1", None])), max_size=5)


def words_of(texts: list[str | None]) -> list[Word]:
    return [Word(text, SPAN, many=text is None, kind="literal" if text is not None else "variable") for text in texts]


@drawn(60, 400, TABLES, TEXTS)
def test_the_exact_reading_is_one_of_the_readings(table: Options, text: str) -> None:
    sure = sure_reading(table, text)
    if isinstance(sure, tuple):
        return
    shown = [([one.name for one in each.given], each.given[-1].glued, each.takes) for each in readings(table, text)]
    assert ([one.name for one in sure.given], sure.given[-1].glued, sure.takes) in shown


@given(TABLES, TEXTS)
def test_there_is_always_a_reading(table: Options, text: str) -> None:
    assert all(each.given for each in readings(table, text))
    assert readings(table, text)


@given(PLAIN, TEXTS, WORDS, st.integers(0, 2))
def test_an_unlisted_option_is_accepted_less_and_looked_through_more(
    table: Options, text: str, words: list[str | None], operands: int
) -> None:
    found = set(walk(table, words_of(words), 0, operands=operands).starts)
    for name in table.kinds:
        if name == "-5" and table.numeric:
            continue
        fewer = Options(
            {each: kind for each, kind in table.kinds.items() if each != name},
            numeric=table.numeric,
            clusters=table.clusters,
            glued=table.glued,
            permute=table.permute,
        )
        assert isinstance(sure_reading(table, text), OptionReading) or isinstance(sure_reading(fewer, text), tuple)
        assert found <= set(walk(fewer, words_of(words), 0, operands=operands).starts)


@drawn(60, 400, TABLES, TEXTS, st.text(alphabet="abcx5=-", max_size=4))
def test_what_the_beginning_of_a_word_says_holds_for_every_rest(table: Options, text: str, rest: str) -> None:
    begun = sure_reading(table, text, whole=False)
    if isinstance(begun, OptionReading):
        whole = sure_reading(table, text + rest)
        assert isinstance(whole, OptionReading)
        assert [one.name for one in whole.given] == [one.name for one in begun.given]
        assert whole.takes == begun.takes


@given(TABLES, WORDS)
def test_what_a_walk_sees_is_among_every_option(table: Options, words: list[str | None]) -> None:
    everything = {(option.at, option.name) for option in every_option(table, words_of(words), 0).seen}
    assert {(option.at, option.name) for option in walk(table, words_of(words), 0).seen} <= everything


@given(TABLES, WORDS)
def test_a_split_keeps_every_operand_that_is_none_for_sure(table: Options, words: list[str | None]) -> None:
    texts = [text for text in words if text is not None]
    for options, operands in splits(table, texts):
        assert len(operands) <= len(texts)
        assert options or "-" not in {text[:1] for text in texts if len(text) > 1} or "--" in texts


@given(TABLES)
def test_the_notation_says_what_a_table_holds(table: Options) -> None:
    facts = [f"@{name}" for name in ("numeric", "permute") if getattr(table, name)]
    read = option_table(" ".join([*[name + kind for name, kind in table.kinds.items()], *facts]))
    assert read.kinds == table.kinds
    assert (read.numeric, read.permute) == (table.numeric, table.permute)
