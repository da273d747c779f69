"""Commands that can still be seen in a script that is not understood.

It over-approximates on purpose: a command may begin behind any separator, opening bracket, backquote or keyword,
once with quotes respected and once with quotes ignored. Nothing found here ever helps a grant.
"""

from __future__ import annotations

from execpolicy.shell.grammar.cursor import NAME_PART
from execpolicy.shell.grammar.pieces import Piece
from execpolicy.shell.grammar.quotes import QuoteReader
from execpolicy.shell.grammar.state import State, Unreadable
from execpolicy.shell.script import Command, Redirect
from execpolicy.shell.words import Word
from execpolicy.source import Span

_SEPARATORS = frozenset("\n;&|()`")
_BLANKS = frozenset(" \t")
_KEYWORDS = frozenset(
    ("if", "then", "elif", "else", "while", "until", "do", "!", "time", "{", "}", "coproc", "fi", "done")
)
_STOP = _SEPARATORS | _BLANKS | frozenset("'\"\\$<>")


def salvage(text: str, shell: str, limit: int) -> list[Command]:
    """At most ``limit`` commands that ``text`` seems to hold, in source order, without duplicates."""
    found: dict[tuple[tuple[str | None, ...], int], Command] = {}
    _Lenient(text, shell, limit, found, aware=True).run()
    if "'" in text or '"' in text:
        _Lenient(text, shell, limit, found, aware=False).run()
    return sorted(found.values(), key=lambda command: command.span.start)


class _Lenient:
    """One pass over the text; ``aware`` says whether quotes group."""

    def __init__(
        self,
        text: str,
        shell: str,
        limit: int,
        found: dict[tuple[tuple[str | None, ...], int], Command],
        *,
        aware: bool,
    ) -> None:
        self.text = text
        self.shell = shell
        self.limit = limit
        self.found = found
        self.aware = aware
        self.pos = 0

    def run(self) -> None:
        text, end = self.text, len(self.text)
        while self.pos < end and len(self.found) < self.limit:
            char = text[self.pos]
            if char in _SEPARATORS or char in _BLANKS:
                self.pos += 1
            else:
                self._command()

    def _command(self) -> None:
        text, end = self.text, len(self.text)
        start = self.pos
        words: list[Word] = []
        redirects: list[Redirect] = []
        nested: list[int] = []
        while self.pos < end:
            char = text[self.pos]
            if char in _BLANKS:
                self.pos += 1
                continue
            if text.startswith("\\\n", self.pos):
                self.pos += 2
                continue
            if char in _SEPARATORS:
                break
            if char == "#" and words:
                break
            if char in "<>":
                if text.startswith("(", self.pos + 1):
                    self.pos += 1
                    break
                begin = self.pos
                while self.pos < end and text[self.pos] in "<>&|-":
                    self.pos += 1
                while self.pos < end and text[self.pos] in _BLANKS:
                    self.pos += 1
                if self.pos < end and text[self.pos] not in _SEPARATORS and text[self.pos] not in "<>":
                    target = self._word(nested)
                    operator = text[begin : begin + 1]
                    redirects.append(Redirect(operator, None, target, Span(begin, self.pos), writes=operator == ">"))
                continue
            word = self._word(nested)
            if not words and word.literal is not None:
                if word.literal in _KEYWORDS and not word.quoted:
                    start = self.pos
                    continue
                name, equals, _ = word.literal.partition("=")
                if equals and name and not word.quoted and all(part in NAME_PART for part in name.rstrip("+")):
                    continue
            words.append(word)
        self._add(words, redirects, start)
        back = self.pos
        for place in nested:
            if len(self.found) >= self.limit:
                return
            self.pos = place
            stop = nested.index(place)
            self._nested(place, stop)
        self.pos = max(back, start + 1)

    def _nested(self, place: int, _depth: int) -> None:
        """The first command behind a ``$(`` or backquote inside double quotes; the rest is found by the blind pass."""
        text = self.text
        begin = place
        while begin < len(text) and text[begin] in " \t\n(":
            begin += 1
        self.pos = begin
        words: list[Word] = []
        while self.pos < len(text) and text[self.pos] not in '\n;&|()`"':
            if text[self.pos] in _BLANKS or text[self.pos] in "<>":
                self.pos += 1
                continue
            words.append(self._word([]))
        self._add(words, [], begin)

    def _add(self, words: list[Word], redirects: list[Redirect], start: int) -> None:
        if words or redirects:
            command = Command(tuple(words), Span(start, max(self.pos, start)), redirects=tuple(redirects))
            self.found.setdefault((command.argv(), start), command)

    def _word(self, nested: list[int]) -> Word:
        text, end = self.text, len(self.text)
        start = self.pos
        parts: list[str] = []
        dynamic = quoted = False
        while self.pos < end:
            char = text[self.pos]
            if char not in _STOP:
                begin = self.pos
                while self.pos < end and text[self.pos] not in _STOP:
                    self.pos += 1
                parts.append(text[begin : self.pos])
            elif char == "\\":
                follower = text[self.pos + 1 : self.pos + 2]
                quoted = quoted or follower != "\n"
                parts.append("" if follower == "\n" else follower)
                self.pos += 2
            elif char == "'" or char == '"':
                quoted = True
                if not self.aware:
                    self.pos += 1
                    continue
                close = self._close(char, nested)
                inside = text[self.pos + 1 : close]
                if char == '"' and ("$" in inside or "`" in inside):
                    dynamic = True
                if char == '"' and "\\" in inside:
                    inside = inside.replace("\\\n", "").replace('\\"', '"').replace("\\\\", "\\")
                parts.append(inside)
                self.pos = close + 1
            elif char == "$":
                follower = text[self.pos + 1 : self.pos + 2]
                if follower == "'" and self.aware:
                    piece = self._ansi()
                    quoted = True
                    dynamic = dynamic or piece.text is None
                    parts.append(piece.text or "")
                    continue
                if follower == '"' and self.aware:
                    self.pos += 1
                    continue
                dynamic = True
                self.pos += 1
                if follower == "(":
                    break
                if follower == "{":
                    close = text.find("}", self.pos)
                    stop = min([at for at in (text.find("$(", self.pos), text.find("`", self.pos), end) if at >= 0])
                    self.pos = close + 1 if 0 <= close < stop else self.pos + 1
                else:
                    while self.pos < end and text[self.pos] in NAME_PART:
                        self.pos += 1
            else:
                break
        span = Span(start, self.pos)
        if self.pos == start:
            self.pos += 1
        if dynamic:
            return Word(None, span, many=True, kind="mixed", quoted=quoted)
        return Word("".join(parts), span, quoted=quoted)

    def _close(self, quote: str, nested: list[int]) -> int:
        """Where the quote at the position ends, or the end; notes substitutions inside double quotes."""
        text, end = self.text, len(self.text)
        if quote == "'":
            close = text.find("'", self.pos + 1)
            return close if close >= 0 else end
        at = self.pos + 1
        while at < end and text[at] != '"':
            if text[at] == "\\":
                at += 1
            elif text[at] == "`" or text.startswith("$(", at):
                nested.append(at + (1 if text[at] == "`" else 2))
            at += 1
        return min(at, end)

    def _ansi(self) -> Piece:
        from execpolicy.shell.limits import DEFAULT_LIMITS

        reader = QuoteReader(self.text, State(self.shell, DEFAULT_LIMITS))
        reader.pos = self.pos + 1
        try:
            piece = reader.read_ansi()
        except Unreadable:
            self.pos += 2
            return Piece("mixed", None, True)
        self.pos = reader.pos
        return piece
