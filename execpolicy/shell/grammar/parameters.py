"""``${…}``: parameters with subscripts and operators."""

from __future__ import annotations

from execpolicy.shell.grammar.arithmetic import ArithmeticReader
from execpolicy.shell.grammar.cursor import DIGITS
from execpolicy.shell.pieces import Piece
from execpolicy.shell.script import ASSIGN_DEFAULT, INDIRECT, PROMPT_EXPANSION
from execpolicy.shell.variables import NAME_PART, NAME_START

SPECIAL = frozenset("@*#?-$!")
"""Parameters that are one character."""
NUMBERS = frozenset("#?$")
"""Special parameters whose value is an integer."""


class ParameterReader(ArithmeticReader):
    """Reads parameters in braces. ``mode`` says where they stand, as for ``read_dollar``."""

    def read_braced(self, start: int, opening: int, mode: str) -> Piece:
        """``${…}`` that begins at ``start``, with ``opening`` at the brace."""
        text = self.text
        quoted = mode != "bare"
        first = len(self.state.commands)
        pos = opening + 1
        char, follower = self.char(pos), self.char(pos + 1)
        indirect = length = False
        if char == "!" and follower != "}":
            if follower not in NAME_PART and follower not in "@*":
                self.fail("unusual ${!…}")
            indirect = True
            pos += 1
        elif char == "#" and follower != "}":
            if follower not in NAME_PART and not (follower in SPECIAL and self.char(pos + 2) == "}"):
                self.fail("unusual ${#…}")
            length = True
            pos += 1
        char = self.char(pos)
        begin = pos
        if char in NAME_START and char:
            while self.char(pos) in NAME_PART and pos < self.end:
                pos += 1
        elif char in DIGITS and char:
            while self.char(pos) in DIGITS and pos < self.end:
                pos += 1
        elif char in SPECIAL and char:
            pos += 1
        else:
            self.fail("unusual parameter in ${…}", opening)
        name = text[begin:pos]
        subscript: str | None = None
        elements = name == "@" or (name == "*" and not quoted)
        if self.char(pos) == "[" and name[0] in NAME_START:
            self.bash_only("array subscripts")
            close = text.find("]", pos)
            inside = text[pos + 1 : close] if close > 0 else ""
            if inside in ("@", "*"):
                subscript = inside
                elements = inside == "@" or not quoted
                pos = close + 1
            else:
                self.pos = pos + 1
                self.scan_arithmetic("]", pos)
                pos = self.pos
                subscript = text[begin + len(name) + 1 : pos - 1]
        self.pos = pos
        char = self.char(pos)
        operator, number, many = "", name in NUMBERS, elements
        word: tuple[Piece, ...] = ()
        if char == "}":
            self.pos += 1
            if indirect:
                self.bash_only("${!…}")
                if subscript not in ("@", "*"):
                    self.state.effect(INDIRECT, self.span(opening - 1, self.pos), f"${{!{name}}}")
                operator, subscript, number = ("?" if subscript in ("@", "*") else "!"), None, False
            elif length:
                operator, subscript, number, many = "?", None, True, False
        elif indirect and char in ("@", "*") and self.char(pos + 1) == "}" and subscript is None:
            self.bash_only("${!…}")
            self.pos += 2
            operator, number, many = "?", False, char == "@"
        elif length:
            self.fail("unusual ${#…}", opening)
        else:
            if indirect:
                self.bash_only("${!…}")
                self.state.effect(INDIRECT, self.span(opening - 1, pos), f"${{!{name}}}")
            operator, word = self.read_operator(opening, mode, name)
            operator = "?" if indirect else operator
            number, many = False, elements or any(piece.many for piece in word)
        ran, source = range(first, len(self.state.commands)), text[start : self.pos]
        return Piece(
            "variable",
            None,
            quoted,
            many=many,
            number=number,
            name=name,
            subscript=subscript,
            operator=operator,
            word=word,
            inner=ran,
            source=source,
        )

    def read_operator(self, opening: int, mode: str, name: str) -> tuple[str, tuple[Piece, ...]]:
        """The part of ``${name…`` from the operator to the closing brace: the operator, and the pieces behind it."""
        char = self.char(self.pos)
        follower = self.char(self.pos + 1)
        operator = "?"
        word: list[Piece] = []
        if char == ":" and follower in "-=+?" and follower:
            operator = follower
            self.pos += 2
            word = self.read_brace_word(mode)
        elif char in "-=+?" and char:
            operator = char
            self.pos += 1
            word = self.read_brace_word(mode)
        elif char == ":":
            self.bash_only("${…:offset}")
            self.pos += 1
            if self.state.shell == "zsh" and self.char(self.pos) in NAME_START:
                self.state.doubt("zsh reads modifiers in ${…:…}")
            begin = self.pos
            self.scan_arithmetic("}", opening - 1)
            self.pos -= 1
            operator = ":"
            word = [Piece("literal", self.text[begin : self.pos], True)]
        elif char in "#%" and char:
            operator = char
            self.pos += 1
            word = self.read_brace_word(mode)
        elif char in "/^,~" and char:
            self.bash_only("${…/…} and ${…^…}")
            operator = char
            self.pos += 1
            word = self.read_brace_word(mode)
        elif char == "@" and follower in "QEPAKakUuL" and follower and self.char(self.pos + 2) == "}":
            self.bash_only("${…@…}")
            if follower == "P":
                detail = f"${{{name}@P}} expands the value of {name} again"
                self.state.effect(PROMPT_EXPANSION, self.span(opening - 1, self.pos + 3), detail)
            self.pos += 2
        else:
            self.fail("unusual operator in ${…}", opening)
        if self.char(self.pos) != "}":
            self.fail("unterminated ${…}", opening)
        self.pos += 1
        if operator == "=":
            self.state.give(name, (tuple(word),), self.where(opening), self.blocks, certain=False)
            detail = f"${{{name}=…}} assigns {name}"
            self.state.effect(ASSIGN_DEFAULT, self.span(opening - 1, self.pos), detail)
        return operator, tuple(word)

    def read_brace_word(self, mode: str) -> list[Piece]:
        """The word inside ``${x:-word}``: up to the first ``}`` that is not quoted."""
        text = self.text
        pieces: list[Piece] = []
        while True:
            if self.pos >= self.end:
                self.fail("unterminated ${…}")
            char = text[self.pos]
            if char == "}":
                return pieces
            if char == "\\":
                follower = self.char(self.pos + 1)
                self.pos += 2
                if follower == "\n":
                    continue
                keep = mode != "bare" and follower not in '$`"\\}'
                pieces.append(Piece("literal", "\\" + follower if keep else follower, True))
            elif char == "'":
                if mode == "bare":
                    pieces.append(self.read_single())
                else:
                    pieces.append(Piece("literal", self.plain_quote(), True))
            elif char == '"':
                if mode == "here":
                    self.fail("double quote inside ${…} of a here-document")
                pieces += self.read_double(mode)
            elif char == "`":
                pieces.append(self.read_backquote(mode))
            elif char == "$":
                if mode != "bare" and self.char(self.after(self.pos + 1)) in "'\"":
                    self.fail("$' or $\" inside double-quoted ${…}")
                pieces.append(self.read_dollar(mode))
            elif char in "<>" and self.char(self.after(self.pos + 1)) == "(":
                self.fail("process substitution inside ${…}")
            else:
                pieces.append(Piece("literal", char, mode != "bare"))
                self.pos += 1
