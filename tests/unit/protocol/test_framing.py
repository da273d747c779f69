"""The event scanner: every byte that is no event goes out unchanged, whatever the chunks (seed 004, section 5.3)."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.protocol.codec import MessageError, ParseProblem
from execpolicy.protocol.framing import EventScanner
from execpolicy.protocol.messages import ToolRequest


def event(id: str = "t", **fields: Any) -> bytes:
    body = {"v": 1, "type": "tool.request", "ts": 0, "id": id, "tool": "shell", "args": {}, **fields}
    return json.dumps(body).encode()


def scan(chunks: list[bytes], **options: Any) -> tuple[bytes, list[str]]:
    """What went out, and the ids of events (or the problems of broken ones)."""
    scanner = EventScanner(**options)
    out = b""
    found: list[str] = []
    for chunk in chunks:
        pieces, events = scanner.feed(chunk)
        out += b"".join(bytes(piece) for piece in pieces)
        found += [one.what.problem if isinstance(one.what, MessageError) else one.what.id for one in events]
    pieces, events = scanner.finish()
    out += b"".join(bytes(piece) for piece in pieces)
    found += [one.what.problem if isinstance(one.what, MessageError) else one.what.id for one in events]
    return out, found


E = event()
CASES: list[tuple[bytes, bytes, list[str]]] = [
    (b"", b"", []),
    (b"plain\ntext", b"plain\ntext", []),
    (E + b"\n", b"", ["t"]),
    (E + b"\r\n", b"", ["t"]),
    (E, b"", ["t"]),
    (b"a\n" + E + b"\nb\n", b"a\nb\n", ["t"]),
    (b"\n\n" + E + b"\n\n", b"\n\n\n", ["t"]),
    (event("a") + b"\n" + event("b") + b"\n", b"", ["a", "b"]),
    (b"x" + E + b"\n", b"x" + E + b"\n", []),
    (b" " + E + b"\n", b" " + E + b"\n", []),
    (b"{\n", b"{\n", []),
    (b"{}\n{", b"{}\n{", []),
    (b'{"a": 1}\n', b'{"a": 1}\n', []),
    (b'{"type": "other"}\n', b'{"type": "other"}\n', []),
    (b'{"type": "policy.decision"}\n', b'{"type": "policy.decision"}\n', []),
    (b'{"note": "tool.request"}\n', b'{"note": "tool.request"}\n', []),
    (b'{"type": "tool.request"}\n', b'{"type": "tool.request"}\n', ["missing_field"]),
    (b'{"v":1,"type": "tool.reque', b'{"v":1,"type": "tool.reque', ["not_json"]),
    (b'{"v":1,"type": "tool.request", ', b'{"v":1,"type": "tool.request", ', ["not_json"]),
    (b'{"type": "tool.request"\xff}\n', b'{"type": "tool.request"\xff}\n', ["not_json"]),
    (b"\x00\xff\xfe{\n\x80", b"\x00\xff\xfe{\n\x80", []),
    (b"{" + b"x" * 300 + b"\n" + E + b"\n", b"{" + b"x" * 300 + b"\n", ["t"]),
]


@pytest.mark.parametrize(("data", "out", "found"), CASES)
@pytest.mark.parametrize("size", [1, 2, 7, 10_000])
def test_lines_without_a_prefix(data: bytes, out: bytes, found: list[str], size: int) -> None:
    assert scan([data[at : at + size] for at in range(0, len(data), size)], max_event_bytes=200) == (out, found)


PREFIXED: list[tuple[bytes, bytes, list[str]]] = [
    (b"@ep " + E + b"\n", b"", ["t"]),
    (E + b"\n", E + b"\n", []),
    (b"@ep broken\n", b"@ep broken\n", ["not_json"]),
    (b"@ep {}\n", b"@ep {}\n", ["missing_field"]),
    (b'@ep {"type":"policy.decision"}\n', b'@ep {"type":"policy.decision"}\n', ["missing_field"]),
    (b"@e\n@ep", b"@e\n@ep", []),
    (b"@", b"@", []),
    (b"@@ep " + E + b"\n", b"@@ep " + E + b"\n", []),
    (b"x @ep " + E + b"\n@ep " + E, b"x @ep " + E + b"\n", ["t"]),
    (b"@ep " + b"y" * 300 + b"\nz", b"@ep " + b"y" * 300 + b"\nz", ["too_long"]),
]


@pytest.mark.parametrize(("data", "out", "found"), PREFIXED)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 10_000])
def test_lines_with_a_prefix(data: bytes, out: bytes, found: list[str], size: int) -> None:
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    assert scan(chunks, prefix=b"@ep ", max_event_bytes=200) == (out, found)


def test_text_that_cannot_become_an_event_goes_out_at_once() -> None:
    scanner = EventScanner()
    pieces, _ = scanner.feed(b"Continue? ")
    assert b"".join(map(bytes, pieces)) == b"Continue? "
    assert not scanner.holding
    pieces, _ = scanner.feed(b"y\nmore")
    assert b"".join(map(bytes, pieces)) == b"y\nmore"


def test_what_is_held_can_be_let_out_and_the_event_still_counts() -> None:
    scanner = EventScanner()
    assert scanner.feed(E[:20]) == ([], [])
    assert scanner.holding
    assert b"".join(map(bytes, scanner.release())) == E[:20]
    assert not scanner.holding
    assert scanner.release() == []
    pieces, found = scanner.feed(E[20:] + b"\nnext")
    assert [type(one.what) for one in found] == [ToolRequest]
    assert b"".join(map(bytes, pieces)) == E[20:] + b"\nnext"


def test_a_held_prefix_that_was_let_out_is_text() -> None:
    scanner = EventScanner(prefix=b"@ep ")
    assert scanner.feed(b"@e") == ([], [])
    assert b"".join(map(bytes, scanner.release())) == b"@e"
    pieces, found = scanner.feed(b"p " + E + b"\n@ep " + E + b"\n")
    assert b"".join(map(bytes, pieces)) == b"p " + E + b"\n"
    assert len(found) == 1


def test_a_line_without_end_keeps_nothing_and_costs_little() -> None:
    scanner = EventScanner(max_event_bytes=1_000)
    total = 0
    for _ in range(2_000):
        pieces, found = scanner.feed(b"{" * 997)
        total += sum(len(piece) for piece in pieces)
        assert found == []
    assert total + len(b"".join(map(bytes, scanner.finish()[0]))) == 2_000 * 997


LINES = st.lists(
    st.sampled_from([E, event("u"), b"{", b"{}", b"", b"@ep " + E, b"@ep {}", b"@e", b"text", b"\xff{", b"a" * 250]),
    max_size=6,
)


@given(LINES, st.booleans(), st.lists(st.integers(0, 400), max_size=8), st.sampled_from([b"", b"@ep "]), st.booleans())
def test_chunks_make_no_difference(
    lines: list[bytes], ends: bool, cuts: list[int], prefix: bytes, release: bool
) -> None:
    data = b"\n".join(lines) + (b"\n" if ends else b"")
    whole, events = scan([data], prefix=prefix, max_event_bytes=200)
    edges = sorted({0, len(data), *[cut for cut in cuts if cut < len(data)]})
    chunks = [data[start:end] for start, end in pairwise(edges)]
    assert scan(chunks, prefix=prefix, max_event_bytes=200) == (whole, events)

    # without any event, what comes out is what went in, also when held bytes are let out in between
    if not events and release:
        scanner = EventScanner(prefix=prefix, max_event_bytes=200)
        out = b""
        for chunk in chunks:
            out += b"".join(map(bytes, scanner.feed(chunk)[0]))
            out += b"".join(map(bytes, scanner.release()))
        assert out + b"".join(map(bytes, scanner.finish()[0])) == data


def test_too_long_is_a_problem_only_when_it_looked_like_an_event() -> None:
    long = event(args={"x": "y" * 500}) + b"\n"
    assert scan([long], max_event_bytes=200) == (long, [ParseProblem.TOO_LONG])
    plain = b"{" + b" " * 500 + b"\n"
    assert scan([plain], max_event_bytes=200) == (plain, [])
