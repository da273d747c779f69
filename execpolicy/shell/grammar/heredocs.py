"""Here-documents: where the body begins and ends, and what is expanded in it."""

from __future__ import annotations

from execpolicy.shell.grammar.words import WordBuilder
from execpolicy.shell.pieces import Piece, literal_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.shell.grammar.state import Pending


class HeredocReader(WordBuilder):
    """Reads the bodies that are due when a newline ends a line of commands."""

    def expect_body(self, one: Pending, delimiter: Sequence[Piece]) -> Pending:
        """Note a here-document whose body follows."""
        text = literal_text(delimiter)
        if text is None or "\n" in text:
            self.fail("unusual here-document delimiter")
        if any("$" in (piece.text or "") and not piece.quoted for piece in delimiter):
            self.fail("unusual here-document delimiter")
        self.state.heredocs += 1
        self.pending.append(one)
        return one

    def read_newline(self) -> None:
        """Consume the newline at the position and the bodies that follow it."""
        self.pos += 1
        if self.pending:
            due, self.pending = self.pending, []
            for one in due:
                self._read_body(one)

    def read_bodies_at_end(self) -> None:
        """The script ends on the line of a here-document: its body is empty (bash warns and runs the command)."""
        due, self.pending = self.pending, []
        for one in due:
            self._read_body(one)

    def _read_body(self, one: Pending) -> None:
        end = self.end
        start = pos = self.pos
        chars: list[str] = []
        offsets: list[int] = []
        joined = False
        while True:
            if pos >= end:
                if self.state.depth or self.offsets is not None:
                    self.fail("here-document without its end inside a substitution or a compound command", start)
                break
            line: list[str] = []
            places: list[int] = []
            pos, continued = self._read_line(pos, one.plain, line, places)
            joined = joined or continued
            skip = 0
            if one.tabs:
                while skip < len(line) and line[skip] == "\t":
                    skip += 1
            content = "".join(line[skip:])
            if content == one.delimiter + "\n" or (pos >= end and content == one.delimiter):
                break
            if content.startswith(one.delimiter) and ")" in content and self.reparsed():
                self.fail("a line that bash takes for the end of a here-document inside a substitution", start)
            chars.extend(line[skip:])
            offsets.extend(places[skip:])
        self.pos = pos
        self.state.steps += len(chars)
        if self.state.steps > self.state.limits.steps:
            self.fail("too much text in here-documents")
        if joined and self.state.shell not in ("bash", "zsh"):
            self.fail("line continuation in a here-document, which not every sh reads alike", start)
        self.state.rich = True
        body = "".join(chars)
        pieces = [Piece("literal", body, True)]
        offsets.append(self.where(pos))
        if one.plain or not ("$" in body or "`" in body or "\\" in body):
            word = self.build_word(pieces, start, split=False, glob=False)
        else:
            self.enter()
            inner = self.derived(body, offsets, one.context + ("heredoc",))
            pieces = inner.read_quoted_text("", "here")
            self.leave()
            word = self.build_word(pieces, start, split=False, glob=False)
        one.fill(word)

    def _read_line(self, pos: int, plain: bool, line: list[str], places: list[int]) -> tuple[int, bool]:
        """Append one logical line with its newline; unless it is ``plain``, continuations vanish first."""
        text, end = self.text, self.end
        continued = False
        while pos < end:
            char = text[pos]
            if char == "\\" and not plain:
                follower = text[pos + 1 : pos + 2]
                if follower == "\n":
                    continued = True
                    pos += 2
                    continue
                if follower:
                    line.append(char)
                    places.append(self.where(pos))
                    pos += 1
                    char = follower
            line.append(char)
            places.append(self.where(pos))
            pos += 1
            if char == "\n":
                break
        return pos, continued
