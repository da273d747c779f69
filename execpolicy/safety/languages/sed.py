"""Scripts of ``sed`` that only edit and print the text that flows through."""

from __future__ import annotations

from execpolicy.programs.sed_script import BadScriptError, strict_commands

_STREAMS = frozenset(["/dev/null", "/dev/stdout", "/dev/stderr"])
"""Files that are no more than what is printed anyway."""
_REFUSED = {
    "e": "runs a program (`e`)",
    "s///e": "runs a program (`s///e`)",
    "r": "reads another file (`r`)",
    "R": "reads another file (`R`)",
    "W": "writes to a file (`W`)",
}
_READINGS = (("no", False), ("posix", False), ("posix", True), ("busybox", False), ("busybox", True))


def script_refusal(text: str) -> str | None:
    """Returns what is wrong with the script ``text``, or ``None`` if it only prints."""
    if (len(text) - len(text.rstrip("\\"))) % 2:
        return "is a sed script that ends in a backslash, which takes in the next one"
    for brackets, everywhere in _READINGS if "[" in text else _READINGS[:1]:
        try:
            for name, argument in strict_commands(text, brackets, everywhere):
                if name in _REFUSED:
                    return f"is a sed script that {_REFUSED[name]}"
                if argument not in _STREAMS:
                    return f"is a sed script that writes to a file (`{name}`)"
        except BadScriptError as bad:
            return f"is a sed script that {bad}"
    return None
