"""EP108 `confusable`

## What it does
Finds characters that deceive a reader. They are invisible, change the direction of the text, or look like ASCII
letters (Cyrillic `а`, Greek `ο`, full-width forms).

## Why it matters
A rule for `gіt` with a Cyrillic letter does not match `git`, and no reader can see it. Bidirectional controls make a
line read differently from what it does.

## Example
```starlark
prefix_rule(pattern=["g\u0456t", "push"], decision="forbidden")  # written with the letter itself
```

## Instead
Write the plain letter. Where the odd character is meant, write its escape: `"\u200b"`.

## Limits
Escapes are taken as meant. Words that are foreign as a whole, such as Russian file names, are only reported where a
single look-alike is between ASCII letters, or the whole word could be read as ASCII.
"""

from __future__ import annotations

import re
import unicodedata

from execpolicy.diagnostics.model import Edit, Fix
from execpolicy.lang.builtin_calls import Value
from execpolicy.lang.terminals import encode_string
from execpolicy.lint.project import Findings, Project, RuleFile
from execpolicy.source import Span

_LOOK_ALIKES = {
    **dict(zip("асԁеһіјӏорԛѕѵԝхугАВЕНІЈКМОРЅТХУҮ", "acdehijlopqsvwxyrABEHIJKMOPSTXYY", strict=True)),
    **dict(zip("αικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aikvoptuxABEZHIKMNOPTYX", strict=True)),
    **dict(zip("ıɡո‐‑‒–—−⁄∕∗", "ign------//*", strict=True)),
}
_NOT_PLAIN = re.compile(r"[^\x20-\x7e\n\r]")
_HIDDEN = frozenset((0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x2800))


def run(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per deceptive character, or per token of look-alikes."""
    yield from _hidden(file)
    if file.source.text.isascii():
        return
    for call in file.tree.calls if file.tree is not None else ():
        for argument in call.arguments:
            if argument.name not in ("justification", "reason"):
                yield from _look_alikes(file, argument.value)


def _hidden(file: RuleFile) -> Findings:
    for found in _NOT_PLAIN.finditer(file.source.text):
        at, char = found.start(), found.group()
        what = _what_hides(char)
        if what is not None:
            yield file.finding(
                "EP108",
                f"U+{ord(char):04X} is {what}",
                Span(at, at + 1),
                help="remove it, or write it as an escape in a string",
            )


def _what_hides(char: str) -> str | None:
    code = ord(char)
    if char.isascii():
        return "a control character"
    if 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069 or code in (0x200E, 0x200F, 0x061C):
        return "a bidirectional control: the line reads differently from what it does"
    if code in _HIDDEN or 0xFE00 <= code <= 0xFE0F or 0xE0000 <= code <= 0xE01EF:
        return "invisible"
    category = unicodedata.category(char)
    if category in ("Cf", "Zl", "Zp"):
        return "invisible"
    if category == "Zs":
        return "a blank that is no space"
    return "a control character" if category in ("Cc", "Co", "Cn") else None


def _look_alikes(file: RuleFile, value: Value) -> Findings:
    for item in value.items:
        yield from _look_alikes(file, item)
    written = file.source.snippet(value.span) if value.kind == "string" else ""
    if value.value is None or written.isascii():
        return
    plain = "".join([_plain(char) for char in value.value])
    if plain == value.value or not plain.isascii():
        return
    odd = next(char for char in value.value if _plain(char) != char)
    fix = None
    if encode_string(value.value) == written:
        edit = Edit(value.span, encode_string(plain))
        fix = Fix(title=f"write `{plain}`", edits=(edit,), applicability="unsafe")
    yield file.finding(
        "EP108",
        f"`{value.value}` looks like `{plain}`, but holds U+{ord(odd):04X} "
        f"({unicodedata.name(odd, 'unnamed').capitalize()})",
        value.span,
        help=f"write `{plain}`; where the other character is meant, write its escape",
        fix=fix,
    )


def _plain(char: str) -> str:
    if char.isascii():
        return char
    folded = _LOOK_ALIKES.get(char)
    if folded is not None:
        return folded
    return unicodedata.normalize("NFKC", char) if 0xFF01 <= ord(char) <= 0xFF5E else char
