"""Tokens of the rules language: names in the grammar, spellings, hints for invalid ones; values of string literals."""

from __future__ import annotations

import re

from execpolicy.value import value

_ESCAPE = re.compile(r"\\(?:(\r\n|\n)|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-7]{1,3})|([\s\S]))|\r")
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\\": "\\", "'": "'", '"': '"'}
_RAW_ESCAPE = re.compile(r"\\([\s\S])|\r")


def decode_string(literal: str) -> str:
    """The text that a string literal (including its prefix ``r`` and quotes) denotes.

    A carriage return is dropped, a raw string loses the backslash in front of a quote, an unknown escape keeps its
    backslash (source: starlark-rust).
    """
    raw = literal[0] in "rR"
    body = literal[1:] if raw else literal
    quote = 3 if len(body) >= 6 and body[:3] in ('"""', "'''") else 1
    body = body[quote:-quote]
    if "\\" not in body and "\r" not in body:
        return body
    return (_RAW_ESCAPE if raw else _ESCAPE).sub(_raw_escape if raw else _escape, body)


def _raw_escape(found: re.Match[str]) -> str:
    following = found.group(1)
    if following is None:
        return ""
    return str(following) if following in "'\"" else f"\\{following}"


def _escape(found: re.Match[str]) -> str:
    newline, byte, short, long, octal, other = found.groups()
    if byte or short or long:
        return chr(int(byte or short or long, 16))
    if octal:
        return chr(int(octal, 8))
    if newline or other is None:
        return ""
    return _SIMPLE.get(other, f"\\{other}")


def encode_string(text: str) -> str:
    """``text`` as a double-quoted literal that decodes to it: printable characters as they are, the rest escaped."""
    return '"' + "".join([_encoded(char) for char in text]) + '"'


_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"'}


def _encoded(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


KEYWORDS = {
    word: word.upper()
    for word in (
        "and", "break", "continue", "def", "elif", "else", "for", "if", "in", "lambda", "load", "not", "or", "pass",
        "return",
    )
}  # fmt: skip

RESERVED = frozenset((
    "as", "assert", "async", "await", "class", "del", "except", "finally", "from", "global", "import", "is", "nonlocal",
    "raise", "try", "while", "with", "yield",
))  # fmt: skip

OPERATORS = {
    ",": "COMMA", ";": "SEMICOLON", ":": "COLON", ".": "DOT", "...": "ELLIPSIS", "->": "ARROW",
    "(": "LPAR", ")": "RPAR", "[": "LSQB", "]": "RSQB", "{": "LBRACE", "}": "RBRACE",
    "=": "EQUAL", "+=": "PLUS_EQUAL", "-=": "MINUS_EQUAL", "*=": "STAR_EQUAL", "/=": "SLASH_EQUAL",
    "//=": "SLASH_SLASH_EQUAL", "%=": "PERCENT_EQUAL", "&=": "AMPERSAND_EQUAL", "|=": "PIPE_EQUAL",
    "^=": "CARET_EQUAL", "<<=": "LESS_LESS_EQUAL", ">>=": "GREATER_GREATER_EQUAL",
    "==": "EQUAL_EQUAL", "!=": "NOT_EQUAL", "<": "LESS", ">": "GREATER", "<=": "LESS_EQUAL", ">=": "GREATER_EQUAL",
    "|": "PIPE", "^": "CARET", "&": "AMPERSAND", "<<": "LESS_LESS", ">>": "GREATER_GREATER",
    "+": "PLUS", "-": "MINUS", "*": "STAR", "**": "STAR_STAR", "%": "PERCENT", "/": "SLASH", "//": "SLASH_SLASH",
    "~": "TILDE",
}  # fmt: skip
"""The name of the terminal in ``grammar/rules.lark`` by spelling."""

TRIVIA = frozenset(("BLANK", "COMMENT", "LINE_BREAK"))
"""Tokens that the parser ignores. A ``LINE_BREAK`` does not end a statement; a ``NEWLINE`` does."""


@value
class RuleToken:
    """A piece of the text.

    Attributes:
        type: the terminal's name in the grammar, or one of :data:`TRIVIA`.
        text: exactly as written; empty for ``INDENT``, ``DEDENT`` and the ``NEWLINE`` at the end of the text.
        start: 0-based offset in code points.
    """

    type: str
    text: str
    start: int

    # lark reads these attributes when it reports a token; positions are reported here.
    line = column = end_line = end_column = start_pos = end_pos = 0

    @property
    def end(self) -> int:
        """The offset after the last character."""
        return self.start + len(self.text)

    def __repr__(self) -> str:
        return f"RuleToken({self.type}, {self.text!r}, {self.start})"


class WholeCall(RuleToken):
    """A ``RULE_CALL``: a call of a builtin that holds only keywords, each once, and plain literals.

    Attributes:
        keywords: in source order.
    """

    __slots__ = ("keywords",)

    def __init__(self, text: str, start: int, keywords: tuple[str, ...]) -> None:
        super().__init__("RULE_CALL", text, start)
        self.keywords = keywords


class SyntaxProblem(Exception):
    """The text is not a rule file. :func:`execpolicy.lang.parse.parse` converts the error to diagnostics.

    Attributes:
        start, end: the offending range.
        help: the suggested action, if the cause is known.
    """

    def __init__(self, message: str, start: int, end: int, help: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end
        self.help = help


def reserved_hint(word: str) -> str:
    """The suggested action for the reserved ``word``."""
    hints = {
        "while": "Starlark has no `while`; use `for`",
        "import": "a rule file imports nothing",
        "from": "a rule file imports nothing",
        "is": "compare with `==`",
        "class": "Starlark has no classes; use functions and dictionaries",
        "try": "Starlark has no exceptions",
        "assert": "use `fail(…)` under an `if`",
        "raise": "use `fail(…)`",
    }
    return hints.get(word, "choose another name")


def invalid_hint(char: str) -> str | None:
    """The suggested action for ``char``, which starts no token; ``None`` if there is none."""
    if char == "\ufeff":
        return "save the file without a byte order mark"
    if char == "\r":
        return "end lines with LF or CRLF"
    if char == "\\":
        return "a backslash outside a string only continues a line: nothing may follow it"
    if char in "\u201c\u201d\u2018\u2019":
        return "use straight quotes"
    if char.isspace() or ord(char) == 0xA0:
        return "use an ordinary space"
    if char in "!?&|":
        return "write `not`, `and`, `or`"
    if not char.isascii():
        return "outside strings only ASCII is allowed"
    return None
