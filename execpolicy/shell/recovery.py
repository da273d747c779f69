"""Recovers commands from a script that is not understood.

It over-approximates on purpose: a command may begin after any separator, opening bracket, backquote or keyword,
once with quotes respected and once with quotes ignored. A recovered command never supports a grant.
"""

from __future__ import annotations

from execpolicy.core.text import word_set
from execpolicy.shell.grammar.lists import reader_of
from execpolicy.shell.grammar.quotes import read_ansi
from execpolicy.shell.grammar.state import State, Unreadable
from execpolicy.shell.limits import LIMITS, Budget
from execpolicy.shell.pieces import Piece, literal_text
from execpolicy.shell.script import Command, Redirect, replace
from execpolicy.shell.variables import NAME_PART
from execpolicy.shell.words import Word
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Found = dict[tuple[tuple[str | None, ...], int], Command]
    """The commands by their words and start offsets."""

_SEPARATORS = frozenset("\n;&|()`")
_BLANKS = frozenset(" \t")
_KEYWORDS = word_set("if then elif else while until do ! time { } coproc fi done")
_OTHER_KEYWORDS = {"fish": word_set("and or not begin else end"), "cmd": word_set("@ call start else do")}
"""Words in front of a command, in shells whose scripts are not read. Sources: fish 3.7 and ``cmd /?``."""
_RUNS = frozenset(" \t\n|")
"""Characters after ``${`` that begin a command (ksh, mksh, bash 5.3)."""
_FAR = 1_000
"""The number of characters in which the end of an expansion is searched."""
_STOP = _SEPARATORS | _BLANKS | frozenset("'\"\\$<>")


def recover(text: str, shell: str, limit: int) -> list[Command]:
    """At most ``limit`` commands that ``text`` seems to contain, in source order, without duplicates."""
    return recover_from(0, text, shell, limit)[0]


def recover_from(start: int, text: str, shell: str, limit: int) -> tuple[list[Command], int]:
    """The commands from ``start`` on, and the offset where the search stopped at the limit."""
    found: Found = {}
    reached = len(text)
    passes = (True, False) if "'" in text or '"' in text else (True,)
    for aware in passes:
        one = _Lenient(text, shell, limit, found, aware=aware)
        one.parts = LIMITS.parts // len(passes)
        one.pos = start
        one.run()
        reached = min(reached, one.pos)
        if len(found) >= limit:
            break
    return sorted(found.values(), key=lambda command: command.span.start), reached


class _Lenient:
    """One pass over the text; ``aware`` is true if quotes group."""

    def __init__(self, text: str, shell: str, limit: int, found: Found, *, aware: bool) -> None:
        self.text = text
        self.shell = shell
        self.limit = limit
        self.found = found
        self.aware = aware
        self.keywords = _OTHER_KEYWORDS.get(shell, _KEYWORDS)
        self.parts = LIMITS.parts
        self.pos = 0

    def run(self) -> None:
        text, end = self.text, len(self.text)
        while self.pos < end and len(self.found) < self.limit and self.parts > 0:
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
        while self.pos < end and self.parts > 0:
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
                redirects += self._redirect()
                continue
            assigned = not words and self._assigned()
            if assigned and (self.pos >= end or text[self.pos] in _SEPARATORS or text[self.pos] in _BLANKS):
                continue
            begin = self.pos
            word = self._word()
            opens = bool(word.pieces) and word.pieces[-1].source == "${"
            if assigned and not opens:
                continue
            if not words and not word.quoted and (word.literal in _KEYWORDS or word.literal in self.keywords):
                start = self.pos
                continue
            if self.pos < end and text[self.pos] in "<>" and _is_descriptor(text[begin : self.pos]):
                continue
            words.append(word)
            if opens:
                break
        self._add(words, redirects, start)
        for reading in _later_readings(words):
            self._add([*reading], [], reading[0].span.start)
        self.pos = max(self.pos, start + 1)

    def _assigned(self) -> bool:
        """True if ``name=``, ``name+=`` or ``name[…]=`` was at the position, which is then moved past it."""
        text, at = self.text, self.pos
        while text[at : at + 1] and text[at] in NAME_PART:
            at += 1
        if at > self.pos and text.startswith("[", at):
            close = text.find("]", at, at + _FAR)
            if close < 0 or any(char in text[at:close] for char in "$`\n"):
                return False
            at = close + 1
        sign = at + text.startswith("+", at)
        if at == self.pos or not text.startswith("=", sign):
            return False
        self.pos = sign + 1
        return True

    def _redirect(self) -> list[Redirect]:
        text, end, begin = self.text, len(self.text), self.pos
        while self.pos < end and text[self.pos] in "<>&|-":
            self.pos += 1
        while self.pos < end and text[self.pos] in _BLANKS:
            self.pos += 1
        if self.pos >= end or text[self.pos] in _SEPARATORS or text[self.pos] in "<>":
            return []
        target = self._word()
        operator = "<>" if text.startswith("<>", begin) else text[begin]
        return [Redirect(operator, None, target, Span(begin, self.pos), writes=">" in operator)]

    def _add(self, words: list[Word], redirects: list[Redirect], start: int) -> None:
        if words or redirects:
            command = Command(tuple(words), Span(start, max(self.pos, start)), redirects=tuple(redirects))
            self.found.setdefault((command.argv(), start), command)
            if any("\0" in (word.literal or "") for word in words):
                # zsh passes it on, and C ends a text there; the others drop it
                self._add([_without_nul(word, cut=True) for word in words], [], start)
                self._add([_without_nul(word, cut=False) for word in words], [], start)

    def _word(self) -> Word:
        text, end = self.text, len(self.text)
        start = self.pos
        pieces: list[Piece] = []
        while self.pos < end and self.parts > 0:
            char = text[self.pos]
            begin = self.pos
            self.parts -= 1
            if char not in _STOP:
                while self.pos < end and text[self.pos] not in _STOP:
                    self.pos += 1
                pieces.append(Piece("literal", text[begin : self.pos], False))
            elif char == "\\":
                follower = text[self.pos + 1 : self.pos + 2]
                if follower != "\n":
                    pieces.append(Piece("literal", follower, True))
                self.pos += 2
            elif char == "'" or char == '"':
                if not self.aware:
                    pieces.append(Piece("literal", "", True))
                    self.pos += 1
                    continue
                close = self._close(char)
                inside = text[self.pos + 1 : close]
                pieces += _between_quotes(inside) if char == '"' else [Piece("literal", inside, True)]
                self.pos = close + 1
            elif char == "$":
                if self._dollar(pieces):
                    break
            else:
                break
        span = Span(start, self.pos)
        if self.pos == start:
            self.pos += 1
        quoted = any(piece.quoted for piece in pieces)
        known = literal_text(pieces)
        if known is None:
            return Word(None, span, many=True, kind="mixed", quoted=quoted, pieces=tuple(pieces))
        return Word(known, span, quoted=quoted)

    def _dollar(self, pieces: list[Piece]) -> bool:
        """Reads an expansion that begins with ``$``; true if a command begins after it."""
        text, end, begin = self.text, len(self.text), self.pos
        follower = text[begin + 1 : begin + 2]
        if follower == "'" and self.aware:
            pieces.append(self._ansi())
            return False
        self.pos += 1
        if follower == '"' and self.aware:
            return False
        if follower == "{" and text[self.pos + 1 : self.pos + 2] in _RUNS:
            self.pos += 2
            pieces.append(Piece("mixed", None, False, source="${"))
            return True
        if follower == "{":
            far = self.pos + _FAR
            close = text.find("}", self.pos, far)
            stops = (text.find("$(", self.pos, far), text.find("`", self.pos, far), end)
            stop = min([at for at in stops if at >= 0])
            self.pos = close + 1 if 0 <= close < stop else self.pos + 1
        elif follower != "(":
            while self.pos < end and text[self.pos] in NAME_PART:
                self.pos += 1
        pieces.append(_expansion(text[begin : self.pos], quoted=False))
        return follower == "("

    def _close(self, quote: str) -> int:
        """The end of the quote at the position, or of the text."""
        text, end = self.text, len(self.text)
        at = self.pos + 1
        while at < end and text[at] != quote:
            at += 1 + (text[at] == "\\" and quote == '"')
        return min(at, end)

    def _ansi(self) -> Piece:
        reader = reader_of(self.text, State(self.shell, Budget()))
        reader.pos = self.pos + 1
        try:
            piece = read_ansi(reader)
        except Unreadable:
            self.pos += 2
            return Piece("mixed", None, True, source="$'")
        self.pos = reader.pos
        return piece


