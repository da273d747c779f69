"""Who is asked, what replaces what, and why an opinion is what it is."""

from __future__ import annotations

import pytest

from execpolicy.programs.catalog import facts_of
from execpolicy.safety.entries import build_dangerous, build_safe
from execpolicy.safety.heuristics import Heuristics
from execpolicy.shell.read import read_script
from tests.support.entries import command_of, dynamic, opinion_on, script_of, words_of
from tests.support.judging import decision

LS = build_safe({"name": "ls", "program": "ls", "reason": "lists", "letters": "l", "operands": "any"})
FIND = build_safe({"name": "find", "program": "find", "reason": "looks", "operands": "any"})
TEST = build_safe({"name": "test", "program": ["test", "["], "reason": "compares", "expression": "test"})
RM = build_dangerous({"name": "rm", "program": "rm", "reason": "removes", "flags": ["-f --force"]})
ALL = Heuristics([LS, FIND, TEST, RM])


@pytest.mark.parametrize("program", ["ls", "/bin/ls", "/usr/bin/ls"])
def test_a_program_is_known_by_name_and_in_system_folders(program: str) -> None:
    assert opinion_on(ALL, program, "-l").verdict == "safe"


@pytest.mark.parametrize(
    "program", ["./ls", "/tmp/ls", "/usr/local/bin/ls", "../bin/ls", "/bin/../tmp/ls", "bin/ls", "~/ls"]
)
def test_another_path_is_another_program(program: str) -> None:
    opinion = opinion_on(ALL, program, "-l")
    assert (opinion.verdict, opinion.code) == ("unknown", "program-path")


def test_the_reason_for_unknown_is_stable() -> None:
    assert opinion_on(ALL, "nothing").code == "no-entry"
    assert opinion_on(ALL, dynamic()).code == "dynamic-program"
    assert opinion_on(ALL, "ls", "-z").code == "option"
    assert ALL.opinion(command_of(), facts_of(script_of())).code == "no-entry"
    shadowed = script_of(functions=frozenset(["ls"]))
    assert ALL.opinion(command_of("ls"), facts_of(shadowed)).code == "shadowed"


def test_an_opinion_names_its_entry() -> None:
    assert opinion_on(ALL, "ls").entry is LS
    assert opinion_on(ALL, "rm", "-f", "x").entry is RM
    assert opinion_on(ALL, "ls", "-z").entry is LS


def test_danger_goes_before_safety() -> None:
    both = Heuristics([LS, build_dangerous({"name": "d", "program": "ls", "reason": "r", "operands": "/*"})])
    assert opinion_on(both, "ls", "/etc").verdict == "dangerous"
    assert opinion_on(both, "ls", "src").verdict == "safe"


def test_a_later_entry_of_the_same_name_replaces_and_switches_off() -> None:
    other = build_safe({"name": "ls", "program": "ls", "reason": "none", "letters": "z"})
    replaced = Heuristics([LS, other])
    assert opinion_on(replaced, "ls", "-l").verdict == "unknown"
    assert opinion_on(replaced, "ls", "-z").verdict == "safe"
    off = Heuristics(
        [LS, RM, build_safe({"name": "ls", "disabled": True}), build_dangerous({"name": "rm", "disabled": True})]
    )
    assert off.entries == ()
    assert opinion_on(off, "rm", "-f", "x").verdict == "unknown"


def test_names_of_safe_and_dangerous_entries_are_apart() -> None:
    kept = Heuristics([RM, build_safe({"name": "rm", "disabled": True})])
    assert kept.entries == (RM,)


def test_what_another_shell_evaluates_of_a_condition_is_no_matter_of_its_entry() -> None:
    for shell in ("bash", "zsh", "ksh"):  # it is an effect, which holds for rules too: `programs/evaluating.py`
        assert opinion_on(ALL, "[", dynamic(), "-gt", "5", "]", shell=shell).verdict == "safe"


def test_zsh_evaluates_the_timeout_of_read() -> None:
    reads = Heuristics(
        [build_safe({"name": "r", "program": "read", "reason": "r", "options": "-t", "operands": "any"})]
    )
    assert opinion_on(reads, "read", "-t", dynamic(), "x").verdict == "safe"
    assert opinion_on(reads, "read", "-t", "5", "x", shell="zsh").verdict == "safe"
    assert opinion_on(reads, "read", "-t", dynamic(), "x", shell="zsh").verdict == "unknown"
    assert opinion_on(reads, "read", "-t", "a[$(date)]", "x", shell="zsh").verdict == "unknown"
    assert opinion_on(reads, "read", "-t", "PATH", "x", shell="zsh").verdict == "unknown"


@pytest.mark.parametrize("shell", ["sh", "ksh", "zsh"])
@pytest.mark.parametrize("option", ["-t", "-n", "-N", "-u", "-rn"])
def test_what_stands_behind_an_option_of_read_may_be_filled(option: str, shell: str) -> None:
    assert decision(f"echo . | {{ read {option} PATH y; ls; }}", shell=shell) == "prompt"
    assert decision(f"echo . | {{ read {option} 5 y; ls; }}", shell=shell) == "allow"


@pytest.mark.parametrize(
    "text", ["rm -f x", "/bin/rm -f x", "x=-f; rm $x y", "c=rm; $c -f x", "/bin/r[m] -f x", "r{m,} -f x", "rm x --fo"]
)
def test_danger_is_seen_through_paths_values_and_globs(text: str) -> None:
    script = read_script(text)
    assert "dangerous" in [ALL.opinion(command, facts_of(script)).verdict for command in script.commands]


def test_a_refusal_that_came_further_explains_better() -> None:
    two = Heuristics(
        [
            LS,
            build_safe(
                {"name": "about", "program": "ls", "reason": "r", "flags": "--version", "requires": "--version"}
            ),
        ]
    )
    assert opinion_on(two, "ls", "-l", "-z").entry is LS


def test_words_are_not_changed_by_looking() -> None:
    words = words_of("ls", "-l")
    ALL.opinion(command_of(*words), facts_of(script_of()))
    assert [word.literal for word in words] == ["ls", "-l"]


PAGED = """safe_command(name="o", program="O", piped="--no-pager O_PAGER=", environment={"O_PAGER": ["cat"]},
    reason="asks", flags="--no-pager", options={"-v": ["*", "!-*"]}, operands="any*")"""


@pytest.mark.parametrize("script", ["O | cat", "O --no-pager", "O x --no-pager", "O_PAGER=cat O", "x=$(O)"])
def test_a_pager_that_is_turned_off(script: str) -> None:
    assert decision(script, PAGED) == "allow"


@pytest.mark.parametrize(
    "script",
    [
        "O",
        "O_PAGER=less O",
        "O_PAGER+=cat O",
        "O_PAGER[0]=cat O",
        "O_PAGER=cat; O",
        'O_PAGER="$x" O',
        "PAGER=cat O",
        "O -v --no-pager",
        "O_PAGER=cat x; O",
        "O --no-page",
        "O O_PAGER=",
        "O -- --no-pager",
        'O "$x"',
    ],
)
def test_a_pager_that_may_run(script: str) -> None:
    assert decision(script, PAGED) == "prompt"
