"""Redirections: operator, descriptor and target."""

from __future__ import annotations

from execpolicy.shell.grammar.cursor import DIGITS, META
from execpolicy.shell.grammar.elements import WordReader
from execpolicy.shell.grammar.state import Pending
from execpolicy.shell.pieces import Piece
from execpolicy.shell.script import ASSIGNMENT, DYNAMIC_REDIRECT, NETWORK_REDIRECT, PROMPT_EXPANSION, Redirect
from execpolicy.shell.variables import NAME_PART, NAME_START, harmless_assignment
from execpolicy.shell.words import Word

_NETWORK = ("/dev/tcp/", "/dev/udp/")
_PLAIN = NAME_PART | frozenset("./-+:@,%=")


class RedirectReader(WordReader):
    """Reads redirections."""

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

    def read_redirect(self) -> Redirect | Pending:
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
                self.state.effect(ASSIGNMENT, self.span(start, pos), f"a redirection gives `{name}` a value")
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
    ) -> Redirect | Pending:
        if operator in ("<<", "<<-"):
            self.state.may_fail()  # its body is read when the line is over, and expanded before
            target = Word("".join([piece.text or "" for piece in pieces]), self.span(target_start, self.pos))
            plain = any(piece.quoted for piece in pieces)
            due = Pending(operator, fd, target, self.span(start, self.pos), self.context, plain=plain)
            return self.expect_body(due, pieces)
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
            if operator == ">&":
                self._expanded_twice(target)
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
                self.state.effect(NETWORK_REDIRECT, span, f"a redirection to {prefix}…")
            elif not prefix and not writes and operator == "<" and not target.absolute:
                self.state.effect(DYNAMIC_REDIRECT, span, "what is read is only known at run time")
        elif known.startswith(_NETWORK):
            self.state.effect(NETWORK_REDIRECT, span, f"{known} opens a connection")
        return redirect

    def _expanded_twice(self, target: Word) -> None:
        """bash expands the target of ``>&`` and, when it is a name, expands the result again: `>&'$(c)'` runs ``c``."""
        state = self.state
        if target.literal is None:
            if not target.number:
                state.effect(PROMPT_EXPANSION, target.span, "the target of `>&` is expanded twice")
        elif target.quoted and not _PLAIN.issuperset(target.literal):
            state.doubt("a quoted name behind `>&`, which bash expands twice")
            state.texts.append((target.literal, target.span))