def unescaped(text: str) -> str:
    """``text`` as ``$'…'`` would read it; unchanged if the result is unclear."""
    reader = reader_of("$'" + text.replace("'", "\\'") + "'", State("bash", Budget()))
    reader.pos = 1
    try:
        return read_ansi(reader).text or text
    except Unreadable:
        return text


def _without_nul(word: Word, *, cut: bool) -> Word:
    text = word.literal
    return word if text is None else replace(word, literal=text.partition("\0")[0] if cut else text.replace("\0", ""))


def _is_descriptor(text: str) -> bool:
    """True for ``2`` and ``{name}``, which are the descriptor of a redirect after them."""
    return (text.isascii() and text.isdigit()) or (text[:1] == "{" and text[-1:] == "}" and text[1:-1].isidentifier())


def _between_quotes(inside: str) -> list[Piece]:
    """The text and expansions between double quotes; an expansion with brackets extends to the end."""
    if "\\" in inside:
        inside = inside.replace("\\\n", "").replace('\\"', '"').replace("\\\\", "\\")
    pieces: list[Piece] = []
    at = 0
    while at < len(inside):
        begin = at
        if inside[at] not in "$`":
            while at < len(inside) and inside[at] not in "$`":
                at += 1
            pieces.append(Piece("literal", inside[begin:at], True))
            continue
        close = inside.find("}", at) if inside.startswith("${", at) else -1
        if inside.startswith(("$(", "`"), at) or (inside.startswith("${", at) and close < 0):
            at = len(inside)
        elif close > 0:
            at = close + 1
        else:
            at += 1
            while at < len(inside) and inside[at] in NAME_PART:
                at += 1
        pieces.append(_expansion(inside[begin:at], quoted=True))
    return pieces or [Piece("literal", "", True)]


def _expansion(source: str, *, quoted: bool) -> Piece:
    """``$x`` and ``${x}`` as parameters; any other expansion as written."""
    name = source.removeprefix("${").removesuffix("}") if source.startswith("${") else source[1:]
    if name.isidentifier() or (len(name) == 1 and name in "0123456789@*"):
        return Piece("variable", None, quoted, many=name == "@", name=name, source=source)
    return Piece("mixed", None, quoted, source=source)


_OPENING = word_set("{ } always")
"""Words after which a command begins at any position in zsh (`if [[ x ]] { rm y }`) and in `coproc NAME { rm y; }`."""
_MOST_READINGS = 20


def _later_readings(words: Sequence[Word]) -> list[Sequence[Word]]:
    """The commands that a shell may see later in ``words``, as far as they can be recovered."""
    found: list[Sequence[Word]] = []
    for at, word in enumerate(words[:-1]):
        if len(found) >= _MOST_READINGS:
            break
        if not word.quoted and word.literal in _OPENING:
            found.append(words[at + 1 :])
    return found
