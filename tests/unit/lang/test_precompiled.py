"""The built-in layer as a wheel carries it is the built-in layer."""

from pathlib import Path

import pytest

from execpolicy.lang import precompiled
from execpolicy.lang.compile import compile_source
from execpolicy.resources import builtin_rules_folder
from execpolicy.safety.dangers import DangerousCommand
from execpolicy.safety.entries import SafeCommand
from execpolicy.source import Source

FILES = sorted(Path(builtin_rules_folder()).glob("*.rules"))


def entries(path: Path) -> list[SafeCommand | DangerousCommand]:
    statements = compile_source(Source(str(path), path.read_text("utf-8")), trusted=True).statements
    found = [statement for statement in statements if isinstance(statement, (SafeCommand, DangerousCommand))]
    assert len(found) == len(statements), "the built-in layer holds entries and nothing else"
    return found


def test_what_was_precompiled_is_what_compiling_gives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiled = [(path, entries(path)) for path in FILES]
    kept = tmp_path / "builtin.compiled"
    kept.write_bytes(precompiled.precompile([(path.read_text("utf-8"), found) for path, found in compiled]))
    monkeypatch.setattr(precompiled, "precompiled_path", lambda: str(kept))
    monkeypatch.setattr(precompiled, "_table", None)
    for path, found in compiled:
        again = precompiled.precompiled(Source(str(path), path.read_text("utf-8")))
        assert again is not None
        assert [(e.kind, e.arguments, str(e.place)) for e in again] == [
            (e.kind, e.arguments, str(e.place)) for e in found
        ]
    changed = Source("x", FILES[0].read_text("utf-8") + "\n")
    assert precompiled.precompiled(changed) is None


@pytest.mark.parametrize("data", [b"", b"garbage", b"\xff" * 100])
def test_a_file_for_another_python_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, data: bytes) -> None:
    kept = tmp_path / "builtin.compiled"
    kept.write_bytes(data)
    monkeypatch.setattr(precompiled, "precompiled_path", lambda: str(kept))
    monkeypatch.setattr(precompiled, "_table", None)
    assert precompiled.precompiled(Source("x", "")) is None
