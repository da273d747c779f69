"""Histories of commands: the distinct commands, and how often each was given.

In every form, equal lines are counted before they are parsed and equal commands before they are decided, because agents
repeat commands often. A line that cannot be read is counted and reported, and reading continues.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import BinaryIO

from execpolicy.errors import UsageError
from execpolicy.fd_io import buffered
from execpolicy.insight.batch import read_parquet
from execpolicy.insight.checkpoint import Checkpoint
from execpolicy.insight.tally import History, Recorded
from execpolicy.insight.transcripts import commands_in, entries, form_of
from execpolicy.safe_open import files_below, open_named, out_of_reach

FORMS = ("auto", "jsonl", "text", "bash", "zsh", "fish", "parquet")
SUFFIXES = (".jsonl", ".ndjson", ".parquet")
"""Suffixes of the files that are read from a folder."""

_FIRST, _MOST = 1 << 20, 1 << 25
"""Bytes of lines that are counted at once: few at first, so that deciding can begin."""
_LONGEST = 64 << 20
"""The maximum bytes of a line on standard input, which may be endless."""
_MOST_REMEMBERED = 1 << 17
_LONG = 4096
"""Bytes; a longer line of a transcript is mostly output."""
_HINTS = (b'"command"', b'"cmd"', b'"argv"', b'"script"', b"\\u")
_NOT_UTF_8 = "it is not UTF-8"
_PARQUET = b"PAR1"


def history_files(targets: Sequence[str]) -> list[str]:
    """The files that ``targets`` name; a folder means every ``*.jsonl``, ``*.ndjson``, ``*.parquet`` below it.

    Raises:
        UsageError: a target does not exist, or a folder holds none.
    """
    found: list[str] = []
    for target in targets:
        if os.path.isdir(target):
            try:
                below = sorted(files_below(target, SUFFIXES))
            except OSError as error:
                raise UsageError(f"cannot look into `{error.filename}`: {error.strerror}") from None
            if not below:
                raise UsageError(f"`{target}` holds no history (*.jsonl, *.ndjson, *.parquet)")
            found += below
        elif target == "-" or os.path.exists(target):
            found.append(target)
        elif reason := out_of_reach(target):
            raise UsageError(f"cannot look at `{target}`: {reason}")
        else:
            raise UsageError(f"no such file or folder: {target}")
    return list(dict.fromkeys(found))


def read_history(
    paths: Sequence[str],
    *,
    form: str = "auto",
    column: str | None = None,
    progress: Callable[[int], None] | None = None,
    met: Callable[[Iterable[Recorded]], None] | None = None,
    checkpoint: Checkpoint | None = None,
) -> History:
    """The commands in ``paths`` (``-``: standard input), each file by its form.

    Args:
        form: one of :data:`FORMS`; ``auto`` looks at the first bytes.
        column: of Parquet files; ``command``, ``script`` or ``argv`` if not given.
        progress: called with the number of bytes read since the last call.
        met: called with the distinct commands new in a file, while reading continues.
        checkpoint: stores the counts; files that it already holds are not read.

    Raises:
        UsageError: a file cannot be opened, or Parquet cannot be read.
    """
    reader = _HistoryReader(form, column, progress, met)
    everything = History()
    for path in paths:
        try:
            if checkpoint is None:
                everything.add(reader.read(path))
            else:
                everything.add(checkpoint.history_of(path, reader.read, progress))
        except OSError as error:
            raise UsageError(f"cannot read `{path}`: {error.strerror or error}") from None
    return everything


def _begins(file: BinaryIO) -> bytes:
    start = file.read(len(_PARQUET))
    file.seek(0)
    return start


@dataclass(slots=True)
class _HistoryReader:
    """Reads files, each into a history. The result of each line is cached, so an equal line is not parsed again."""

    form: str
    column: str | None
    progress: Callable[[int], None] | None
    met: Callable[[Iterable[Recorded]], None] | None
    history: History = field(default_factory=History)
    _known: int = 0
    _parsed: dict[bytes, Recorded | None] = field(default_factory=dict)

    def read(self, path: str) -> History:
        """The commands in one file.

        Raises:
            OSError: it cannot be opened.
            UsageError: it is Parquet that cannot be read.
        """
        self.history = History()
        self._known = 0
        if path == "-":
            self._lines(buffered(sys.stdin, _LONGEST), "<stdin>")
            return self.history
        with open_named(path, pipes=True) as file:
            if self.form == "parquet" or (self.form == "auto" and _begins(file) == _PARQUET):
                read_parquet(path, self.column, self.history)
                self._told(os.path.getsize(path))
            else:
                self._lines(file, path)
        return self.history

    def _lines(self, file: BinaryIO, path: str) -> None:
        form = self.form
        first, ahead = _first_line(file)
        if form == "auto":
            form = form_of(path, first)
        chunks = _chunks(ahead, file)
        if form == "jsonl":
            self._each_line(chunks, path, self._json_line)
        elif form == "text":
            self._each_line(chunks, path, self._script)
        else:
            everything = (line for chunk in chunks for line in self._passed_on(chunk))
            for number, entry in entries(form, everything):
                try:
                    self._script(entry)
                except ValueError as error:
                    self.history.fail(path, number, str(error))

    def _told(self, size: int) -> None:
        """Reports ``size`` more bytes read, and the commands that were new in them."""
        if self.progress is not None:
            self.progress(size)
        counts = self.history.counts
        if self.met is not None and len(counts) > self._known:
            self.met(list(islice(reversed(counts), len(counts) - self._known)))
            self._known = len(counts)

    def _passed_on(self, chunk: list[bytes]) -> list[bytes]:
        self._told(sum(map(len, chunk)))
        return chunk

    def _each_line(self, chunks: Iterator[list[bytes]], path: str, count: Callable[[bytes, int], None]) -> None:
        """Calls ``count`` with every distinct line of a chunk and how often it occurs."""
        at = 1
        for chunk in chunks:
            for line, times in Counter(chunk).items():
                try:
                    count(line, times)
                except ValueError as error:
                    self.history.fail(path, at + chunk.index(line), str(error), times)
            at += len(chunk)
            self._told(sum(map(len, chunk)))

    def _script(self, raw: bytes, times: int = 1) -> None:
        """Counts a script; raises ``ValueError`` if it is not UTF-8."""
        try:
            script = raw.strip().decode()
        except UnicodeDecodeError:
            raise ValueError(_NOT_UTF_8) from None
        if script:
            self.history.counts[script] += times

    def _json_line(self, line: bytes, times: int) -> None:
        if line in self._parsed:
            self._count(self._parsed[line], times)
            return
        text = line.strip()
        if not text:
            return
        if len(text) > _LONG and text[:1] == b"{" and text[-1:] == b"}" and not any(hint in text for hint in _HINTS):
            self.history.other += times
            return
        found = list(commands_in(_parsed(text)))
        if any(name is not None for _, name in found):
            for command, name in found:
                if name is None:
                    self._count(command, times)
                else:  # the command is part of the name: some models only number their calls
                    self._count(command, int((name, command) not in self.history.calls))
                    self.history.calls[name, command] += times
            return
        said = found[0][0] if found else None
        if len(self._parsed) < _MOST_REMEMBERED and len(line) < _LONG:
            self._parsed[line] = said
        self._count(said, times)

    def _count(self, command: Recorded | None, times: int) -> None:
        if command is None:
            self.history.other += times
        elif times:
            self.history.counts[command] += times


def _parsed(text: bytes) -> object:
    try:
        return json.loads(text)
    except UnicodeDecodeError:
        raise ValueError(_NOT_UTF_8) from None
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None


def _first_line(file: BinaryIO) -> tuple[bytes, list[bytes]]:
    """The first line that is not empty, and every line read on the way."""
    ahead: list[bytes] = []
    for line in file:
        ahead.append(line)
        if line.strip():
            return line, ahead
    return b"", ahead


def _chunks(ahead: list[bytes], file: BinaryIO) -> Iterator[list[bytes]]:
    if ahead:
        yield ahead
    size = _FIRST
    while chunk := file.readlines(size):
        yield chunk
        size = _MOST
