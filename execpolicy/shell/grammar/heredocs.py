"""Here-documents: the range of the body, and the expansions in it."""

from __future__ import annotations

from execpolicy.shell.grammar.quotes import read_quoted_text, unescape_to
from execpolicy.shell.grammar.reader import Reader
from execpolicy.shell.grammar.word_building import build_word
from execpolicy.shell.pieces import Piece, literal_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.shell.grammar.state import Pending


def expect_body(reader: Reader, one: Pending, delimiter: Sequence[Piece]) -> Pending:
    """Records a here-document whose body follows."""
    text = literal_text(delimiter)
    if text is None or "\n" in text:
        reader.fail("unusual here-document delimiter")
    if any("$" in (piece.text or "") and not piece.quoted for piece in delimiter):
        reader.fail("unusual here-document delimiter")
    if one.tabs and text.startswith("\t"):  # zsh drops its tabs too, bash ends at the line with its tabs, others never
        reader.fail("here-document delimiter that begins with a tab behind `<<-`")
    reader.state.heredocs += 1
    reader.pending.append(one)
    return one


def read_newline(reader: Reader) -> None:
    """Consumes the newline at the position and the bodies that follow it."""
    reader.pos += 1
    if reader.pending:
        read_bodies(reader)


def read_bodies(reader: Reader) -> None:
    """Reads the bodies that begin here; at the end of the script they are empty (bash warns and runs the command)."""
    due, reader.pending = reader.pending, []
    for one in due:
        _read_body(reader, one)


def skip_lines(reader: Reader) -> str:
    """Moves to the next token, also over newlines; returns the character there."""
    while (char := reader.skip_blanks()) == "\n":
        read_newline(reader)
    return char


def _read_body(reader: Reader, one: Pending) -> None:
    end = reader.end
    start = pos = reader.pos
    chars: list[str] = []
    offsets: list[int] = []
    joined = False
    while True:
        if pos >= end:
            if reader.state.depth or reader.offsets is not None:
                reader.fail("here-document without its end inside a substitution or a compound command", start)
            break
        line: list[str] = []
        places: list[int] = []
        first = pos
        pos = _read_line(reader, pos, one.plain, line, places)
        joined = joined or pos - first > len(line)
        skip = 0
        if one.tabs:
            while skip < len(line) and line[skip] == "\t":
                skip += 1
        content = "".join(line[skip:])
        if content == one.delimiter + "\n" or (pos >= end and content == one.delimiter):
            break
        if content.startswith(one.delimiter) and ")" in content and reader.reparsed():
            reader.fail("a line that bash takes for the end of a here-document inside a substitution", start)
        chars.extend(line[skip:])
        offsets.extend(places[skip:])
    reader.pos = pos
    if not reader.state.budget.spend(2 * len(chars)):
        reader.fail("too much text in here-documents")
    if joined and reader.state.shell not in ("bash", "zsh"):
        reader.fail("line continuation in a here-document, which not every sh reads alike", start)
    reader.state.rich = True
    body = "".join(chars)
    pieces = [Piece("literal", body, True)]
    offsets.append(reader.where(pos))
    if not one.plain and ("$" in body or "`" in body or "\\" in body):
        reader.enter()
        pieces = read_quoted_text(reader.derived(body, offsets, one.context + ("heredoc",)), "", "here")
        reader.leave()
    one.fill(build_word(reader, pieces, start, split=False, glob=False))


def _read_line(reader: Reader, pos: int, plain: bool, line: list[str], places: list[int]) -> int:
    """Appends one logical line with its newline; unless it is ``plain``, continuations are removed first."""
    if plain:
        end = reader.text.find("\n", pos, reader.end)
        end = reader.end if end < 0 else end
        line.extend(reader.text[pos:end])
        places.extend(map(reader.where, range(pos, end)))
    else:
        end = unescape_to(reader, pos, "\n", "", line, places)
    if end < reader.end:
        line.append("\n")
        places.append(reader.where(end))
    return min(end + 1, reader.end)
