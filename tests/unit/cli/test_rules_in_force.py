"""``lint``, ``fmt`` and ``test`` without FILE: they take the rules in force."""

from pathlib import Path

import pytest

from execpolicy.cli.main import main


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        (["lint", "--select", "EP201"], 1, "warning[EP201]"),
        (["fmt", "--check"], 1, "would format"),
        (["test"], 0, "1 passed, 0 failed"),
        (["test", "--run", "make x"], 0, "1 passed, 0 failed"),
        (["test", "--run", "push"], 2, "no example and no case contains `push`"),
    ],
)
def test_without_a_file_the_rules_in_force_are_taken(
    command: list[str],
    status: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rules = tmp_path / "own" / "rules" / "a.rules"
    rules.parent.mkdir(parents=True)
    rules.write_text('prefix_rule( pattern=["make"], match=["make x"])\nprefix_rule(pattern=["make"])\n')
    monkeypatch.setenv("EXECPOLICY_HOME", str(tmp_path / "own"))
    monkeypatch.chdir(tmp_path)
    assert main(command) == status
    assert said in "".join(capsys.readouterr())
