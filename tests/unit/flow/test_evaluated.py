"""Commands in values that bash evaluates as arithmetic or as a subscript; each script is run by real bash too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from execpolicy.programs.catalog import facts_of
from execpolicy.shell.read import read_script
from tests.support.running import run_captured

if TYPE_CHECKING:
    from pathlib import Path

EVALUATED = (
    "declare -i n; n='a[$(touch HIT)]'",
    "declare -i n; n+='a[`touch HIT`]'",
    "declare -i n; for n in 'a[$(touch HIT)]'; do :; done",
    "typeset -i n; n='a[$(touch HIT)]'",
    "declare -ai n; n=('a[$(touch HIT)]')",
    "declare -i n; read n <<< 'a[$(touch HIT)]'",
    "declare -i n; : ${n:='a[$(touch HIT)]'}",
    "declare -i n; x='a[$(touch HIT)]'; n=x",
    "builtin declare -i n; n='a[$(touch HIT)]'",
    "command declare -i n; n='a[$(touch HIT)]'",
    "f() { local -i n; n='a[$(touch HIT)]'; }; f",
    "x='a[$(touch HIT)]'; let x",
    "x='a[$(touch HIT)]'; test -v \"$x\"",
    "x='a[$(touch HIT)]'; printf -v \"$x\" 1",
    "x='a[$''(touch HIT)]'; let x",
    'x=a[\\$\\(touch\\ HIT\\)]; test -v "$x"',
    "a=(1); unset a['$(touch HIT)']",
    "a=(1); unset a[\\$\\(touch\\ HIT\\)]",
    "a=(1); unset 'a[$''(touch HIT)]'",
    "a=(1); unset a\\[\\$\\(touch\\ HIT\\)\\]",
    "a=(1); unset $'a[\\x24\\x28touch HIT\\x29]'",
    "a=(1); x=1; unset a[$x'$(touch HIT)']",
    "a=(1); unset a{['$(touch HIT)'],}",
    "printf -v a['$(touch HIT)'] x",
    "test -v a['$(touch HIT)']",
    "declare a['$(touch HIT)']=1",
    "let a['$(touch HIT)']",
    "let 'x=a[$''(touch HIT)]'",
    "[[ 'a[$''(touch HIT)]' -eq 0 ]]",
    "a\\\n[$(touch HIT)]=1",
)
NOT_EVALUATED = (
    "x='a[$(touch HIT)]'; printf '%s' \"$x\"",
    "x='a[$(touch HIT)]'; test \"$x\" = y",
    "x='$(touch HIT)'; test -v \"$x\"",
)


def _programs(script: str) -> list[list[str | None]]:
    return [[word.literal for word in command.words] for command in facts_of(read_script(script)).script.commands]


@pytest.mark.parametrize("script", EVALUATED)
def test_command_in_an_evaluated_value_is_found(script: str, tmp_path: Path) -> None:
    run_captured(["bash", "-c", script], cwd=tmp_path, timeout=20)
    assert (tmp_path / "HIT").exists()
    assert ["touch", "HIT"] in _programs(script)


@pytest.mark.parametrize("script", NOT_EVALUATED)
def test_command_in_a_value_that_is_only_text_is_not_one(script: str, tmp_path: Path) -> None:
    run_captured(["bash", "-c", script], cwd=tmp_path, timeout=20)
    assert not (tmp_path / "HIT").exists()
    assert ["touch", "HIT"] not in _programs(script)
