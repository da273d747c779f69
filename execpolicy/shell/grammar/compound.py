"""Compound commands: groups, loops, conditions, functions."""

from __future__ import annotations

from execpolicy.shell.builtins import RESERVED
from execpolicy.shell.grammar.conditional import ConditionalReader
from execpolicy.shell.grammar.cursor import META
from execpolicy.shell.grammar.expansions import NotArithmetic
from execpolicy.shell.grammar.state import Draft, Pending
from execpolicy.shell.pieces import Piece, bare_text
from execpolicy.shell.script import ASSIGNMENT, REDEFINITION, Redirect
from execpolicy.shell.variables import NAME_PART, NAME_START, harmless_assignment

COMPOUND = frozenset(("if", "while", "until", "for", "select", "case", "{", "[[", "function", "coproc"))
CLOSING = frozenset(("then", "else", "elif", "fi", "do", "done", "esac", "}", "]]", "in"))


class CompoundReader(ConditionalReader):
    """Reads compound commands; ``self.pos`` is behind the reserved word when their method is called."""

    def peek_reserved(self) -> tuple[str, int]:
        """The reserved word at the position and where it ends; ``""`` for any other word."""
        text, end = self.text, self.end
        pos = self.pos
        char = text[pos] if pos < end else ""
        if not ("a" <= char <= "z" or (char and char in "{}[]!\\")):
            return "", pos
        chars: list[str] = []
        while pos < end and len(chars) <= 8:
            char = text[pos]
            if char in META:
                break
            if char == "\\":
                if text[pos + 1 : pos + 2] != "\n":
                    return "", pos
                pos += 2
                self.state.rich = True
                continue
            chars.append(char)
            pos += 1
        word = "".join(chars)
        return (word, pos) if word in RESERVED else ("", pos)

    def expect(self, *wanted: str) -> str:
        """One of the reserved words ``wanted``, or the script is not understood."""
        while self.skip_blanks() == "\n":
            self.read_newline()
        word, end = self.peek_reserved()
        if word not in wanted:
            self.fail(f"`{wanted[0]}` is missing")
        self.pos = end
        return word

    def body(self, name: str, stop: tuple[str, ...]) -> None:
        """A list in the context ``name`` up to one of ``stop``."""
        outer = self.context
        self.context = outer + (name,)
        self.read_list(stop)
        self.context = outer

    def read_compound(self, word: str) -> None:
        """The compound command whose reserved word was just consumed, with the redirections behind it."""
        self.state.rich = True
        self.state.compounds += 1
        first = len(self.state.commands)
        self.enter()
        if word == "if":
            self.body("condition", ("then",))
            self.expect("then")
            self.body("condition", ("elif", "else", "fi"))
            while (found := self.expect("elif", "else", "fi")) == "elif":
                self.body("condition", ("then",))
                self.expect("then")
                self.body("condition", ("elif", "else", "fi"))
            if found == "else":
                self.body("condition", ("fi",))
                self.expect("fi")
        elif word in ("while", "until"):
            self.body("loop", ("do",))
            self._do_group()
        elif word in ("for", "select"):
            self._read_for(word)
        elif word == "case":
            self._read_case()
        elif word == "{":
            self.body("group", ("}",))
            self.expect("}")
        elif word == "[[":
            self.read_conditional()
        self.leave()
        self.read_trailing_redirects(first)

    def body_blocks(self) -> tuple[int, ...]:
        """The blocks of the list that is read next."""
        return self.blocks + (self.state.blocks + 1,)

    def read_subshell(self) -> None:
        """``( … )`` or ``(( … ))`` with the position on the first parenthesis."""
        state = self.state
        state.rich = True
        state.compounds += 1
        opening = self.pos
        first = len(state.commands)
        depth, uses, noted = state.depth, len(state.uses), len(state.effects)
        given = len(state.given)
        second = self.after(opening + 1)
        if self.char(second) == "(":
            try:
                self.pos = second + 1
                self.enter()
                self.scan_arithmetic("))", opening)
                self.leave()
                self.bash_only("((")
                if self.pending and "\n" in self.text[opening : self.pos]:
                    self.fail("arithmetic over several lines between a here-document and its body")
                self.read_trailing_redirects(first)
                return
            except NotArithmetic:
                state.depth = depth
                del state.commands[first:], state.uses[uses:], state.effects[noted:]
                del state.given[given:]
        heredocs = state.heredocs
        self.pos = opening + 1
        self.enter()
        self.body("subshell", (")",))
        self.leave()
        if self.char(second) == "(" and state.heredocs > heredocs:
            # bash has read the text as arithmetic before, and then reads the lines of the body as commands.
            state.doubt("a here-document behind `((`")
        if self.char(self.pos) != ")":
            self.fail("`)` is missing")
        self.pos += 1
        self.read_trailing_redirects(first)

    def read_trailing_redirects(self, first: int) -> None:
        """Redirections of the compound command whose commands begin at index ``first``."""
        redirects: list[Redirect | Pending] = []
        start = -1
        inside = range(first, len(self.state.commands))
        index = -1
        while True:
            char = self.skip_blanks()
            if not char or not self.redirect_ahead():
                break
            if start < 0:
                start = self.pos
                index = self.state.reserve(start)
            redirects.append(self.read_redirect())
            last = self.pos
        if redirects:
            self.state.commands[index] = Draft(self.span(start, last), self.context, [], [], redirects)
            for redirect in redirects:
                if redirect.operator.startswith("<<") and redirect.fd in (None, "0"):
                    self.state.fed.append((inside, redirect))

    def _do_group(self) -> None:
        self.expect("do")
        self.body("loop", ("done",))
        self.expect("done")

    def _name(self) -> str:
        self.skip_blanks()
        start = self.pos
        while self.pos < self.end and self.text[self.pos] in NAME_PART:
            self.pos += 1
        name = self.text[start : self.pos]
        if not name or name[0] not in NAME_START or (self.pos < self.end and self.text[self.pos] not in META):
            self.fail("unusual name of a loop variable", start)
        return name

    def _loop_variable(self, name: str, position: int) -> None:
        """A loop assigns to its variable like any other command: `for PATH in ./bin; do ls; done`."""
        if not harmless_assignment(name, None, exported=False, shell=self.state.shell):
            self.state.effect(ASSIGNMENT, self.span(position, self.pos), f"a loop gives `{name}` its values")

    def _read_for(self, word: str) -> None:
        if word == "select":
            self.bash_only("select")
        if self.skip_blanks() == "(" and word == "for":
            self._read_arithmetic_for()
            return
        position = self.pos
        name = self._name()
        self._loop_variable(name, position)
        while self.skip_blanks() == "\n":
            self.read_newline()
        reserved, end = self.peek_reserved()
        values: list[tuple[Piece, ...]] = []
        if reserved == "in":
            self.pos = end
            while True:
                char = self.skip_blanks()
                if not char or (char in META and not (char in "<>" and self.char(self.pos + 1) == "(")):
                    break
                start = self.pos
                pieces = self.read_word()
                if not pieces:
                    self.fail("an empty word", start)
                self.build_words(pieces, start)
                values.append(tuple(pieces))
            if char == ";":
                self.pos += 1
            elif char != "\n":
                self.fail("unusual end of a list of words")
        else:
            self.pos += self.char(self.pos) == ";"
            values.append((Piece("variable", None, True, name="@", many=True),))
        if word == "select":
            values.append((Piece("literal", "", True),))  # what was typed is none of the choices
        where = self.where(position)
        self.state.give(name, tuple(values), where, self.body_blocks(), array=True, loop=True)
        if word == "for":
            self._do_group()
            return
        self.expect("do")
        self.body("select", ("done",))
        self.expect("done")

    def _read_arithmetic_for(self) -> None:
        self.bash_only("for ((")
        opening = self.pos
        if self.char(opening + 1) != "(":
            self.fail("unusual `for`")
        close = self.text.find("))", opening)
        inside = self.text[opening + 2 : close] if close > 0 else ""
        if close < 0 or inside.count(";") != 2 or any(char in inside for char in "$`'\"\\(){}[]#\n"):
            self.fail("unusual `for ((`")
        for used in "".join([char if char in NAME_PART else " " for char in inside]).split():
            if used[0] in NAME_START:
                self._loop_variable(used, opening)
        first, _, _ = inside.partition(";")
        name, equals, value = first.partition("=")
        name, value = name.strip(" "), value.strip(" ")
        if equals and value.isascii() and value.isdigit() and name.isidentifier() and name.isascii():
            first_value = ((Piece("literal", value, False),),)
            self.state.give(name, first_value, self.where(opening), self.body_blocks(), number=True)
        outer = self.context
        self.context = outer + ("loop",)
        blocks, self.blocks = self.blocks, self.body_blocks()
        text, offset = self.text, opening + 2
        for part in inside.split(";"):
            self.pos = offset
            end = self.end
            self.text = text[: offset + len(part)] + "}"
            self.end = offset + len(part) + 1
            if part is not first or not (equals and value.isdigit()):
                self.scan_arithmetic("}", offset)
            self.text, self.end = text, end
            offset += len(part) + 1
        self.context, self.blocks = outer, blocks
        self.pos = close + 2
        if self.skip_blanks() == ";":
            self.pos += 1
        self._do_group()

    def _read_case(self) -> None:
        self.skip_blanks()
        start = self.pos
        if self.char(start) in META or start >= self.end:
            self.fail("unusual `case`")
        self.build_word(self.read_word(), start, split=False, glob=False)
        self.expect("in")
        while True:
            while self.skip_blanks() == "\n":
                self.read_newline()
            word, end = self.peek_reserved()
            if word == "esac":
                self.pos = end
                return
            if self.char(self.pos) == "(":
                self.pos += 1
            while True:
                char = self.skip_blanks()
                if not char or char in META:
                    self.fail("unusual pattern in `case`")
                pattern = self.pos
                self.build_word(self.read_word(), pattern, split=False)
                char = self.skip_blanks()
                if char == "|":
                    self.pos += 1
                    continue
                if char != ")":
                    self.fail("unusual pattern in `case`")
                self.pos += 1
                break
            outer = self.context
            self.context = outer + ("case",)
            self.read_list((";;", "esac"), empty=True)
            self.context = outer
            self.skip_blanks()
            if self.char(self.pos) == ";":
                self.pos = self.after(self.pos + 1)
                follower = self.char(self.pos)
                if follower == "&":
                    self.bash_only(";&")
                    self.pos += 1
                elif follower == ";":
                    self.pos += 1
                    if self.char(self.after(self.pos)) == "&":
                        self.bash_only(";;&")
                        self.pos = self.after(self.pos) + 1
                else:
                    self.fail("unusual end of a `case` branch")

    def read_function(self, name: str, start: int) -> None:
        """The body of a function; the position is behind its name and parentheses."""
        while self.skip_blanks() == "\n":
            self.read_newline()
        state = self.state
        state.rich = True
        state.functions.add(name)
        state.effect(REDEFINITION, self.span(start, self.pos), name)
        state.give(name + "()", (), self.where(start), self.blocks)
        outer = self.context
        self.context = outer + (f"function:{name}",)
        word, end = self.peek_reserved()
        if self.char(self.pos) == "(":
            self.read_subshell()
        elif word in COMPOUND and word not in ("function", "coproc"):
            self.pos = end
            self.read_compound(word)
        else:
            self.fail("unusual function body")
        self.context = outer

    def read_function_keyword(self, start: int) -> None:
        """Behind ``function``."""
        self.bash_only("function")
        self.skip_blanks()
        begin = self.pos
        if self.char(begin) in META:
            self.fail("unusual function")
        name = bare_text(self.read_word())
        if name is None or any(char in name for char in "{}[]*?~="):
            self.fail("unusual function name", begin)
        if self.skip_blanks() == "(":
            self.pos += 1
            if self.skip_blanks() != ")":
                self.pos -= 1
                self.fail("unusual function")
            self.pos += 1
        self.read_function(name, start)
