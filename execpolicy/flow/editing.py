"""A static version of ``sed`` for the simple uses of it: exact, or ``None``.

Checked against GNU sed 4.9 in the locale ``C.UTF-8``.
"""

from __future__ import annotations

from execpolicy.core.text import to_bytes
from execpolicy.shell.limits import LIMITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Edit = Callable[[str, int, bool], "str | None"]
    """A line without its newline, its number and whether it is the last one; ``None`` where it is deleted."""


def _lines(text: bytes) -> tuple[list[str], bool] | None:
    """The lines, and whether the last ends with a newline; ``None`` for text that is not UTF-8."""
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if not decoded:
        return [], True
    ended = decoded.endswith("\n")
    return (decoded[:-1] if ended else decoded).split("\n"), ended


def sed(args: list[str], stdin: bytes, shell: str) -> bytes | None:
    """``s``, ``y``, ``d`` and ``p`` with line numbers or ``$`` in front, several of them with ``;`` and ``-e``."""
    quiet = extended = False
    texts: list[str] = []
    operands: list[str] = []
    at = 0
    while at < len(args):
        arg = args[at]
        at += 1
        if arg in ("-n", "--quiet", "--silent"):
            quiet = True
        elif arg in ("-E", "-r", "--regexp-extended"):
            extended = True
        elif arg in ("-e", "--expression") and at < len(args):
            texts.append(args[at])
            at += 1
        elif arg.startswith("--expression="):
            texts.append(arg.partition("=")[2])
        elif arg == "-ne" and at < len(args):
            quiet = True
            texts.append(args[at])
            at += 1
        elif arg.startswith("-"):
            return None
        else:
            operands.append(arg)
    if not texts:
        texts, operands = operands[:1], operands[1:]
    read = _lines(stdin)
    if operands or not texts or read is None:
        return None
    commands = _commands("\n".join(texts), extended)
    if commands is None:
        return None
    lines, ended = read
    out: list[str] = []
    for number, line in enumerate(lines, 1):
        last = number == len(lines)
        kept: str | None = line
        for first, end, run in commands:
            if kept is None:
                break
            if (first < 0 and not last) or (first > 0 and not first <= number <= max(first, end)):
                continue
            if run is None:
                out.append(kept)
                continue
            kept = run(kept, number, last)
        if kept is not None and not quiet:
            out.append(kept)
    text = "\n".join(out)
    # A newline that the last line lacks stays missing where that line is the last one printed; else it is not known.
    if out and not ended and (quiet or len(commands) > 1 or any(run is None for _, _, run in commands)):
        return None
    if out and not ended and commands[0][0] != 0:
        return None
    return to_bytes(text + "\n" if out and ended else text)


def _commands(text: str, extended: bool) -> list[tuple[int, int, Edit | None]] | None:
    """First line (0: every one, -1: the last), last line, and the edit (``None``: ``p``) of each command."""
    found: list[tuple[int, int, Edit | None]] = []
    at = 0
    while at < len(text) and len(found) < LIMITS.edits:
        if text[at] in " ;\n":
            at += 1
            continue
        first, at = _number(text, at)
        last = first
        if first > 0 and text.startswith(",", at):
            last, at = _number(text, at + 1)
            if last <= 0:
                return None
        kind = text[at : at + 1]
        edit: Edit | None = None
        if kind in ("s", "y"):
            parsed = _parts(text, at + 1)
            if parsed is None:
                return None
            before, after, at = parsed
            start = at
            while at < len(text) and text[at] in "gI0123456789":
                at += 1
            flags = text[start:at]
            edit = _mapping(before, after) if kind == "y" and not flags else None
            if kind == "s":
                edit = _substitution(before, after, flags, extended)
            if edit is None:
                return None
        elif kind in ("d", "p"):
            at += 1
            edit = (lambda line, number, last: None) if kind == "d" else None
        else:
            return None
        if at < len(text) and text[at] not in ";\n":
            return None
        found.append((first, last, edit))
    return found if found and at >= len(text) else None


def _number(text: str, at: int) -> tuple[int, int]:
    if text.startswith("$", at):
        return -1, at + 1
    end = at
    while end < len(text) and text[end] in "0123456789" and end - at < 9:
        end += 1
    if end > at and int(text[at:end]) == 0:
        return 0, at  # `0` is no line: what follows is no command
    return (int(text[at:end]), end) if end > at else (0, at)


