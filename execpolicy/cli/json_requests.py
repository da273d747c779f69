"""Streams of requests: one JSON object per input line, one answer per output line, in order.

Each answer is written as soon as it is known. No line ends the stream: an invalid or failing request is answered with
an error. A line of any length is read in linear time and bounded memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TextIO

from execpolicy.cli.output import write_line
from execpolicy.errors import ExecPolicyError, UsageError
from execpolicy.fd_io import LineReader, blocks_of
from execpolicy.strict_json import no_constant

Answer = Callable[[dict[str, Any]], dict[str, Any]]

_LONGEST_LINE = 16 << 20
_TOGETHER = 16
"""Maximum number of answers written together, for requests that arrived together."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False, allow_nan=False)


def answer_lines(answer: Answer, stdin: TextIO | None, stdout: TextIO) -> None:
    """Answer every line of ``stdin`` except blank ones; ``answer`` maps a request to its answer without ``id``.

    Raises:
        UsageError: standard input is closed or cannot be read.
    """
    for lines in _batches(stdin):
        for start in range(0, len(lines), _TOGETHER):
            together = [line for line in lines[start : start + _TOGETHER] if line is None or line.strip()]
            if together:
                write_line(stdout, "\n".join([_answered(line, answer) for line in together]))


def _batches(stdin: TextIO | None) -> Iterator[list[bytes | None]]:
    try:
        reader = LineReader(blocks_of(stdin), _LONGEST_LINE)
        while (lines := reader.batch()) is not None:
            yield lines
    except OSError as error:
        raise UsageError(f"standard input cannot be read: {error.strerror}") from None


def _answered(raw: bytes | None, answer: Answer) -> str:
    """The answer to one line; ``{"id"?, "error"}`` on failure."""
    head: dict[str, Any] = {}
    try:
        request = _request(raw)
        if "id" in request:
            _ENCODER.encode(request["id"])  # fails early if the id cannot be repeated
            head["id"] = request["id"]
        return _ENCODER.encode({**head, **answer(request)})
    except ExecPolicyError as error:
        problem = str(error)
    except RecursionError:
        problem = "the line is not a request: it is nested too deep"
    except UnicodeEncodeError:
        problem = "the request holds half of a surrogate pair, which no command can"
    except OSError as error:
        problem = f"the request cannot be decided: {error.strerror or error}"
    except Exception as error:  # a bug must not end the stream for the lines that follow
        problem = f"execpolicy failed ({type(error).__name__}: {error}); please report it"
    return _ENCODER.encode({**head, "error": problem})


def _request(raw: bytes | None) -> dict[str, Any]:
    """The request on a line; ``None`` means that the line was too long.

    Raises:
        UsageError: the line holds no request.
    """
    if raw is None:
        raise UsageError(f"the line is longer than {_LONGEST_LINE >> 20} MiB")
    try:
        text = raw.decode("utf-8")
        request = json.loads(text) if text[:1] == _MARK else _DECODER.decode(text)
    except UnicodeDecodeError as error:
        raise UsageError(f"the line is not UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise UsageError(f"the line is not JSON: {error.msg} (column {error.colno})") from None
    except ValueError as error:  # a number with thousands of digits, or invalid JSON
        raise UsageError(f"the line is not JSON: {str(error).partition(';')[0]}") from None
    if not isinstance(request, dict):
        raise UsageError("a request is one JSON object on one line")
    return request


def _finite(word: str) -> float:
    number = float(word)
    if number - number != 0:
        raise ValueError(f"{word[:40]} is too large for a number")
    return number


_DECODER = json.JSONDecoder(parse_constant=no_constant, parse_float=_finite)
_MARK = "\ufeff"
"""A byte order mark. The error message of ``json.loads`` names it."""
