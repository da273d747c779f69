"""Splits the text of a rule file into tokens: every character, also blanks and comments, is in exactly one of them.

The rules are those of starlark-rust in Codex 0.169 to 0.171, checked by differential tests. The longest token wins, and
identifiers are ASCII. A tab is an error except in strings, comments and at the start of an empty line. An f-string is
split into its parts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from execpolicy.lang.terminals import (
    KEYWORDS,
    OPERATORS,
    RESERVED,
    RuleToken,
    SyntaxProblem,
    WholeCall,
    invalid_hint,
    reserved_hint,
)

_Q = r"\x27"
_TRIPLE = rf'"""(?:[^"\\]++|\\[\s\S]|"(?!""))*+"""|{_Q}{{3}}(?:[^{_Q}\\]++|\\[\s\S]|{_Q}(?!{_Q}{_Q}))*+{_Q}{{3}}'
_COOKED = rf'"(?!"")(?:[^"\\\n]++|\\\r\n|\\[\s\S])*+"|{_Q}(?!{_Q}{_Q})(?:[^{_Q}\\\n]++|\\\r\n|\\[\s\S])*+{_Q}'
_RAW = rf'"(?!"")(?:[^"\\\n]++|\\[\s\S])*+"|{_Q}(?!{_Q}{_Q})(?:[^{_Q}\\\n]++|\\[\s\S])*+{_Q}'
_STRING = f"(?:{_TRIPLE}|{_COOKED})|r(?:{_TRIPLE}|{_RAW})"
_BYTES = f"b(?:{_TRIPLE}|{_COOKED})|(?:rb|br)(?:{_TRIPLE}|{_RAW})"

_TOKEN = re.compile(
    rf"""
      (?P<BLANK>\ +|\\\r?\n)
    | (?P<NEWLINE>\r?\n)
    | (?P<COMMENT>\#[^\r\n]*+)
    | (?P<FSTRING_START>fr?(?:\"\"\"|'''|"|'))
    | (?P<STRING>{_STRING})
    | (?P<BYTES>{_BYTES})
    | (?P<NAME>[A-Za-z_][A-Za-z0-9_]*+)
    | (?P<FLOAT>[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+|\.[0-9]+(?:[eE][-+]?[0-9]+)?)
    | (?P<INT>0[xX][0-9A-Fa-f]+|0[bB][01]+|0[oO][0-7]+|[0-9]+)
    | (?P<OPERATOR>\.\.\.|<<=|>>=|//=|->|[-+*/%&|^=!<>]=|<<|>>|\*\*|//|[-+*/%&|^~=<>.,;:()\[\]{{}}])
    | (?P<TAB>\t+)
    """,
    re.VERBOSE,
)

_PLAIN = r'"[^"\\\n\r]*+"'
_GAP = r"(?:[ \n]++|\#[^\n\r]*+\n)*+"
_ITEM = rf"(?:{_PLAIN}|\[{_GAP}{_PLAIN}{_GAP}(?:,{_GAP}{_PLAIN}{_GAP})*+,?{_GAP}\])"
_LIST = rf"\[{_GAP}(?:{_ITEM}{_GAP}(?:,{_GAP}{_ITEM}{_GAP})*+,?{_GAP})?\]"
_KEYWORD = rf"[a-z_]++[ ]?=[ ]?(?:{_PLAIN}|{_LIST}|True|False)"
_RULE_CALL = re.compile(
    rf"(?:prefix_rule|network_rule|host_executable)\({_GAP}{_KEYWORD}{_GAP}(?:,{_GAP}{_KEYWORD}{_GAP})*+,?{_GAP}\)"
    r"(?=[ ]*+(?:\#[^\r\n]*+)?(?:\r?\n|\Z))"
)
_IN_CALL = re.compile(
    r'(?P<BLANK>[ ]+)|(?P<LINE_BREAK>\n)|(?P<COMMENT>\#[^\n]*)|(?P<STRING>"[^"]*")|(?P<NAME>[A-Za-z_]+)'
    r"|(?P<OPERATOR>[][(),=])"
)
_SAID_IN_CALL = re.compile(r'"[^"]*"|[A-Za-z_]+|[][(),=]|#[^\n]*')
_RULE_KEYWORD = re.compile(rf"\#[^\n]*|([a-z_]+)[ ]?=[ ]?(?:{_PLAIN}|{_LIST}|True|False)")
_INDENTATION = re.compile(r"[ \t\r]*+")
_UNTIL_BREAK = re.compile(r"[^\n]*+")
_FSTRING_CHUNK = re.compile(r"""[^{}\\"'\n]++""")
_ESCAPE = re.compile(r"\\(\r\n|[\s\S])")
_ESCAPE_DIGITS = {"x": 2, "u": 4, "U": 8}
_HEXADECIMAL = frozenset("0123456789abcdefABCDEF")


@dataclass(slots=True)
class _FString:
    """An open f-string: its quotes, and the nesting of the lexer inside a replacement (0: in its text)."""

    quote: str
    start: int
    braces: int = 0
    brackets: int = 0


def tokenize(text: str, *, whole_rules: bool = True) -> list[RuleToken]:
    """The tokens of ``text``; joined, they are ``text`` again.

    Args:
        whole_rules: make one ``RULE_CALL`` token of a builtin's call that holds only keywords and plain literals.

    Raises:
        SyntaxProblem: a character, string, number or indentation is invalid in a rule file.
    """
    return _Lexer(text, whole_rules).run()


def call_tokens(text: str) -> list[RuleToken]:
    """The tokens of a ``RULE_CALL``: as from :func:`tokenize`, but found faster because there are few kinds."""
    found: list[RuleToken] = []
    for match in _IN_CALL.finditer(text):
        kind, word = match.lastgroup or "", match.group()
        if kind == "OPERATOR":
            kind = OPERATORS[word]
        elif kind == "NAME":
            kind = KEYWORDS.get(word, kind)
        found.append(RuleToken(kind, word, match.start()))
    return found


def said_in_call(text: str) -> list[str]:
    """The texts of the tokens of a ``RULE_CALL`` without blanks and line breaks."""
    return _SAID_IN_CALL.findall(text)


class _Lexer:
    def __init__(self, text: str, whole_rules: bool) -> None:
        self.text = text
        self.whole_rules = whole_rules
        self.tokens: list[RuleToken] = []
        self.position = 0
        self.depth = 0
        self.indents: list[int] = []
        self.fstrings: list[_FString] = []

    def run(self) -> list[RuleToken]:
        text, tokens, end = self.text, self.tokens, len(self.text)
        match_token, match_rule = _TOKEN.match, _RULE_CALL.match
        self.start_line()
        if self.whole_rules and (whole := match_rule(text, self.position)) and not self.indents:
            self.whole_rule(whole.group())
        while self.position < end:
            if self.fstrings:
                state = self.fstrings[-1]
                if state.braces == 0:
                    self.fstring_text(state)
                    continue
                if state.braces == 1 and state.brackets == 0 and text[self.position] == "!":
                    self.add("FSTRING_BANG", "!")
                    continue
            position = self.position
            found = match_token(text, position)
            if found is None:
                self.refuse(position)
            kind, word = found.lastgroup, found.group()
            if kind == "BLANK" or kind == "COMMENT":
                tokens.append(RuleToken(kind, word, position))
                self.position = found.end()
            elif kind == "NEWLINE":
                self.position = found.end()
                if self.depth or self.fstrings:
                    tokens.append(RuleToken("LINE_BREAK", word, position))
                    continue
                tokens.append(RuleToken("NEWLINE", word, position))
                self.start_line()
                if self.whole_rules and not self.indents and (whole := match_rule(text, self.position)):
                    self.whole_rule(whole.group())
            else:
                self.significant(kind or "", word)
        tokens.append(RuleToken("NEWLINE", "", end))
        tokens.extend([RuleToken("DEDENT", "", end) for _ in self.indents])
        return tokens

    def add(self, kind: str, word: str) -> None:
        self.tokens.append(RuleToken(kind, word, self.position))
        self.position += len(word)

    def whole_rule(self, word: str) -> None:
        """Reads a whole call as one token, unless an argument name occurs twice: the parser must report that."""
        names = tuple([name for name in _RULE_KEYWORD.findall(word) if name])
        if len(set(names)) == len(names):
            self.tokens.append(WholeCall(word, self.position, names))
            self.position += len(word)

    def significant(self, kind: str, word: str) -> None:
        start = self.position
        if kind == "NAME":
            if word in RESERVED:
                raise SyntaxProblem(
                    f"cannot use reserved keyword `{word}`", start, start + len(word), reserved_hint(word)
                )
            kind = KEYWORDS.get(word, kind)
        elif kind == "OPERATOR":
            kind = OPERATORS.get(word) or self.refuse(start)
            if word in "([{":
                self.open(word)
            elif word in ")]}":
                kind = self.close(word, kind)
        elif kind == "STRING" or kind == "BYTES":
            if "\\" in word and not word.startswith(("r", "br")):
                _check_escapes(word, start)
        elif kind == "INT":
            if len(word) > 1 and word[0] == "0" and word.isdigit():
                raise SyntaxProblem(
                    f"integer cannot have leading 0, got `{word}`", start, start + len(word), "write `0o…` for octal"
                )
        elif kind == "TAB":
            raise SyntaxProblem("tabs are not allowed", start, start + len(word), "use spaces")
        elif kind == "FSTRING_START":
            self.fstrings.append(_FString(word.lstrip("fr"), start))
        self.add(kind, word)

    def open(self, bracket: str) -> None:
        self.depth += 1
        if self.fstrings:
            if bracket == "{":
                self.fstrings[-1].braces += 1
            else:
                self.fstrings[-1].brackets += 1

    def close(self, bracket: str, kind: str) -> str:
        if self.fstrings:
            state = self.fstrings[-1]
            if bracket != "}":
                state.brackets = max(0, state.brackets - 1)
            elif state.braces == 1 and state.brackets == 0:
                state.braces = 0
                return "FSTRING_CLOSE"
            else:
                state.braces -= 1
        self.depth -= 1
        return kind

    def start_line(self) -> None:
        """Reads the indentation of the next line that holds code; lines of blanks and comments have none."""
        text, end = self.text, len(self.text)
        while True:
            start = self.position
            blank = _INDENTATION.match(text, start).group()  # type: ignore[union-attr]  # it matches the empty string
            if blank:
                self.add("BLANK", blank)
            if self.position >= end or text[self.position] == "\n":
                return
            if text[self.position] != "#":
                break
            comment = _UNTIL_BREAK.match(text, self.position).group()  # type: ignore[union-attr]  # the same
            self.add("COMMENT", comment.removesuffix("\r"))
            if comment.endswith("\r"):
                self.add("BLANK", "\r")
            if self.position >= end:
                return
            self.add("LINE_BREAK", "\n")
        if "\t" in blank:
            at = start + blank.index("\t")
            raise SyntaxProblem("tabs are not allowed", at, at + 1, "indent with spaces")
        self.indent_to(blank.count(" "), start)

    def indent_to(self, indent: int, start: int) -> None:
        now = self.indents[-1] if self.indents else 0
        if indent > now:
            self.indents.append(indent)
            self.tokens.append(RuleToken("INDENT", "", self.position))
            return
        while indent < now:
            self.indents.pop()
            self.tokens.append(RuleToken("DEDENT", "", self.position))
            now = self.indents[-1] if self.indents else 0
        if indent > now:
            raise SyntaxProblem(
                "incorrect indentation", start, self.position, "indent the line like one of the blocks around it"
            )

    def fstring_text(self, state: _FString) -> None:
        """Reads the text of an f-string up to the next replacement or its end, and that delimiter."""
        text, quote, end = self.text, state.quote, len(self.text)
        raw = text[state.start + 1] == "r"
        start = at = self.position
        while True:
            if chunk := _FSTRING_CHUNK.match(text, at):
                at = chunk.end()
            if at >= end or (text[at] == "\n" and len(quote) == 1):
                raise _unfinished(state.start, at)
            char = text[at]
            if text.startswith(quote, at):
                kind, word = "FSTRING_END", quote
                self.fstrings.pop()
                break
            if char in "{}" and text.startswith(char * 2, at):
                at += 2
            elif char == "{":
                kind, word = "FSTRING_OPEN", "{"
                state.braces = 1
                break
            elif char == "}":
                raise SyntaxProblem("standalone `}` in an f-string", at, at + 1, "write `}}` for a brace")
            elif char == "\\" and text[at + 1 : at + 2] not in ("{", "}", ""):
                at += 3 if not raw and text.startswith("\r\n", at + 1) else 2
            else:
                at += 1
        if at > start:
            piece = text[start:at]
            if "\\" in piece and not raw:
                _check_escapes(piece, start)
            self.add("FSTRING_TEXT", piece)
        self.add(kind, word)

    def refuse(self, at: int) -> NoReturn:
        """Raises for the character at ``at``, which starts no token."""
        text = self.text
        char = text[at]
        if char in "\"'":
            stop = text.find("\n", at)
            raise _unfinished(at, len(text) if stop < 0 or text.startswith(char * 3, at) else stop)
        raise SyntaxProblem(f"invalid input `{_shown(char)}`", at, at + 1, invalid_hint(char))


def _unfinished(start: int, end: int) -> SyntaxProblem:
    return SyntaxProblem("unfinished string literal", start, end, "close the quotes on the same line")


def _check_escapes(word: str, start: int) -> None:
    """Raises for a malformed escape sequence; an unknown one keeps its backslash and is valid."""
    for found in _ESCAPE.finditer(word):
        letter = found.group(1)
        count = _ESCAPE_DIGITS.get(letter)
        if count is None and letter != "\r":
            continue
        digits = word[found.end() : found.end() + (count or 0)]
        if len(digits) == count and _HEXADECIMAL.issuperset(digits):
            value = int(digits, 16)
            if value < 0xD800 or 0xDFFF < value <= 0x10FFFF:
                continue
        at = start + found.start()
        raise SyntaxProblem(
            f"invalid string escape sequence `{_shown(letter + digits)}`",
            at,
            at + 2 + len(digits),
            "write `\\xHH`, `\\uHHHH` or `\\UHHHHHHHH` with the number of a character, or `\\\\` for a backslash",
        )


def _shown(text: str) -> str:
    return "".join([char if char.isprintable() else f"U+{ord(char):04X}" for char in text])
