"""``$``: parameters, command and process substitution, arithmetic expansion."""

from __future__ import annotations

from execpolicy.shell.grammar.arithmetic import NotArithmetic as NotArithmetic
from execpolicy.shell.grammar.cursor import DIGITS
from execpolicy.shell.grammar.parameters import NUMBERS, SPECIAL, ParameterReader
from execpolicy.shell.pieces import Piece
from execpolicy.shell.variables import NAME_PART, NAME_START


class ExpansionReader(ParameterReader):
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
            return Piece("variable", None, quoted, name="".join(parts), source=self.text[start:pos])
        if char == "(":
            self.state.rich = True
            if self.char(self.after(pos + 1)) == "(":
                return self.read_arithmetic(start, self.after(pos + 1) + 1, quoted)
            return self.read_substitution(start, pos, quoted)
        if char == "{":
            self.state.rich = True
            self.enter()
            piece = self.read_braced(start, pos, mode)
            self.leave()
            return piece
        if char in DIGITS or char in SPECIAL:
            if char:
                self.state.rich = True
                self.pos = pos + 1
                self.zsh_doubt(pos + 1, "[:")
                if char == "$" and quoted and self.char(pos + 1) and self.char(pos + 1) in "({[":
                    # bash looks for the end of the quotes as if a substitution began at the second `$`.
                    self.state.doubt("`$$` before a bracket between double quotes")
                number = char in NUMBERS
                return Piece("variable", None, quoted, name=char, many=char == "@", number=number, source="$" + char)
        elif char == "[":
            self.state.rich = True
            self.bash_only("$[…]")
            self.enter()
            self.pos = pos + 1
            first = len(self.state.commands)
            self.scan_arithmetic("]", start)
            self.leave()
            return self.number(start, quoted, first)
        elif char == "'" and not quoted:
            self.pos = pos
            return self.read_ansi()
        elif char == '"' and not quoted:
            self.pos = pos
            return self.read_locale()
        self.pos = start + 1
        self.zsh_doubt(pos, "+=~^#:")
        return Piece("literal", "$", quoted)

    def read_substitution(self, start: int, opening: int, quoted: bool, context: str = "substitution") -> Piece:
        """``$(…)`` or ``<(…)`` that begins at ``start``, with ``opening`` at the parenthesis."""
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
        ran, source = range(first, len(state.commands)), self.text[start : self.pos]
        return Piece(kind, None, quoted or kind == "process", many=empty, inner=ran, source=source)

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
        return self.number(start, quoted, first)

    def number(self, start: int, quoted: bool, first: int) -> Piece:
        """The arithmetic expansion from ``start`` to the position; the commands in it begin at index ``first``."""
        ran = range(first, len(self.state.commands))
        return Piece("arithmetic", None, quoted, number=True, inner=ran, source=self.text[start : self.pos])
