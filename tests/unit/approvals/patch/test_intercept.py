"""Which commands are a call of ``apply_patch``, and which only look like one."""

from __future__ import annotations

import pytest

from execpolicy.approvals.patch import PatchCall, intercept_apply_patch
from tests.support.each import each

_PATCH = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"


def _bash(script: str) -> list[str]:
    return ["bash", "-lc", script]


@pytest.mark.parametrize(
    ("command", "cwd"),
    [
        (["apply_patch", _PATCH], "/srv"),
        (["applypatch", _PATCH], "/srv"),
        (_bash(f"apply_patch <<'EOF'\n{_PATCH}\nEOF"), "/srv"),
        (_bash(f"apply_patch <<'EOF'\n{_PATCH}\nEOF\n"), "/srv"),
        (_bash(f'apply_patch <<"EOF"\n{_PATCH}\nEOF'), "/srv"),
        (_bash(f"apply_patch <<EOF\n{_PATCH}\nEOF"), "/srv"),
        (["/bin/sh", "-c", f"applypatch <<'X'\n{_PATCH}\nX"], "/srv"),
        (_bash(f"\n  apply_patch  << 'the end'  \n{_PATCH}\nthe end\n\n"), "/srv"),
        (["bash", "-l", "-c", f"apply_patch <<'EOF'\n{_PATCH}\nEOF"], "/srv"),
        (_bash(f"cd sub && apply_patch <<'EOF'\n{_PATCH}\nEOF"), "/srv/sub"),
        (_bash(f"cd 'my dir' && apply_patch <<'EOF'\n{_PATCH}\nEOF"), "/srv/my dir"),
        (_bash(f"cd /other && apply_patch <<'EOF'\n{_PATCH}\nEOF"), "/other"),
        (_bash(f"cd ../x && apply_patch <<'EOF'\n{_PATCH}\nEOF"), "/x"),
    ],
)
def test_calls(command: list[str], cwd: str) -> None:
    call = intercept_apply_patch(command, cwd="/srv")
    assert call is not None
    assert call.patch.strip() == _PATCH
    assert (call.cwd, call.explicit) == (cwd, True)


def test_a_delimiter_behind_blanks_is_text() -> None:
    call = intercept_apply_patch(_bash(f"apply_patch <<'EOF'\n{_PATCH}\n EOF\nEOF"), cwd="/srv")
    assert call == PatchCall(patch=f"{_PATCH}\n EOF\n", cwd="/srv")


@each(
    "script",
    [
        f"apply_patch <<'EOF' && rm -rf x\n{_PATCH}\nEOF",
        f"rm -rf x; apply_patch <<'EOF'\n{_PATCH}\nEOF",
        f"apply_patch <<'EOF'\n{_PATCH}\nEOF\nrm -rf x",
        f"apply_patch <<'EOF' > out\n{_PATCH}\nEOF",
        f"apply_patch <<'EOF' | tee out\n{_PATCH}\nEOF",
        f"apply_patch --force <<'EOF'\n{_PATCH}\nEOF",
        f"apply_patch <<-'EOF'\n{_PATCH}\nEOF",
        f"A=1 apply_patch <<'EOF'\n{_PATCH}\nEOF",
        f"./apply_patch <<'EOF'\n{_PATCH}\nEOF",
        f"(apply_patch <<'EOF'\n{_PATCH}\nEOF\n)",
        f"apply_patch <<'EOF' &\n{_PATCH}\nEOF",
        f"cd $X && apply_patch <<'EOF'\n{_PATCH}\nEOF",
        f"cd - && apply_patch <<'EOF'\n{_PATCH}\nEOF",
        f"cd ~ && apply_patch <<'EOF'\n{_PATCH}\nEOF",
        f"cd a b && apply_patch <<'EOF'\n{_PATCH}\nEOF",
        f"cd a || apply_patch <<'EOF'\n{_PATCH}\nEOF",
        f"cd a; apply_patch <<'EOF'\n{_PATCH}\nEOF",
        f"cd a && cd b && apply_patch <<'EOF'\n{_PATCH}\nEOF",
        f"ls a && apply_patch <<'EOF'\n{_PATCH}\nEOF",
        f"cat <<'EOF'\n{_PATCH}\nEOF",
        "apply_patch <<< x",
        "apply_patch",
        "apply_patch < file",
        f"apply_patch '{_PATCH}'",
        f"apply_patch <<'EOF'\n{_PATCH}\nEOF\n)",
        f"apply_patch <<'EOF'\n{_PATCH}\nEOF\nrm -rf x\nEOF",
        f"apply_patch <<'EOF' # {_PATCH}\nEOF",
        f"\vapply_patch <<'EOF'\n{_PATCH}\nEOF",
        f"cd a\vb && apply_patch <<'EOF'\n{_PATCH}\nEOF",
    ],
)
def test_other_commands_are_left_alone(script: str) -> None:
    assert intercept_apply_patch(_bash(script), cwd="/srv") is None


@pytest.mark.parametrize("command", [[_PATCH], _bash(_PATCH), _bash(f"\n {_PATCH}")])
def test_a_patch_in_place_of_a_command_is_a_mistake(command: list[str]) -> None:
    call = intercept_apply_patch(command, cwd="/srv")
    assert call == PatchCall(patch=command[-1], cwd="/srv", explicit=False)


@pytest.mark.parametrize("options", [["--rcfile", "x"], ["-i"], ["-O", "extglob"]])
def test_a_shell_that_reads_more_is_left_alone(options: list[str]) -> None:
    assert intercept_apply_patch(["bash", *options, "-c", f"apply_patch <<'EOF'\n{_PATCH}\nEOF"], cwd="/srv") is None


@pytest.mark.parametrize("command", [[], ["apply_patch"], ["apply_patch", "a", "b"], ["git", "apply"]])
def test_no_call(command: list[str]) -> None:
    assert intercept_apply_patch(command, cwd="/srv") is None
