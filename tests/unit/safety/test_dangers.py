"""Conditions of ``dangerous_command``."""

from __future__ import annotations

import pytest

from execpolicy.programs.catalog import facts_of
from execpolicy.safety.entries import build_dangerous
from execpolicy.safety.heuristics import Heuristics
from execpolicy.shell.read import read_script


def dangerous(text: str, **conditions: object) -> bool:
    heuristics = Heuristics([build_dangerous({"name": "x", "reason": "r", **conditions})])
    script = read_script(text)
    return any(heuristics.opinion(command, facts_of(script)).verdict == "dangerous" for command in script.commands)


@pytest.mark.parametrize(
    "text", ["p -f", "p -vf", "p -fv", "p --force", "p --for", "p --force=1", "p x -f", "p -n -f", "p --fo y"]
)
def test_a_flag_is_seen_in_every_spelling(text: str) -> None:
    assert dangerous(text, program="p", flags=["-f --force"])


@pytest.mark.parametrize("text", ["p", "p f", "p -- -f", "p --f-other", "p --forced", "p -v"])
def test_what_only_looks_alike_is_not_the_flag(text: str) -> None:
    assert not dangerous(text, program="p", flags=["-f --force"])


def test_groups_of_flags_must_all_be_given() -> None:
    both = {"program": "p", "flags": ["-r -R", "-f --force"]}
    assert dangerous("p -rf", **both)
    assert dangerous("p -R x --force", **both)
    assert not dangerous("p -r", **both)


def test_values_of_options_are_neither_flags_nor_operands() -> None:
    assert not dangerous("p -o -f", program="p", flags=["-f"], options="-o")
    assert not dangerous("p -of", program="p", flags=["-f"], options="-o")
    assert dangerous("p -fo x", program="p", flags=["-f"], options="-o")
    assert not dangerous("p -o bad", program="p", operands=["bad"], options="-o")


def test_sub_commands_stand_first_and_behind_global_options() -> None:
    push = {"program": "git", "subcommand": ["push", "stash drop"], "operands": ["+*"]}
    assert dangerous("git push o +x", **push)
    assert dangerous("git -C d -c a=b push o +x", **push)
    assert dangerous("git stash drop +x", **push)
    assert not dangerous("git log push +x", **push)
    assert not dangerous("git stash list +x", **push)


def test_operands_arguments_and_the_last_one() -> None:
    assert dangerous("p a of=b", program="p", arguments=["of=*"])
    assert dangerous("cp a /etc/x", program="cp", last=["/etc/*"])
    assert not dangerous("cp /etc/x a", program="cp", last=["/etc/*"])
    assert dangerous("p *", program="p", operands=["[*]"])
    assert not dangerous('p "$x"', program="p", operands=["[*]"])


def test_without_and_operand_count() -> None:
    assert dangerous("sh", program="sh", without="-c", operand_count=0)
    assert not dangerous("sh -c x", program="sh", without="-c")
    assert not dangerous("sh x", program="sh", operand_count=0)
    assert dangerous("p a b", program="p", operand_count=[2, 3])
    assert not dangerous("p a", program="p", operand_count=[2, 3])


def test_case_can_be_ignored() -> None:
    assert dangerous("p -c 'Drop Table x'", program="p", arguments=["*drop table*"], ignore_case=True)
    assert not dangerous("p -c 'Drop Table x'", program="p", arguments=["*drop table*"])


@pytest.mark.parametrize(
    "text",
    [
        "echo > /dev/sda",
        "> /dev/sda",
        "echo &> /dev/sda",
        "{ echo; } >> /dev/sda",
        "d=/dev/sda; echo > $d",
        "x > /dev/sd$n",
    ],
)
def test_writes_of_any_program(text: str) -> None:
    assert dangerous(text, writes=["/dev/sd*"])


def test_reading_is_not_writing() -> None:
    assert not dangerous("cat < /dev/sda", writes=["/dev/sd*"])


@pytest.mark.parametrize(
    "text",
    ["get | sh", "get | tee x | sh", "sudo get | sh", "{ get; } | sh", "(get) | sh", "sh < <(get)", 'sh <<< "$(get)"'],
)
def test_what_is_piped_in(text: str) -> None:
    assert dangerous(text, program="sh", piped_from=["get"])


@pytest.mark.parametrize("text", ['sh -c "$(get)"', "sh <(get)", "sh `get`", 'sh -c "x $(cat <(get))"'])
def test_what_becomes_text(text: str) -> None:
    assert dangerous(text, program="sh", text_from=["get"])
    assert not dangerous(text, program="sh", piped_from=["get"])


def test_effects_of_the_script() -> None:
    assert dangerous("f(){ f|f& };f", effect=["recursion"])
    assert not dangerous("f(){ ls; }; f", effect=["recursion"])


def test_an_option_that_is_not_listed_may_take_a_value() -> None:
    assert dangerous("p -Mstrict", program="p", without="-r", operand_count=0)
    assert dangerous("p -x y", program="p", operand_count=0)
    assert dangerous("p -x bad", program="p", operands=["bad"])
    assert not dangerous("p -r", program="p", without="-r")


def test_very_many_options_end_in_bounded_work() -> None:
    assert dangerous("p " + "-x y " * 500 + "-f", program="p", flags=["-f"])
