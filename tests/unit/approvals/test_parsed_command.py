"""Summaries of commands for showing them."""

from __future__ import annotations

import pytest

from execpolicy.approvals.parsed_command import ParsedCommand, parse_command


def _read(cmd: str, path: str) -> ParsedCommand:
    return ParsedCommand(kind="read", cmd=cmd, name=path.rsplit("/", 1)[-1], path=path)


def _list(cmd: str, path: str | None = None) -> ParsedCommand:
    return ParsedCommand(kind="list_files", cmd=cmd, path=path)


def _search(cmd: str, query: str | None, path: str | None = None) -> ParsedCommand:
    return ParsedCommand(kind="search", cmd=cmd, query=query, path=path)


def _unknown(cmd: str) -> ParsedCommand:
    return ParsedCommand(kind="unknown", cmd=cmd)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("cat src/main.rs", [_read("cat src/main.rs", "src/main.rs")]),
        ("head -n 20 a.txt", [_read("head -n 20 a.txt", "a.txt")]),
        ("sed -n 1,20p a.txt", [_read("sed -n '1,20p' a.txt", "a.txt")]),
        ("cat a b", [_unknown("cat a b")]),
        ("ls -la src", [_list("ls -la src", "src")]),
        ("ls", [_list("ls")]),
        ("rg --files src", [_list("rg --files src", "src")]),
        ("git ls-files docs", [_list("git ls-files docs", "docs")]),
        ("find src -type f", [_list("find src -type f", "src")]),
        ("find . -name x.py", [_search("find . -name x.py", "x.py", ".")]),
        ("rg -n TODO src", [_search("rg -n TODO src", "TODO", "src")]),
        ("rg -g '!x' -e TODO src", [_search("rg -g '!x' -e TODO src", "TODO", "src")]),
        ("grep -rn -- -x src", [_search("grep -rn -- -x src", "-x", "src")]),
        ("git grep foo", [_search("git grep foo", "foo")]),
        ("fd main", [_search("fd main", "main")]),
        ("npm test", [_unknown("npm test")]),
        ("cd src && ls", [_list("ls")]),
        ("cat a.txt | wc -l", [_read("cat a.txt", "a.txt")]),
        ("rg TODO | head -n 5 | sort", [_search("rg TODO", "TODO")]),
        ("cat a && cat a", [_read("cat a", "a")]),
        ("npm test && cat log", [_unknown("npm test"), _read("cat log", "log")]),
        ("cat a > b", [_unknown("cat a > b")]),
        ("", [_unknown("")]),
    ],
)
def test_summaries(script: str, expected: list[ParsedCommand]) -> None:
    assert parse_command(["bash", "-lc", script]) == tuple(expected)


def test_an_argv() -> None:
    assert parse_command(["cat", "a b"]) == (_read("cat 'a b'", "a b"),)
    assert parse_command([]) == (_unknown(""),)


def test_json() -> None:
    assert _read("cat a/b", "a/b").to_json() == {"type": "read", "cmd": "cat a/b", "name": "b", "path": "a/b"}
    assert _list("ls").to_json() == {"type": "list_files", "cmd": "ls", "path": None}
    assert _search("rg x", "x").to_json() == {"type": "search", "cmd": "rg x", "query": "x", "path": None}
    assert _unknown("x").to_json() == {"type": "unknown", "cmd": "x"}
