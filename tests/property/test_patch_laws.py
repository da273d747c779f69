"""Laws of patches: what a diff says is what applying it gives, wherever it stands and whatever stands around it."""

from __future__ import annotations

import difflib

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.approvals.patch import PatchError, UpdateFile, parse_patch, replace

_LINE = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=6)
_UNIQUE = st.lists(_LINE, min_size=1, max_size=12, unique_by=str.strip)


def _patch(old: list[str], new: list[str], context: int) -> str:
    """The whole change as chunks with ``context`` lines around each."""
    lines = ["*** Begin Patch", "*** Update File: f"]
    for group in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_grouped_opcodes(context):
        lines.append("@@")
        for tag, a, b, c, d in group:
            if tag == "equal":
                lines += [f" {line}" for line in old[a:b]]
            else:
                lines += [f"-{line}" for line in old[a:b]] + [f"+{line}" for line in new[c:d]]
    return "\n".join([*lines, "*** End Patch"])


def _text(lines: list[str]) -> str:
    return "".join([line + "\n" for line in lines])


@given(_UNIQUE, st.data())
def test_applying_a_diff_gives_the_new_text(old: list[str], data: st.DataObject) -> None:
    new = list(old)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(new)))
        new[at : at + data.draw(st.integers(0, 2))] = data.draw(st.lists(_LINE, max_size=2))
    if new == old:
        return
    (hunk,) = parse_patch(_patch(old, new, context=len(old)))
    assert isinstance(hunk, UpdateFile)
    assert replace("f", _text(old), hunk.chunks) == _text(new)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    for candidate in (text, f"*** Begin Patch\n*** Update File: f\n{text}\n*** End Patch"):
        try:
            hunks = parse_patch(candidate)
        except PatchError:
            continue
        assert hunks


@given(st.lists(_LINE, max_size=8), st.lists(_LINE, max_size=4), st.lists(_LINE, max_size=4))
def test_lines_that_a_chunk_does_not_name_stay(lines: list[str], old: list[str], new: list[str]) -> None:
    patch = "\n".join([
        "*** Begin Patch", "*** Update File: f", "@@",
        *[f"-{line}" for line in old], *[f"+{line}" for line in new], "*** End Patch",
    ])  # fmt: skip
    try:
        (hunk,) = parse_patch(patch)
        assert isinstance(hunk, UpdateFile)
        result = replace("f", _text(lines), hunk.chunks)
    except PatchError:
        return
    kept = result.split("\n")[:-1]
    assert len(lines) - len(old) <= len(kept) <= len(lines) - max(len(old) - 1, 0) + len(new)
