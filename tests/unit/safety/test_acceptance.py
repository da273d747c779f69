"""What a grammar accepts and refuses: options in every spelling, operands, words known only at run time."""

from __future__ import annotations

from typing import ClassVar

import pytest

from execpolicy.safety.entries import build_safe
from execpolicy.shell.words import Word
from tests.support.entries import dynamic, words_of

GLOB = {"many": True, "kind": "glob"}


def accepts(grammar: dict[str, object], *argv: str | Word) -> bool:
    entry = build_safe({"name": "x", "program": "x", "reason": "r", **grammar})
    return entry.judge(words_of("x", *argv))[0] is not None


OPTIONS: dict[str, object] = {
    "letters": "ab",
    "flags": "--all -name",
    "options": {"-n --number": "number", "-o": "any"},
    "optional_values": "-U --color",
    "numeric": True,
    "operands": "any",
}


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["-a"],
        ["-ab"],
        ["-abn5"],
        ["-abn", "5"],
        ["-n", "-5"],
        ["--number=5"],
        ["--number", "5"],
        ["--all", "x", "-b"],
        ["-name"],
        ["-U"],
        ["-U3"],
        ["--color"],
        ["--color=never"],
        ["-5"],
        ["-"],
        ["--", "-z", "--zzz"],
        ["-o", "x"],
    ],
)
def test_listed_options_are_accepted_in_every_spelling(argv: list[str]) -> None:
    assert accepts(OPTIONS, *argv)


@pytest.mark.parametrize(
    "argv",
    [
        ["-z"],
        ["-az"],
        ["--al"],
        ["--all=x"],
        ["--zzz"],
        ["--numbe=5"],
        ["-n"],
        ["-nx"],
        ["-n", "x"],
        ["--number=x"],
        ["-5x"],
        ["x", "-z"],
        ["-o", "-z"],
        ["-U", "--zzz"],
        ["-namex"],
    ],
)
def test_whatever_is_not_listed_is_refused(argv: list[str]) -> None:
    assert not accepts(OPTIONS, *argv)


def test_operands_are_counted() -> None:
    two = {"operands": 2, "letters": "c"}
    assert accepts(two, "a", "-c", "b")
    assert not accepts(two, "a", "b", "c")
    assert not accepts(two, "a", "--", "b", "-c")
    assert not accepts({"operands": "none"}, "a")
    assert accepts({"operands": ["any", "path*"]}, "a", "b", "c")
    assert not accepts({"operands": ["any", "path*"]})
    assert accepts({"operands": ["any", "any?"]}, "a")
    assert not accepts({"operands": ["path+"]})


def test_choices_can_be_counted_and_negated() -> None:
    grammar = {"operands": [["show", "list*"], "?"]}
    assert accepts(grammar)
    assert accepts(grammar, "listing")
    assert not accepts(grammar, "set")
    assert not accepts({"operands": [["!@*"], "+"]}, "a", "@b")


def test_the_first_operand_ends_the_options_where_they_do_not_permute() -> None:
    assert accepts({"letters": "a", "operands": "any", "permute": False}, "x", "-z")
    assert not accepts({"letters": "a", "operands": "any", "permute": False}, "-z", "x")


def test_options_first_refuses_what_systems_read_differently() -> None:
    first = {"letters": "a", "operands": "any", "options_first": True}
    assert accepts(first, "-a", "x")
    assert not accepts(first, "x", "-a")
    assert accepts(first, "x", "--", "-z")
    assert not accepts({"letters": "a", "operands": 1, "options_first": True}, "x", "--")


def test_programs_without_clusters() -> None:
    alone = {"flags": "-r -p -ps", "options": {"-c": "number"}, "clusters": False, "operands": 1}
    assert accepts(alone, "-r", "-ps", "-c", "8", "-c8", "x")
    assert not accepts(alone, "-rp")
    assert not accepts(alone, "-rc", "8", "x")


def test_programs_that_never_glue_a_value() -> None:
    apart = {"letters": "a", "options": "-L", "glued": False, "operands": "any"}
    assert accepts(apart, "-aL", "2", "x")
    assert not accepts(apart, "-L2")
    assert not accepts(apart, "-Lo", "2", "x")
    assert not accepts(apart, dynamic("-L2"))


def test_pairs_take_two_words() -> None:
    pairs = {"pairs": "--arg", "operands": ["literal"]}
    assert accepts(pairs, "--arg", "a", "b", ".")
    assert not accepts(pairs, "--arg", "a", ".")
    assert not accepts(pairs, "--arg=a", "b", ".")


def test_at_least_one_required_option() -> None:
    needs = {"flags": "-v -V", "requires": "-v -V", "operands": "any"}
    assert accepts(needs, "-v", "x")
    assert not accepts(needs, "x")
    assert not accepts(needs, "--", "-v")


