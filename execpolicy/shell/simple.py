"""Words, assignments, redirections and simple commands."""

from __future__ import annotations

from execpolicy.shell import effects
from execpolicy.shell.build import assignment_name
from execpolicy.shell.cursor import DIGITS, META, NAME_PART, NAME_START
from execpolicy.shell.environment import harmless_assignment
from execpolicy.shell.heredocs import HeredocReader
from execpolicy.shell.pieces import Piece, bare_text
from execpolicy.shell.reserved import DECLARING, RESERVED
from execpolicy.shell.script import Assignment, Command, Redirect
from execpolicy.shell.state import Given
from execpolicy.shell.words import Word

_QUOTES = frozenset("'\"\\$`")
_WORD_STOP = META | _QUOTES
_NETWORK = ("/dev/tcp/", "/dev/udp/")


class SimpleReader(HeredocReader):
    """Reads one simple command."""

    def read_word(self, *, element: bool = False) -> list[Piece]:
        """The word at the position (not empty); stops at a metacharacter.

        ``element``: an assignment may stand here. For ``name[sub]=…`` the pieces begin at ``=`` or ``+=`` and
        ``self.element`` is the name; otherwise ``self.element`` is ``None``.
        """
        text, end = self.text, self.end
        pieces: list[Piece] = []
        name: str | None = None
        self.element = None
        pos = start = self.pos
        while pos < end:
            char = text[pos]
            if char not in _WORD_STOP:
                begin = pos
                pos += 1
                if element:
                    while pos < end and text[pos] not in _WORD_STOP and text[pos] != "[":
                        pos += 1
                else:
                    while pos < end and text[pos] not in _WORD_STOP:
                        pos += 1
                run = text[begin:pos]
                if pieces and pieces[-1].kind == "literal" and not pieces[-1].quoted:
                    pieces[-1] = Piece("literal", (pieces[-1].text or "") + run, False)
                else:
                    pieces.append(Piece("literal", run, False))
                if element and text[pos : pos + 1] == "[":
                    if len(pieces) == 1 and _is_name(pieces[0].text or "") and name is None:
                        self.pos = pos
                        pos = self._read_subscript(pieces)
                        name = self.element
                        continue
                    element = False
                continue
            self.pos = pos
            if char == "\\":
                follower = text[pos + 1 : pos + 2]
                if follower == "\n":
                    self.state.rich = True
                    pos += 2
                    continue
                pieces.append(Piece("literal", follower or "\\", True))
                if not follower and (self.state.depth or self.offsets is not None):
                    self.fail("backslash at the end")
                pos += 2
                pos = min(pos, end)
                continue
            if char == "'":
                pieces.append(self.read_single())
            elif char == '"':
                pieces += self.read_double("bare")
            elif char == "$":
                piece = self.read_dollar("bare")
                last = pieces[-1] if pieces else None
                if piece.kind == "literal" and not piece.quoted and last and last.kind == "literal" and not last.quoted:
                    pieces[-1] = Piece("literal", (last.text or "") + (piece.text or ""), False)
                else:
                    pieces.append(piece)
            elif char == "`":
                pieces.append(self.read_backquote("bare"))
            elif char in "<>" and self.char(self.after(pos + 1)) == "(":
                if self.state.shell not in ("bash", "zsh"):
                    self.state.doubt("<(…) is not read by every sh")
                pieces.append(self.read_substitution(self.after(pos + 1), False, "process"))
            else:
                break
            pos = self.pos
        if "{" in text[start:pos] and _hides_braces(text[start:pos]):
            self.state.doubt("braces beside backquotes or quotes inside ${…} in one word")
            pieces.append(Piece("mixed", None, False, many=True))
        self.pos = pos
        self.element = name  # words inside this one may have set it
        return pieces

    def _read_subscript(self, pieces: list[Piece]) -> int:
        """``[…]`` behind a name; returns the position behind it."""
        opening = self.pos
        name = pieces[0].text or ""
        uses = len(self.state.uses)
        self.pos += 1
        first = len(self.state.commands)
        self.enter()
        self.scan_arithmetic("]", opening)
        self.leave()
        follower = self.after(self.pos)
        raw = self.text[opening : self.pos]
        if self.char(follower) == "=" or self.text.startswith("+=", follower):
            self.element = name
            pieces.clear()
            self.bash_only("array elements")
            return self.pos
        if len(self.state.commands) > first or any(char in META or char in _QUOTES for char in raw):
            self.fail("unusual `[` in a word", opening)
        del self.state.uses[uses:]
        self.element = None
        pieces[0] = Piece("literal", name + raw, False)
        return self.pos

    def read_array(self) -> tuple[list[Word], list[list[Piece]]]:
        """``(…)`` of an array assignment with the position on the parenthesis."""
        opening = self.pos
        self.bash_only("arrays")
        self.state.rich = True
        self.pos += 1
        words: list[Word] = []
        values: list[list[Piece]] = []
        self.enter()
        while True:
            char = self.skip_blanks()
            if char == ")":
                self.pos += 1
                self.leave()
                raw = self.text[opening : self.pos]
                if ("\n" in raw or "\\" in raw) and self.reparsed():
                    self.state.doubt("an array with escapes or newlines inside a substitution")
                if self.pos < self.end and self.text[self.pos] not in META:
                    self.fail("text directly behind an array")
                return words, values
            if char == "\n":
                if self.pending:
                    self.fail("an array over several lines between a here-document and its body")
                self.pos += 1
                continue
            if not char or (char in META and not (char in "<>" and self.char(self.pos + 1) == "(")):
                self.fail("unusual character in an array", opening)
            start = self.pos
            if char == "[":
                self.state.doubt("array element with a subscript")
            pieces = self.read_word()
            if not pieces:
                self.fail("an empty word", start)
            values.append(pieces)
            words += self.build_words(pieces, start)

    def redirect_ahead(self) -> bool:
        """Whether a redirection operator, with its descriptor in front, stands at the position."""
        text, pos = self.text, self.pos
        char = text[pos]
        if char in "<>":
            return self.char(self.after(pos + 1)) != "("
        if char == "&":
            return self.char(self.after(pos + 1)) == ">"
        if char in DIGITS:
            pos = self.after(pos + 1)
            while self.char(pos) in DIGITS and pos < self.end:
                pos = self.after(pos + 1)
            return self.char(pos) in ("<", ">") and self.char(self.after(pos + 1)) != "("
        if char == "{":
            pos = self.after(pos + 1)
            if self.char(pos) not in NAME_START:
                return False
            while self.char(pos) in NAME_PART and pos < self.end:
                pos = self.after(pos + 1)
            if self.char(pos) == "[":
                return False
            pos = self.after(pos)
            if self.char(pos) != "}":
                return False
            pos = self.after(pos + 1)
            return self.char(pos) in ("<", ">") and self.char(self.after(pos + 1)) != "("
        return False

    def read_redirect(self) -> Redirect:
        """The redirection at the position; ``redirect_ahead`` was true."""
        start = self.pos
        self.state.rich = True
        pieces: list[str] = []
        pos = start
        while self.char(pos) not in "<>&":
            pieces.append(self.text[pos])
            pos = self.after(pos + 1)
        fd = "".join(pieces) or None
        if fd and len(fd) > 4 and fd[0] != "{":
            self.fail("unusual descriptor")
        if fd and len(fd) > 1 and fd[0] != "{" and self.state.shell not in ("bash", "zsh"):
            self.state.doubt("a descriptor of several digits is a word in some shells")
        if fd and fd[0] == "{":
            self.bash_only("{name}> redirections")
            name = fd[1:-1]
            if not harmless_assignment(name, None, exported=False, shell=self.state.shell):
                self.state.effect(effects.ASSIGNMENT, self.span(start, pos), f"a redirection gives `{name}` a value")
        first = self.text[pos]
        operator = first
        pos = self.after(pos + 1)
        char = self.char(pos)
        if first == "<" and char and char in "<>&":
            operator += char
            pos = self.after(pos + 1)
            if operator == "<<" and self.char(pos) and self.char(pos) in "-<":
                operator += self.text[pos]
                pos += 1
        elif first == ">" and char and char in ">&|":
            operator += char
            pos += 1
        elif first == "&":
            operator = "&>"
            self.bash_only("&>")
            pos = self.after(pos + 1)
            if self.char(pos) == ">":
                operator = "&>>"
                pos += 1
        self.pos = pos
        if operator == "<<<":
            self.bash_only("<<<")
        char = self.skip_blanks()
        if not char or (char in META and not (char in "<>" and self.char(self.after(self.pos + 1)) == "(")):
            self.fail("redirection without a target")
        target_start = self.pos
        if char == "-" and operator in (">&", "<&"):
            # bash ends the word here whatever follows; other shells do not.
            self.pos += 1
            target_pieces = [Piece("literal", "-", False)]
            if self.state.shell != "bash" and self.char(self.after(self.pos)) not in META | {""}:
                self.fail("unusual descriptor")
        else:
            target_pieces = self.read_word()
        return self._finish_redirect(operator, fd, target_pieces, start, target_start)

    def _finish_redirect(
        self, operator: str, fd: str | None, pieces: list[Piece], start: int, target_start: int
    ) -> Redirect:
        if operator in ("<<", "<<-"):
            target = Word("".join([piece.text or "" for piece in pieces]), self.span(target_start, self.pos))
            redirect = Redirect(operator, fd, target, self.span(start, self.pos), writes=False)
            self.expect_body(redirect, pieces, operator == "<<-")
            return redirect
        plain = operator == "<<<"
        if self.state.shell == "zsh" and not plain:
            bare = pieces[0].text or ""
            if pieces[0].kind == "literal" and (bare[:1] in ("!", "|") or not bare.strip("0123456789-")):
                self.state.doubt("zsh reads this redirection in its own way")
        braces = not plain and any(p.kind == "literal" and not p.quoted and "{" in (p.text or "") for p in pieces)
        target = self.build_word(pieces, target_start, split=False, glob=not plain)
        if braces:
            expanded = self.build_words(pieces, target_start)
            if len(expanded) != 1 or target.literal is None or expanded[0].literal != target.literal:
                self.state.doubt("braces in the target of a redirection")
        writes = operator in (">", ">>", ">|", "<>", "&>", "&>>")
        if operator == ">&" or operator == "<&":
            if target.quoted and self.reparsed():
                self.state.doubt("a quoted descriptor inside a substitution")
            text = target.literal
            if text is None:
                writes = operator == ">&" and not target.number
            else:
                text = text[:-1] if text.endswith("-") and len(text) > 1 else text
                descriptor = text == "-" or (text.isascii() and text.isdigit())
                writes = operator == ">&" and not descriptor
                if writes:
                    self.bash_only(">& with a name")
        span = self.span(start, self.pos)
        redirect = Redirect(operator, fd, target, span, writes=writes, body=target if plain else None)
        if operator == "<<<" or target.kind == "process":
            return redirect
        known = target.literal
        if known is None:
            prefix = target.prefix
            network = prefix.startswith(_NETWORK) or (prefix != "" and any(n.startswith(prefix) for n in _NETWORK))
            if network:
                self.state.effect(effects.NETWORK_REDIRECT, span, f"a redirection to {prefix}…")
            elif not prefix and not writes and operator == "<" and not target.absolute:
                self.state.effect(effects.DYNAMIC_REDIRECT, span, "what is read is only known at run time")
        elif known.startswith(_NETWORK):
            self.state.effect(effects.NETWORK_REDIRECT, span, f"{known} opens a connection")
        return redirect

    def read_simple(self) -> None:
        """A simple command at the position: assignments, words and redirections in any order bash allows."""
        state = self.state
        start = self.pos
        index = state.reserve(start)
        words: list[Word] = []
        raw: list[list[Piece]] = []
        assignments: list[Assignment] = []
        redirects: list[Redirect] = []
        declaring = False
        known = len(state.given)
        last = start
        while True:
            char = self.skip_blanks()
            if not char:
                break
            if (char in "<>&{" or char in DIGITS) and self.redirect_ahead():
                redirects.append(self.read_redirect())
                last = self.pos
                continue
            if char in META and not (char in "<>" and self.char(self.after(self.pos + 1)) == "("):
                break
            begin = self.pos
            if not words:
                pieces = self.read_word(element=True)
                found = self._read_assignment(pieces, begin, bool(redirects))
                if found is not None:
                    assignments.append(found)
                    last = self.pos
                    continue
            else:
                pieces = self.read_word()
                if declaring and self.char(self.pos) == "(":
                    last = self._read_declared(pieces, begin, words)
                    continue
            if not pieces:
                self.fail("an empty word", begin)
            if redirects and not words and bare_text(pieces) in RESERVED and self.reparsed():
                self.state.doubt("a reserved word behind a redirection inside a substitution")
            raw.append(pieces)
            made = self.build_words(pieces, begin)
            words += made
            last = self.pos
            if not declaring and pieces[0].kind == "literal" and bare_text(pieces) in DECLARING:
                declaring = len(words) == 1 or all(word.literal in ("command", "builtin") for word in words[:-1])
        if self.char(self.pos) == "(":
            self.fail("unexpected `(`")
        if not words and not assignments and not redirects:
            self.fail("a command is missing", start)
        command = Command(
            tuple(words),
            self.span(start, last),
            assignments=tuple(assignments),
            redirects=tuple(redirects),
            context=self.context,
        )
        if words:
            for one in state.given[known:]:
                one.certain = False  # it holds for this command only
        if assignments or redirects:
            state.rich = True
            state.bare_redirects = state.bare_redirects or (not words and bool(redirects))
        state.commands[index] = command
        self.note_command(command, raw)

    def note_command(self, command: Command, raw: list[list[Piece]]) -> None:
        raise NotImplementedError

    def _read_assignment(self, pieces: list[Piece], start: int, behind_redirect: bool) -> Assignment | None:
        """The assignment that ``pieces`` are, or ``None``."""
        if not pieces or pieces[0].kind != "literal" or pieces[0].quoted:
            return None
        text = pieces[0].text or ""
        element = self.element
        if element is not None:
            name = element
            rest = text
        else:
            name = assignment_name(text)
            if not name or text[len(name)] == "[":
                return None
            rest = text[len(name) :]
        append = rest.startswith("+=")
        value_text = rest[2:] if append else rest[1:]
        if append:
            self.bash_only("+=")
        value = ([Piece("literal", value_text, False)] if value_text else []) + pieces[1:]
        given = self.state.given
        if not value and self.char(self.pos) == "(":
            if element is not None or behind_redirect:
                self.fail("unusual array assignment")
            items, values = self.read_array()
            given.append(Given(name, values, start, self.blocks, array=True, append=append))
            return Assignment(name, None, self.span(start, self.pos), append=append, items=tuple(items))
        if not value:
            value = [Piece("literal", "", False)]
        word = self.build_word(value, start, split=False, glob=False)
        if ":~" in value_text or any(
            piece.kind == "literal" and not piece.quoted and ":~" in (piece.text or "") for piece in value
        ):
            word = Word(None, word.span, kind="tilde", inner=word.inner)
        number = all(piece.number or piece.kind == "arithmetic" for piece in value)
        if word.literal is not None and _is_integer(word.literal):
            number = True
        given.append(Given(name, [value], start, self.blocks, append=append, number=number and not append, array=False))
        return Assignment(name, word, self.span(start, self.pos), append=append, subscript=element is not None)

    def _read_declared(self, pieces: list[Piece], begin: int, words: list[Word]) -> int:
        """``declare name=(…)``: one dynamic word."""
        text = bare_text(pieces) or ""
        name = assignment_name(text)
        if not name or text not in (name + "=", name + "+="):
            self.fail("unexpected `(`")
        _, values = self.read_array()
        self.state.given.append(Given(name, values, begin, self.blocks, array=True, append=text.endswith("+=")))
        words.append(Word(None, self.span(begin, self.pos), prefix=text, kind="mixed"))
        return self.pos


def _is_name(text: str) -> bool:
    return bool(text) and text[0] in NAME_START and all(char in NAME_PART for char in text)


def _is_integer(text: str) -> bool:
    digits = text[1:] if text[:1] == "-" else text
    return digits.isascii() and digits.isdigit()


def _hides_braces(raw: str) -> bool:
    """Whether bash, which expands braces on the raw word, may see braces that are inside an expansion.

    It does not know backquotes between double quotes, nor quotes inside ``"${…}"``.
    """
    rest = raw.replace("${", "")
    if "{" not in rest or not ("," in rest or ".." in rest):
        return False
    if "`" in raw:
        return True
    at = raw.find("${")
    while at >= 0:
        close = raw.find("}", at)
        inside = raw[at + 2 : close if close > 0 else len(raw)]
        if '"' in inside or "'" in inside or "{" in inside:
            return True
        at = raw.find("${", at + 2)
    return False
