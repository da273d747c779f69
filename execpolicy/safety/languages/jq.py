"""Programs of ``jq`` that read nothing but their input. jq runs no programs and writes no files.

What is refused shows the environment, which may hold secrets, loads other files, or waits for lines of a person
(``repl`` of jaq). Names that only ``yq`` knows are refused with them. Source: the manuals of jq 1.6 and 1.7, of yq 4
and of jaq 2.3.
"""

from __future__ import annotations

from execpolicy.safety.secrets import secret_in

# fmt: off
_REFUSED = frozenset((
    "env", "ENV", "import", "include", "modulemeta", "strenv", "envsubst", "load", "load_str", "load_xml", "load_props",
    "load_base64", "eval", "system", "loadstr", "strload", "loadxml", "xmlload", "loadprops", "propsload", "loadbase64",
    "repl",
))
# fmt: on
_YQ_PARTS = ("env", "load", "eval", "system", "import", "include", "ENV")


def program_refusal(text: str) -> str | None:
    """Returns what is wrong with the program ``text``, or ``None`` if it only reads its input."""
    strings: list[int] = []
    depth = 0
    inside = False
    at, end = 0, len(text)
    while at < end:
        char = text[at]
        if inside:
            if char == "\\":
                if text[at + 1 : at + 2] == "(":
                    strings.append(depth)
                    depth = 0
                    inside = False
                at += 2
                continue
            if char == '"':
                inside = False
            at += 1
        elif char == '"':
            inside = True
            at += 1
        elif char == "#":
            return "is a jq program with a comment, which versions of jq end differently"
        elif char == "(":
            depth += 1
            at += 1
        elif char == ")":
            if depth == 0 and strings:
                depth = strings.pop()
                inside = True
            else:
                depth -= 1
            at += 1
        elif char.isalpha() or char == "_":
            stop = at
            while stop < end and (text[stop].isalnum() or text[stop] == "_"):
                stop += 1
            field = text[at - 1 : at] == "." and not text[at - 2 : at - 1].isdigit() and text[at - 2 : at - 1] != "."
            if not field and text[at:stop] in _REFUSED:
                return f"is a jq program that reads the environment or other files (`{text[at:stop]}`)"
            at = stop
        else:
            at += 1
    if inside or strings:
        return "is a jq program with a string that does not end"
    return None


def yq_refusal(text: str) -> str | None:
    """The same for ``yq``, where a first word without a mark of an expression could be a sub-command.

    Its lexer takes the longest operator that fits, wherever it is: ``.a orload("f")`` loads a file. And a single
    word that is the name of a file is that file.
    """
    if text[:1] not in (".", "[", "{", "(", '"', "$"):
        return "is not an expression that starts with `.`, so that it could be a sub-command"
    outside = _without_fields(text)
    for part in _YQ_PARTS:
        if part in outside:
            return f"is a yq program that may read the environment or other files (`{part}`)"
    file = secret_in(text) if "." not in text[1:] or text.startswith(".env") else None  # `.jobs.env` is no file
    return file or program_refusal(text)


def _without_fields(text: str) -> str:
    """``text`` without the names of fields: ``.jobs.env``."""
    kept: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "." and text[at - 1 : at] != "." and not text[at - 1 : at].isdigit():
            at += 1
            while at < len(text) and (text[at].isalnum() or text[at] in "_-"):
                at += 1
            continue
        kept.append(text[at : at + 1])
        at += 1
    return "".join(kept)
