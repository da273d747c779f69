"""Checks of the text of a rule file."""

from __future__ import annotations

import os
import re
import unicodedata

from execpolicy.diagnostics.model import Edit, Fix
from execpolicy.lang.builtin_calls import Value
from execpolicy.lang.terminals import encode_string
from execpolicy.lint.project import Findings, Project, RuleFile, StatementGroup
from execpolicy.lint.survey import codex_rules_folder
from execpolicy.source import Span

_EXTENSIONS = frozenset(("safe_command", "dangerous_command", "write_rule", "read_rule"))
_PARAMETERS = ("spelling", "unless", "sends", "ports_not")


def ep106(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per statement or file that Codex would refuse or ignore."""
    folder = None if file.path is None else codex_rules_folder(file.path)
    if file.path is None or folder is None:
        return
    name = os.path.basename(file.path)
    if os.path.splitext(name)[1] != ".rules":
        yield file.finding("EP106", f"Codex ignores `{name}`: it only reads files that end in `.rules`", None)
    elif os.path.islink(file.path):
        yield file.finding("EP106", f"Codex ignores `{name}`: it is a symbolic link", None, help="copy the file")
    if os.path.dirname(os.path.abspath(file.path)) != folder:
        yield file.finding("EP106", f"Codex ignores `{name}`: it does not look into sub-folders", None)
    for call in file.tree.calls if file.tree is not None else ():
        given = [each for each in _PARAMETERS if call.argument(each) is not None]
        for unknown in [call.name] if call.name in _EXTENSIONS else given:
            yield file.finding(
                "EP106",
                f"Codex does not know `{unknown}` and drops all rule files because of it",
                call.name_span,
                help="move it into a folder that only execpolicy reads, such as `~/.config/execpolicy/rules`",
                severity="error",
            )


_LOOK_ALIKES = {
    **dict(zip("асԁеһіјӏорԛѕѵԝхугАВЕНІЈКМОРЅТХУҮ", "acdehijlopqsvwxyrABEHIJKMOPSTXYY", strict=True)),
    **dict(zip("αικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aikvoptuxABEZHIKMNOPTYX", strict=True)),
    **dict(zip("ıɡո‐‑‒–—−⁄∕∗", "ign------//*", strict=True)),
}
_NOT_PLAIN = re.compile(r"[^\x20-\x7e\n\r]")
_HIDDEN = frozenset((0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x2800))


def ep108(file: RuleFile, project: Project) -> Findings:
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
        return "a bidirectional control: the line does not do what it seems to say"
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


_WHERE = {
    "for_stmt": "in a loop",
    "list_comprehension": "in a comprehension",
    "dict_comprehension": "in a comprehension",
    "def_stmt": "in a function",
    "lambda_expr": "in a function",
}


def ep110(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic per line whose rules cannot be distinguished."""
    seen: set[int] = set()
    for group in file.groups:
        why = _why(file, group)
        if why is None or group.line in seen:
            continue
        seen.add(group.line)
        yield file.finding(
            "EP110",
            why,
            file.span_of(group),
            help="write each rule as a statement of its own; alternatives in a pattern often replace a loop",
        )


def _why(file: RuleFile, group: StatementGroup) -> str | None:
    if group.call is not None:
        where = next((_WHERE[kind] for kind in group.call.context if kind in _WHERE), None)
        return f"this call is {where}, so its rules share one place" if where else None
    calls = file.tree.calls_at_line(group.line) if file.tree is not None else ()
    if len(calls) > 1:
        return "several calls share this line, so their rules share one place"
    return "this line makes rules under another name than the builtin's, so their call cannot be shown"


def ep207(file: RuleFile, project: Project) -> Findings:
    """Yield one diagnostic for a file without statements."""
    if file.source.text.strip() and file.tree is not None and not file.groups and not file.problems:
        yield file.finding(
            "EP207", "the file holds no rule, so it decides nothing", None, help="add a rule, or delete it"
        )
