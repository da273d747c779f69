"""A folder is small enough to be read as a list: what has grown beyond that is divided by what it is about."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "execpolicy"
MOST = 40


def crowded(paths: Iterable[Path]) -> dict[str, int]:
    """The folders that hold more modules than :data:`MOST`, and how many; the door of a package is none of them."""
    held = Counter(str(path.parent) for path in paths if path.name != "__init__.py")
    return {folder: count for folder, count in held.items() if count > MOST}


def test_no_folder_is_crowded() -> None:
    paths = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")]
    assert len(paths) > 300
    assert crowded(paths) == {}


def test_a_crowded_folder_is_seen() -> None:
    many = [Path(f"shell/m{number}.py") for number in range(MOST + 1)]
    assert crowded(many) == {"shell": MOST + 1}
    assert crowded([*many[1:], Path("shell/__init__.py")]) == {}