def _parts(text: str, at: int) -> tuple[str, str, int] | None:
    """What stands between the three delimiters, and the offset behind them."""
    delimiter = text[at : at + 1]
    if not delimiter or delimiter.isalnum() or delimiter in "\\\n [](){}*+?.^$&":
        return None
    parts: list[str] = []
    here = at + 1
    while len(parts) < 2:
        start = here
        while here < len(text) and text[here] != delimiter:
            if text[here] == "\n" or (text[here] == "\\" and text[here + 1 : here + 2] in ("", delimiter, "\n")):
                return None
            here += 2 if text[here] == "\\" else 1
        if here >= len(text):
            return None
        parts.append(text[start:here])
        here += 1
    return parts[0], parts[1], here


def _mapping(before: str, after: str) -> Edit | None:
    if "\\" in before + after or len(before) != len(after):
        return None
    table: dict[int, str] = {}
    for source, target in zip(before, after, strict=True):
        table.setdefault(ord(source), target)
    return lambda line, number, last: line.translate(table)


def _substitution(before: str, after: str, flags: str, extended: bool) -> Edit | None:
    import re

    pattern = _pattern(before, extended)
    made = _replacement(after)
    number = "".join([flag for flag in flags if flag.isdigit()])
    if pattern is None or made is None or number[:1] == "0" or len(number) > 4:
        return None
    if (number and "g" in flags) or ("[" in before and "I" in flags) or not (flags.isascii() and before):
        return None
    search = re.compile(pattern[0], re.IGNORECASE | re.ASCII if "I" in flags else 0)
    if "I" in flags and not before.isascii():
        return None
    wanted = int(number or 1)

    def run(line: str, at: int, last: bool) -> str | None:
        # GNU sed finds empty matches inside of characters that take several bytes.
        if (pattern[1] and len(line) > LIMITS.line) or ((pattern[1] or "I" in flags) and not line.isascii()):
            raise ValueError("not modelled")
        out: list[str] = []
        end = count = 0
        behind = -1
        for match in search.finditer(line):
            if match.start() == match.end() == behind:
                continue  # an empty match right behind another one is none
            behind = match.end()
            count += 1
            if "g" in flags or count == wanted:
                out += [line[end : match.start()], *[match.group() if part is None else part for part in made]]
                end = match.end()
                if "g" not in flags:
                    break
        return "".join([*out, line[end:]])

    return run


def _pattern(text: str, extended: bool) -> tuple[str, bool] | None:
    """A regular expression of plain characters, ``.``, sets, anchors and at most one ``*``; and whether it repeats."""
    import re

    out: list[str] = []
    at, repeats = 0, 0
    while at < len(text):
        char = text[at]
        atom = ""
        if char == "^" and at == 0:
            out.append(r"\A")
        elif char == "$" and at == len(text) - 1:
            out.append(r"\Z")
        elif char in "^$" or (extended and char in "(){}|+?") or (char == "*" and not (out and out[-1] != r"\A")):
            return None
        elif char == "\\":
            at += 1
            if text[at : at + 1] not in (".", "*", "[", "]", "$", "^", "/", "\\"):
                return None
            atom = re.escape(text[at])
        elif char == "[":
            close = text.find("]", at + 2)
            inside = text[at + 1 : close]
            if close < 0 or not inside or set(inside[1:]) & set("^[\\-") or inside[0] in "[]\\-" or inside == "^":
                return None
            negated = inside[0] == "^"
            atom = "[" + ("^" if negated else "") + re.escape(inside[1:] if negated else inside) + "]"
            at = close
        elif char == "*":
            return None
        else:
            atom = "." if char == "." else re.escape(char)
        at += 1
        if atom and text.startswith("*", at):
            repeats += 1
            atom += "*"
            at += 1
        if atom:
            out.append(atom)
    if repeats > 1:
        return None
    return "".join(out), repeats > 0


def _replacement(text: str) -> list[str | None] | None:
    """Literal parts, and ``None`` for what was matched."""
    out: list[str | None] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char == "&":
            out.append(None)
        elif char == "\\":
            at += 1
            if text[at : at + 1] not in ("n", "t", "&", "\\", "/"):
                return None
            out.append({"n": "\n", "t": "\t"}.get(text[at], text[at]))
        else:
            out.append(char)
        at += 1
    return out
