"""No module imports itself through others, not even where the import waits inside a function or is for types alone.

The import order of packages is a contract of its own (``pyproject.toml``); this holds inside the packages, too.
"""

from pathlib import Path

import pytest

from tests.support.modules import arrows, circles, syntax_trees

PACKAGE = Path(__file__).parents[2] / "execpolicy"


@pytest.mark.parametrize("types", [False, True])
def test_there_is_no_circle(types: bool) -> None:
    assert circles(arrows(syntax_trees(PACKAGE), types=types)) == set()


@pytest.mark.parametrize(
    ("text", "is_circle"),
    [
        ("import made.two", True),
        ("from made import two", True),
        ("from made.two import name", True),
        ("def late():\n    from made.two import name", True),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import made.two", False),
        ("TYPE_CHECKING = False\nif TYPE_CHECKING:\n    pass\nelse:\n    import made.two", True),
        ("import made.three", False),
        ("import made", False),
    ],
)
def test_a_circle_is_seen_wherever_the_import_stands(tmp_path: Path, text: str, is_circle: bool) -> None:
    package = tmp_path / "made"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text(text)
    (package / "two.py").write_text("from made.three import name\n")
    (package / "three.py").write_text("def late():\n    import made.one\n" if "two" in text else "")
    found = circles(arrows(syntax_trees(package)))
    whole = {frozenset({"made.one", "made.two", "made.three"})}
    assert found == (whole if is_circle else set())
    with_types = circles(arrows(syntax_trees(package), types=True))
    assert with_types == (whole if is_circle or "TYPE_CHECKING" in text else set())


def test_a_package_that_imports_its_own_modules_is_a_circle(tmp_path: Path) -> None:
    package = tmp_path / "made"
    package.mkdir()
    (package / "__init__.py").write_text("from made.one import name\n")
    (package / "one.py").write_text("")
    assert circles(arrows(syntax_trees(package))) == {frozenset({"made", "made.one"})}
