"""Forms of zsh and ksh in the words of bash: ``for x (a b) cmd`` as ``for x in a b; do cmd; done``. Evidence alone.

Their grammars are not read; where a script uses them, what it runs would only be guessed from its words. What can be
said in bash's grammar is read as that. The rest stays as it is. In all shells patterns are read as their alternatives.
Sources: zsh 5.9 manual, "Complex Commands", "Alternate Forms For Complex Commands", "Process Substitution", "Parameter
Expansion", "Glob Qualifiers"; ksh93 manual, "typeset"; bash 5.2 manual, "Pattern Matching".
"""

from __future__ import annotations

import re
from functools import partial

_LONGEST = 20_000
"""Characters of a script in which forms are looked for."""
_NEAR = 40
"""Characters in front of an expansion that say whether it stands in another one."""
_LOOP = re.compile(
    r"\b(?:for|foreach|select)\s+(\w+(?:[ \t]+\w+){0,4})[ \t]*\(([^()\n]{0,400})\)[ \t]*;?[ \t]*([^\n;]{0,400})"
)
_END = re.compile(r"(?m)[; \t]{0,9}(?<![\w-])end[ \t]*(?=$|;)")
_CONDITION = re.compile(
    r"\b(?:if|elif|while|until)[ \t]+(\[\[[^\n]{0,200}?\]\]|\(\([^\n]{0,200}?\)\))[ \t]+"
    r"(?!then\b|do\b|[;&|{-])([^\n;]{1,400})"
)
_REPEAT = re.compile(r"\brepeat[ \t]+\S{1,40}[ \t]+(?!do\b)")
_FILE = re.compile(r"(?<![^\s=])=\([ \t]*(<<<)?")
_PRINT = re.compile(r"(?m)((?:^|[;&|({<])[ \t]*)print(?:[ \t]+-[rnlaNR-]{1,6}){0,4}[ \t]+")
_PRINTED = re.compile(r"\$\{(\$\([^()\n]{0,200}\))\}")
_GIVEN = re.compile(r"\$\{(?:\(([^()\n]{0,20})\))?:-([^{}$`\n]{0,200})\}")
_INSIDE = re.compile(r"\$\{(\([^()\n]{0,20}\))?$")
_PART = re.compile(r"\$(\{)?(\w+)\[(\d{1,3}),(-?\d{1,3})\](?(1)\})")
_ASSIGNED = re.compile(r"\$\{(\w+)::=")
_DECLARED = re.compile(
    r"\b(?:typeset|declare|local)[ \t]+-([a-zLRZ]{0,4}[LRZul][a-z]{0,4})(\d{0,3})[ \t]+(\w{1,40})"
    r"(=(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^\s;&|]{0,200}))?"
)
_EXTENDED = re.compile(r"([\w./-]{0,80})[@+?*]\(([^()\n]{1,200})\)")
_GROUPED = re.compile(r"([\w.-]{0,80}/[\w.-]{0,80})\(([^()\n]{1,200})\)")
_QUALIFIERS = re.compile(r"[NDFT./@=p*rwxAIEORWXs%^-]{1,4}")
_ALTERNATIVES = 4
_POSITION = re.compile(r"\$(\{)?(?:@|\*|argv)\[(\d)\](?(1)\})")


def in_other_words(text: str, shell: str) -> str | None:
    """``text`` of ``shell`` in bash's grammar, as far as that has its forms; ``None`` if it has none of them."""
    if len(text) > _LONGEST:
        return None
    plain = _PRINT.sub(r"\1echo ", _DECLARED.sub(_declared, text)) if shell in ("zsh", "ksh") else text
    if shell == "zsh":
        plain = _in_words_of_bash(plain)
    plain = _without_groups(plain, _GROUPED if shell == "zsh" else _EXTENDED)
    return plain if plain != text else None


def _without_groups(text: str, pattern: re.Pattern[str]) -> str:
    """``text`` with one of the alternatives of each pattern that has some, ``@(git|hg)``, once for each; what zsh asks
    of a file, ``/usr/bin/git(N)``, is left out."""
    return "\n".join(dict.fromkeys([pattern.sub(partial(_alternative, at), text) for at in range(_ALTERNATIVES)]))


def _alternative(at: int, found: re.Match[str]) -> str:
    front, inside = found.groups()
    if front[-1:] not in ("", "/") and _QUALIFIERS.fullmatch(inside):
        return front
    alternatives = inside.split("|")
    return front + alternatives[min(at, len(alternatives) - 1)]


def _in_words_of_bash(text: str) -> str:
    """``text`` of zsh without the forms that only zsh has."""
    plain = _given(_PRINTED.sub(r"\1", text))
    plain = _PART.sub(_part, plain)
    plain = _POSITION.sub(r"${\2}", plain)
    plain = _ASSIGNED.sub(r"${\1:=", plain)
    plain = _FILE.sub(lambda found: "<(cat <<<" if found[1] else "<(", plain)
    looped = _LOOP.sub(_loop, plain)
    if looped != plain and "foreach" in plain:
        looped = _END.sub("\ndone", looped)
    return _REPEAT.sub("", _CONDITION.sub(r"\1\n\2", looped))


def _declared(found: re.Match[str]) -> str:
    """``typeset -L4 x=y``: the value, and the part of it that is left, in which letters."""
    flags, width, name, value = found.groups()
    lines = [f"{name}{value}"] if value else []
    if width and "L" in flags:
        lines.append(f"{name}=${{{name}:0:{width}}}")
    elif width:
        lines.append(f"{name}=${{{name}: -{width}}}")
    lines += [f"{name}=${{{name}{mark}}}" for flag, mark in (("u", "^^"), ("l", ",,")) if flag in flags]
    return "\n".join(lines) or found[0]


def _loop(found: re.Match[str]) -> str:
    """A loop over a list in parentheses; what follows in the line is its body, of ``foreach`` all up to ``end``."""
    variables, listed, body = found[1].split(), found[2], found[3].strip().strip("{}").strip()
    head = "\n".join([f"for {variable} in {listed}; do" for variable in variables])
    if found[0].startswith("foreach") and not found[0].rstrip().endswith("}"):
        return f"{head}\n{body}\n"
    return f"{head}\n{body}\n{'done;' * len(variables)}" if body else f"{head}\n"


def _given(text: str) -> str:
    """``${:-TEXT}`` as its text, or, inside another expansion, as the name of a variable that has it."""
    names: list[str] = []
    upto, parts = 0, []
    for found in _GIVEN.finditer(text):
        value = _flagged(found[2], found[1] or "")
        parts.append(text[upto : found.start()])
        if _INSIDE.search("".join(parts[-2:])[-_NEAR:]):
            names.append(f"__given{len(names)}={_quoted(value)}")
            parts.append(names[-1].partition("=")[0])
        else:
            parts.append(value)
        upto = found.end()
    return "\n".join([*names, "".join([*parts, text[upto:]])])


def _flagged(value: str, flags: str) -> str:
    """``value`` as the flags of an expansion change it that change letters."""
    value = value.lower() if "L" in flags else value.upper() if "U" in flags else value
    return value.replace(" ", "") if "j" in flags else value


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "") + "'"


def _part(found: re.Match[str]) -> str:
    """``$a[2,-1]`` of a text."""
    name, first, last = found[2], max(int(found[3]) - 1, 0), int(found[4])
    if last == -1:
        return f"${{{name}:{first}}}"
    return f"${{{name}:{first}:{last + 1 if last < 0 else last - first}}}"
