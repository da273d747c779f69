"""Commands that a program text makes itself: ``system $1``, ``exec [string cat g it]``, ``x | getline``.

What such a command is, nobody sees. Where rules restrict some commands, a rule that allows the interpreter says nothing
of it.
"""

from __future__ import annotations

import re

from execpolicy.flow.tokens import tokens
from execpolicy.programs.letters import spelt_out
from execpolicy.programs.program_text import DEFINING, constants_given, running_calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from execpolicy.flow.tokens import Token

_TCL = (
    r"\b(?:exec|spawn|system)\s+(?:-\w+\s+)*(?:\{\*\})?\w*[\[$]|\bopen\s+[\"{]?\|\s*\w*[\[$]"
    r"|\b(?:eval|uplevel)\s+(?:#?\d+\s+)?[\[$]"
)
_VIM = r"\b(?:system(?:list)?|termopen|job_start|term_start)\s*\(\s*[^'\"\s\[]|\bexe(?:cute)?\s+[^'\"\s]"
_SAID = {"tcl": re.compile(_TCL), "vim": re.compile(_VIM)}
"""What runs a command that is no constant, in languages of which the tokens say little."""
_HANDED_ON = {
    "python": re.compile(
        r"\b(?:os|posix)\s*\.\s*(?:system|popen|exec\w+|spawn\w+)\b(?!\s*\()"
        r"|\bsubprocess\s*\.\s*(?:run|call|Popen|check_\w+|get\w*output)\b(?!\s*\()"
    ),
    "ruby": re.compile(r"\bmethod\s*\(?\s*[:'\"]+(?:system|exec|spawn|eval)\b|&:(?:system|exec|spawn)\b"),
    "php": re.compile(r"['\"](?:system|exec|passthru|shell_exec|popen|proc_open)['\"]"),
    "javascript": re.compile(r"\brequire\s*\(\s*(?:\w+|process\.argv\[\d\])\s*\)|\[\s*process\.argv"),
}
"""What hands on a function that runs commands, or chooses one by a value: whoever calls it says what it runs."""
_FILLED = re.compile(r"[$@]\w|[$@#]\{|\$[+&`'(]")
"""Where a language puts a value into a text: ``"$x push"``."""
_FIELDS = re.compile(r"\{[\w(]")
"""The same in Python: ``f"{x} push"``."""
_FILLING = ("perl", "raku", "ruby", "php", "javascript", "julia", "elixir")
"""Languages that do."""
_MOST_TOKENS = 200
_BRACKETS = frozenset("()[]{}\n")
_JOINING = frozenset(("+", ".", "<", ">"))
"""What puts texts together: ``.``, ``+``, ``<>``."""
_LOOPS = frozenset(("asyncio.run",))
"""Names that run a piece of the program, no command."""
_EVALUATING = frozenset(("eval", "instance_eval", "class_eval", "Function", "loadstring", "syscall"))
_PREFIXES = frozenset(("r", "b", "u", "rb", "br"))
"""What stands in front of a text in Python that is none the less a constant."""
_COMMAND_KEYS = frozenset(("args", "command", "cmd"))
_RUNNING_MODULES = ("child_process", "Bun", "Deno", "execa", "zx", "shelljs")
"""What programs in JavaScript have commands run by; ``exec`` is a method of patterns, too."""


def computed_commands(code: str, language: str) -> Iterator[str]:
    """For each call in ``code`` that runs what is not all constant: its program, empty where nobody knows that.

    A shell may be given any command, however its text begins; the words of a list are words of its first.
    """
    if language in _SAID:
        yield from ["" for _ in _SAID[language].findall(code)[:1]]
        return
    handed_on = _HANDED_ON.get(language)
    if handed_on is not None and handed_on.search(code) is not None:
        yield ""
    if language == "c":  # Lua, too
        code = code.replace("...", " varargs ")
    if language == "javascript" and not any(module in code for module in _RUNNING_MODULES):
        return
    parts = tokens(spelt_out(code), language)
    calls = [at for at in running_calls(parts) if parts[at].value not in _LOOPS]
    calls += [at for at, part in enumerate(parts[:-1]) if part.value in _EVALUATING and parts[at + 1].kind != "{"]
    calls = [at for at in calls if not (at and parts[at - 1].value in DEFINING)]
    inside = {at: _arguments(parts, at + 1) for at in calls}
    settled = _settled(parts, language, frozenset([here for each in inside.values() for here in each]))
    for each in inside.values():
        yield from _computed(_words([parts[here] for here in each]), settled, language)
    for at, token in enumerate(parts):
        if token.kind == "run":
            computed = _FILLED.search(token.value) is not None
        elif token.value == "open" and language in ("perl", "ruby"):
            words = _words([parts[here] for here in _arguments(parts, at + 1)])
            computed = _opens_command(words, settled, language)
        elif token.value in ("getattr", "&"):
            computed = _is_chosen(parts, at, language)
        else:
            computed = language == "awk" and token.kind == "|" and _is_piped(parts, at, settled)
        if computed:
            yield ""


