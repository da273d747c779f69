"""What assigns without looking like an assignment: loops, `for ((`, and `{name}<file`."""

import pytest

from execpolicy.shell.read import read_script


@pytest.mark.parametrize(
    "script",
    [
        "for PATH in ./bin; do ls; done",
        "for GIT_EXTERNAL_DIFF in ./evil; do git diff; done",
        "select PATH in ./bin; do ls; break; done <<< 1",
        "for ((PATH=1; PATH<2; PATH++)); do ls; done",
        "for ((i=0; i<2; PATH++)); do ls; done",
        "true {PATH}<a.txt; ls",
        "{ ls; } {PATH}<a.txt; ls",
    ],
)
def test_a_variable_with_a_meaning_is_not_given_a_value_in_passing(script: str) -> None:
    assert "assignment" in [effect.kind for effect in read_script(script).effects]


@pytest.mark.parametrize("script", ["for path in ./bin; do ls; done", "for fpath in x; do ls; done"])
def test_zsh_ties_lower_case_names_to_folders(script: str) -> None:
    assert "assignment" in [effect.kind for effect in read_script(script, shell="zsh").effects]


@pytest.mark.parametrize(
    "script",
    [
        "for f in a b; do ls; done",
        "for FILE in *.txt; do ls; done",
        "for ((i=0; i<3; i++)); do ls; done",
        "ls {fd}<a.txt",
    ],
)
def test_ordinary_variables_are_fine(script: str) -> None:
    assert read_script(script).effects == ()
