"""The model of Codex 0.169.0's splitter and danger detection, against what that program was recorded to see."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from execpolicy.codex.segments import codex_commands, codex_dangerous, codex_literal_commands
from execpolicy.codex.shell_call import is_system_shell, shell_kind, shell_script
from tests.support.each import each

_PEER = Path(__file__).parents[2] / "data" / "peer"
_SEGMENTS = [json.loads(line) for line in (_PEER / "codex_segments.jsonl").read_text("utf-8").splitlines()]


@each("case", _SEGMENTS, ids=[case["id"] for case in _SEGMENTS])
def test_splits_as_recorded(case: dict) -> None:
    seen = codex_commands(["/bin/bash", "-lc", case["script"]])
    assert [list(command) for command in seen] == case["segments"]


@pytest.mark.parametrize(
    ("argv", "script"),
    [
        (["bash", "-c", "ls"], "ls"),
        (["/opt/x/bash.5.exe", "-lc", "ls"], "ls"),
        (["zsh", "-lc", "ls"], "ls"),
        (["bash", "-cl", "ls"], None),
        (["bash", "-ic", "ls"], None),
        (["bash", "-l", "-c", "ls"], None),
        (["bash", "-c", "ls", "x"], None),
        (["dash", "-c", "ls"], None),
        (["bashful", "-c", "ls"], None),
        ([".bash", "-c", "ls"], None),
        (["bash"], None),
        ([], None),
    ],
)
def test_what_counts_as_a_shell_call(argv: list[str], script: str | None) -> None:
    assert shell_script(argv) == script


def test_an_argv_that_is_no_shell_call_is_one_command() -> None:
    assert codex_commands(["git", "status", "&&"]) == (("git", "status", "&&"),)
    assert codex_commands(["bash", "-lc", ""]) == (("bash", "-lc", ""),)
    assert codex_commands(["bash", "-lc", " \n"]) == (("bash", "-lc", " \n"),)


def test_the_shells_that_are_known_by_their_folder() -> None:
    assert is_system_shell("/bin/bash")
    assert is_system_shell("/usr/bin/zsh")
    assert not is_system_shell("bash")
    assert not is_system_shell("./bash")
    assert not is_system_shell("/usr/local/bin/bash")
    assert shell_kind("/x/zsh") == "zsh"
    assert shell_kind("python3") is None


def test_literal_commands_are_found_anywhere_without_their_dynamic_words() -> None:
    script = 'for f in *; do "rm" -rf "$f" x; done; (a $(b c) | d) & e <<EOF\n$(f g)\nEOF\n$h i'
    found = codex_literal_commands(["bash", "-c", script])
    assert sorted(found) == [("a",), ("b", "c"), ("d",), ("e",), ("f", "g"), ("rm", "-rf", "x")]


def test_a_syntax_error_hides_every_literal_command() -> None:
    assert codex_literal_commands(["bash", "-c", "rm -f x; ("]) == ()


@each(
    ("script", "danger"),
    [
        ("rm -f x", "forced-rm"),
        ("rm -rf x", "forced-rm"),
        ("rm -vfi x", "forced-rm"),
        ("rm x --force", "forced-rm"),
        ("/usr/bin/rm -f x", "forced-rm"),
        ("'rm' -f x", "forced-rm"),
        ('r""m -r"f" x', "forced-rm"),
        ('rm "$FLAGS" -f x', "forced-rm"),
        ("if a; then rm -f x; fi", "forced-rm"),
        ("f() { rm -f x; }; f", "forced-rm"),
        ("echo $(rm -f x)", "forced-rm"),
        ("echo `rm -f x`", "forced-rm"),
        ("A=1 rm -f x > y &", "forced-rm"),
        ("! rm -f x", "forced-rm"),
        ("cat <<E\n$(rm -f x)\nE", "forced-rm"),
        ("sudo rm -f x", "forced-rm"),
        ("sudo sudo env -i A=1 -- rm -f x", "forced-rm"),
        ("bash -c 'rm -f x'", "forced-rm"),
        ("bash -lc 'bash -c \"rm -f x\"'", "forced-rm"),
        ("trap 'rm -f x' EXIT", "forced-rm"),
        ("trap -- 'rm -f x' EXIT", "forced-rm"),
        ("rm x", None),
        ("rm -r x", None),
        ("rm -- -f", None),
        ("rm --for x", None),
        ("rm --force=x", None),
        (r"\rm -f x", None),
        ("RM -f x", None),
        ("rm $'-rf' x", None),
        ("rm -rf$F x", None),
        ("rm -{r,f} x", None),
        ("cat <<'E'\n$(rm -f x)\nE", None),
        ("rm -f x; (", None),
        ("sudo -n rm -f x", None),
        ("env -u A rm -f x", None),
        ("command rm -f x", None),
        ("xargs rm -f", None),
        ("bash -ec 'rm -f x'", None),
        ("bash -c 'rm -f x' y", None),
        ("dash -c 'rm -f x'", None),
        ("trap - EXIT", None),
        ("git reset --hard", None),
        ("", None),
    ],
)
def test_danger_as_measured(script: str, danger: str | None) -> None:
    assert codex_dangerous(["/bin/bash", "-lc", script]) == danger


def test_wrappers_nested_too_deep_are_dangerous() -> None:
    assert codex_dangerous(["sudo"] * 8 + ["ls"]) is None
    assert codex_dangerous(["sudo"] * 9 + ["ls"]) == "other"


def test_a_script_nested_deeper_than_the_stack_is_read() -> None:
    depth = 5_000
    script = "( " * depth + "rm -f x" + " )" * depth
    assert codex_commands(["bash", "-c", script]) == (("bash", "-c", script),)
    assert codex_dangerous(["bash", "-c", script]) == "forced-rm"
