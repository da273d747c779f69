"""Which rules change nothing."""

from __future__ import annotations

import pytest

from execpolicy.cli.commands.list import overridden
from execpolicy.source import Source
from tests.support.machine import Machine


def reasons(machine: Machine, text: str) -> list[str | None]:
    loaded = machine.load(texts=(Source("x", text),), builtin_folder=None)
    assert not loaded.diagnostics
    found = overridden(loaded.rules)
    return [found.get(at) for at in range(len(loaded.rules))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('prefix_rule(["a", "b"])\nprefix_rule(["a"], decision="prompt")\n', ["overridden: x:2 says prompt", None]),
        ('prefix_rule(["a"])\nprefix_rule(["a", "b"], decision="prompt")\n', [None, None]),
        (
            'prefix_rule(["a", ["b", "c"]])\nprefix_rule(["a", ["c", "b", "d"]], decision="forbidden")\n',
            ["overridden: x:2 says forbidden", None],
        ),
        ('prefix_rule(["a", ["b", "c"]])\nprefix_rule(["a", "b"], decision="forbidden")\n', [None, None]),
        (
            'prefix_rule(["a"])\nprefix_rule(["A"], decision="prompt", canonical_matching=True)\n',
            ["overridden: x:2 says prompt", None],
        ),
        ('prefix_rule(["A"], canonical_matching=True)\nprefix_rule(["A"], decision="prompt")\n', [None, None]),
        ('prefix_rule(["a"])\nprefix_rule(["a"])\n', [None, None]),
        ('host_executable("a", [])\nhost_executable("a", ["/a"])\n', ["replaced by x:2", None]),
        ('host_executable("a", [])\nhost_executable("b", [])\n', [None, None]),
        (
            'dangerous_command(name="n", program="p", reason="x")\ndangerous_command(name="n", disabled=True)\n',
            ["replaced by x:2", None],
        ),
        ('network_rule("a.b", "https", "allow")\nwrite_rule(["/x"], decision="prompt")\n', [None, None]),
    ],
)
def test_the_last_word_elsewhere(machine: Machine, text: str, expected: list[str | None]) -> None:
    assert reasons(machine, text) == expected
