"""Texts that are kept in files: what people see is looked at when it changes."""

import os
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "data" / "text"


def assert_golden(name: str, text: str) -> None:
    """``text`` is what ``tests/data/text/NAME.txt`` holds; with ``UPDATE_GOLDEN=1`` the file is written."""
    path = FOLDER / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        FOLDER.mkdir(exist_ok=True)
        path.write_text(text, "utf-8", newline="")
    assert text == path.read_text("utf-8"), f"if this is meant, run the test with UPDATE_GOLDEN=1 and look at {path}"
