"""Static versions of ``cut``, ``uniq``, ``paste`` and ``xargs`` for the simple uses of them: exact, or ``None``.

Checked against GNU coreutils 9.1 and findutils 4.9 in the locale ``C.UTF-8``.
"""

from __future__ import annotations

from execpolicy.core.text import to_bytes
from execpolicy.flow import filters
from execpolicy.shell.limits import LIMITS


def cut(args: list[str], stdin: bytes, shell: str) -> bytes | None:
    """``cut -c LIST``, ``cut -b LIST`` and ``cut -d C -f LIST``; as GNU's, it counts bytes for characters."""
    kind, chosen, delimiter = "", "", "\t"
    only = False
    at = 0
    while at < len(args):
        arg = args[at]
        at += 1
        if arg[:2] in ("-c", "-b", "-f", "-d"):
            value = arg[2:]
            if not value:
                if at >= len(args):
                    return None
                value = args[at]
                at += 1
            if arg[1] == "d":
                delimiter = value
            elif kind:
                return None
            else:
                kind, chosen = arg[1], value
        elif arg == "-s":
            only = True
        else:
            return None
    ranges = _ranges(chosen)
    if ranges is None or not kind or len(to_bytes(delimiter)) != 1 or not stdin.isascii() or delimiter == "\n":
        return None
    if kind != "f" and (only or delimiter != "\t"):
        return None
    out: list[str] = []
    for line in stdin.decode("ascii").splitlines() if b"\r" not in stdin else ():
        if kind != "f":
            out.append("".join([line[index] for index in _picked(ranges, len(line))]))
        elif delimiter in line:
            fields = line.split(delimiter)
            out.append(delimiter.join([fields[index] for index in _picked(ranges, len(fields))]))
        elif not only:
            out.append(line)
    if b"\r" in stdin or any(byte in stdin for byte in b"\v\f\x1c\x1d\x1e"):
        return None
    return "".join([line + "\n" for line in out]).encode("ascii")


def _ranges(text: str) -> list[tuple[int, int]] | None:
    found: list[tuple[int, int]] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        digits = first + last
        if not digits.isascii() or not digits.isdigit() or len(first) > 6 or len(last) > 6:
            return None
        start = int(first or 1)
        end = int(last or 1_000_000) if dash else start
        if start == 0 or end < start:
            return None
        found.append((start, end))
    return found if len(found) <= LIMITS.edits else None


def _picked(ranges: list[tuple[int, int]], count: int) -> list[int]:
    chosen: set[int] = set()
    for start, end in ranges:
        chosen.update(range(start - 1, min(end, count)))
    return sorted(chosen)


def uniq(args: list[str], stdin: bytes, shell: str) -> bytes | None:
    if args:
        return None
    lines = stdin.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return b"".join([line + b"\n" for at, line in enumerate(lines) if at == 0 or line != lines[at - 1]])


def paste(args: list[str], stdin: bytes, shell: str) -> bytes | None:
    """``paste -s``: all lines in one; ``paste - -``: each two lines in one. With one delimiter."""
    delimiter, serial, columns = "\t", False, 0
    at = 0
    while at < len(args):
        arg = args[at]
        at += 1
        if arg == "-":
            columns += 1
            continue
        if arg[:2] == "-s":
            serial = True
            arg = "-" + arg[2:]
        if arg[:2] == "-d":
            delimiter = arg[2:]
            if not delimiter:
                if at >= len(args):
                    return None
                delimiter = args[at]
                at += 1
        elif arg != "-":
            return None
    between = b"" if delimiter in ("\\0", "") else to_bytes(delimiter)
    if len(between) > 1 or between == b"\\" or not stdin:
        return None
    lines = stdin.removesuffix(b"\n").split(b"\n")
    if serial:
        return between.join(lines) + b"\n" if columns <= 1 else None
    if not columns or (columns == 1 and not stdin.endswith(b"\n")):
        return None
    lines += [b""] * (-len(lines) % columns)
    return b"".join([between.join(lines[at : at + columns]) + b"\n" for at in range(0, len(lines), columns)])


def xargs(args: list[str], stdin: bytes, shell: str) -> bytes | None:
    """``xargs``, ``xargs echo A``, ``xargs printf F`` and the same with ``-I{}``: what these print."""
    if not stdin.isascii() or any(char in stdin for char in b"'\"\\\r\v\f\x1c\x1d\x1e\x1f\0"):
        return None
    mark = args[0][2:] or (args[1] if len(args) > 1 else "") if args[:1] and args[0][:2] == "-I" else ""
    run = args[1 if args[0][2:] else 2 :] if mark else args
    if run[:1] not in ([], ["echo"], ["printf"]):
        return None
    printed = filters.printf if run[:1] == ["printf"] else filters.echo
    words = stdin.decode("ascii").split()
    if not mark:
        given = [*run[1:], *words]
        return None if given[:1] and given[0][:1] == "-" else printed(given, b"", shell)  # may be an option of echo
    lines = [line.strip() for line in stdin.decode("ascii").split("\n") if line.strip()]
    if len(lines) > LIMITS.edits:
        return None
    outputs = [printed([word.replace(mark, line) for word in run[1:]], b"", shell) for line in lines]
    return None if any(each is None for each in outputs) else b"".join([each for each in outputs if each])
