"""How the text of a rule file changes; pure, decided without a disk. A line ends at ``\\n`` or ``\\r\\n``."""

from __future__ import annotations

_AMENDMENT_STARTS = ("prefix_rule(pattern=[", "network_rule(host=")


def missing_suffix(text: str, lines: tuple[str, ...]) -> str:
    """What to append to ``text`` so that it contains each of ``lines`` as a line of its own; empty if it does.

    Source: Codex 0.169 to 0.171: an identical line is not written twice, and a missing final newline is added first.
    """
    wanted = [line for line in dict.fromkeys(lines) if line not in text or line not in lines_of(text)]
    if not wanted:
        return ""
    repair = "" if not text or text.endswith("\n") else "\n"
    return repair + "".join([f"{line}\n" for line in wanted])


def torn_tail(text: str) -> str | None:
    """The unfinished line at the end of ``text`` that a killed writer may have left, or ``None``.

    It is the beginning of an amendment, cut off before the parenthesis that closes it, and has no line ending. What it
    would have decided cannot be told: the decision comes last, and people and `fmt` write rules that forbid in the very
    form in which Codex and this program write what is allowed.
    """
    start = text.rfind("\n") + 1
    tail = text[start:]
    if not tail or text.endswith("\\", 0, max(start - 1, 0)):
        return None
    if not any(tail.startswith(begin) or begin.startswith(tail) for begin in _AMENDMENT_STARTS):
        return None
    return None if _is_closed(tail) else tail


def _is_closed(line: str) -> bool:
    """Whether ``line`` closes its first parenthesis, or holds what no amendment holds outside its strings."""
    depth, at = 0, 0
    while at < len(line):
        char = line[at]
        at += 1
        if char == '"':
            while at < len(line) and line[at] != '"':
                at += 2 if line[at] == "\\" else 1
            at += 1
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
            if depth == 0:
                return True
        elif not (char.isascii() and (char.isalpha() or char in "_=, ")):
            return True
    return False


def last_line(text: bytes, line: bytes) -> tuple[int, int] | None:
    """Where the last of the lines of ``text`` begins and ends that is exactly ``line``; ``None`` if there is none."""
    end = len(text)
    while end > 0:
        start = text.rfind(b"\n", 0, end - 1 if text[end - 1 : end] == b"\n" else end) + 1
        if text[start:end].removesuffix(b"\n").removesuffix(b"\r") == line:
            return start, end
        end = start
    return None


def lines_of(text: str) -> list[str]:
    """The lines of ``text`` as Rust's ``str::lines`` gives them: no other character ends a line."""
    return [line.removesuffix("\r") for line in text.split("\n")]
