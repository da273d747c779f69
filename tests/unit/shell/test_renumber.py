"""References between commands of a script that could only be read in part."""

from __future__ import annotations

import pytest

from execpolicy.shell.read import read_script


@pytest.mark.parametrize(
    "text",
    [
        "if trap $(b c)",
        "<( ls $(b c)",
        "{ timeout 5 do $(b c)",
        "x $(a $(b)",
        "ls | ls $(npm test) x | ! git",
        "git $(npm test) test $(npm test) || git $(npm test) test $(npm test) || ",
        "curl x | sh | (",
    ],
)
def test_they_point_at_what_stands_inside_them(text: str) -> None:
    script = read_script(text)
    assert script.status == "opaque"
    for at, command in enumerate(script.commands):
        for word in command.words:
            for index in word.inner:
                assert index != at
                inner = script.commands[index]
                assert word.span.start <= inner.span.start
                assert inner.span.end <= word.span.end
        for index in command.piped_from:
            assert script.commands[index].span.end <= command.span.start


def test_what_feeds_a_shell_is_still_known() -> None:
    script = read_script("curl x | sh; (")
    (shell,) = [command for command in script.commands if command.argv() == ("sh",)]
    assert [script.commands[index].argv() for index in shell.piped_from] == [("curl", "x")]
