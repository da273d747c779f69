"""Removes lines from a rule file to which other programs append: our last append, or a line by its text.

INVARIANT: as for appending, the file is changed in place and under its lock, and each system call leaves every line
whole wherever it stops. Lines at the end of the file are truncated. Lines before others are removed by moving the
others up, if the kernel writes those in one piece. Otherwise they become a comment by their first byte.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from execpolicy.amend.append import (
    DEFAULT_TIMEOUT,
    FileState,
    failure,
    is_current,
    last_line,
    locked,
    overwrite,
    read_locked,
    state_of,
)
from execpolicy.amend.journal import FileHistory, Journal, JournalEntry
from execpolicy.core.exclusion import NOTHING_MORE
from execpolicy.errors import RuleStoreError
from execpolicy.lang.render import render_prefix_rule

_PAGE = 4096
"""Bytes that a kernel writes atomically: a killed process stops between two of these blocks of a file."""
_MARK = b"# undone: "
_ATTEMPTS = 20


class NothingSaved(RuleStoreError):
    """There is no append to undo."""

    def __init__(self, path: str) -> None:
        super().__init__(f"there is nothing to undo in {path}")


def undo_last(
    path: str, journal: Journal, *, id: str | None = None, timeout: float = DEFAULT_TIMEOUT
) -> tuple[str, ...]:
    """Removes the last append to ``path`` in ``journal``, or the one with ``id``; returns its lines.

    Finishes the undo of a killed process.

    Raises:
        RuleStoreError: there is no append, its lines have moved, another program may have written them, or the file or
            the journal could not be read or written.
    """
    if os.path.lexists(path):
        with locked(path, timeout=timeout, create=False) as fd:
            history, finished = _finish(fd, path, journal)
            data, state = read_locked(fd, path)
            if finished is not None and finished.id not in history.entries and id in (None, finished.id):
                return finished.lines
            entry = _chosen(history, data, id)
            if entry is None:
                raise NothingSaved(path)
            ranges = [] if _is_doubtful(entry, history, state) else _ranges(entry, data)
            if not ranges:
                journal.forget(entry.id)
                raise RuleStoreError(_gone(path, entry))
            taken = [line for at, line in entry.pieces if any(start <= at < end for start, end in ranges)]
            for each in reversed(ranges):
                data = _take_out(fd, path, data, each, journal, entry.id)
            if not is_current(fd, path):
                raise RuleStoreError(f"{path} was replaced by another program while a rule was taken out; look at it")
            return tuple([line.decode("utf-8").removesuffix("\n") for line in taken])
    raise NothingSaved(path)


def undo_line(path: str, line: str, journal: Journal | None, *, timeout: float = DEFAULT_TIMEOUT) -> bool:
    """Removes the last line that is exactly ``line``; ``False`` if there is none.

    Raises:
        RuleStoreError: the file or the journal could not be read or written.
    """
    for _ in range(_ATTEMPTS):
        if not os.path.lexists(path):
            return False
        with locked(path, timeout=timeout, create=False) as fd:
            if journal is not None:
                _finish(fd, path, journal)
            data, _ = read_locked(fd, path)
            found = last_line(data, line.encode("utf-8"))
            if found is None:
                return False
            _take_out(fd, path, data, found, journal, None)
            if is_current(fd, path):
                return True
    raise RuleStoreError(f"failed to write to policy file {path}: another program keeps replacing it; try again")


def undo_prefixes(
    prefixes: Sequence[Sequence[str]], files: Sequence[str], journal: Journal | None, *, timeout: float
) -> dict[str, tuple[str, ...]]:
    """Removes the allow rules for exactly ``prefixes``: lines as Codex writes them, and our own with ``unless``.

    Returns the removed lines by file.

    Raises:
        RuleStoreError: there is no such line, or a file or the journal could not be read or written.
    """
    opened = [render_prefix_rule(prefix) for prefix in prefixes]
    closed = [render_prefix_rule(prefix, unless=NOTHING_MORE) for prefix in prefixes]
    starts = tuple([f"{line[:-1]}, unless=[" for line in opened])
    removed: dict[str, tuple[str, ...]] = {}
    for file in files:
        entries = () if journal is None else journal.history(file).entries.values()
        narrower = [line for entry in entries for line in entry.lines if line.startswith(starts)]
        lines = dict.fromkeys([*opened, *closed, *narrower])
        if found := tuple([line for line in lines if undo_line(file, line, journal, timeout=timeout)]):
            removed[file] = found
    if not removed:
        wanted = "` or `".join(opened)
        raise RuleStoreError(f"no line `{wanted}`, with or without `unless`, in {' or '.join(files)}")
    return removed


def _finish(fd: int, path: str, journal: Journal) -> tuple[FileHistory, JournalEntry | None]:
    """Completes the record of removals that a killed process announced.

    Returns the history of the file, and the append that the killed process was undoing, if any.
    """
    history = journal.history(path)
    if not history.taking:
        return history, None
    undone: JournalEntry | None = None
    for id, taking in history.taking.items():
        data, _ = read_locked(fd, path)
        happened = data[taking.at : taking.at + len(taking.text)] != taking.text
        if happened and taking.shift and data.endswith(b"\n" + b"\n" * len(taking.text)):
            _cut(fd, path, len(data) - len(taking.text))
        journal.confirm_taking(id, happened=happened, state=state_of(fd))
        if happened and taking.of is not None:
            undone = history.entries.get(taking.of)
    return journal.history(path), undone


def _chosen(history: FileHistory, data: bytes, id: str | None) -> JournalEntry | None:
    """The append to undo, without those of a process that was killed before it wrote; ``None`` if there is none."""
    for entry in reversed(history.entries.values()):
        if id in (None, entry.id) and (entry.saved or _ranges(entry, data)):
            return entry
    return None


def _is_doubtful(entry: JournalEntry, history: FileHistory, state: FileState) -> bool:
    """True if a line at the place of ``entry`` may belong to another program.

    Other programs append, so in a file that grew our lines are where we left them. If a file changed without growing,
    another program removed a line, and an equal line at its place may be a new one.
    """
    known = history.state
    return entry.saved and known is not None and state != known and state[1] <= known[1]


def _ranges(entry: JournalEntry, data: bytes) -> list[tuple[int, int]]:
    """The byte ranges of the lines of ``entry`` in the file.

    Lines at the end of the file are one range, with the line ending that they added to the line before.
    """
    found: list[tuple[int, int]] = []
    for at, line in entry.pieces:
        if data[at : at + len(line)] == line and data[max(at - 1, 0) : at] in (b"", b"\n"):
            found.append((at, at + len(line)))
    while len(found) > 1 and found[-1][1] == len(data) and found[-2][1] == found[-1][0]:
        found[-2:] = [(found[-2][0], len(data))]
    if entry.completes and found == [(entry.pieces[0][0], len(data))]:
        found = [(found[0][0] - 1, len(data))]
    return found


def _gone(path: str, entry: JournalEntry) -> str:
    lines = " and ".join([f"`{line}`" for line in entry.lines])
    return (
        f"the last rule that was saved in {path} is no longer there, or was saved once more by another program: "
        f"{lines}; name the command to take out the line that is there now, as in `execpolicy undo -- git push`"
    )


def _take_out(
    fd: int, path: str, data: bytes, place: tuple[int, int], journal: Journal | None, of: str | None
) -> bytes:
    """Removes whole lines from the file with the content ``data``; returns the new content."""
    start, end = place
    at_end, in_one_piece = end == len(data), start // _PAGE == (len(data) - 1) // _PAGE
    shift = end - start if in_one_piece and not at_end else 0
    id = None
    if journal is not None:
        text = data[start:end].decode("utf-8", "replace")
        id = journal.announce_taking(path, start, text, shift=shift, of=of)
    if at_end or in_one_piece:
        if not at_end:
            overwrite(path, data[end:] + b"\n" * shift, start, len(data), fd)
        data = data[:start] + data[end:]
        _cut(fd, path, len(data))
    else:
        mark = _MARK[: end - start - 1]
        overwrite(path, mark, start, len(data), fd)
        data = data[:start] + mark + data[start + len(mark) :]
    if journal is not None and id is not None:
        journal.confirm_taking(id, happened=True, state=state_of(fd))
    return data


def _cut(fd: int, path: str, size: int) -> None:
    try:
        os.ftruncate(fd, size)
        os.fsync(fd)
    except OSError as error:
        raise failure("write to", path, error) from error
