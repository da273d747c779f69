"""The short way for plain scripts: words and quotes joined by ``&&``, ``||``, ``;`` and ``|``.

It answers only when the full reader would give the same answer (a property test holds the two together) and leaves
everything else, also everything unusual, to that reader.
"""

from __future__ import annotations

from execpolicy.shell.builtins import DECLARING, NOTED, RESERVED
from execpolicy.shell.script import Command, Script
from execpolicy.shell.words import Word
from execpolicy.source import Span

MOST = 2_000
"""Characters of a script that is worth trying."""
_SAFE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:+%@^="
_DELETE = dict.fromkeys(map(ord, _SAFE))
_OPERATORS = frozenset(("&&", "||", ";", "|"))
_SPECIAL_PROGRAMS = RESERVED | DECLARING | NOTED


def read_plain(text: str, shell: str) -> Script | None:
    """The script if it is plain in the simplest way, else ``None``. ``shell`` is any but zsh."""
    if len(text) > MOST or not text.isascii() or not text.isprintable():
        return None
    if "[" in text and ("$(" in text or "`" in text):
        return None  # a builtin may evaluate it as a subscript although it is quoted
    commands: list[Command] = []
    words: list[Word] = []
    piped = False
    start = pos = 0
    end = len(text)
    while pos < end:
        char = text[pos]
        if char == " ":
            pos += 1
            continue
        stop = text.find(" ", pos)
        if stop < 0:
            stop = end
        chunk = text[pos:stop]
        quoted = False
        separator = ""
        if chunk in _OPERATORS:
            separator = chunk
            pos = stop
        else:
            begin = pos
            rest = chunk.translate(_DELETE)
            if not rest:
                value = chunk
                pos = stop
            elif rest == ";" and chunk[-1] == ";" and len(chunk) > 1:
                value = chunk[:-1]
                pos = stop - 1
            elif '"' in rest or "'" in rest:
                found = _quoted_word(text, pos, end)
                if found is None:
                    return None
                value, pos = found
                quoted = True
            else:
                return None
            if not words:
                start = begin
                if "=" in value or (not quoted and value in _SPECIAL_PROGRAMS) or value in NOTED:
                    return None
            words.append(Word(value, Span(begin, pos), quoted=quoted))
            last = pos
            continue
        if not words:
            return None
        commands.append(_command(words, Span(start, last), piped or separator == "|", piped, len(commands)))
        words = []
        piped = separator == "|"
    if words:
        commands.append(_command(words, Span(start, last), piped, piped, len(commands)))
    elif not commands or separator != ";":
        return None
    return Script(text, shell, "plain", tuple(commands))


_PIPELINE = ("pipeline",)


def _command(words: list[Word], span: Span, in_pipeline: bool, piped: bool, index: int) -> Command:
    if not in_pipeline:
        return Command(tuple(words), span)
    return Command(tuple(words), span, context=_PIPELINE, piped_from=(index - 1,) if piped else ())


def _quoted_word(text: str, pos: int, end: int) -> tuple[str, int] | None:
    """The word with quotes in it at ``pos`` and where it ends; ``None`` when it is not simple."""
    parts: list[str] = []
    while pos < end:
        char = text[pos]
        if char == " ":
            break
        if char == ";":
            if parts and (pos + 1 == end or text[pos + 1] == " "):
                break
            return None
        if char == "'":
            close = text.find("'", pos + 1)
            if close < 0:
                return None
            parts.append(text[pos + 1 : close])
        elif char == '"':
            close = text.find('"', pos + 1)
            inside = text[pos + 1 : close]
            if close < 0 or "$" in inside or "`" in inside or "\\" in inside:
                return None
            parts.append(inside)
        else:
            close = pos
            while close < end and text[close] in _SAFE:
                close += 1
            if close == pos:
                return None
            parts.append(text[pos:close])
            pos = close
            continue
        pos = close + 1
    return "".join(parts), pos