def _is_chosen(parts: Sequence[Token], at: int, language: str) -> bool:
    """Whether a function is called that a text names: ``getattr(os, "sys" + "tem")(x)``, ``&{"system"}(x)``."""
    if language == "perl":
        return [part.kind for part in parts[at : at + 2]] == ["&", "{"]
    behind = at + 1 + len(_arguments(parts, at + 1))
    called = parts[at].value == "getattr" and behind < len(parts) and parts[behind].kind == "("
    words = _words([parts[here] for here in _arguments(parts, behind)]) if called else []
    return any(not _is_constant(word, (), language) for word in words)


def _arguments(parts: Sequence[Token], at: int) -> list[int]:
    """Where the tokens stand of the arguments that begin at ``at``, or of the rest of a statement."""
    found: list[int] = []
    depth = 0
    for here in range(at, min(at + _MOST_TOKENS, len(parts))):
        kind = parts[here].kind
        depth += (kind in ("(", "[", "{")) - (kind in (")", "]", "}"))
        if depth < 0 or kind == ";" or (kind == "\n" and not depth):
            break
        found.append(here)
        if kind == ")" and not depth and parts[at].kind == "(":
            break
    return found


def _words(arguments: Sequence[Token]) -> list[list[Token]]:
    """The arguments one by one, those in lists as well, without ``key=value`` that says no command."""
    words: list[list[Token]] = [[]]
    for token in arguments:
        if token.kind == ",":
            words.append([])
        elif token.kind not in _BRACKETS:
            words[-1].append(token)
    found = []
    for word in words:
        keyed = len(word) > 1 and word[0].kind == "name" and word[1].kind == "="
        if word and (not keyed or word[0].value in _COMMAND_KEYS):
            found.append(word[2:] if keyed else word)
    return found


def _computed(words: Sequence[Sequence[Token]], settled: Container[str], language: str) -> Iterator[str]:
    if not words or not words[0]:
        return
    if not _is_constant(words[0], settled, language):
        yield ""
        return
    said = next((token.value for token in words[0] if token.kind == "text"), "")
    if any(not _is_constant(word, settled, language) for word in words[1:]) and " " not in said.strip():
        yield said.strip()


def _opens_command(words: Sequence[Sequence[Token]], settled: Container[str], language: str) -> bool:
    """Whether ``open`` may run what is no constant: ``open F, "$x|"``, ``open F, "-|", $x``, ``open(F, $x)``."""
    known = [_is_constant(word, settled, language) for word in words]
    piping = any("|" in token.value for word in words for token in word if token.kind == "text")
    if language == "ruby":
        return known[:1] == [False]
    return (piping and not all(known[1:])) or (len(words) == 2 and not known[1])


def _is_constant(word: Sequence[Token], settled: Container[str], language: str) -> bool:
    for token in word:
        if token.kind == "text":
            filled = _FIELDS if language == "python" else _FILLED if language in _FILLING else None
            if filled is not None and filled.search(token.value):
                return False
        elif token.kind == "name":
            if token.value not in _PREFIXES and token.value.lstrip("$@") not in settled:
                return False
        elif token.kind not in _JOINING:
            return False
    return True


def _settled(parts: Sequence[Token], language: str, inside: Container[int]) -> frozenset[str]:
    """The names that are given constants, and named nowhere else than where commands are run."""
    given = set(constants_given(list(parts), language))
    for at, part in enumerate(parts):
        name = part.value.lstrip("$@") if part.kind == "name" else ""
        if name not in given or at in inside:
            continue
        assigned = at + 1 < len(parts) and parts[at + 1].kind == "="
        value = _words([parts[here] for here in _arguments(parts, at + 2)]) if assigned else []
        if not value or not all(_is_constant(word, (), language) for word in value):
            given.discard(name)
    return frozenset(given)


def _is_piped(parts: Sequence[Token], at: int, settled: Container[str]) -> bool:
    """Whether awk's ``print | x`` or ``x | getline`` at ``at`` runs what is no constant."""
    before = parts[at - 1] if at else None
    behind = at + 1 + (at + 1 < len(parts) and parts[at + 1].kind == "&")
    if behind >= len(parts) or before is None or "|" in (before.kind, parts[behind].kind):
        return False
    if parts[behind].value == "getline":
        return before.kind != "text" and before.value not in settled
    return parts[behind].kind != "text" and parts[behind].value not in settled
