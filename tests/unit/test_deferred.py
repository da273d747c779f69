"""Modules that are imported when they are first used: placeholders in their packages, and there are few."""

from __future__ import annotations

import ast
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import execpolicy
from execpolicy import deferred
from tests.support.modules import parsed
from tests.support.running import run_captured

PACKAGE = Path(execpolicy.__file__).parent
MOST = 60
MODULES = [f"{package}.{name}" for package, names in deferred._MODULES.items() for name in names.split()]


def test_the_list_is_short_and_sorted() -> None:
    assert len(MODULES) == len(set(MODULES)) <= MOST
    assert list(deferred._MODULES) == sorted(deferred._MODULES)
    assert all(names.split() == sorted(names.split()) for names in deferred._MODULES.values())


def test_each_is_a_module_and_its_package_defers_it() -> None:
    assert [name for name in MODULES if find_spec(name) is None] == []
    packages = {package.split(".", 1)[1].replace(".", "/") for package in deferred._MODULES if package != "execpolicy"}
    deferring = {
        str(path.parent.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*/__init__.py")
        if any(ast.unparse(node) == "defer(__name__)" for node in parsed(path).body)
    }
    assert deferring == packages


CODE = """
import sys
sys.path.insert(0, {folder!r})
from execpolicy import deferred
deferred._MODULES["made"] = "one two"
from made import one, two
assert "made.one" not in sys.modules and "made.two" not in sys.modules
{then}
"""


@pytest.mark.parametrize(
    "then",
    [
        "assert one.given() == 7 and 'made.one' in sys.modules and 'made.two' not in sys.modules",
        "import made.one; assert made.one is sys.modules['made.one'] and made.one.given is one.given",
        "from made.one import given; assert given is one.given",
        "one.given(); from made import one; assert one is sys.modules['made.one']",
        "assert vars(one)['given']() == 7 and one.count() == 8",
        "from pytest import MonkeyPatch as M; m = M(); m.setattr(one, 'given', 8); m.undo(); assert one.given() == 7",
        "one.given = 8; import made.one; assert made.one.given == 8 == one.given",
        "import unittest; unittest.TestCase().assertRaises(AttributeError, getattr, one, 'missing')",
        "import unittest; unittest.TestCase().assertRaises(ImportError, getattr, two, 'given')",
    ],
)
def test_a_module_is_imported_when_something_in_it_is_used(tmp_path: Path, then: str) -> None:
    package = tmp_path / "made"
    package.mkdir()
    (package / "__init__.py").write_text("from execpolicy.deferred import defer\n\ndefer(__name__)\n")
    (package / "one.py").write_text("def given():\n    return 7\n\ndef count():\n    return 8\n")
    (package / "two.py").write_text("import made.missing\n")
    done = run_captured([sys.executable, "-P", "-c", CODE.format(folder=str(tmp_path), then=then)])
    assert done.returncode == 0, done.stderr
