"""A rough scanner for programming languages: names, string constants and punctuation, comments left out.

It knows no grammar. It is used to find string constants that a program hands to functions that run commands or remove
files, which is evidence for restricting and never a proof of anything.
"""

from __future__ import annotations

from execpolicy.shell.limits import LIMITS
from execpolicy.value import value

_PERL_QUOTES = {"(": ")", "[": "]", "{": "}", "<": ">"}
_RUBY = ("x", "w", "q", "Q")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "e": "\x1b"}


@value
class Token:
    """``kind`` is ``name`` (dotted: ``os.system``), ``text`` (a string constant), ``run`` (a backtick string), the
    character itself or, in awk, ``||``."""

    kind: str
    value: str

    def __repr__(self) -> str:
        return f"Token({self.kind!r}, {self.value!r})"


def tokens(code: str, language: str) -> list[Token]:
    """The tokens of ``code``.

    Args:
        language: ``python perl ruby php javascript awk lisp raku tcl`` or another word for something C-like.
    """
    found: list[Token] = []
    at, end = 0, len(code)
    hash_comments = language in ("python", "perl", "ruby", "php", "awk", "r", "julia", "tcl", "elixir")
    slash_comments = language in ("javascript", "php", "c")
    backticks_run = language in ("perl", "ruby", "php", "julia")
    while at < end and len(found) < LIMITS.tokens:
        char = code[at]
        if char.isspace():
            at += 1
        elif (char == "#" and hash_comments and not (found and found[-1].value == "$")) or (
            slash_comments and code.startswith("//", at)
        ):
            newline = code.find("\n", at)
            at = end if newline < 0 else newline
        elif slash_comments and code.startswith("/*", at):
            close = code.find("*/", at)
            at = end if close < 0 else close + 2
        elif char == "/" and language in ("awk", "javascript", "perl", "ruby") and _starts_regex(found):
            at = _skip_regex(code, at)
            found.append(Token("regex", ""))
        elif char in "\"'`" and not (char == "'" and language == "lisp"):
            text, at = _string(code, at, language)
            found.append(Token("run" if char == "`" and backticks_run else "text", text))
        elif char.isalnum() or char in "_$@" or (language == "lisp" and char in "-:"):
            at, token = _name(code, at, language)
            found.append(token)
        elif (
            char == "%"
            and language == "ruby"
            and (code[at + 1 : at + 2] in _PERL_QUOTES or (code[at + 1 : at + 2] in _RUBY and _opens(code, at + 2)))
        ):
            text, after = _delimited(code, at + (1 if code[at + 1] in _PERL_QUOTES else 2))
            found.append(Token({"x": "run"}.get(code[at + 1], "text"), text))
            at = after
        elif char == "~" and language == "elixir" and code[at + 1 : at + 2].isalpha() and _opens(code, at + 2):
            text, after = _delimited(code, at + 2)  # ~w(git push), ~s(git push)
            found += [Token("text", word) for word in (text.split() if code[at + 1] in "wW" else [text])]
            at = after
        elif char == "<" and language == "raku" and (close := code.find(">", at)) > 0:  # <rm x>
            found += [Token("text", word) for word in code[at + 1 : close].split()]
            at = close + 1
        elif language == "awk" and code.startswith("||", at):  # no pipe
            found.append(Token("||", "||"))
            at += 2
        else:
            found.append(Token(char, char))
            at += 1
    return found


def _name(code: str, at: int, language: str) -> tuple[int, Token]:
    start = at
    extra = "_$@" + ("-!?*" if language == "lisp" else "")
    while at < len(code):
        char = code[at]
        if (
            char.isalnum()
            or char in extra
            or (char == "." and code[at + 1 : at + 2].isidentifier() and language != "php")
        ):
            at += 1
        elif code.startswith(("::", "->"), at) and code[at + 2 : at + 3].isidentifier():
            at += 2
        else:
            break
    name = code[start:at].replace("::", ".").replace("->", ".")
    if language in ("perl", "ruby", "raku") and name in ("q", "qq", "qx", "qw", "qqx") and _opens(code, at):
        text, after = _delimited(code, at)
        return after, Token("run" if name[-1] == "x" else "text", text)
    if language == "perl" and name == "s" and _opens(code, at) and code[at] != "}":  # s/…/…/
        _, after = _delimited(code, at)
        text, after = _delimited(code, after if code[at] in _PERL_QUOTES else after - 1)
        return after, Token("text", text)
    if language == "python" and len(name) <= 2 and code[at : at + 1] in ("'", '"') and name.lower().strip("rbuf") == "":
        text, after = _string(code, at, language, raw="r" in name.lower())
        return after, Token("text", text)
    return max(at, start + 1), Token("name", name)


def _opens(code: str, at: int) -> bool:
    return code[at : at + 1] != "" and not code[at].isspace() and not code[at].isalnum() and code[at] not in ",;=)."


def _delimited(code: str, at: int) -> tuple[str, int]:
    if at >= len(code):  # of a text that was cut off
        return "", at
    opening = code[at]
    closing = _PERL_QUOTES.get(opening, opening)
    depth, here = 1, at + 1
    while here < len(code):
        if code[here] == "\\":
            here += 1
        elif code[here] == closing:
            depth -= 1
            if depth == 0:
                break
        elif code[here] == opening:
            depth += 1
        here += 1
    return code[at + 1 : here], here + 1


def _string(code: str, at: int, language: str, *, raw: bool = False) -> tuple[str, int]:
    quote = code[at]
    if language in ("python", "julia") and code.startswith(quote * 3, at):
        close = code.find(quote * 3, at + 3)
        close = len(code) if close < 0 else close
        return code[at + 3 : close], close + 3
    out: list[str] = []
    here = at + 1
    plain = raw or (quote == "'" and language in ("perl", "ruby", "php"))
    while here < len(code) and code[here] != quote:
        char = code[here]
        if language == "ruby" and code.startswith("#{", here) and not plain and (close := code.find("}", here)) > 0:
            out.append(code[here : close + 1])
            here = close
        elif char == "\\" and here + 1 < len(code):
            here += 1
            following = code[here]
            if following == "x" and not plain:
                digits = code[here + 1 : here + 3]
                try:
                    out.append(chr(int(digits, 16)))
                    here += 2
                except ValueError:
                    out.append(following)
            elif following in "01234567" and not plain:
                digits = code[here : here + 3]
                digits = digits[: len(digits) - len(digits.lstrip("01234567"))]
                out.append(chr(int(digits, 8)))
                here += len(digits) - 1
            elif plain:
                out.append(following if following in (quote, "\\") else "\\" + following)
            elif following != "\n":
                out.append(_ESCAPES.get(following, following))
        else:
            out.append(char)
        here += 1
    return "".join(out), here + 1


def _starts_regex(found: list[Token]) -> bool:
    """True if a slash here starts a regular expression rather than divides."""
    if not found:
        return True
    last = found[-1]
    if last.kind == "name":
        return last.value in ("return", "print", "in", "case", "typeof", "if", "unless", "and", "or", "not", "split")
    return last.kind in ("(", ",", "=", ":", "[", "!", "&", "|", "?", "{", "}", ";", "~", "<", ">", "+", "-", "*")


def _skip_regex(code: str, at: int) -> int:
    here, bracket = at + 1, False
    while here < len(code):
        char = code[here]
        if char == "\\":
            here += 1
        elif char == "[":
            bracket = True
        elif char == "]":
            bracket = False
        elif char == "\n":
            return at + 1
        elif char == "/" and not bracket:
            return here + 1
        here += 1
    return at + 1
