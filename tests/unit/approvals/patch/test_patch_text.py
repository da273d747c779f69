"""The patch format: what is read, and errors that say where."""

from __future__ import annotations

import pytest

from execpolicy.approvals.patch import AddFile, Chunk, DeleteFile, PatchError, UpdateFile, parse_patch


def _patch(body: str) -> str:
    return f"*** Begin Patch\n{body}\n*** End Patch"


def test_every_kind_of_section() -> None:
    hunks = parse_patch(
        _patch(
            "*** Add File: new.txt\n+one\n+\n+two\n"
            "*** Delete File: old.txt\n"
            "*** Update File: a.py\n*** Move to: b.py\n@@ def f():\n x\n-y\n+z\n@@\n-end\n*** End of File"
        )
    )
    assert hunks == (
        AddFile(path="new.txt", content="one\n\ntwo\n"),
        DeleteFile(path="old.txt"),
        UpdateFile(
            path="a.py",
            move_to="b.py",
            chunks=(
                Chunk(contexts=("def f():",), old=("x", "y"), new=("x", "z"), at_end=False, line=9),
                Chunk(contexts=(), old=("end",), new=(), at_end=True, line=13),
            ),
        ),
    )


def test_the_first_chunk_needs_no_header() -> None:
    (hunk,) = parse_patch(_patch("*** Update File: a\n-x\n+y"))
    assert isinstance(hunk, UpdateFile)
    assert hunk.chunks[0].old == ("x",)


def test_several_context_lines_narrow_the_place() -> None:
    (hunk,) = parse_patch(_patch("*** Update File: a\n@@ class A:\n@@     def f(self):\n-x\n+y"))
    assert isinstance(hunk, UpdateFile)
    assert hunk.chunks[0].contexts == ("class A:", "    def f(self):")


def test_a_bare_empty_line_is_an_empty_context_line() -> None:
    (hunk,) = parse_patch(_patch("*** Update File: a\n@@\n x\n\n-y"))
    assert isinstance(hunk, UpdateFile)
    assert hunk.chunks[0].old == ("x", "", "y")


def test_blank_lines_around_and_between() -> None:
    hunks = parse_patch("\n  *** Begin Patch\n*** Add File: a\n+x\n\n*** Delete File: b\n*** End Patch  \n\n")
    assert hunks == (AddFile(path="a", content="x\n"), DeleteFile(path="b"))


def test_a_move_without_a_change() -> None:
    assert parse_patch(_patch("*** Update File: a\n*** Move to: b")) == (UpdateFile(path="a", chunks=(), move_to="b"),)


def test_an_empty_new_file() -> None:
    assert parse_patch(_patch("*** Add File: a")) == (AddFile(path="a", content=""),)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "line 1:"),
        ("*** Add File: a\n+x\n*** End Patch", "line 1:"),
        ("*** Begin Patch\n*** Add File: a\n+x", "line 3:"),
        (_patch("*** Frobnicate: a"), "line 2: `*** Frobnicate: a` starts no file section"),
        (_patch("*** Add File: "), "line 2:"),
        (_patch("*** Add File: a\n+x\ny"), "line 4: `y` starts no file section"),
        (_patch("*** Update File: a"), "line 2: the update of `a` changes nothing"),
        (_patch("*** Update File: a\n@@"), "line 3: a chunk needs at least one line"),
        (_patch("*** Update File: a\n@@ x"), "line 3: a chunk needs at least one line"),
        (_patch("*** Update File: a\n-x\n?y"), "line 4: `?y` must start with a blank"),
        (_patch("*** Update File: a\n-x\n*** End of File\n-y"), "line 5: expected `@@`"),
        (_patch("*** Update File: a\n*** Move to: \n-x"), "line 3: a file path is missing"),
        (_patch("*** Delete File: a\n+x"), "line 3: `+x` starts no file section"),
        (_patch("*** Add File: a\0b\n+x"), "line 2:"),
    ],
)
def test_errors_name_the_line(text: str, where: str) -> None:
    with pytest.raises(PatchError) as caught:
        parse_patch(text)
    assert str(caught.value).startswith(where)


def test_an_empty_patch() -> None:
    with pytest.raises(PatchError, match="the patch is empty"):
        parse_patch("*** Begin Patch\n*** End Patch")
