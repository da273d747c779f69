"""``$``: parameters, ``${…}``, command substitution, arithmetic."""

from __future__ import annotations

from execpolicy.shell import effects
from execpolicy.shell.cursor import DIGITS, NAME_PART, NAME_START
from execpolicy.shell.pieces import Piece
from execpolicy.shell.quotes import QuoteReader
from execpolicy.shell.state import Given, Use

_SPECIAL = frozenset("@*#?-$!")
_NUMBERS = frozenset("#?$")
_ARITHMETIC = frozenset("+-*/%()<>=!&|^~?:, \t\n")


class NotArithmetic(Exception):
    """``((`` turned out to open two subshells."""


class ExpansionReader(QuoteReader):
    """Reads what begins with ``$``.

    ``mode`` says where it stands: ``bare``, ``double`` (between double quotes) or ``here`` (in a here-document).
    """

    def read_dollar(self, mode: str) -> Piece:
        start = self.pos
        quoted = mode != "bare"
        pos = self.after(start + 1)
        char = self.char(pos)
        if char in NAME_START and char:
            parts = [char]
            pos = self.after(pos + 1)
            while self.char(pos) in NAME_PART and pos < self.end:
                parts.append(self.text[pos])
                pos = self.after(pos + 1)
            self.pos = pos
            self.state.rich = True
            self.zsh_doubt(pos, "[:")
            return Piece("variable", None, quoted, name="".join(parts))
        if char == "(":
            self.state.rich = True
            if self.char(self.after(pos + 1)) == "(":
                return self.read_arithmetic(start, self.after(pos + 1) + 1, quoted)
            return self.read_substitution(pos, quoted)
        if char == "{":
            self.state.rich = True
            self.enter()
            piece = self.read_braced(pos, mode)
            self.leave()
            return piece
        if char in DIGITS or char in _SPECIAL:
            if char:
                self.state.rich = True
                self.pos = pos + 1
                self.zsh_doubt(pos + 1, "[:")
                return Piece("variable", None, quoted, name=char, many=char == "@", number=char in _NUMBERS)
        elif char == "[":
            self.state.rich = True
            self.bash_only("$[…]")
            self.enter()
            self.pos = pos + 1
            first = len(self.state.commands)
            self.scan_arithmetic("]", start)
            self.leave()
            return Piece("arithmetic", None, quoted, number=True, inner=range(first, len(self.state.commands)))
        elif char == "'" and not quoted:
            self.pos = pos
            return self.read_ansi()
        elif char == '"' and not quoted:
            self.pos = pos
            return self.read_locale()
        self.pos = start + 1
        self.zsh_doubt(pos, "+=~^#:")
        return Piece("literal", "$", quoted)

    def zsh_doubt(self, position: int, letters: str) -> None:
        """zsh continues an expansion where bash ends it when one of ``letters`` follows."""
        if self.state.shell == "zsh" and self.char(position) and self.char(position) in letters:
            self.state.doubt("zsh reads more into this expansion")

    def read_substitution(self, opening: int, quoted: bool, context: str = "substitution") -> Piece:
        """``$(…)`` or ``<(…)`` with ``opening`` at the parenthesis."""
        state = self.state
        first = len(state.commands)
        outer_pending, outer_context = self.pending, self.context
        self.pending = []
        self.context = outer_context + (context,)
        self.pos = opening + 1
        self.enter()
        heredocs, pipelines, compounds = state.heredocs, state.pipelines, state.compounds
        state.heredocs = state.pipelines = state.compounds = 0
        self.read_list((")",), empty=True)
        # bash 5.2 prints what it parsed and parses that again; around a here-document it loses separators.
        if state.heredocs and (state.compounds or state.pipelines > 1):
            state.doubt("a here-document beside other commands in a substitution")
        state.heredocs, state.pipelines, state.compounds = heredocs, pipelines, compounds
        self.leave()
        if self.pending:
            self.fail("here-document whose body is not inside its substitution", opening)
        if self.char(self.pos) != ")":
            self.fail("unterminated substitution", opening)
        if outer_pending and "\n" in self.text[opening : self.pos]:
            state.doubt("a substitution over several lines between a here-document and its body")
        self.pending, self.context = outer_pending, outer_context
        self.pos += 1
        state.rich = True
        kind = "substitution" if context == "substitution" else "process"
        empty = kind == "process" and len(state.commands) == first
        if empty:
            # bash removes it, and the word with it.
            state.doubt("a process substitution without a command")
        return Piece(kind, None, quoted or kind == "process", many=empty, inner=range(first, len(state.commands)))

    def read_arithmetic(self, start: int, inside: int, quoted: bool) -> Piece:
        """``$((…))`` with ``inside`` behind the second parenthesis."""
        first = len(self.state.commands)
        self.pos = inside
        self.enter()
        try:
            self.scan_arithmetic("))", start)
        except NotArithmetic:
            self.fail("$(( that is not arithmetic", start)
        self.leave()
        return Piece("arithmetic", None, quoted, number=True, inner=range(first, len(self.state.commands)))

    def scan_arithmetic(self, close: str, start: int) -> None:
        """Read an arithmetic text behind the position up to ``close`` (``))``, ``]`` or ``}``) and go behind it.

        What is not a constant is recorded as a ``Use`` and proven, or not, at the end.
        """
        text, end, state = self.text, self.end, self.state
        first = len(state.commands)
        outer_context = self.context
        self.context = outer_context + ("arithmetic",)
        names: set[str] = set()
        ranges: list[range] = []
        unknown = False
        nesting = 0
        while True:
            if self.pos >= end:
                self.fail("unterminated arithmetic", start)
            char = text[self.pos]
            if char == close[0] and nesting == 0:
                following = self.after(self.pos + 1)
                if close == "))":
                    if self.char(following) != ")":
                        self.context = outer_context
                        raise NotArithmetic
                    following += 1
                self.pos = following if close == "))" else self.pos + 1
                break
            if char == "$" or char == "`":
                piece = self.read_dollar("double") if char == "$" else self.read_backquote("double")
                if piece.kind == "substitution":
                    ranges.append(piece.inner)
                elif piece.kind == "variable" and not piece.number:
                    if piece.operator or piece.subscript is not None or piece.name[0] not in NAME_START:
                        unknown = True
                    names.add(piece.name)
                elif piece.kind == "literal":
                    unknown = True
            elif char in NAME_START:
                begin = self.pos
                while self.pos < end and text[self.pos] in NAME_PART:
                    self.pos += 1
                names.add(text[begin : self.pos])
            elif char in DIGITS:
                while self.pos < end and (text[self.pos] in NAME_PART or text[self.pos] == "#"):
                    self.pos += 1
            elif char == "\\" and self.char(self.pos + 1) == "\n":
                self.pos = self.after(self.pos)
            elif char in _ARITHMETIC:
                if char == "(":
                    nesting += 1
                elif char == ")":
                    nesting -= 1
                    if nesting < 0:
                        self.fail("unbalanced parenthesis in arithmetic")
                self.pos += 1
            elif char == "[":
                self.pos += 1
                unknown = True
                self.enter()
                self.scan_arithmetic("]", self.pos - 1)
                self.leave()
            elif char == '"' and close == "]":
                unknown = True
                self.read_double("double")
            elif char == "'" and close == "]":
                unknown = True
                self.plain_quote()
            elif close == "]" and (char in "@.%/" or char == "-"):
                unknown = True
                self.pos += 1
            else:
                self.fail("unusual character in arithmetic")
        self.context = outer_context
        if unknown or names or ranges:
            inner = tuple([index for one in ranges for index in one])
            where = self.span(start, self.pos)
            state.uses.append(Use(frozenset(names), unknown, where, inner, self.blocks))
        elif len(state.commands) > first:
            state.uses.append(Use(frozenset(), True, self.span(start, self.pos), (), self.blocks))

    def plain_quote(self) -> str:
        """A single quote where bash reads it in two ways: only accepted when both end at the same place."""
        close = self.text.find("'", self.pos + 1, self.end)
        inside = self.text[self.pos + 1 : close]
        if close < 0 or any(char in inside for char in "}])$`\\\"'"):
            self.fail("single quote inside double-quoted ${…}")
        whole = self.text[self.pos : close + 1]
        self.pos = close + 1
        return whole

    def read_braced(self, opening: int, mode: str) -> Piece:
        """``${…}`` with ``opening`` at the brace."""
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
            if follower not in NAME_PART and not (follower in _SPECIAL and self.char(pos + 2) == "}"):
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
        elif char in _SPECIAL and char:
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
        if char == "}":
            self.pos += 1
            if indirect:
                self.bash_only("${!…}")
                if subscript not in ("@", "*"):
                    self.state.effect(effects.INDIRECT, self.span(opening - 1, self.pos), f"${{!{name}}}")
                operator = "?" if subscript in ("@", "*") else "!"
                return Piece(
                    "variable", None, quoted, many=elements, name=name, operator=operator, inner=self.since(first)
                )
            if length:
                return Piece("variable", None, quoted, number=True, name=name, operator="?", inner=self.since(first))
            number = name in _NUMBERS
            return Piece(
                "variable",
                None,
                quoted,
                many=elements,
                number=number,
                name=name,
                subscript=subscript,
                inner=self.since(first),
            )
        if indirect:
            self.bash_only("${!…}")
            if (char == "@" or char == "*") and self.char(pos + 1) == "}" and subscript is None:
                self.pos += 2
                return Piece("variable", None, quoted, many=char == "@", name=name, operator="?")
            self.state.effect(effects.INDIRECT, self.span(opening - 1, pos), f"${{!{name}}}")
        if length:
            self.fail("unusual ${#…}", opening)
        return self.read_operator(opening, mode, name, subscript, elements, first, indirect)

    def since(self, first: int) -> range:
        return range(first, len(self.state.commands))

    def read_operator(
        self, opening: int, mode: str, name: str, subscript: str | None, elements: bool, first: int, indirect: bool
    ) -> Piece:
        """The part of ``${name…`` from the operator to the closing brace."""
        quoted = mode != "bare"
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
                self.state.effect(effects.PROMPT_EXPANSION, self.span(opening - 1, self.pos + 3), detail)
            self.pos += 2
        else:
            self.fail("unusual operator in ${…}", opening)
        if self.char(self.pos) != "}":
            self.fail("unterminated ${…}", opening)
        self.pos += 1
        if operator == "=":
            self.state.given.append(Given(name, [word], self.where(opening), self.blocks, certain=False))
            detail = f"${{{name}=…}} assigns {name}"
            self.state.effect(effects.ASSIGN_DEFAULT, self.span(opening - 1, self.pos), detail)
        many = elements or any(piece.many for piece in word)
        return Piece(
            "variable",
            None,
            quoted,
            many=many,
            name=name,
            subscript=subscript,
            operator="?" if indirect else operator,
            word=tuple(word),
            inner=self.since(first),
        )

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

    def bash_only(self, what: str) -> None:
        """Note a construct that dash reads as something else or not at all."""
        if self.state.shell not in ("bash", "zsh"):
            self.state.doubt(f"{what} is not read by every sh")
