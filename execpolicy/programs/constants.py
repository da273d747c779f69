"""What ``awk``, ``sed`` and other interpreters print by themselves: the string constants of their programs."""

from __future__ import annotations

from execpolicy.programs.decoding import decoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.shell.script import Command

MAX_CONSTANTS = 64
_LETTERS = 0x110000
"""Numbers that ``%c`` makes a letter of are below it."""
_DIGITS = 8
"""Digits of a number that may be a letter's are fewer."""
_ESCAPED = r"\\u00([2-7][0-9A-Fa-f])"
"""A letter of ASCII as jq may write it."""
_PLACE = r"\\\(\$\w+\)"
"""Where jq puts a variable into a text."""
_BREAKING = str.maketrans(dict.fromkeys(",;(){}[]|\"'", " "))
_LANGUAGES = {
    name: language
    for language, listed in (
        ("javascript", "node deno bun tsx ts-node"),
        ("c", "lua luajit sqlite duckdb groovy scala kotlin swift elixir escript runghc ocaml jshell dart pwsh raku"),
        ("lisp", "guile racket emacs"),
        ("python", "pypy"),
        ("ruby", "crystal"),
        ("tcl", "tclsh expect"),
        ("r", "Rscript"),
        *[(name, name) for name in ("python", "perl", "ruby", "php", "julia")],
    )
    for name in listed.split()
}


def printed_constants(name: str, command: Command) -> list[str]:
    """Texts that the program given to ``name`` holds and may print. Evidence for what a shell behind it would run."""
    from execpolicy.flow.tokens import tokens
    from execpolicy.programs.files.put_in import inserted, replacements, typed
    from execpolicy.programs.letters import spelt_out

    plain = name.rstrip("0123456789")
    found: list[str] = []
    given: list[str] = []  # awk -v a=r -v b=m '{print a b}'
    for word in command.words[1:]:
        text = word.literal
        if text is None:
            continue
        if plain in ("sed", "gsed"):
            found.extend([*replacements(text), *inserted(text)])
        elif plain in ("ex", "vim", "vi", "nvim"):
            line = text.removeprefix("--cmd=").removeprefix("-c").lstrip("+:")
            quoted = [token.value for token in tokens(line, "c") if token.kind == "text"]
            found.extend([*quoted, *replacements(line), *inserted(line), *typed(line)])
        elif plain in ("awk", "gawk", "mawk") or plain in _LANGUAGES:
            code = spelt_out(text)
            constants = [token.value for token in tokens(code, _LANGUAGES.get(plain, "awk")) if token.kind == "text"]
            found.extend(constants)
            found.extend(_put_together([*given, *constants], code))
            found.extend(replacements(text) if plain == "perl" else ())
            given += [text.partition("=")[2]] if "=" in text and " " not in text and len(given) < MAX_CONSTANTS else []
        elif plain in ("jq", "yq", "gojq", "jaq"):
            said = _said_by_jq(text, given)
            found.extend(said)
            given += [] if said or text[:1] == "-" or len(given) >= MAX_CONSTANTS else [text]
        elif plain in ("grep", "egrep", "fgrep", "rg") and text[:1] != "-":
            found.append(text)  # -o prints what it finds
        elif plain == "xargs" and text == "echo":
            found.append(" ".join([each.literal or "" for each in command.words[2:]]))
    if plain in ("awk", "gawk", "mawk", "jq") or plain in _LANGUAGES:
        found += _arguments([word.literal or "" for word in command.words[1:]])
    return [text for text in found if text.strip()][:MAX_CONSTANTS]


def _said_by_jq(text: str, given: list[str]) -> list[str]:
    """What a program of jq may print of its constants and of the words in front of it (``--arg x rm``)."""
    import re

    from execpolicy.flow.tokens import tokens

    code = re.sub(_PLACE, "%s", re.sub(_ESCAPED, lambda match: chr(int(match[1], 16)), text))
    constants = [token.value for token in tokens(code, "c") if token.kind == "text"]
    if not constants and "implode" not in code:
        return ["".join(given[1::2])] if "$" in code else []  # --arg a r --arg b m '$a+$b'
    filled = [_filled(one, [], [each]) for one in constants for each in given[:8]]
    return ["".join(constants), *constants, *_put_together([*given, *constants], code), *filled]


def _arguments(words: Sequence[str]) -> list[str]:
    """What stands behind a program text that speaks of its arguments."""
    for at, text in enumerate(words):
        if any(name in text for name in ("ARG", "argv", "args", "shift")):
            behind = list(words[at + 1 :])
            return [*behind, "".join(behind), " ".join(behind)] if len(behind) > 1 else behind
    return []


def _put_together(constants: Sequence[str], code: str) -> list[str]:
    """What a program may print of several constants at once, and of one that it turns round or decodes."""
    found: list[str] = []
    if len(constants) > 1:
        found += ["".join(constants), " ".join(constants)]
        found += ["".join(constants[at:]) for at in range(1, min(len(constants) - 1, 8))]
        found += ["".join(constants[at + 1 :]) for at, one in enumerate(constants[:8]) if "%s" in one]
    if "%c" in code or "implode" in code:
        behind = code[max(code.find("%c"), 0) :].translate(_BREAKING).split()
        numbers = [int(text) for text in behind if text.isdigit() and len(text) < _DIGITS]
        letters = [chr(number) for number in numbers[:MAX_CONSTANTS] if number < _LETTERS]
        found.append("".join(letters))
        found += [_filled(one, letters, constants[at + 1 :]) for at, one in enumerate(constants[:8]) if "%c" in one]
    if "sub" in code or "split" in code:  # gsub(" "; ""), split("%") | join("")
        found += [one.replace(other, "") for one in constants[:8] for other in constants[:8] if other not in ("", one)]
    if "rev" in code or "[::-1]" in code:
        found += [one[::-1] for one in constants[:8]]
        found.append("".join(constants[::-1]))
    if "lower" in code.lower():
        found += [one.lower() for one in constants[:8]]
    found += [_filled(one, [], constants[at + 1 :]) for at, one in enumerate(constants[:8]) if "%s" in one]
    found += [text for one in constants[:8] for text in decoded(one)]
    return found


def _filled(form: str, letters: Sequence[str], texts: Sequence[str]) -> str:
    """What a format says with each ``%c`` one of ``letters`` and each ``%s`` one of ``texts``."""
    for letter in letters:
        form = form.replace("%c", letter, 1)
    for text in texts:
        form = form.replace("%s", text, 1)
    return form
