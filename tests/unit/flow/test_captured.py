"""Programs that open a pager on a terminal: allowed where their output surely goes elsewhere."""

from __future__ import annotations

from execpolicy.judge.check import check
from execpolicy.judge.situation import Situation
from tests.support.each import each
from tests.support.judging import builtin, decision

CAPTURED = [
    "journalctl -u nginx | tail -50",
    "timeout 5 journalctl -f | head",
    "nice journalctl | head",
    "env journalctl | head",
    "bash -c 'journalctl -n 5 | cat'",
    "if systemctl status x > /dev/null 2>&1; then echo ok; fi",
    "systemctl status x &> /dev/null && echo up",
    'x=$(systemctl status x); echo "$x"',
    "(systemctl status a; systemctl status b) | head",
    "for s in a b; do systemctl status $s | head -3; done",
    "for s in a b; do systemctl status $s; done | head",
    "{ systemctl status x; } 2>&1 | head",
    "systemctl status x 2>&1 | grep Active",
    "systemctl status x |& grep Active",
    "dpkg -l | grep python",
    "apt list --installed 2>/dev/null | wc -l",
    "apt show bash 2>/dev/null | head",
    "bat a.txt | head",
    "journalctl -n 5 <<< x | cat",
    "journalctl 2>&1 >/dev/null | cat",
]
SHOWN = [
    "journalctl",
    "systemctl status x",
    "dpkg -l",
    "apt list",
    "bat a.txt",
    "script -q /dev/null journalctl | cat",
    "watch journalctl | cat",
    "bash -c 'journalctl -n 5' | cat",
    "systemctl status x > /dev/null 3>&1",
    "x=$(systemctl status x >&2)",
    "x=$(systemctl status x >/dev/stderr)",
    "{ systemctl status x >&2; } | head",
    "{ { systemctl status x; } >&2; } | head",
    "ls | systemctl status x",
    "coproc journalctl; cat",
    "trap 'journalctl' EXIT; ls | cat",
    "diff <(journalctl -n 1) <(journalctl -n 2)",
    "f() { journalctl -n 5; }; f",
    "f() { journalctl -n 5 | cat; }; f",
    "journalctl >&1 | cat",
    "journalctl 1>&2 | cat",
]


FAR = ("script -q /dev/null journalctl", "watch journalctl", "journalctl | xargs systemctl status")


NO_TERMINAL = ("journalctl | cat", "coproc", "trap", "3>&1")
"""Parts of scripts of which something else is asked about, too."""


@each("script", [script for script in SHOWN if not any(part in script for part in NO_TERMINAL)])
def test_without_a_terminal_no_pager_opens(script: str) -> None:
    nowhere = Situation("/srv/project", home="/home/u", terminal=False)
    assert check(script, builtin(), situation=nowhere).decision.word == "allow"


@each("script", FAR)
def test_what_makes_a_terminal_of_its_own_is_asked_about(script: str) -> None:
    nowhere = Situation("/srv/project", home="/home/u", terminal=False)
    assert check(script, builtin(), situation=nowhere).decision.word == "prompt"


@each("script", CAPTURED)
def test_where_the_output_is_no_terminal_no_pager_opens(script: str) -> None:
    assert decision(script) == "allow"


@each("script", SHOWN)
def test_where_it_may_be_one_the_pager_is_asked_about(script: str) -> None:
    assert decision(script) == "prompt"
