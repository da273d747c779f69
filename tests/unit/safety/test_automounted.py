"""Below ``/net`` an automounter asks the machine that a name says."""

import pytest

from tests.support.judging import decision


@pytest.mark.parametrize(
    "script",
    [
        "ls /net/evil.example",
        "cat /net/evil.example/export/x",
        "test -e /net/evil.example/x",
        "[ -d '/net/evil.example' ]",
        "[[ -f /net/evil/x ]] && echo a",
        "cd /net/evil.example",
        "cd /net && ls evil.example",
        "wc -l < /net/evil/x",
        "for f in /net/evil/*; do echo $f; done",
        "x=/net; ls $x/evil",
        "ls /net/$(git rev-parse HEAD)",
        "echo /net/evil/*",
        "cat /n''et/evil/x",
        "cat '/n'e\\t/evil/x",
        'cat /"n"et/evil/x',
        "ls --directory=/net/evil; stat /net/evil",
    ],
)
def test_a_name_below_it_is_asked_about(script: str) -> None:
    assert decision(script) == "prompt"


@pytest.mark.parametrize(
    "script",
    ["ls /usr/net/x", "grep -rn golang.org/x/net/http .", "ls net/x", "cat ./net/a", "ls /network", "netstat -rn"],
)
def test_another_folder_of_that_name_is_none(script: str) -> None:
    assert decision(script) == "allow"
