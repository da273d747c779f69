"""jq programs, find expressions, conditions, printf formats, variable names."""

from __future__ import annotations

import pytest

from execpolicy.safety.languages import expressions, find
from execpolicy.safety.languages.formats import date_refusal, variable_refusal
from execpolicy.safety.languages.jq import program_refusal
from execpolicy.shell.words import Word
from tests.support.entries import dynamic, words_of
from tests.support.judging import decision


@pytest.mark.parametrize(
    "text",
    [
        ".",
        ".env",
        ".a.env",
        '."env"',
        '.["env"]',
        "$environment",
        '"env"',
        '"\\(.a) env"',
        "keys|length",
        ".[] | select(.a > 1)",
        "now",
    ],
)
def test_jq_programs_that_read_their_input_only(text: str) -> None:
    assert program_refusal(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "env",
        "$ENV",
        "$ENV.PATH",
        "env.PATH",
        ".a|env",
        '"\\(env)"',
        '"\\("\\(env)")"',
        "{env}",
        "input|env",
        'import "a" as a; .',
        'include "a"; .',
        "modulemeta",
        '"',
        '"\\(',
        "# env",
        "[.,env]",
        "1.env",
        "..env",
    ],
)
def test_jq_programs_that_read_more(text: str) -> None:
    assert program_refusal(text) is not None


def finds(*argv: str | Word) -> bool:
    return find.refusal(words_of(*argv), 0) is None


def test_find_predicates_that_look() -> None:
    assert finds()
    assert finds(".", "src", "-name", "*.py")
    assert finds("-L", ".", "(", "-type", "f", "-o", "-empty", ")", "!", "-newermt", "x", "-printf", "%p")
    assert finds(".", "-name", "-delete")


@pytest.mark.parametrize(
    "predicate",
    [
        "-delete",
        "-ok",
        "-okdir",
        "-fprint",
        "-fprint0",
        "-fprintf",
        "-fls",
        "-files0-from",
        "-D",
        "--",
        "-dele",
        "--delete",
        "-newerxx",
    ],
)
def test_find_predicates_that_are_not_listed(predicate: str) -> None:
    assert not finds(".", predicate)
    assert not finds(".", "-name", "x", predicate, "x", ";")
    assert not finds(predicate, "x")


@pytest.mark.parametrize(
    "expression",
    [
        ["-exec", "wc", "{}", ";"],
        ["-name", "x", "-exec", "wc", "-l", "{}", "+"],
        ["-exec", "echo", "+", ";", "-exec", "wc", "{}", "+", "-print"],
        ["(", "-exec", "grep", "-q", "x", "{}", ";", ")", "-print"],
    ],
)
def test_find_leaves_the_command_of_exec_to_the_judge(expression: list[str]) -> None:
    assert finds(".", *expression)


@pytest.mark.parametrize(
    "expression",
    [
        ["-exec"],
        ["-exec", "wc"],
        ["-exec", "wc", "{}"],
        ["-exec", ";"],
        ["-exec", "wc", "+"],
        ["-exec", "wc", "{}", ";", "-delete"],
        ["-exec", "wc", "{}", "+", "rm", "{}", ";"],
        ["-exec", "wc", dynamic(), "{}", ";"],
        ["-name", dynamic(many=True, kind="glob"), "-exec", "wc", "{}", ";"],
        ["-name", ".env", "-exec", "cat", "{}", ";"],
        ["-name", "*env", "-exec", "cat", "{}", ";"],
        ["-name", "*.pem", "-exec", "cat", "{}", "+"],
    ],
)
def test_find_where_exec_ends_somewhere_else_or_reads_secrets(expression: list[str | Word]) -> None:
    assert not finds(".", *expression)


def test_find_in_a_folder_of_secrets() -> None:
    assert not finds("/root/.ssh", "-type", "f")


def test_find_with_words_known_at_run_time() -> None:
    assert finds(dynamic("src/", many=True, kind="glob"), "-name", dynamic())
    assert finds(dynamic(absolute=True))
    assert not finds(dynamic())
    assert not finds(dynamic("src", many=True))
    assert not finds(".", dynamic())
    assert not finds(".", "-name", dynamic(many=True))
    assert finds(".", "-name", dynamic(suffix=".py", many=True, kind="glob"))
    assert not finds(".", "-name", dynamic(suffix="lete", many=True, kind="glob"))
    assert not finds(".", "-name", dynamic(suffix=".py", many=True, kind="glob"), "-name", "-delete")


def compares(*argv: str | Word) -> bool:
    return expressions.conditions_refusal(words_of(*argv, "]"), 0) is None


def test_conditions_that_only_look() -> None:
    assert compares("-f", dynamic())
    assert compares(dynamic(), "=", dynamic())
    assert compares("!", "-d", "x", "-a", "-n", dynamic())
    assert compares(dynamic(), "-gt", "5")
    assert compares("-v", "name")
    assert compares("[", "=", "]")


def test_conditions_that_could_evaluate() -> None:
    assert not compares("-v", "a[$(date)]")
    assert not compares("-v", dynamic())
    assert not compares("-R", "a[0]")
    assert not compares(dynamic(), dynamic())
    assert not compares(dynamic(many=True), "=", "x")
    assert not compares(dynamic(), "a[$(date)]")
    assert not compares("a[$(date)]", "-eq", "1")


def prints(*argv: str | Word) -> bool:
    return expressions.printing_refusal(words_of(*argv), 0) is None


def test_printf_formats() -> None:
    assert prints("%s\\n", dynamic(many=True))
    assert prints("%-20s|%+5.2f|%%|%q|%b|%(%F)T|%*d|%c\\n", "a")
    assert prints("--", "-x")
    assert prints(dynamic())
    assert not prints("-v", "PATH", "x")
    assert not prints("-vPATH", "x")
    assert not prints("%n", "PATH")
    assert not prints("%(x", "a")
    assert not prints("%", "a")
    assert not prints(dynamic(), "a")
    assert not prints(dynamic("%s"), "a")
    assert not prints(dynamic(many=True))
    assert not prints(dynamic("-"))


@pytest.mark.parametrize("name", ["line", "x", "REPLY", "I", "file_name"])
def test_variables_that_a_script_may_fill(name: str) -> None:
    assert variable_refusal(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "IFS",
        "LD_PRELOAD",
        "http_proxy",
        "npm_config_x",
        "a[$(date)]",
        "a-b",
        "1a",
        "GIT_PAGER",
        "_",
        "HTTP_PROXY",
    ],
)
def test_variables_that_may_change_programs(name: str) -> None:
    assert variable_refusal(name) is not None


@pytest.mark.parametrize("script", ["read -r path", "read -ra fpath", "mapfile -t path", "unset path"])
def test_what_zsh_ties_to_its_own_tables_is_asked_about_there(script: str) -> None:
    assert decision(script) == "allow"
    assert decision(script, shell="zsh") == "prompt"


def test_date_formats() -> None:
    assert date_refusal("+%F") is None
    assert date_refusal("01010000") is not None
