"""Finding the lines that a chunk replaces."""

from __future__ import annotations

import pytest

from execpolicy.approvals.patch import Chunk, PatchError, find, replace


def _chunk(
    old: list[str], new: list[str], *, contexts: tuple[str, ...] = (), at_end: bool = False, line: int = 7
) -> Chunk:
    return Chunk(contexts=contexts, old=tuple(old), new=tuple(new), at_end=at_end, line=line)


@pytest.mark.parametrize(
    ("lines", "wanted", "index"),
    [
        (["a", "b", "c"], ["b", "c"], 1),
        (["a  ", "b"], ["a"], 0),
        (["  a", "b"], ["a"], 0),
        (["“a” – b"], ['"a" - b'], 0),
        (["a b"], ["a\u00a0b"], 0),
        (["a"], ["b"], None),
        (["a"], ["a", "b"], None),
        ([], ["a"], None),
        (["  x", "x"], ["x"], 1),
        (["x ", "x"], ["x"], 1),
    ],
)
def test_find(lines: list[str], wanted: list[str], index: int | None) -> None:
    """An exact place is preferred to a looser one that comes earlier."""
    assert find(lines, wanted, 0) == index


def test_find_at_the_end_prefers_the_last_place() -> None:
    assert find(["x", "y", "x"], ["x"], 0, at_end=True) == 2
    assert find(["x", "y", "x"], ["x"], 0) == 0
    assert find(["x", "y"], ["x"], 0, at_end=True) == 0


def test_chunks_apply_in_order() -> None:
    text = "a\nb\na\nb\n"
    assert replace("f", text, [_chunk(["b"], ["1"]), _chunk(["b"], ["2"])]) == "a\n1\na\n2\n"
    with pytest.raises(PatchError):
        replace("f", "b\na\n", [_chunk(["a"], ["1"]), _chunk(["b"], ["2"])])


def test_the_context_says_which_of_several_places() -> None:
    text = "def f():\n    pass\ndef g():\n    pass\n"
    chunk = _chunk(["    pass"], ["    return 1"], contexts=("def g():",))
    assert replace("f", text, [chunk]) == "def f():\n    pass\ndef g():\n    return 1\n"


def test_nested_contexts() -> None:
    text = "class A:\n    def f(self):\n        a\nclass B:\n    def f(self):\n        a\n"
    chunk = _chunk(["        a"], ["        b"], contexts=("class B:", "    def f(self):"))
    assert replace("f", text, [chunk]) == text[:-2] + "b\n"


def test_lines_are_only_added_behind_the_context_or_at_the_end() -> None:
    assert replace("f", "a\nb\n", [_chunk([], ["x"])]) == "a\nb\nx\n"
    assert replace("f", "a\nb\n", [_chunk([], ["x"], contexts=("a",))]) == "a\nx\nb\n"
    assert replace("f", "", [_chunk([], ["x"])]) == "x\n"


def test_a_trailing_blank_line_may_be_layout() -> None:
    assert replace("f", "a\nb\n", [_chunk(["a", ""], ["1", ""])]) == "1\nb\n"


def test_line_ends_are_kept() -> None:
    assert replace("f", "a\r\nb\r\n", [_chunk(["a"], ["1", "2"])]) == "1\r\n2\r\nb\r\n"
    assert replace("f", "a\r\nb\n", [_chunk(["b"], ["1"])]) == "a\r\n1\n"


def test_the_result_ends_with_a_newline() -> None:
    assert replace("f", "a\nb", [_chunk(["b"], ["c"])]) == "a\nc\n"


@pytest.mark.parametrize(
    ("chunk", "message"),
    [
        (_chunk(["zz"], ["y"]), "f: cannot find these lines (patch line 7):\nzz"),
        (_chunk(["a"], ["y"], contexts=("nowhere",)), "f: cannot find the line `nowhere` (patch line 7)"),
    ],
)
def test_errors_say_where(chunk: Chunk, message: str) -> None:
    with pytest.raises(PatchError) as caught:
        replace("f", "a\nb\n", [chunk])
    assert str(caught.value) == message
