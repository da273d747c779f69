"""FileLimits are as documented, and can be set."""

import re
from pathlib import Path

import pytest

from execpolicy.errors import UsageError
from execpolicy.lang.file_limits import DEFAULT, FileLimits
from execpolicy.layers.layer_options import LayerOptions
from execpolicy.layers.load import _UNTRUSTED_LIMITS
from tests.support.command_line import make_command_line

PAGE = Path(__file__).parents[3] / "docs" / "language.md"


def test_the_page_lists_every_limit() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    listed = {name: (float(usual), float(untrusted)) for name, usual, untrusted in rows}
    assert listed == {name: (getattr(DEFAULT, name), getattr(_UNTRUSTED_LIMITS, name)) for name in FileLimits.__slots__}


def test_some_are_changed_and_the_others_stay() -> None:
    limits = FileLimits.parse("size=10, seconds=0.5")
    assert (limits.size, limits.seconds, limits.memory) == (10, 0.5, DEFAULT.memory)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sice=5", "there is no limit `sice`"),
        ("", "there is no limit ``"),
        ("size", "`` is no number"),
        ("size=many", "`many` is no number"),
        ("size=1.5", "`1.5` is no number"),
        ("size=0", "`size` must be above 0"),
        ("seconds=-1", "`seconds` must be above 0"),
        ("seconds=inf", "`seconds` must be above 0"),
        ("seconds=nan", "`seconds` must be above 0"),
    ],
)
def test_nonsense_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        FileLimits.parse(text)


def test_no_variable_no_change() -> None:
    assert LayerOptions.of_process({}).limits is None
    assert LayerOptions.of_process({"EXECPOLICY_LIMITS": ""}).limits is None


@pytest.mark.parametrize("compat", [(), ("--compat", "codex-0.169")])
def test_the_command_line_obeys(
    compat: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    line = make_command_line(tmp_path, monkeypatch, capfd)
    Path("a.rules").write_text('prefix_rule(pattern=["a"])  # ' + "x" * 100 + "\n")
    monkeypatch.setenv("EXECPOLICY_CACHE", "")
    ask = ("check", *compat, "-r", "a.rules", "--", "a")
    monkeypatch.setenv("EXECPOLICY_LIMITS", "size=1000000")
    assert line.run(*ask)[0] == 0
    monkeypatch.setenv("EXECPOLICY_LIMITS", "size=100")
    Path("a.rules").write_text('prefix_rule(pattern=["a"])  # ' + "y" * 100 + "\n")
    status, out, err = line.run(*ask)
    assert (status, out) == (1, "")
    assert "more than the limit of 100" in err
    monkeypatch.setenv("EXECPOLICY_LIMITS", "size=ten")
    status, out, err = line.run(*ask)
    assert (status, out) == (2, "")
    assert "`ten` is no number" in err
