"""What ``awk``, ``sed`` and other interpreters print by themselves: the string constants of their programs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.script import Command

MAX_CONSTANTS = 64
_LANGUAGES = {"python": "python", "perl": "perl", "ruby": "ruby", "node": "javascript", "php": "php"}


def printed_constants(name: str, command: Command) -> list[str]:
    """Texts that the program given to ``name`` holds and may print. Evidence for what a shell behind it would run."""
    from execpolicy.flow.tokens import tokens

    plain = name.rstrip("0123456789")
    found: list[str] = []
    for word in command.words[1:]:
        text = word.literal
        if text is None:
            continue
        if plain in ("sed", "gsed"):
            found.extend([*replacements(text), *_inserted(text)])
        elif plain in ("ex", "vim", "vi", "nvim"):
            line = text.removeprefix("--cmd=").removeprefix("-c").lstrip("+:")
            quoted = [token.value for token in tokens(line, "c") if token.kind == "text"]
            found.extend([*quoted, *replacements(line), *_inserted(line)])
        elif plain in ("awk", "gawk", "mawk") or plain in _LANGUAGES:
            constants = [token.value for token in tokens(text, _LANGUAGES.get(plain, "awk")) if token.kind == "text"]
            found.extend(constants)
            if len(constants) > 1:
                found.append(" ".join(constants))
        elif plain in ("jq", "yq", "gojq", "jaq"):
            constants = [token.value for token in tokens(text, "c") if token.kind == "text"]
            found.extend(["".join(constants), *constants])
        elif plain == "xargs" and text == "echo":
            found.append(" ".join([each.literal or "" for each in command.words[2:]]))
    return [text for text in found if text.strip()][:MAX_CONSTANTS]


def _inserted(text: str) -> list[str]:
    """The lines that ``a``, ``i`` and ``c`` put in, behind an address of numbers or none."""
    found: list[str] = []
    for line in text.replace("\\\n", "\\").split("\n"):
        behind = line.lstrip("0123456789$,!~+ {")
        if behind[:1] in ("a", "i", "c") and behind[1:]:
            found.append(behind[1:].lstrip("\\ |"))
    return found


def replacements(text: str) -> list[str]:
    """The replacement of ``s/…/…/``."""
    if len(text) < 4 or "s" not in text:
        return []
    at = text.find("s")
    delimiter = text[at + 1 : at + 2]
    parts = text[at + 2 :].split(delimiter) if delimiter and not delimiter.isalnum() else []
    return [parts[1].replace("&", "").replace("\\1", "")] if len(parts) > 2 else []
