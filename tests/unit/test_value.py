"""``@value``, and the same classes written out as a wheel holds them: one table for both."""

from __future__ import annotations

import ast
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import execpolicy
from tests.support.modules import parsed

ROOT = Path(__file__).parents[2]
PACKAGE = Path(execpolicy.__file__).parent
write_out = runpy.run_path(str(ROOT / ".ci" / "written_out.py"))["write_out"]

SOURCE = '''
from __future__ import annotations
from typing import ClassVar
from execpolicy.value import KW_ONLY, value

FEW = 3

@value
class Plain:
    """What it is."""

    first: int
    second: str = "two"
    """Why."""
    third: tuple[int, ...] = (FEW,)

    @property
    def both(self) -> str:
        return f"{self.first}{self.second}"

@value
class Named:
    LIMIT: ClassVar[int] = 7
    first: int
    _: KW_ONLY
    value: str
    last: int | None = None
    _seen: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self.first == other.first

    def __hash__(self) -> int:
        return hash(self.first)

    def __repr__(self) -> str:
        return f"Named({self.first})"

@value
class Checked:
    low: int
    high: int = 9

    def __post_init__(self) -> None:
        """Refuse what is empty."""
        for at in (self.low, self.high):
            if self.low > self.high:
                raise ValueError(f"{at} is wrong")

def low() -> int:
    return 5

@value
class CheckedByOther:
    low: int

    def __post_init__(self) -> None:
        if self.low > len(_outside()):
            raise ValueError("too much")
        return

def _outside() -> str:
    return "four"

@value
class Equal:
    one: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal)

@value
class Empty:
    """Nothing."""

class Outer:
    @value
    class Inner:
        one: int
'''

UNSET = " and no __dict__ for setting new attributes" if sys.version_info >= (3, 13) else ""
RESULTS = {
    "Plain(1).first, Plain(1).second, Plain(1).third": (1, "two", (3,)),
    "Plain(1, 'b', (1,)).both": "1b",
    "Plain(third=(), first=4).third": (),
    "Plain.__slots__, Plain.__match_args__": (("first", "second", "third"),) * 2,
    "Plain.__doc__, Plain.__module__, Plain.__qualname__": ("What it is.", "made", "Plain"),
    "Plain(1) == Plain(1), len({Plain(1), Plain(1)})": (False, 2),
    "repr(Plain(1)).partition(' at ')[0]": "<made.Plain object",
    "str(inspect.signature(Plain))": "(first: 'int', second: 'str' = 'two', third: 'tuple[int, ...]' = (3,)) -> 'None'",
    "str(inspect.signature(Named))": (
        "(first: 'int', *, value: 'str', last: 'int | None' = None, _seen: 'bool' = False) -> 'None'"
    ),
    "typing.get_type_hints(Plain.__init__)['second']": str,
    "Plain()": "TypeError: Plain.__init__() missing 1 required positional argument: 'first'",
    "Plain(1, 2, 3, 4)": "TypeError: Plain.__init__() takes from 2 to 4 positional arguments but 5 were given",
    "Named(1)": "TypeError: Named.__init__() missing 1 required keyword-only argument: 'value'",
    "Named(1, 'v')": "TypeError: Named.__init__() takes 2 positional arguments but 3 were given",
    "Outer.Inner()": "TypeError: Outer.Inner.__init__() missing 1 required positional argument: 'one'",
    "Plain(1).fourth": "AttributeError: 'Plain' object has no attribute 'fourth'",
    "setattr(Plain(1), 'fourth', 4)": f"AttributeError: 'Plain' object has no attribute 'fourth'{UNSET}",
    "hasattr(Plain(1), '__dict__'), hasattr(Plain(1), '__weakref__')": (False, False),
    "Named.LIMIT, Named.__slots__, Named.__match_args__": (7, ("first", "value", "last", "_seen"), ("first",)),
    "Named(1, value='a') == Named(1, value='b'), hash(Named(1, value='a')) == hash(1)": (True, True),
    "Named(1, value='a')": "Named(1)",
    "Equal(1) == Equal(2)": True,
    "hash(Equal(1))": "TypeError: unhashable type: 'Equal'",
    "Checked(1).high, Checked(1, high=2).high": (9, 2),
    "Checked(10)": "ValueError: 10 is wrong",
    "CheckedByOther(4).low": 4,
    "CheckedByOther(5)": "ValueError: too much",
    "Empty.__slots__, type(Empty()).__name__": ((), "Empty"),
    "pickle.loads(pickle.dumps(Plain(1, 'x'))).both": "1x",
    "copy.copy(Plain(1, 'x')).both, copy.deepcopy(Plain(1, 'x')).third": ("1x", (3,)),
    "matched(Plain(1, 'x'))": (1, "x"),
    "type(Plain.__dict__['first']).__name__": "member_descriptor",
}

HELPERS = """
import copy, inspect, pickle, typing

def matched(given):
    match given:
        case Plain(first, second):
            return first, second
"""


@pytest.fixture(scope="module", params=["decorated", "written out"])
def made(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    module = sys.modules["made"] = ModuleType("made")
    tree = ast.parse(SOURCE)
    if request.param == "written out":
        tree = write_out(tree)
        assert "execpolicy.value" not in ast.unparse(tree)
    exec(compile(tree, "made.py", "exec"), vars(module))
    exec(HELPERS, vars(module))
    yield module
    del sys.modules["made"]


@pytest.mark.parametrize("expression", RESULTS)
def test_the_class_behaves_as_if_it_were_written_by_hand(made: ModuleType, expression: str) -> None:
    try:
        found = eval(expression, vars(made))
    except (AttributeError, TypeError, ValueError) as error:
        found = f"{type(error).__name__}: {error}"
    expected = RESULTS[expression]
    assert (repr(found) if isinstance(expected, str) and not isinstance(found, str) else found) == expected


def test_a_check_is_written_into_the_init_unless_that_would_change_a_name(made: ModuleType) -> None:
    written = ast.unparse(write_out(ast.parse(SOURCE)))
    assert written.count("self.__post_init__()") == 1
    assert written.count("is wrong") == 2


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("@value\nclass A(B):\n    one: int\n", "A: a value has no base class"),
        ("@value\nclass A:\n    one: int = 1\n    two: int\n", "A: a field without a default follows one that has"),
    ],
)
def test_what_has_no_written_form_stops_the_build(text: str, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        write_out(ast.parse(text))


def test_every_value_of_the_package_can_be_written_out() -> None:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        if "\n@value\n" in text:
            compile(write_out(ast.parse(text)), str(path), "exec")


def test_the_decorator_imports_only_sys() -> None:
    found = [node for node in parsed(PACKAGE / "value.py").body if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert [ast.unparse(node) for node in found] == ["from __future__ import annotations", "import sys"]
