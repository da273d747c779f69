"""The sweep finds what an entry should not have listed, and nothing in entries that are right."""

from __future__ import annotations

import shutil

import pytest

from tests.support.each import share
from tests.support.entries import built_in_entries, entries_of, words_of
from tests.sweep.effects import findings
from tests.sweep.implementations import implementations
from tests.sweep.invocations import invocations
from tests.sweep.place import SECRET, Place, Trace
from tests.sweep.scripts import harm, run_allowed

pytestmark = pytest.mark.slow

needs_a_sandbox = pytest.mark.skipif(
    not all(shutil.which(name) for name in ("bwrap", "strace", "sort", "head")), reason="bwrap or strace is missing"
)


def _entry(program: str, grammar: str) -> object:
    return entries_of(f'safe_command(name="x", program="{program}", reason="x", {grammar})')[0]


def _kinds(entry: object, program: str, most: int) -> set[str]:
    found: set[str] = set()
    with Place() as place:
        for call in invocations(entry, program, most):  # type: ignore[arg-type]  # entries are of two kinds
            for implementation in implementations(program)[:1]:
                done = findings(place.run(call, implementation, terminal=False))
                found |= {kind for kind, _ in done}
    return found


@pytest.mark.parametrize(
    "entry", [each for each in built_in_entries() if each.kind == "safe_command"][:: share(3)], ids=lambda e: e.name
)
def test_only_what_is_accepted_is_written_and_always_the_same(entry: object) -> None:
    program = entry.programs[0]  # type: ignore[attr-defined]  # a safe entry
    calls = invocations(entry, program, 20)  # type: ignore[arg-type]  # a safe entry
    assert calls
    assert all(entry.judge(words_of(*call))[0] is not None for call in calls)  # type: ignore[attr-defined]  # the same
    assert calls == invocations(entry, program, 20)  # type: ignore[arg-type]  # the same


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('7 openat(AT_FDCWD, "out", O_WRONLY|O_CREAT, 0666) = 3', "writes"),
        ('7 openat(AT_FDCWD, "/var/x", O_RDWR|O_CREAT, 0666) = -1 EROFS (Read-only file system)', "writes"),
        (
            "7 connect(3, {sa_family=AF_INET, sin_port=htons(53)}, 16) = -1 ENETUNREACH (Network is unreachable)",
            "connects",
        ),
        ('7 unlink("a.txt") = 0', "acts"),
        ("7 kill(12, SIGTERM) = 0", "acts"),
        ('7 openat(AT_FDCWD, "/dev/null", O_WRONLY) = 3', None),
        ('7 openat(AT_FDCWD, "out", O_WRONLY|O_CREAT, 0666) = -1 EACCES (Permission denied)', None),
        ('7 openat(AT_FDCWD, "a.txt", O_RDONLY) = 3', None),
        ('7 connect(3, {sa_family=AF_UNIX, sun_path="/var/run/nscd/socket"}, 110) = -1 ENOENT (No such file)', None),
        ("7 kill(12, 0) = 0", None),
    ],
)
def test_what_is_read_from_a_trace(line: str, kind: str | None) -> None:
    start = '7 execve("/usr/bin/x", ["x"], 0x1) = 0'
    assert [found for found, _ in findings(Trace([start, line], "", finished=True))] == ([kind] if kind else [])


def test_a_second_program_a_secret_and_no_end_are_findings() -> None:
    start = '7 execve("/usr/bin/x", ["x"], 0x1) = 0'
    found = findings(Trace([start, start], SECRET, finished=False))
    assert [kind for kind, _ in found] == ["starts", "secret", "hangs"]


@needs_a_sandbox
@pytest.mark.parametrize(
    ("program", "grammar", "kind"),
    [
        ("sort", 'letters="r", options="-o -k", operands="path"', "writes"),
        ("xargs", 'letters="r", operands="any"', "starts"),
        ("cat", 'letters="n", operands="any"', "secret"),
    ],
)
def test_a_wrong_entry_is_found(program: str, grammar: str, kind: str) -> None:
    assert kind in _kinds(_entry(program, grammar), program, 120)


@needs_a_sandbox
@pytest.mark.parametrize("name", ["head", "uniq", "tr"])
def test_a_right_entry_leaves_no_trace(name: str) -> None:
    entry = next(each for each in built_in_entries() if each.kind == "safe_command" and each.name == name)
    assert _kinds(entry, name, 30) == set()


@needs_a_sandbox
def test_whole_scripts_run_when_they_are_allowed() -> None:
    counted = run_allowed(
        ["cat a.txt | head -1", "git push", "rm a.txt", "no-such-program --help", "for f in *; do ls; done"], 5
    )
    assert (counted.given, counted.allowed, counted.ran, counted.endless, counted.found) == (5, 2, 2, 0, [])


@needs_a_sandbox
@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ("./evil", "starts"),
        ("echo x > out", "writes"),
        ("cat .env", "secret"),
        ("rm a.txt", "acts"),
        ("ls | cat", None),
    ],
)
def test_what_a_script_does_is_seen(script: str, kind: str | None) -> None:
    with Place() as place:
        kinds = {found for found, _ in harm(place.run_script(script))}
    assert kinds >= {kind} if kind is not None else kinds == set()