def test_most_words_counts_everything() -> None:
    about = {"flags": "--version", "requires": "--version", "most_words": 1}
    assert accepts(about, "--version")
    assert not accepts(about, "--version", "--version")


def test_sub_commands_have_their_own_grammar_and_alternatives() -> None:
    grammar = {
        "options": "-C",
        "subcommands": {"status": {"letters": "s"}, "log show": [{"flags": "--all"}, {"operands": 1}]},
    }
    assert accepts(grammar, "-C", "x", "status", "-s")
    assert accepts(grammar, "show", "x")
    assert accepts(grammar, "log", "--all")
    assert not accepts(grammar, "log", "--all", "x")
    assert not accepts(grammar)
    assert not accepts(grammar, "push")
    assert not accepts(grammar, "-c", "x", "status")
    assert not accepts(grammar, dynamic())
    assert not accepts(grammar, "--", "push")


class TestDynamicWords:
    operands: ClassVar[dict[str, object]] = {
        "letters": "a",
        "options": {"-n": "any", "-k": "number"},
        "operands": "any",
    }

    def test_a_word_that_could_be_an_option_is_refused(self) -> None:
        assert not accepts(self.operands, dynamic())
        assert not accepts(self.operands, dynamic(many=True))
        assert not accepts(self.operands, dynamic(**GLOB))
        assert not accepts(self.operands, dynamic("-"))
        assert not accepts(self.operands, dynamic("-a"))
        assert not accepts(self.operands, dynamic(number=True))

    def test_a_word_that_surely_is_an_operand_is_fine(self) -> None:
        assert accepts(self.operands, dynamic("src/"))
        assert accepts(self.operands, dynamic(absolute=True))
        assert accepts(self.operands, dynamic("src/", **GLOB))
        assert accepts(self.operands, "--", dynamic())
        assert accepts(self.operands, "--", dynamic(many=True))

    def test_a_known_beginning_holds_for_the_first_field_only(self) -> None:
        assert not accepts(self.operands, dynamic("src/", many=True))
        assert not accepts(self.operands, dynamic("src/", many=True, absolute=True))
        assert not accepts(self.operands, dynamic("src/", many=True, kind="mixed"))

    def test_values_of_options_must_be_one_field(self) -> None:
        assert accepts(self.operands, "-n", dynamic())
        assert not accepts(self.operands, "-n", dynamic(many=True))
        assert accepts(self.operands, dynamic("-nx"))
        assert not accepts(self.operands, dynamic("-n"))  # were it empty, the next word would be the value
        assert not accepts(self.operands, "-k", dynamic())
        assert accepts(self.operands, "-k", dynamic(number=True))

    def test_long_options_with_a_dynamic_value(self) -> None:
        grammar = {"options": {"--glob": "any", "--when": ["now", "at*"]}, "flags": "--all"}
        assert accepts(grammar, dynamic("--glob="))
        assert not accepts(grammar, dynamic("--when=at"))  # it could climb: `at/../x`
        assert not accepts(grammar, dynamic("--when="))
        assert not accepts(grammar, dynamic("--glo"))
        assert not accepts(grammar, dynamic("--all"))
        assert not accepts(grammar, dynamic("--glob=", many=True))

    def test_where_operands_are_counted_a_word_must_be_one_word(self) -> None:
        one = {"operands": 1}
        assert accepts(one, dynamic("x"))
        assert not accepts(one, dynamic("x", **GLOB))
        assert not accepts(one, "--", dynamic(many=True))

    def test_anywhere_takes_everything_but_still_reads_what_is_known(self) -> None:
        anywhere = {"letters": "a", "operands": ["any?", "path*"], "dynamic": "anywhere"}
        assert accepts(anywhere, dynamic(many=True), dynamic("-"), "x")
        assert not accepts(anywhere, dynamic(many=True), "-z")
        assert not accepts(anywhere, dynamic(many=True), "/home/u/.ssh/id_rsa")

    def test_none_takes_no_dynamic_word_at_all(self) -> None:
        assert not accepts({"operands": "any", "dynamic": "none"}, dynamic("src/"))


@pytest.mark.parametrize(
    ("argv", "code", "at"),
    [
        (["-a", "-z"], "option", 2),
        (["-n", "x"], "value", 2),
        (["a", "--number=x"], "value", 2),
        ([dynamic()], "dynamic", 1),
    ],
)
def test_a_refusal_names_the_word_and_a_stable_code(argv: list[str | Word], code: str, at: int) -> None:
    entry = build_safe({"name": "x", "program": "x", "reason": "r", **OPTIONS})
    _, refused = entry.judge(words_of("x", *argv))
    assert refused is not None
    assert (refused.code, refused.at) == (code, at)
