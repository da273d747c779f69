"""The built-in layer as a wheel contains it is that of the records."""

from pathlib import Path

import pytest

from execpolicy.errors import RuleFileError
from execpolicy.lang import precompiled
from execpolicy.programs import catalog


def rows() -> list[tuple[str, object, str]]:
    return [(entry.kind, entry.arguments, str(entry.place)) for entry in precompiled.builtin_entries()]


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The place of the wheel's file; nothing is loaded yet."""
    path = tmp_path / "builtin.compiled"
    monkeypatch.setattr(precompiled, "precompiled_path", lambda: str(path))
    monkeypatch.setattr(precompiled, "_entries", None)
    return path


def test_what_was_precompiled_is_what_the_records_say(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = rows()
    kept.write_bytes(precompiled.precompile())
    monkeypatch.setattr(precompiled, "_entries", None)
    monkeypatch.setattr(catalog, "entry_paths", list)
    assert rows() == parsed


@pytest.mark.parametrize("data", [b"", b"garbage", b"\xff" * 100])
def test_a_file_for_another_python_is_passed_over(kept: Path, data: bytes) -> None:
    kept.write_bytes(data)
    assert rows()


def test_a_mistake_is_told_with_its_place(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del kept
    record = tmp_path / "gently.txt"
    record.write_text("program gently\n\nsafe gently\n: -q\n")
    monkeypatch.setattr(catalog, "entry_paths", lambda: [str(record)])
    with pytest.raises(RuleFileError) as error:
        precompiled.builtin_entries()
    (found,) = error.value.diagnostics
    assert (found.path, found.line, found.message) == (str(record), 3, "safe_command `gently` needs a reason")
