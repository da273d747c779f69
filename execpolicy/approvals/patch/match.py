"""Finds the lines that a chunk replaces, and replaces them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from execpolicy.approvals.patch.hunks import Chunk, PatchError

_PUNCTUATION = str.maketrans({
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("‘’‚‛", "'"),
    **dict.fromkeys("“”„‟", '"'),
    **dict.fromkeys(
        "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
    ),
})  # fmt: skip
"""Typographic characters that agents confuse with the plain ones."""


def _plain(line: str) -> str:
    return line.strip().translate(_PUNCTUATION)


_VIEWS: tuple[Callable[[str], str], ...] = (str, str.rstrip, str.strip, _plain)
"""How lines are compared, the exact way first; a looser one is only tried when no place fits the stricter."""


def find(lines: Sequence[str], wanted: Sequence[str], start: int, *, at_end: bool = False) -> int | None:
    """The first index from ``start`` where ``wanted`` stands in ``lines``, or ``None``.

    Args:
        at_end: it must be the last place of the file; earlier ones are tried after that.
    """
    last = len(lines) - len(wanted)
    if last < start:
        return None
    order = [last, *range(start, last)] if at_end else range(start, last + 1)
    for view in _VIEWS:
        target = [view(line) for line in wanted]
        seen = [view(line) for line in lines]
        for index in order:
            if seen[index : index + len(target)] == target:
                return index
    return None


def replace(path: str, text: str, chunks: Sequence[Chunk]) -> str:
    """``text`` with every chunk applied, in order; the result ends with a newline. Line ends stay what they were.

    Raises:
        PatchError: a chunk does not fit; the message names the file, the chunk's line in the patch and what is missing.
    """
    returns = "\r\n" in text and "\n" not in text.replace("\r\n", "")
    lines = (text.replace("\r\n", "\n") if returns else text).split("\n")
    if lines[-1] == "":
        lines.pop()
    edits: list[tuple[int, int, tuple[str, ...]]] = []
    at = 0
    for chunk in chunks:
        begin, length, new = _place(path, lines, chunk, at)
        edits.append((begin, length, new))
        at = begin + length
    for begin, length, new in reversed(edits):
        lines[begin : begin + length] = [line.removesuffix("\r") for line in new] if returns else new
    end = "\r\n" if returns else "\n"
    return "".join([line + end for line in lines])


def _place(path: str, lines: list[str], chunk: Chunk, at: int) -> tuple[int, int, tuple[str, ...]]:
    """Where ``chunk`` goes: the first line it replaces, how many, and by what."""
    for context in chunk.contexts:
        found = find(lines, [context], at)
        if found is None:
            raise PatchError(f"{path}: cannot find the line `{context}` (patch line {chunk.line})")
        at = found + 1
    old, new = chunk.old, chunk.new
    if not old:
        return (at if chunk.contexts else len(lines)), 0, new
    begin = find(lines, old, at, at_end=chunk.at_end)
    if begin is None and old[-1] == "" and len(old) > 1:  # a blank line that only belongs to the patch's layout
        old = old[:-1]
        new = new[:-1] if new and new[-1] == "" else new
        begin = find(lines, old, at, at_end=chunk.at_end)
    if begin is None:
        missing = "\n".join(chunk.old)
        raise PatchError(f"{path}: cannot find these lines (patch line {chunk.line}):\n{missing}")
    return begin, len(old), new
