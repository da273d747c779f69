"""What programs are given to run that are on no list: no record says how they take a command, and no entry knows them.

An allow rule for such a program says nothing of the commands that stand in its words. Where its words show one as
plainly as anybody could say it (behind ``--``, ``-e`` or ``--exec``, as a call of a program text, behind ``!``), that
counts as a command for the rules that restrict. It is evidence: nothing found here ever helps a grant.
"""

from __future__ import annotations

from execpolicy.core.text import names
from execpolicy.judge.evidence.prose import is_prose
from execpolicy.programs.inner import run_command, run_text
from execpolicy.shell.limits import READ, STEP
from execpolicy.shell.script import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.programs.inner import Inner
    from execpolicy.shell.script import Command

_LETTERS = frozenset(("-e", "-c", "-x", "-C"))
"""Options of one letter that usually take a command."""
_SAYING = names("exec execute command commands cmd run shell eval hook script")
"""Parts of long options whose name says that they do: ``--on-exit-cmd``."""
_EXECUTING = frozenset(("exec", "execute"))
"""Sub-commands and modes that say that a command follows: ``tool exec rm x``, ``--mode=execute rm x``."""
_ESCAPE = (
    r"(?s)(?:[:\\~]?!{1,2}|#!pipe\s|%%?(?:sx|system|bash|sh)\s|\.(?:shell|system|sy|pso)\s|\\write18\s*\{|(?:cmd|sh-c|exec|EXEC|SYSTEM):"
    r"|.{0,80}%sh\{|.{0,80}%pipe%"
    r"|[+:;.\\|<!]+(?:(?:norm|sh|shell|os|host|system|silent|r)\s+)?[:!]*|(?:norm\s+:!|sh\s|host\s|shell\s))\s*(.+)"
)
"""How programs mark the text that they hand to a shell: vi, SQL clients, troff, TeX, socat, kakoune, PostScript."""
_CALL = (
    r"[\w.:-]\s*\(\s*[\"']|\(\s*[\w.:-]+\s+[\"']|`|"
    r"(?i:run\w{0,20}|system|exec\w{0,20}|shell|sh|spawn|host|call)\s*[\[\s=]\s*[\"'{\[]"
)
"""A call with a constant, as most languages write it, Lisp's way, without parentheses, or a text between backquotes."""
_CONSTANT = r"\"([^\"]*)\"|'([^']*)'"
_SAID = (
    r"\b(?:print\w{0,9}|puts|echo|(?:console|log(?:ger|ging)?)\.(?:log|debug|info|warn(?:ing)?|error|critical|fatal)|warn(?:ing)?|message|say|count|find|index|replace|scan"
    r"|assert\w{0,20}|describe|raise|\w{0,20}Error)\s{0,9}\(?\s{0,9}(?:\"[^\"$`]*\"|'[^'$`]*')"
)
"""A constant that is only said, counted or compared."""
_DATA = r"(?is)\s*(?:insert|update|delete|replace)\s"
"""Statements of SQL whose constants are data."""
_PIPED = "|<!"
"""What stands in front of a command where a file could be meant: ``plot '< CMD'``; ``|`` stands behind it, too."""
_MARKS = frozenset("!:\\%(`[\"'+;|<")
"""Without one of these, or a full stop in front, a text is nothing of the kind."""


def given(command: Command, facts: Facts) -> Iterator[Inner]:
    """What ``command``, whose program is on no list, is evidently given to run."""
    words = command.words
    name = words[0].literal or ""
    separated = False
    for at in range(1, len(words)):
        text = words[at].literal
        if text is None or not facts.budget.spend(STEP):
            continue
        option, equals, glued = text.partition("=")
        if text == "--" and not separated:
            separated = True
            yield from _command_at(at + 1, command, several=False)
        elif equals and _says_so(option):
            yield run_text(name, command, glued, evidence=True)
        elif text in _EXECUTING or (option[:1] == "-" and glued in _EXECUTING):
            yield from _command_at(at + 1, command, several=True)
        elif text in _LETTERS or _says_so(text):
            yield from _command_at(at + 1, command, several=text in _LETTERS)
        yield from in_text(glued or text, command, name, facts)


def marked(command: Command, lines: Sequence[str], facts: Facts) -> Iterator[Inner]:
    """What words of ``command``, and the ``lines`` that it is given, mark as a text for a shell."""
    name = command.words[0].literal or ""
    words = [word.literal or "" for word in command.words]
    told = [words[at] for at in range(1, len(words)) if not is_prose(name, words[at], words[at - 1])]
    for text in (*told, *lines):
        if facts.budget.spend(STEP):
            yield from in_text(text, command, name, facts)


def _says_so(option: str) -> bool:
    """Whether the name of a long option says that it takes a command, and not that it takes it away."""
    parts = option.lstrip("-").split("-")
    return option[:1] == "-" and parts[0] not in ("dry", "no") and not _SAYING.isdisjoint(parts)


def _command_at(at: int, command: Command, *, several: bool) -> Iterator[Inner]:
    """The command in the word at ``at``, or in the words from there on.

    Args:
        several: a single word is no command: ``-x rm``.
    """
    words = command.words[at:]
    if not words or (words[0].literal or "")[:1] == "-":
        return
    name, text = command.words[0].literal or "", words[0].literal
    if text is not None and any(map(str.isspace, text)):
        yield run_text(name, command, text, evidence=True)
    elif len(words) > several:
        yield run_command(name, command, words, stdin=False, evidence=True)


def in_text(text: str, command: Command, name: str, facts: Facts) -> Iterator[Inner]:
    """What a word runs that marks a text for a shell, or that is a program text."""
    if _MARKS.isdisjoint(text) and text[:1] != ".":
        return
    if not facts.budget.spend(READ * len(text)):
        return
    import re  # which costs a third of a check that reads no such text

    if re.match(_DATA, text):
        return
    escaped = re.match(_ESCAPE, text)
    if escaped is not None and (" " in escaped[1] or "!" in text):  # ``:ssh`` alone is a port
        yield run_text(name, command, escaped[1].rstrip("})"), evidence=True)
    text = re.sub(_SAID, "", text)
    constants = [one or other for one, other in re.findall(_CONSTANT, text)]
    for constant in constants:
        plain = constant.strip()
        if plain[:1] in _PIPED or plain[-1:] == "|":
            yield run_text(name, command, plain.strip("|<! "), evidence=True)
    if re.search(_CALL, text) is None or not facts.budget.spend(READ * len(text)):
        return
    from execpolicy.programs.program_text import code_commands

    for constant in (" ".join(constants), *constants):
        if " " in constant:
            yield run_text(name, command, constant, evidence=True)
    language = "lisp" if text.lstrip()[:1] == "(" else "c"
    for inner in code_commands(name, command, text, language):
        yield changed(inner, transparent=False, evidence=True)
