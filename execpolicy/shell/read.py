"""Reads a script: converts any text to a ``Script``. Plain scripts, the majority, have a fast path."""

from __future__ import annotations

from execpolicy import validators
from execpolicy.shell.grammar import whole_script
from execpolicy.shell.script import Command, Script
from execpolicy.shell.vocabulary import DECLARING, NOTED, RESERVED
from execpolicy.shell.words import Word
from execpolicy.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.limits import Limits


def read_script(
    text: str, *, shell: str = "bash", limits: Limits | None = None, positional: tuple[str, ...] | None = None
) -> Script:
    """The script that ``shell`` (``bash sh dash ksh zsh``; any other is opaque) would read. Raises for no text.

    The values, functions and arithmetic of the script are not computed here, but by ``execpolicy.flow.facts``.

    Args:
        positional: ``$0 $1 …`` if the caller knows them; they are evidence for dynamic words.

    Raises:
        UsageError: the text is not a text, or the shell is not a shell name.
    """
    if text.__class__ is not str or shell.__class__ is not str:
        validators.text(text, "a script"), validators.text(shell, "the shell")
    if limits is None and (shell == "bash" or shell == "sh" or shell == "dash"):
        short = read_plain(text, shell)
        if short is not None:
            return short
    # A plain script does not need the full reader, which takes longer to load than to run.
    return whole_script.read_whole(text, shell, limits, positional)


MOST = 2_000
"""The length in characters up to which the fast path is tried."""
_SAFE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:+%@^="
_DELETE = dict.fromkeys(map(ord, _SAFE))
_SUBSTITUTING = ("$(", "`", "$''", "$'\"")
"""Texts that are a substitution once evaluated; within ``$(`` a quote may end and another begin."""
_OPERATORS = frozenset(("&&", "||", ";", "|"))
_SPECIAL_PROGRAMS = RESERVED | DECLARING | NOTED


def read_plain(text: str, shell: str) -> Script | None:
    """The script if it is plain in the simplest form, else ``None``. ``shell`` is any but zsh.

    The simplest form is words and quotes joined by ``&&``, ``||``, ``;`` and ``|``. The function returns a script only
    if the full reader would return the same (a property test compares the two). It leaves everything else to that
    reader.
    """
    # One loop over chunks between blanks, without calls: almost every command takes this path.
    if len(text) > MOST or not text.isascii() or not text.isprintable():
        return None
    if "[" in text and any(map(text.__contains__, _SUBSTITUTING)):
        return None  # a builtin may evaluate it as a subscript although it is quoted
    commands: list[Command] = []
    words: list[Word] = []
    piped = False
    separator = ""
    start = pos = 0
    end = len(text)
    while pos < end:
        if text[pos] == " ":
            pos += 1
            continue
        stop = text.find(" ", pos)
        if stop < 0:
            stop = end
        chunk = text[pos:stop]
        if chunk in _OPERATORS:
            separator = chunk
            pos = stop
        else:
            begin, quoted = pos, False
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
            if pos == stop:
                pos += 1  # the blank after it
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
    """The word with quotes at ``pos`` and its end; ``None`` if it is not simple."""
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
