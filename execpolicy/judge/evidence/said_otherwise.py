"""Texts that the words of a command say in other letters: typed key by key, in numbers, encoded, or call by call."""

from __future__ import annotations

from execpolicy.programs.typed_keys import typed_texts, typed_together
from execpolicy.shell.limits import READ, STEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.flow.facts import Facts
    from execpolicy.shell.script import Command

_SHORTEST = 6
"""Letters of an encoded text that says something."""
_ESCAPES = r"\\x([0-9a-fA-F]{2})|\\u\{?00([0-9a-fA-F]{2})\}?|&#x([0-9a-fA-F]{2});"
_BEFORE = 3
"""Words in front of the keys that may be taken for one."""
_MOST_KEYS = 2000
"""Words of the calls of one program that are put together."""


def said_otherwise(command: Command, facts: Facts, name: str, lines: Sequence[str]) -> list[str]:
    """The lines that the words of ``command``, a call of ``name``, and the ``lines`` it gets say in other letters."""
    words = [word.literal for word in command.words[1:]]
    size = sum([len(text or "") for text in (*words, *lines)])
    if size < _SHORTEST and None not in words and len(facts.script.commands) == 1:
        return []
    if not facts.budget.spend(STEP + READ * size):
        return []
    found = dict.fromkeys(typed_texts(words)) if words else {}
    for text in (*words, *lines):
        if text and len(text) >= _SHORTEST:
            found.update(dict.fromkeys(_encoded(text)))
    found.update(dict.fromkeys(facts.once(_by_calls, name)))
    return list(found)


def _encoded(text: str) -> Iterator[str]:
    """What ``text``, or its value, says in base64, hexadecimal digits, escapes, addresses or entities."""
    from execpolicy.programs.decoding import decoded

    for each in dict.fromkeys((text, text.partition("=")[2], text.rpartition(",")[2], text.rpartition(":")[2])):
        if len(each) >= _SHORTEST:
            yield from [found for found in decoded(each) if " " in found]
    if "%" in text:
        from urllib.parse import unquote

        yield from [found for found in (unquote(text),) if found != text and " " in found]
    if "\\" in text or "&" in text:
        import re  # which costs a third of a check that reads no such text
        from html import unescape

        plain = re.sub(_ESCAPES, lambda match: chr(int(match[1] or match[2] or match[3], 16)), text)
        yield from [found for found in dict.fromkeys((plain, unescape(plain))) if found != text and " " in found]


def _by_calls(facts: Facts, name: str) -> list[str]:
    """What several calls of ``name``, or one in a loop, type together: ``tool key g; tool key i``."""
    told: list[str] = []
    always: set[str] | None = None  # what every call says, and no key
    for command in facts.script.commands:
        if not facts.budget.spend(STEP):
            return []
        if not command.words or (command.words[0].literal or "").rpartition("/")[2] != name:
            continue
        plain = {word.literal for word in command.words[1:] if word.literal is not None}
        always = plain if always is None else always & plain
        for word in command.words[1:]:
            values = ((word.literal,),) if word.literal is not None else facts.values(word)
            if len(told) > _MOST_KEYS or not facts.budget.spend(STEP + READ * len(values)):
                break
            told += [text for value in values for text in value]
    keys = [text for text in told if text not in (always or ())]
    rows = [typed_together(keys[start:]).replace("^M", "\n") for start in range(min(_BEFORE, len(keys)))]
    return [line.strip() for row in rows for line in row.split("\n") if " " in line.strip()]
